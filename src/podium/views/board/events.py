"""What each event of a journal does to a board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podium.core import keys
from podium.views import figures
from podium.views.board import counters
from podium.views.board.row import OUTCOMES, Row, State
from podium.views.board.state import BoardState, Event
from podium.views.gate import REJECTIONS, gate_from, within
from podium.views.reason import own_reason


def _run_started(board: BoardState, event: Event) -> None:
    if event.get("run") == board.run:
        board.workflow = str(event.get("workflow", board.workflow))
        board.changed = counters.texts(event, "changed")
        board.started = board.started or str(event.get("ts", ""))
        board.status = "active"
        board.awake(str(event.get("ts", "")))


def _run_resumed(board: BoardState, event: Event) -> None:
    if event.get("run") == board.run:
        board.status, board.until = "active", ""
        board.started = board.started or str(event.get("ts", ""))
        board.awake(str(event.get("ts", "")))


def _run_advanced(board: BoardState, event: Event) -> None:
    run, to = str(event.get("run", "")), str(event.get("to", board.at))
    _leave_gates(board, run.removeprefix(board.run).lstrip("/"), to)
    if run != board.run:
        return
    row = board.rows.get(str(event.get("from", "")))
    if row is not None and row.state == "running":
        _settle(row, _state_of(event.get("outcome")), str(event.get("ts", "")))
    board.at = to


def _settle(row: Row, state: State, ts: str) -> None:
    """The run has left the step, so the step and its current visit have ended."""
    for each in (row, *(below for below in row.children.values() if below.kind == "visit")):
        if each.state == "running":
            each.state, each.finished = state, ts


def _state_of(outcome: object) -> State:
    """The state for an outcome. Workflows have outcomes of their own; these words mean failure."""
    word = str(outcome or "")
    return OUTCOMES.get(
        word, "failed" if word.upper() in {"ERROR", "BLOCKED", "NEEDS_REVISION"} else "done"
    )


def _leave_gates(board: BoardState, child: str, at: str) -> None:
    """A run that leaves a step also leaves its gate; a child's gates are its own."""
    for gate in [each for each in board.gates.values() if each.step and each.step != at]:
        if not child or gate.key.startswith(f"{child}/"):
            del board.gates[gate.key]


def _run_rested(board: BoardState, event: Event) -> None:
    """Paused, blocked, completed or cancelled."""
    if event.get("run") != board.run:
        return
    kind, ts = str(event["type"]), str(event.get("ts", ""))
    board.rest(ts)
    board.reason = str(event.get("reason") or board.reason)
    board.until = str(event.get("until") or "")
    board.outcome = str(event.get("outcome", ""))
    _told(board, event)
    if kind == "run.paused":
        if "state" not in event:
            board.status = "sleeping" if board.until else "waiting"
        return
    board.status = {"run.blocked": "blocked", "run.completed": "complete"}.get(kind, "cancelled")
    if kind == "run.blocked":
        for row in board.path(str(event.get("key", ""))) or [board.rows.get(board.at, Row(""))]:
            row.state, row.last = "failed", own_reason(event).partition("\n")[0]
        return
    board.gates.clear()  # a run that has ended asks nobody
    for row in board.tree:
        if row.state == "running" and kind == "run.completed":
            row.state = "done"
        elif row.state in {"pending", "running", "waiting"}:
            if kind == "run.cancelled":
                row.last = "not reached" if row.state == "pending" else "cancelled"
            row.state = "skipped"


def _told(board: BoardState, event: Event) -> None:
    """What the end of a run, or a gate, tells of the code."""
    board.proven(event)
    changes = event.get("changes")
    if isinstance(changes, Mapping):
        board.changes = changes


def _proof_baseline(board: BoardState, event: Event) -> None:
    records = event.get("evidence")
    board.baseline = tuple(records) if isinstance(records, list | tuple) else ()


def _proof_checked(board: BoardState, event: Event) -> None:
    board.proven(event)


def _phase_entered(board: BoardState, event: Event) -> None:
    board.phase = str(event.get("phase", ""))


def _step_started(board: BoardState, event: Event) -> None:
    path, key, ts = board.place(event), str(event.get("key", "")), str(event.get("ts", ""))
    row, role = path[-1], str(event.get("role") or "")
    if row.key != key:
        row.tries, row.limit, row.told = 1, None, False
    row.key, row.started, row.finished, row.verdict = key, ts, "", ""
    row.last = "asked to repair its answer" if event.get("repair") else ""
    row.role = role or row.role
    for each in path:
        if each.state != "running" and each is not row:
            # The parts of one wave are one visit, and a paused child continues.
            each.started = (each.started if each.kind in {"visit", "child"} else "") or ts
            each.finished, each.verdict = "", ""
        each.state, each.last = "running", row.last
    board.began(key, str(event.get("kind", "")))


def _step_finished(board: BoardState, event: Event) -> None:
    path = board.place(event)
    row = path[-1]
    row.finished = str(event.get("ts", ""))
    row.started = row.started or row.finished
    row.verdict = str(event.get("verdict") or "")
    row.last = own_reason(event) if event.get("outcome") != "ok" else ""
    row.state = OUTCOMES.get(str(event.get("outcome", "")), "failed")
    board.ended(event, row.seconds())
    if row.kind == "check":
        _check_finished(board, event, row)


def _check_finished(board: BoardState, event: Event, row: Row) -> None:
    """A cluster's row shows what a check made of it; a commit belongs to the child that ended
    last.
    """
    board.work.checked(event)
    for each in event.get("evidence") or ():
        if isinstance(each, Mapping) and each.get("name") == "commit" and each.get("commit"):
            board.commits.append(str(each["commit"]))
            homes = [home for home in board.rows.values() if home.kind == "fan_out"]
            ended = [
                child
                for home in homes
                for child in home.children.values()
                if child.finished and not child.commit
            ]
            for child in ended[-1:]:
                child.commit = board.commits[-1]
    judged = board.tree.judged_by(row)
    if judged is not None:
        judged.state, judged.verdict, judged.last = row.state, row.verdict, row.last
        row.told = True


def _step_merged(board: BoardState, event: Event) -> None:
    row = board.place(event)[-1]
    held = row.state != "done"  # until a person decided: then nothing has to be merged
    row.state, row.last = "done", "" if held or event.get("over") else "merged with parallel work"


def _step_held(board: BoardState, event: Event) -> None:
    changed = ", ".join(map(str, event.get("paths") or ()))
    _mark(board, event, "waiting", f"{changed} changed meanwhile")


def _step_conflicted(board: BoardState, event: Event) -> None:
    row = board.place(event)[-1]
    row.state, row.verdict = "failed", "conflict"
    row.last = ", ".join(map(str, event.get("paths") or ())) + " changed in another task, too"


def _step_interrupted(board: BoardState, event: Event) -> None:
    _mark(board, event, "pending", "interrupted; runs again")


def _step_stale(board: BoardState, event: Event) -> None:
    _mark(board, event, "stale", _because(event))


def _step_reused(board: BoardState, event: Event) -> None:
    if path := board.path(str(event.get("key", ""))):
        path[-1].state = "done"


def _retry_scheduled(board: BoardState, event: Event) -> None:
    row = board.place(event)[-1]
    if event.get("classification") in {"needs_input", "parked"}:
        return  # it waits for a person, which is not a failed attempt
    row.tries += 1
    limit, delay = event.get("limit"), event.get("delay_s")
    # The limit counts attempts after the first.
    row.limit = limit + 1 if isinstance(limit, int) and limit else None
    wait = f" in {figures.seconds(delay)}" if isinstance(delay, int | float) and delay else ""
    row.last = f"{event.get('classification', 'failed')}; tries again{wait}"


def _retry_exhausted(board: BoardState, event: Event) -> None:
    _mark(
        board,
        event,
        "failed",
        f"{event.get('classification', 'failed')}: {event.get('rule', 'no more tries')}",
    )


def _artifact_rejected(board: BoardState, event: Event) -> None:
    board.place(event)[-1].last = f"{event.get('path')} refused: {event.get('failure')}"


def _contract_violated(board: BoardState, event: Event) -> None:
    paths = event.get("paths") or ()
    board.place(event)[-1].last = f"touched what it may not: {', '.join(map(str, list(paths)[:3]))}"


def _gate_opened(board: BoardState, event: Event) -> None:
    path, key, ts = board.place(event), str(event.get("key", "")), str(event.get("ts", ""))
    row = path[-1]
    for each in path[:-1]:
        if each.kind == "child":
            each.state = "waiting"
    gate = board.gates[key] = gate_from(event, ts)
    if gate.kind == "approval":  # all others are about one step
        _told(board, event)
    row.key, row.started, row.finished, row.verdict = key, ts, "", ""
    row.state, row.last = "waiting", str(event.get("prompt", ""))


def _gate_decided(board: BoardState, event: Event) -> None:
    gate = board.gates.pop(str(event.get("key", "")), None)
    row, decision = board.place(event)[-1], str(event.get("decision", ""))
    if within(str(event.get("key", ""))):
        # An answer does not complete the step: it continues with the answer, and its work is judged
        # later.
        row.state, row.last = "pending", f"answered by {event.get('by', '')}: {decision}"
        return
    # A rejection may name the step that the run goes back to.
    target = (
        gate is not None
        and gate.kind in {"approval", "high_risk"}
        and decision in gate.choices[1:]
        and decision not in REJECTIONS
    )
    row.state = "failed" if decision in REJECTIONS or target else "done"
    row.verdict, row.finished = (
        f"back to {keys.base_of(decision)}" if target else decision,
        str(event.get("ts", "")),
    )
    row.role = str(event.get("by", ""))
    row.last = str(event.get("note", ""))


def _gate_stale(board: BoardState, event: Event) -> None:
    _mark(board, event, "stale", _because(event))


def _mark(board: BoardState, event: Event, state: Any, last: str) -> None:
    row = board.place(event)[-1]
    row.state, row.last = state, last


def _because(event: Event) -> str:
    because = event.get("because")
    said = ", ".join(map(str, because)) if isinstance(because, list | tuple) else ""
    return said if said == "rewound" else f"changed: {said}" if said else "changed"


HANDLERS: Mapping[str, Callable[[BoardState, Event], None]] = {
    "run.started": _run_started,
    "run.resumed": _run_resumed,
    "run.advanced": _run_advanced,
    "run.paused": _run_rested,
    "run.blocked": _run_rested,
    "run.completed": _run_rested,
    "run.cancelled": _run_rested,
    "phase.entered": _phase_entered,
    "step.started": _step_started,
    "step.finished": _step_finished,
    "step.interrupted": _step_interrupted,
    "step.reused": _step_reused,
    "step.stale": _step_stale,
    "step.merged": _step_merged,
    "step.conflicted": _step_conflicted,
    "step.held": _step_held,
    "artifact.rejected": _artifact_rejected,
    "contract.violated": _contract_violated,
    "retry.scheduled": _retry_scheduled,
    "retry.exhausted": _retry_exhausted,
    "gate.opened": _gate_opened,
    "gate.decided": _gate_decided,
    "gate.stale": _gate_stale,
    "proof.baseline": _proof_baseline,
    "proof.checked": _proof_checked,
}
