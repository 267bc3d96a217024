"""The three clusters judged by code: the members' files and words in, one verdict and its
document out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core.run import Run
from podium.core.verdict import Judgement, Outcome, Verdict
from podium.proof.evidence import broken
from podium.proof.sentences import line_of
from podium.workflows.feature import remembering
from podium.workflows.feature.clusters import aggregates
from podium.workflows.feature.clusters.clusters import (
    CT_MEMBERS,
    R_MEMBERS,
    V_MEMBERS,
    Decided,
    decide_ct,
    decide_r,
    decide_v,
)
from podium.workflows.feature.clusters.observation import Observed, observed
from podium.workflows.feature.contracts import feature
from podium.workflows.feature.documents.documents import SHAPES
from podium.workflows.feature.findings.severities import R
from podium.workflows.feature.memory.knowledge import screened
from podium.workflows.feature.plan.task_names import Names
from podium.workflows.feature.run import FeatureRun, told, warned

Texts = Mapping[str, str | None]
Evidence = Sequence[Mapping[str, Any]]
_OUTCOMES: Mapping[str, Outcome] = {"DONE": "ok", "NEEDS_REVISION": "revise", "ERROR": "fail"}
SECURITY = "SECURITY"
"""The outcome of a review that only security blocks, as long as security can be asked again."""
SHOWN = 10


def paths(run: FeatureRun, members: Iterable[str]) -> dict[str, str]:
    return {each: f"{run.folder}/{SHAPES[each].path}" for each in members}


def known_tasks(run: FeatureRun, named: Iterable[str]) -> list[str]:
    """The tasks meant, by id or by number, in the order of the plan; unknown names are left out."""
    names = Names.of(run.tasks)
    found = {names.find(each) or names.namesake(each) for each in named}
    return [each for each in run.tasks if each in found]


def _observed(
    run: FeatureRun, seen: Mapping[str, Any], members: Sequence[str], texts: Texts
) -> list[Observed]:
    """Each member by what it said and by its file; a file counts only if the member wrote it in
    this round.
    """
    found = []
    names = Names.of(run.tasks)

    def ids(said: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(names.find(each) or names.namesake(each) or each for each in said)
        )

    for name, path in paths(run, members).items():
        each = seen.get(name)
        verdict = Verdict("ok", each["word"], each["reason"], each["data"]) if each else None
        made = observed(name, verdict, texts.get(path) if each and each["wrote"] else None)
        findings = tuple(replace(one, tasks=ids(one.tasks)) for one in made.findings)
        found.append(replace(made, tasks=ids(made.tasks), findings=findings))
    return found


def _judged(
    run: FeatureRun,
    decided: Decided,
    members: Sequence[Observed],
    line: str,
    writes: Mapping[str, str],
    **more: Any,
) -> Judgement:
    read = [each for member in members for each in member.warnings]
    warnings = (*decided.warnings, *read, *more.pop("warnings", ()))
    return Judgement(
        _OUTCOMES[decided.status],
        line,
        decided.reason,
        more.pop("route", decided.status),
        sets={"warnings": warned(run, warnings), **more},
        writes=writes,
        stop="cluster",
        facts=told(warnings),
    )


def _round(run: FeatureRun, step: str) -> int:
    """The number of the cluster's round; the counters of the loops start again after a replan."""
    return run.visits.get(step, 1)


# -- the design review


def judge_ct(max_loops: int, run: Run, texts: Texts, _found: Evidence) -> Judgement:
    at = feature(run)
    members = _observed(at, at.ct_seen, CT_MEMBERS, texts)
    decided = decide_ct([each.seen for each in members])
    last = decided.status == "NEEDS_REVISION" and at.ct_loops >= max_loops
    data = aggregates.gathered(
        decided, members, paths(at, CT_MEMBERS), _round(at, "ct"), constraints=last
    )
    line = aggregates.outcome_line("ct", decided)
    text = aggregates.render_ct(data)
    path = f"{at.folder}/design_critical_review.md"
    warnings = (
        ("the design review still asks for a revision; its open tensions bind the plan",)
        if last
        else ()
    )
    remembered = remembering.judged(at, "ct-aggregator", "3b", path, text, decided.status)
    return _judged(at, decided, members, line, {path: text}, warnings=warnings, memory=remembered)


# -- verification


def judge_v(max_loops: int, run: Run, texts: Texts, found: Evidence) -> Judgement:
    """Judge the members, the engine's own commands and its knowledge of the tasks: no agent can
    argue against the last two.
    """
    at = feature(run)
    members = _observed(at, {**at.v_seen, **at.build_seen}, V_MEMBERS, texts)
    own = _own_view(at, found)
    decided = _no_milder(decide_v([each.seen for each in members]), own)
    data = aggregates.gathered(decided, members, paths(at, V_MEMBERS), _round(at, "v_build"))
    data["warnings"] = [*data["warnings"], *(f"observed: {each}" for each in own)]
    failing = known_tasks(at, [*aggregates.failing_tasks(data), *_not_done(at)])
    line = aggregates.outcome_line("v", decided, failing)
    over = decided.status != "DONE" and (at.replanned or at.v_loops >= max_loops)
    warnings = ("verification still fails; its findings go with the review",) if over else ()
    text, path = aggregates.render_v(data), f"{at.folder}/verifier.md"
    sets = {
        "failed": failing if decided.status != "DONE" else [],
        "memory": remembering.judged(at, "v-aggregator", "6", path, text, decided.status),
    }
    return _judged(at, decided, members, line, {path: text}, warnings=warnings, **sets)


def _no_milder(decided: Decided, own: Sequence[str]) -> Decided:
    """The members' result, but not DONE if the engine itself saw something wrong."""
    if not own:
        return decided
    if decided.status == "DONE":
        return Decided("NEEDS_REVISION", "; ".join(own), decided.warnings)
    return replace(decided, reason="; ".join((decided.reason, *own)))


def _own_view(run: FeatureRun, found: Evidence) -> list[str]:
    own = _broken(found)
    if left := _not_done(run):
        more = f" and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
        own.append(f"tasks that are not done: {', '.join(left[:SHOWN])}{more}")
    return own


def _broken(found: Evidence) -> list[str]:
    return [line_of(record) for record in broken(found)]


def _not_done(run: FeatureRun) -> list[str]:
    return [each for each in run.planned() if each not in run.finished]


# -- review


def judge_fixes(_run: Run, _texts: Texts, found: Evidence) -> Judgement:
    """The engine's own commands after a fix pass; the next review's verdict takes their result
    into account.
    """
    lines = _broken(found)
    return Judgement(
        "ok", "; ".join(lines) or "nothing is broken", sets={"broken": lines}, facts=told(lines)
    )


def judge_r(run: Run, texts: Texts, _found: Evidence) -> Judgement:
    at = feature(run)
    members = _observed(at, at.r_seen, R_MEMBERS, texts)
    decided = decide_r([each.seen for each in members])
    # What was broken before the fixes is already in verifier.md; it affects how the run ends, not
    # its review.
    if at.broken and not at.findings:
        decided = _no_milder(decided, [f"after the fixes {each}" for each in at.broken])
    tier = at.tier or "Standard"
    data = aggregates.gathered(decided, members, paths(at, R_MEMBERS), _round(at, "r"), tier=tier)
    path = f"{at.folder}/review.md"
    writes = {path: aggregates.render_r(data)}
    suggested = f"{at.folder}/review/knowledge-suggestions.md"
    if text := texts.get(suggested):
        writes[suggested] = screened(text)
    affected = _affected(at, data) if decided.status != "DONE" else []
    line = aggregates.outcome_line("r", decided, affected)
    sets: dict[str, Any] = {"affected": affected, "tier": tier}
    if _may_ask_again(at, decided, members):
        return _judged(
            at, decided, members, line, writes, **sets, security_asked=True, route=SECURITY
        )
    taken_back = at.security_asked and decided.status != "ERROR"
    warnings = ("r-security reported a Blocker and, asked again, did not",) if taken_back else ()
    sets["memory"] = remembering.judged(at, "r-aggregator", "7", path, writes[path], decided.status)
    return _judged(at, decided, members, line, writes, **sets, warnings=warnings)


def _may_ask_again(run: FeatureRun, decided: Decided, members: Sequence[Observed]) -> bool:
    """Whether security blocks because of a finding. If it failed with an ERROR, it was already
    asked again.
    """
    security = next(each.seen for each in members if each.seen.member == "r-security")
    said = security.status in ("DONE", "NEEDS_REVISION") and R.at_least(
        security.severity, "Blocker"
    )
    return decided.status == "ERROR" and said and not run.security_asked


def _affected(run: FeatureRun, data: Mapping[str, Any]) -> list[str]:
    """Tasks to fix: those named in findings and those that changed the files the findings name;
    if none, all.
    """
    named = known_tasks(run, aggregates.affected_tasks(data))
    bad = [
        each
        for each in aggregates.findings_of(data)
        if R.at_least(each.severity, "Major") and not each.tasks
    ]
    places = [each.where for each in bad if each.where]
    owners = [
        name
        for name in run.finished
        if any(
            str(path) in where
            for where in places
            for path in run.tasks.get(name, {}).get("changed", ())
        )
    ]
    found = {*named, *owners} or set(run.finished)
    return [each for each in run.tasks if each in found]
