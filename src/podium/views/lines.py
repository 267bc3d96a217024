"""One readable line for any event of the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podium.core.chain import COMMON
from podium.views import figures, safe
from podium.views.board import counters
from podium.views.gate import APPROVALS, REJECTIONS
from podium.views.proving import proof_lines
from podium.views.reason import own_reason

Event = Mapping[str, Any]

QUIET = frozenset(
    {
        *("run.advanced", "phase.left", "step.reused", "artifact.verified", "document.saved"),
        *("governed.delegation", "governed.report", "governed.failure"),
    }
)
"""Events that happen all the time and ask nothing of anybody."""
SUDDEN = frozenset({"decision", "document", "git"})
"""Kinds of checks that are over as soon as they begin; their result is enough."""


def ended_by(reason: str) -> str:
    """How a run was cancelled; where nobody said why, the reason says no more than that it was."""
    return (
        reason or "cancelled"
        if not reason or reason.startswith("cancelled")
        else f"cancelled: {reason}"
    )


def log_line(event: Event, width: int = 200) -> str:
    """`12:03:04 specification started (po-spec)`: harmless, one line, for every present or
    future type.
    """
    kind = str(event.get("type", ""))
    words = _warning(event) if _warns(event) else _WORDS.get(kind, _generic)(event)
    child = _child(event)
    if child and kind.startswith(("run.", "phase.")):
        words = f"{child} {words}"
    return safe.line(f"{figures.clock(event.get('ts'))} {words}", width)


def block(event: Event) -> list[str]:
    """The lines of a text for people that a workflow's event carries, or what changed before a run
    started; empty if there is none.
    """
    if event.get("type") == "run.started":
        return [f"changed {safe.line(each, 200)}" for each in counters.texts(event, "changed")]
    text = event.get("text")
    told = isinstance(text, str) and not _warns(event)
    return [safe.line(each, 200) for each in str(text).splitlines()] if told else []


def _warns(event: Event) -> bool:
    """Whether a workflow uses it as a warning; its text is a few words for one line."""
    return str(event.get("type", "")).endswith(".warning")


def important(event: Event) -> bool:
    """Whether somebody watching wants a line for it. Phases count only for the run itself, not
    for its child runs.
    """
    kind = str(event.get("type", ""))
    if kind == "ticket.log":  # the steps say the same, except for what went wrong
        return event.get("level") != "INFO"
    if kind == "step.started" and event.get("kind") in SUDDEN:
        return False
    return kind not in QUIET and not (kind.startswith("phase.") and _child(event))


def entry(event: Event, width: int = 200) -> list[str]:
    """An event's line, and below it the text it carries for people, unless that is the line
    itself.
    """
    line, told = log_line(event, width), block(event)
    return [
        line,
        *(f"         {each}".rstrip() for each in told if told != [line.partition(" ")[2]]),
    ]


def _child(event: Event) -> str:
    """The key of the child run that an event belongs to; "" for the run itself."""
    return str(event.get("run", "")).partition("/")[2]


def _of(event: Event, name: str) -> str:
    value = event.get(name)
    if isinstance(value, list | tuple):
        return ", ".join(str(each) for each in value)
    return "" if value is None else str(value)


def _first(event: Event, name: str) -> str:
    """The first line of a longer text."""
    return _of(event, name).strip().partition("\n")[0]


def _tail(text: str, lead: str = ": ") -> str:
    return f"{lead}{text}" if text.strip() else ""


def _generic(event: Event) -> str:
    told = [
        f"{k}={safe.line(_of(event, k), 60)}"
        for k in sorted(event)
        if k not in COMMON and event[k] not in ("", None)
    ]
    return " ".join([str(event.get("type", "an event without a type")), *told])


def _warning(event: Event) -> str:
    return "warning: " + "; ".join(
        line.strip() for line in _of(event, "text").splitlines() if line.strip()
    )


def _run_started(event: Event) -> str:
    if _child(event):
        state = event.get("state")
        title = str(state.get("title", "")) if isinstance(state, Mapping) else ""
        return f"started{_tail(title)}"
    return (
        f"run {_of(event, 'run')} started: "
        f"{_of(event, 'workflow')}{_tail(_of(event, 'input'), ' ')}"
    )


def _run_paused(event: Event) -> str:
    until, gates = _of(event, "until"), _of(event, "gates")
    if gates and not until:  # the gate's own line says what is asked
        return f"paused, waits at {gates}"
    return f"paused{_tail(until, ' until ')}{_tail(_of(event, 'reason'))}"


def _run_blocked(event: Event) -> str:
    return (
        f"blocked{_tail(_of(event, 'key'), ' at ')}{_tail(_why(event).removeprefix('blocked: '))}"
    )


def _why(event: Event) -> str:
    return own_reason(event).strip().partition("\n")[0]


def _run_completed(event: Event) -> str:
    outcome = _of(event, "outcome").replace("_", " ")
    return "done" if _child(event) and outcome == "complete" else f"finished{_tail(outcome)}"


def _step_started(event: Event) -> str:
    repair = ", to repair its answer" if event.get("repair") else ""
    attempt = event.get("attempt")
    again = f", attempt {attempt}" if isinstance(attempt, int) and attempt > 1 else ""
    return (
        f"{_of(event, 'key')} started ({_of(event, 'role') or _of(event, 'kind')}{again}{repair})"
    )


def _step_finished(event: Event) -> str:
    usage = event.get("usage")
    took = usage.get("seconds") if isinstance(usage, Mapping) else None
    after = f" after {figures.seconds(took)}" if isinstance(took, int | float) and took else ""
    verdict, outcome, reason = _of(event, "verdict"), _of(event, "outcome"), _why(event)
    word = f"{outcome} ({verdict})" if verdict and verdict != outcome else outcome
    news = "" if reason.strip().casefold() in verdict.casefold() else reason
    made = [str(each["commit"])[:7] for each in _evidence(event) if each.get("commit")]
    return f"{_of(event, 'key')} {word}{_tail(', '.join(made), ' ')}{after}{_tail(news)}"


def _evidence(event: Event) -> list[Mapping[str, Any]]:
    found = event.get("evidence")
    return (
        [each for each in found if isinstance(each, Mapping)]
        if isinstance(found, list | tuple)
        else []
    )


def _artifact_rejected(event: Event) -> str:
    what = f"{_of(event, 'path')} refused, {_of(event, 'failure')}{_tail(_of(event, 'detail'))}"
    return f"{_of(event, 'key')} {what}" + (" (no more repairs)" if event.get("repair") else "")


def _contract_violated(event: Event) -> str:
    broken = {"read": "read", "protected": "changed protected"}.get(_of(event, "kind"), "wrote")
    return (
        f"{_of(event, 'key')} {broken} {_of(event, 'paths')}, against its contract; "
        f"{_of(event, 'action')}"
    )


def _retry_scheduled(event: Event) -> str:
    delay = event.get("delay_s")
    wait = f" in {figures.seconds(delay)}" if isinstance(delay, int | float) and delay else ""
    kind, key, why = _of(event, "classification"), _of(event, "key"), _tail(_of(event, "detail"))
    if kind == "artifact":
        return f"{key} is asked to repair its answer{why}"
    if kind in {"needs_input", "parked"}:
        return f"{key} {'asks' if kind == 'needs_input' else 'is parked'}{why}"
    limit, attempt = event.get("limit"), event.get("attempt")
    count = f", retry {attempt - 1} of {limit}" if isinstance(attempt, int) and limit else ""
    return f"{key} tries again{wait}{count}: {kind}{why}"


def _gate_opened(event: Event) -> str:
    return (
        f"{_of(event, 'key')} waits for you ({_of(event, 'kind')}){_tail(_first(event, 'prompt'))}"
    )


def _gate_decided(event: Event) -> str:
    """An approval or rejection reads as a sentence; a choice, or a step to go back to, does not."""
    key, decision, by, note = (_of(event, name) for name in ("key", "decision", "by", "note"))
    if decision in APPROVALS | REJECTIONS:
        return f"{key} {decision} by {by}{_tail(note)}"
    return f"{key} decided by {by}: {decision}{_tail(note, '; ')}"


def _drifted(event: Event) -> str:
    was, now = figures.digest(event.get("was")), figures.digest(event.get("now"))
    return f"{_of(event, 'path')} was changed by somebody else ({was} to {now})"


def _gate_event(event: Event) -> str:
    """A decision of a governed run: `PLAN_GATE GO: 3 phases; next: ask for approval`."""
    told = event.get("event")
    if not isinstance(told, Mapping):
        return _generic(event)
    phase = f" phase {told['phase_id']}" if told.get("phase_id") else ""
    return (
        f"{_of(told, 'event_type')}{phase} {_of(told, 'decision')}{_tail(_of(told, 'reason'))}; "
        f"next: {_of(told, 'next_action')}"
    )


def _because(word: str) -> Callable[[Event], str]:
    return lambda event: f"{_of(event, 'key')} {word}{_tail(_of(event, 'because'))}"


def _proof(event: Event) -> str:
    """What the commands prove, the worst first."""
    return " · ".join(proof_lines(_evidence(event))) or "no command ran"


def _waived(event: Event) -> str:
    where = _tail(_of(event, "key"), " for ")
    return (
        f"{_of(event, 'by')} goes on without {_of(event, 'commands')}{where}: the run will end "
        f"unproven{_tail(_of(event, 'note'))}"
    )


def _weakened(event: Event) -> str:
    paths, how = (event.get(name) for name in ("paths", "how"))
    kinds = dict.fromkeys(map(str, how)) if isinstance(how, list | tuple) else {}
    number = figures.plural(len(paths), "file") if isinstance(paths, list | tuple) else "files"
    return (
        f"{_of(event, 'key')} changed how this project is tested, in {number} "
        f"({_of(event, 'paths')}){_tail(', '.join(kinds))}"
        + ("; kept out of the checkout" if event.get("held", True) else "")
    )


_WORDS: Mapping[str, Callable[[Event], str]] = {
    "run.started": _run_started,
    "run.resumed": lambda e: (
        f"resumed{_tail('' if e.get('reason') == 'resumed' else _of(e, 'reason'))}"
    ),
    "run.edited": lambda e: (
        f"{_of(e, 'path')} was edited by a person{_tail(_of(e, 'changes'))}"
        if e.get("path") != "rewind"
        else _of(e, "changes")
    ),
    "run.advanced": lambda e: f"{_of(e, 'from')} to {_of(e, 'to')}{_tail(_of(e, 'outcome'))}",
    "run.paused": _run_paused,
    "run.blocked": _run_blocked,
    "run.completed": _run_completed,
    "run.cancelled": lambda e: ended_by(_of(e, "reason")),
    "phase.entered": lambda e: f"phase {_of(e, 'phase')}",
    "phase.left": lambda e: f"phase {_of(e, 'phase')} over",
    "governed.gate_event": _gate_event,
    "governed.todo": lambda e: f"[x] {_of(e, 'title')}",
    "step.started": _step_started,
    "step.finished": _step_finished,
    "step.interrupted": lambda e: f"{_of(e, 'key')} had been interrupted and runs again",
    "step.reused": lambda e: f"{_of(e, 'key')} still stands",
    "step.stale": _because("is stale"),
    "step.merged": lambda e: (
        f"{_of(e, 'key')} replaces {_of(e, 'over')}"
        if e.get("over")
        else f"{_of(e, 'key')} was merged with parallel work"
    ),
    "step.held": lambda e: (
        f"{_of(e, 'key')} is done and kept out of the project{_tail(_of(e, 'paths'))} changed "
        "meanwhile"
    ),
    "step.conflicted": lambda e: (
        f"{_of(e, 'key')} cannot be merged with parallel work{_tail(_of(e, 'paths'))}"
    ),
    "artifact.verified": lambda e: (
        f"{_of(e, 'key')} verified {_of(e, 'path')} ({figures.digest(e.get('digest'))})"
    ),
    "artifact.rejected": _artifact_rejected,
    "contract.violated": _contract_violated,
    "retry.scheduled": _retry_scheduled,
    "retry.exhausted": lambda e: (
        f"{_of(e, 'key')} has used up its attempts: "
        f"{_of(e, 'classification')}{_tail(_of(e, 'rule'), ', ')}"
    ),
    "gate.opened": _gate_opened,
    "gate.decided": _gate_decided,
    "gate.stale": _because("is open again"),
    "proof.baseline": lambda e: f"before anything was changed: {_proof(e)}",
    "proof.checked": lambda e: f"the code as it is now: {_proof(e)}",
    "proof.waived": _waived,
    "tests.weakened": _weakened,
    "document.saved": lambda e: f"saved {_of(e, 'path')} ({figures.digest(e.get('digest'))})",
    "document.drifted": _drifted,
    "budget.reached": lambda e: (
        f"budget reached: {_of(e, 'axis')} {_of(e, 'used') or 'unknown'} of {_of(e, 'cap')}"
    ),
    "throttle.changed": lambda e: (
        f"throttle {_of(e, 'from')} to {_of(e, 'to')}{_tail(_of(e, 'because'))}"
    ),
    "ticket.log": lambda e: (
        f"{_of(e, 'event').removeprefix('orchestrator.')}{_tail(_of(e, 'message'))}"
    ),
    "ticket.progress": lambda e: _of(e, "text"),
    "ticket.edited": lambda e: f"{_of(e, 'path')} was edited by a person{_tail(_of(e, 'changes'))}",
    "roadmap.iteration": lambda e: f"item {_of(e, 'item')} {_of(e, 'status')}",
    "verdict.contradicted": lambda e: (
        f"{_of(e, 'key')} contradicts itself, the worse counts{_tail(_of(e, 'detail'))}"
    ),
}
