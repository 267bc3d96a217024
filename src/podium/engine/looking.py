"""Reading runs without owning them: summaries, all events, and whether one is live."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.core import keys
from podium.core.advance import ending
from podium.core.errors import Busy, Halted, InputError, UsageError
from podium.core.history import History
from podium.core.order import by_time
from podium.core.records import GateRecord
from podium.core.run import ENDED, Run, Status
from podium.core.workflow import Workflow
from podium.engine import advice
from podium.engine.outcome import Ended
from podium.state import state_file
from podium.state.port import Journal
from podium.state.run_folder import RunFolder, family, load_request, run_ids

BETWEEN_CALLS = "between_calls"
"""The stop of a run whose last call reached its own limit: nobody stopped it, and the next call
continues it.
"""


def summary(
    project: Path, journal: Journal, workflow: Workflow, run: str, title: str
) -> dict[str, Any]:
    events = journal.read(run)
    history, folder = History(events), RunFolder(project, run)
    found = state_file.current(folder.state, events, workflow.run_type)
    at = found.run
    gates = (
        _undecided(journal, run, open_gates(project, journal, run))
        if at.status is Status.WAITING
        else []
    )
    holder = journal.holder(run)
    end = history.end if at.status is Status.COMPLETE else {}
    between = workflow.between_calls(at) if at.status is Status.ACTIVE and holder is None else ""
    return {
        "run": run,
        "workflow": workflow.name,
        "title": title,
        "status": at.status.value,
        "step": at.step,
        "reason": between or at.reason,
        "stop": BETWEEN_CALLS if between else at.stop,
        "started": events[0]["ts"],
        "updated": events[-1]["ts"],
        "gates": tuple(_gate(gate) for gate in gates),
        "holder": holder,
        "advice": advice.for_run(run, at, gates, driven=holder is not None),
        "outcome": outcome(history, at),
        "proof": str(end.get("proof", "")),
        "until": asleep_until(events) if at.status is Status.SLEEPING else "",
        "evidence": tuple(end.get("evidence", ())),
        "changes": end.get("changes", {}),
    }


def outcome(history: History, at: Run) -> str:
    """How a complete run ended; a journal of an older version does not say."""
    if at.status is not Status.COMPLETE:
        return ""
    return str(history.end.get("outcome") or ending(at))


def asleep_until(events: Sequence[Mapping[str, Any]]) -> str:
    """When a sleeping run can continue."""
    paused = [each for each in events if each["type"] == "run.paused"]
    return str(paused[-1].get("until") or "") if paused else ""


def _undecided(journal: Journal, run: str, gates: list[GateRecord]) -> list[GateRecord]:
    """Without gates that are already decided, where a child run takes the decision when it is
    driven again.
    """
    given = journal.inbox(run) if gates else {}
    return [gate for gate in gates if gate.message not in given]


def _gate(gate: GateRecord) -> Mapping[str, Any]:
    names = (
        *("key", "kind", "prompt", "choices", "words", "subject", "opened"),
        *("evidence", "baseline", "changes"),
    )
    return {name: getattr(gate, name) for name in names}


def all_events(project: Path, journal: Journal, run: str) -> list[Mapping[str, Any]]:
    return by_time(event for each in family(project, run) for event in journal.read(each))


def open_gates(project: Path, journal: Journal, run: str) -> list[GateRecord]:
    """Gates that wait for a person, of the run and its child runs; an ended run waits for
    nothing.
    """
    if has_ended(journal.read(run)):
        return []
    known = [journal.read(each) for each in family(project, run)]
    return [gate for each in known if not has_ended(each) for gate in History(each).open_gates()]


def has_ended(known: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a run rests for good according to its journal; one that was rewound does not."""
    return state_file.last_state(known).get("status") in ENDED


def owners(app: Any, scope: str) -> list[tuple[str, Mapping[str, Any], Any]]:
    """(id, request, summary) of every run that has or had this state document."""
    found: list[tuple[str, Mapping[str, Any], Any]] = []
    for run in run_ids(app.project / ".podium" / "runs"):
        request = load_request(RunFolder(app.project, run))
        if request.get("scope") == scope:
            found.append((run, request, app.summary(run)))
    return found


def last_rules(project: Path) -> tuple[str, Mapping[str, Any]]:
    """The run that was started last in this project, and the rules it began with; none if it was
    of an older version.
    """
    known = [RunFolder(project, run) for run in run_ids(project / ".podium" / "runs")]
    dated = []
    for each in known:
        with contextlib.suppress(OSError):
            dated.append((os.stat(each.journal.with_name("request.json")).st_mtime_ns, each))
    for _, each in sorted(dated, key=lambda row: row[0], reverse=True):
        try:
            found = load_request(each).get("rules")
        except (InputError, UsageError):
            continue  # whoever damaged it is told of that elsewhere
        return each.run_id, found if isinstance(found, Mapping) else {}
    return "", {}


def refuse_second(app: Any, run: str, scope: str) -> None:
    """Refuse to make a run live again while another one owns its state document."""
    for other, request, known in owners(app, scope):
        if other != run and Status(known.status) not in ENDED:
            raise UsageError(
                f"{scope} belongs to run {other} ({request.get('title')}) now; finish or "
                "cancel that first"
            )


def live(app: Any, begin: Any) -> Ended | None:
    """Only one live run may own a state document; if another one does, say what to do about it
    instead of guessing.
    """
    for run, request, known in owners(app, begin.scope):
        same = request.get("slug", request.get("title", "").split(" ")[0]) == begin.slug
        if known.holder is not None:
            raise Busy(
                f"run {run} is being driven by process {known.holder.get('pid')} on "
                f"{known.holder.get('host')} "
                f"since {known.holder.get('since')}; `podium status {run}` shows it"
            )
        if Status(known.status) in ENDED:
            continue
        if not same:
            raise UsageError(
                f"{begin.scope} belongs to run {run} ({request.get('title')}), which is "
                f"{known.status}. "
                f"Finish it (`podium status {run}`), `podium cancel {run}`, or use another "
                "file with --state PATH."
            )
        return _standing(known)
    _refuse_finished(app, begin)
    return None


def foreign(app: Any, begin: Any) -> bool:
    """Whether a person or another machine wrote the state document, not a run here; then it is
    read, not replaced.
    """
    text = app.read(begin.scope)
    return bool(text) and not owners(app, begin.scope) and bool(begin.adopt(text))


def _standing(known: Any) -> Ended:
    """The task's own run is live: say where it stands instead of starting a second one."""
    status = Status(known.status)
    if status is Status.ACTIVE and known.stop != BETWEEN_CALLS:
        raise UsageError(
            f"run {known.run} of this task was stopped or interrupted; `podium resume "
            f"{known.run}` continues it"
        )
    return Ended(
        run=known.run,
        workflow=known.workflow,
        status=status,
        step=known.step,
        reason=f"a run of this task is live already: {known.reason}",
        stop=known.stop,
        gates=tuple(str(gate["key"]) for gate in known.gates),
        until=known.until,
        advice=known.advice,
    )


def _refuse_finished(app: Any, begin: Any) -> None:
    text = app.read(begin.scope)
    if text and begin.finished(text):
        ways = [*(f"`{each}`" for each in _rewinds(app, begin)), f"move {begin.scope} away"]
        raise Halted(
            f"{begin.slug} is already Complete according to {begin.scope}. To do it again: "
            f"{', or '.join(ways)}."
        )


def _rewinds(app: Any, begin: Any) -> list[str]:
    """How to set the run that completed the document back to its beginning; empty if that run is
    not here.
    """
    done = [
        run for run, _, known in owners(app, begin.scope) if known.status == Status.COMPLETE.value
    ]
    lineage = History(app.journal.read(done[-1])).lineage if done else ()
    first = next((key for key in lineage if not keys.asked_within(key)), "")
    return [f"podium rewind {done[-1]} --to {first}"] if first else []
