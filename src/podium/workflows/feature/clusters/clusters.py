"""The verdict of a cluster from the results of its members: pure tables that fail closed.

A member counts as the worse of its status and its worst finding, so that a mild line cannot hide a
bad document, nor a mild document a bad line. A member without any result is MISSING; an unknown
member or status is an ERROR.

The tables are applied as written, even where a member that fails holds up less than one that
objects; a warning then names it. Where they leave two readings, the stricter was chosen:

- Verification: if one of tests, tasks and feature is ERROR or MISSING and the others are DONE, the
  others decide. If
  another one is NEEDS_REVISION, "continue with the rest" would be possible too, but ERROR wins.
- Review: if quality or testing is ERROR or MISSING and the others are good, the others decide.
- Review: NEEDS_REVISION with nothing worse than a Minor is DONE. Without any finding it counts as a
  Major: a member
  that objects without saying to what is not overruled.
- Findings count whatever the status is: an agent that reports a Critical and then breaks down is no
  better than one
  that reports it and ends well. So a security Blocker is an ERROR even if the member says DONE, and
  the findings of failed CT members still count.
- Critical thinking and research continue with two good members of four.
- NEEDS_REVISION from a member that may not say it (research, CT, build, knowledge) counts as ERROR.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from podium.workflows.feature.findings.severities import CT, R, Scale, V, scale_of

Status = Literal["DONE", "NEEDS_REVISION", "ERROR"]
Standing = Literal["DONE", "NEEDS_REVISION", "ERROR", "MISSING"]
RESEARCH_MEMBERS = ("architecture", "impact", "dependencies", "patterns")
CT_MEMBERS = ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
V_MEMBERS = ("v-build", "v-tests", "v-tasks", "v-feature")
R_MEMBERS = ("r-quality", "r-security", "r-testing", "r-knowledge")
MAY_REVISE = frozenset({"v-tests", "v-tasks", "v-feature", "r-quality", "r-security", "r-testing"})
"""The agents that may say NEEDS_REVISION."""
ENOUGH = 2
"""How many good members a cluster without a gate needs."""
_STANDINGS: tuple[Standing, ...] = ("DONE", "NEEDS_REVISION", "ERROR", "MISSING")


@dataclass(frozen=True)
class Seen:
    """The result of one member."""

    member: str
    status: Standing
    severity: str = ""
    """The worst it found, in its cluster's words; empty if nothing."""


@dataclass(frozen=True)
class Decided:
    """The result of a cluster."""

    status: Status
    reason: str
    warnings: tuple[str, ...] = ()


def decide_research(seen: Iterable[Seen]) -> Decided:
    found, strange = _found(seen, RESEARCH_MEMBERS)
    return strange or _enough(found) or _done(found)


def decide_ct(seen: Iterable[Seen]) -> Decided:
    found, strange = _found(seen, CT_MEMBERS)
    if failed := strange or _enough(found):
        return failed
    bad = [each for each in found.values() if CT.at_least(each.severity, "High")]
    if bad:
        return Decided("NEEDS_REVISION", _listed(bad, CT), _warnings(found.values()))
    return _done(found)


def decide_v(seen: Iterable[Seen]) -> Decided:
    found, strange = _found(seen, V_MEMBERS)
    if strange:
        return strange
    build, *others = found.values()
    if build.status != "DONE" or V.at_least(build.severity, "PARTIAL"):
        return Decided("ERROR", _listed([build], V))
    lost = [each for each in others if _lost(each)]
    bad = [each for each in others if V.at_least(each.severity, "PARTIAL")]
    revised = [each for each in others if not _lost(each) and (_asks(each) or each in bad)]
    if len(lost) >= 2:
        return Decided("ERROR", f"too few results: {_listed(lost, V)}")
    if lost and revised:
        return Decided("ERROR", f"{_listed(lost, V)}, and {_listed(revised, V)}")
    if revised or bad:
        return Decided("NEEDS_REVISION", _listed(revised or bad, V), _warnings(lost))
    return _done(found)


def decide_r(seen: Iterable[Seen]) -> Decided:
    found, strange = _found(seen, R_MEMBERS)
    if strange:
        return strange
    security = found["r-security"]
    judges = [each for each in found.values() if each.member != "r-knowledge"]
    warnings = _warnings(found.values())
    if _lost(security) or R.at_least(security.severity, "Blocker"):
        return Decided("ERROR", f"nothing passes security: {_listed([security], R)}", warnings)
    lost = [each for each in judges if _lost(each)]
    if len(judges) - len(lost) < ENOUGH:
        return Decided("ERROR", f"too few results: {_listed(lost, R)}", warnings)
    revised = [
        each
        for each in judges
        if R.at_least(each.severity, "Major") or (_asks(each) and _finds_nothing(each))
    ]
    if revised:
        return Decided("NEEDS_REVISION", _listed(revised, R), warnings)
    return _done(found)


def _found(
    seen: Iterable[Seen], members: Sequence[str]
) -> tuple[Mapping[str, Seen], Decided | None]:
    """Each member once, in order, with the worst seen of it."""
    found = {name: Seen(name, "MISSING") for name in members}
    met: set[str] = set()
    for each in seen:
        if each.member not in found:
            return found, Decided("ERROR", f"'{each.member[:80]}' is not a member of this cluster")
        known = replace(each, status=each.status if each.status in _STANDINGS else "ERROR")
        found[each.member] = _worse(found[each.member], known) if each.member in met else known
        met.add(each.member)
    return found, None


def _worse(first: Seen, second: Seen) -> Seen:
    status = max(first.status, second.status, key=_STANDINGS.index)
    return Seen(
        first.member, status, scale_of(first.member).highest((first.severity, second.severity))
    )


def _lost(seen: Seen) -> bool:
    return seen.status in ("ERROR", "MISSING")


def _asks(seen: Seen) -> bool:
    return seen.status == "NEEDS_REVISION"


def _finds_nothing(seen: Seen) -> bool:
    return R.read(seen.severity) == R.nothing


def _enough(found: Mapping[str, Seen]) -> Decided | None:
    bad = [each for each in found.values() if each.status != "DONE"]
    if len(found) - len(bad) >= ENOUGH:
        return None
    return Decided("ERROR", f"fewer than {ENOUGH} results: {_listed(bad, CT)}")


def _done(found: Mapping[str, Seen]) -> Decided:
    good = sum(each.status == "DONE" for each in found.values())
    return Decided("DONE", f"{good} of {len(found)} members are done", _warnings(found.values()))


def _listed(seen: Iterable[Seen], scale: Scale) -> str:
    return ", ".join(_said(each, scale) for each in seen)


def _said(seen: Seen, scale: Scale) -> str:
    severity = scale.read(seen.severity)
    return f"{seen.member} {seen.status}" + (
        f" with {severity}" if severity != scale.nothing else ""
    )


def _warnings(seen: Iterable[Seen]) -> tuple[str, ...]:
    return tuple(
        f"{each.member} gave no result ({each.status})"
        for each in seen
        if _lost(each) or (each.status != "DONE" and each.member not in MAY_REVISE)
    )
