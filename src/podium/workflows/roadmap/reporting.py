"""What people are told about an iteration and the end of the loop.

All text from agents and from the roadmap is reduced to one line that can forge neither a heading
nor a bullet, nor the line that reports completion.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from podium.formats.field_lines import one_line

PROMISE = "<promise>COMPLETE</promise>"
"""Alone on its line when every item passes, and printed nowhere else."""

PIPELINES: Mapping[str, tuple[str, ...]] = {
    "simple": ("Implement", "Testing", "Review"),
    "medium": ("Research if needed", "Architect", "Implement", "Testing", "Review"),
    "complex": ("Research", "Architect", "Implement", "Architect Validation", "Testing", "Review"),
}
MAX_TEXT = 300
MAX_EVIDENCE = 20
_PROMISE = re.compile(r"<(?=\s*/?\s*promise)", re.IGNORECASE)
_GATE = re.compile(r"- (?P<name>tests|review|lint|typecheck|build): (?P<word>[a-z_/]+)")


class Ended(Protocol):
    """What the end of the loop needs to know about an item."""

    @property
    def id(self) -> str | int: ...
    @property
    def title(self) -> str: ...
    @property
    def reasons(self) -> Sequence[str]: ...


class Held(Protocol):
    """One reason why one item cannot start."""

    @property
    def item(self) -> str | int: ...
    @property
    def dependency(self) -> str | int | None: ...
    @property
    def why(self) -> str: ...


def harmless(text: object, limit: int = MAX_TEXT) -> str:
    """Any text as part of one line: without line breaks, invisible characters and the promise."""
    raw = one_line(str(text)[: 8 * limit])
    seen = "".join(
        char for char in raw if unicodedata.category(char) not in ("Cf", "Cc", "Co", "Cs")
    )
    line = _PROMISE.sub("&lt;", " ".join(seen.split()))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def iteration(item: object, ended: Mapping[str, Any], candidate: str) -> str:
    """The report of one iteration.

    `ended` holds title, status, passes, retryCount and complexity; what is proven; tested and
    reviewed, the agents' claims, as the judges keep them; reasons if the item is blocked;
    dispatched, the agents in order, if known.
    """
    return "\n".join(
        [
            "## Orchestration Iteration",
            "",
            f"- Selected item: {harmless(item)} {harmless(ended.get('title', ''))}".rstrip(),
            f"- Dispatch: {_dispatch(ended)}",
            f"- Gates: {_gates(ended)}",
            f"- State updates: {_updates(ended)}",
            f"- Next candidate: {harmless(candidate)}",
            "",
        ]
    )


def ending_blocked(
    stopped: Sequence[Ended], unreachable: Sequence[Ended] = (), holds: Sequence[Held] = ()
) -> str:
    """The blocked items with all recorded evidence, and the items that cannot be reached without
    them.

    `holds` says what keeps the unreachable ones, where it is known.
    """
    names = ", ".join(harmless(each.id, 80) for each in stopped)
    lost = ", ".join(harmless(each.id, 80) for each in unreachable)
    lines = [f"blocked: {names}" + (f"; out of reach because of it: {lost}" if lost else "")]
    for each in stopped:
        lines.append(f"- {_named(each)} is blocked:")
        shown = [harmless(reason) for reason in each.reasons[:MAX_EVIDENCE] if harmless(reason)]
        lines += [f"  - Evidence: {reason}" for reason in shown] or [
            "  - Evidence: none was recorded"
        ]
        if len(each.reasons) > MAX_EVIDENCE:
            lines.append(
                f"  - Evidence: {len(each.reasons) - MAX_EVIDENCE} more entries in the roadmap"
            )
    for each in unreachable:
        known = [hold for hold in holds if hold.item == each.id and hold.dependency is not None]
        why = ", ".join(f"{harmless(hold.dependency, 80)} {harmless(hold.why)}" for hold in known)
        lines.append(f"- {_named(each)} cannot be reached" + (f": {why}" if why else ""))
    return "\n".join(lines)


def ending_deadlock(holds: Sequence[Held]) -> str:
    """Which dependency holds back which item."""
    waiting = dict.fromkeys(harmless(each.item, 80) for each in holds)
    lines = [f"nothing can be begun though not all items pass: {', '.join(waiting)}"]
    for each in holds:
        what = (
            harmless(each.item, 80)
            if each.dependency is None
            else f"its dependency {harmless(each.dependency, 80)}"
        )
        lines.append(f"- Item {harmless(each.item, 80)} waits: {what} {harmless(each.why)}")
    return "\n".join(lines)


def _named(item: Ended) -> str:
    return f"Item {harmless(item.id, 80)} ({harmless(item.title, 120)})"


def _dispatch(ended: Mapping[str, Any]) -> str:
    agents = ended.get("dispatched") or PIPELINES.get(str(ended.get("complexity")), ())
    return " → ".join(harmless(each, 80) for each in agents) or "none"


def _gates(ended: Mapping[str, Any]) -> str:
    tested, reviewed = _words(ended.get("tested", "")), _words(ended.get("reviewed", ""))
    said = [
        f"Testing {tested.get('tests', 'not reached')}",
        f"Review {reviewed.get('review', 'not reached')}",
    ]
    checks = ", ".join(
        f"{name} {reviewed[name]}" for name in ("lint", "typecheck", "build") if name in reviewed
    )
    proven = [harmless(sentence) for sentence in ended.get("proven") or ()]
    verdict = "pass" if ended.get("passes") else "fail"
    reason = harmless(ended.get("reason", "")) if verdict == "fail" else ""
    return (
        f"{verdict}: {'; '.join(proven) or 'not proven'}; "
        + ("agents claim " if tested or reviewed else "")
        + ", ".join(said)
        + (f" ({checks})" if checks else "")
        + (f"; {reason}" if reason else "")
    )


def _words(summary: str) -> dict[str, str]:
    """The verdicts at the beginning of a kept summary; the agent's own words follow them."""
    found: dict[str, str] = {}
    for line in summary.splitlines():
        gate = _GATE.fullmatch(line)
        if not gate or gate["name"] in found:
            break
        found[gate["name"]] = gate["word"]
    return found


def _updates(ended: Mapping[str, Any]) -> str:
    said = [
        f"status={harmless(ended.get('status', ''), 40)}",
        f"passes={str(bool(ended.get('passes'))).lower()}",
    ]
    said.append(f"retryCount={harmless(ended.get('retryCount', 0), 20)}")
    if reasons := ended.get("reasons"):
        said.append(f"blockedReasons={len(reasons)} entries")
    return ", ".join(said)
