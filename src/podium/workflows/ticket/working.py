"""The inner loop: the last step's result is written into tasks.yaml, and the file determines the
next move.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import InputError
from podium.core.events import by_workflow, retry_exhausted
from podium.core.verdict import Judgement
from podium.proof.evidence import broken
from podium.proof.sentences import failure_lines, line_of
from podium.workflows.ticket import times
from podium.workflows.ticket.noting import Evidence, Fact, noted, now, stamp, warned
from podium.workflows.ticket.progress import metrics
from podium.workflows.ticket.progress.metrics import Metrics
from podium.workflows.ticket.request.mandates import Mandate
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import document as tasks_document
from podium.workflows.ticket.tasks import fast_path, groups, moves, validation
from podium.workflows.ticket.tasks.moves import Move
from podium.workflows.ticket.tasks.task import Commands, Tasks

Texts = Mapping[str, str | None]
MAX_EVIDENCE = 20
"""Lines kept of what one attempt got wrong."""


def mirrored(run: TicketRun, graph: Tasks) -> dict[str, Any]:
    """What the run keeps of tasks.yaml, for its rules and for progress.yaml."""
    order = [
        {
            "group": each.group,
            "strategy": each.strategy,
            "tasks": list(each.tasks),
            "rounds": len(groups.schedule(graph, each, each.tasks, run.parallel).batches),
        }
        for each in graph.order
    ]
    return {"order": order, "tasks": {each.id: [each.status, each.attempt] for each in graph.tasks}}


def not_trivial(run: TicketRun, graph: Tasks) -> str:
    """Why the Reviewer is needed; besides the graph, the person's demands and the project's
    known commands count.
    """
    wanted = [
        Mandate(each["mandate"], each.get("assigned_agent", ""), each.get("tool", ""))
        for each in run.mandates
    ]
    if not (run.build_command or run.test_command):
        return "nothing shows that the work holds: no build or test command is known"
    known = Commands(
        working_directory=run.directory,
        build_command=run.build_command,
        test_command=run.test_command,
    )
    demanded = [each for each in wanted if each.agent != "planner"]
    return fast_path.too_many(graph, run.touched) or fast_path.not_trivial(graph, demanded, known)


def next_move(
    run: TicketRun, texts: Texts, found: Evidence, policy: Mapping[str, Any]
) -> Judgement:
    where = run.paths.tasks(run.iteration)
    limit = policy["max_attempts"]
    try:
        text, edits = _written(run, texts[where], where, stamp(found), limit)
        graph = tasks_document.read(text, where)
    except InputError as wrong:
        return Judgement(
            "fail", "invalid", "; ".join(map(str, wrong.faults)), "invalid", stop="tasks"
        )
    trivial = run.trivial and not not_trivial(run, graph)
    move = moves.next_move(graph, trivial=trivial, green=run.green, limit=limit)
    letter = move.entry.group if move.entry else ""
    minutes = dict(run.minutes)
    if run.group and letter != run.group and run.group not in minutes:
        minutes[run.group] = times.minutes(times.moment(run.group_began), now(found)) or 0.0
    sets: dict[str, Any] = {
        **mirrored(run, graph),
        "results": {},
        "restore": {},
        "forgiven": False,
        "trivial": trivial,
        "minutes": minutes,
        "group": letter,
        "strategy": move.entry.strategy if move.entry else run.strategy,
        "batch": list(move.ids),
        "group_began": run.group_began if letter == run.group else stamp(found),
        "scopes": {},
        "entries": {},
        "max_attempts": limit,
    }
    facts = (*edits, *_progress(run, graph, minutes, found, sets))
    match move.outcome:
        case "develop":
            text, more = _begun(run, graph, move, text, stamp(found), sets)
        case "validate":
            own = validation.commands_for(graph.policy, letter, build="", test="", directory="")
            sets["commands"] = {
                "build": own.build,
                "test": own.test,
                "directory": own.working_directory,
            }
            more = ()
        case "exhausted":
            gone = (
                by_workflow(
                    retry_exhausted(
                        f"iteration/{run.iteration}/task/{each}/{run.tries.get(each, 1)}",
                        "task",
                        "max_attempts",
                    )
                )
                for each in move.ids
            )
            more = (
                noted(
                    run.iteration,
                    "task.max_attempts",
                    move.message,
                    level="ERROR",
                    task=move.ids[0],
                    group=letter,
                ),
                *gone,
            )
        case _:
            more = ()
    used = move.outcome == "exhausted"
    word = (
        move.outcome
        if used
        else f"group {letter}: {', '.join(move.ids)}"
        if letter
        else "all accepted"
    )
    return Judgement(
        "fail" if used else "ok",
        word,
        _why(run, move) if used else "",
        move.outcome,
        sets=sets,
        facts=(*facts, *more),
        writes={where: text},
        stop="attempts" if used else "",
    )


def _why(run: TicketRun, move: Move) -> str:
    """Which tasks are used up, and in one line what each got wrong last."""
    known = ((name, run.evidence.get(name)) for name in move.ids)
    last = (f"{name}: {said[-1].splitlines()[0]}" for name, said in known if said)
    return "; ".join([move.message, *last])


def _begun(
    run: TicketRun, graph: Tasks, move: Move, text: str, at: str, sets: dict[str, Any]
) -> tuple[str, tuple[Fact, ...]]:
    """Begin a new attempt of each task of the batch, with what its brief needs."""
    where = run.paths.tasks(run.iteration)
    text = tasks_document.update(
        text, {each: groups.started(graph.task(each), at) for each in move.ids}, where
    )
    graph = tasks_document.read(text, where)
    known, facts = warned(run, move.warnings)
    sets |= mirrored(run, graph)
    sets |= {
        "scopes": {
            each: list(validation.allowed(graph.task(each), graph.policy)) for each in move.ids
        },
        "entries": {each: tasks_document.entry_text(text, each, where) for each in move.ids},
        "tries": {**run.tries, **{each: run.tries.get(each, 0) + 1 for each in move.ids}},
        "warnings": known,
    }
    return text, facts


def commands(run: TicketRun) -> Sequence[str]:
    """The group's build and test: the plan's, else the project's own as they are now."""
    own = run.commands
    where = own.get("directory") or run.directory
    return [
        inside(where, each)
        for each in (own.get("build") or run.build_command, own.get("test") or run.test_command)
        if each
    ]


def inside(directory: str, command: str) -> str:
    return f"cd {shlex.quote(directory)} && {command}" if directory else command


def _written(
    run: TicketRun, text: str | None, where: str, at: str, limit: int
) -> tuple[str, tuple[Fact, ...]]:
    """The file with the last step's results, and what a person changed in it meanwhile, which is
    obeyed.
    """
    graph = tasks_document.read(text or "", where)
    known = {each.id for each in graph.tasks}
    if run.restore:
        back = {
            name: {"status": status, "attempt": attempt}
            for name, (status, attempt) in run.restore.items()
            if name in known
        }
        text = tasks_document.update(text or "", back, where)
        graph = tasks_document.read(text, where)
    edits = _edits(run, graph, where) if run.tasks and not run.restore else ()
    changes = {
        name: groups.worked(each["status"], bool(each.get("changed")), at, graph.task(name))
        for name, each in run.results.items()
        # A person's word about a task wins, even if it was given while the task was running.
        if name in known
        and graph.task(name).status == run.tasks.get(name, [graph.task(name).status])[0]
    }
    if run.forgiven:
        changes |= {
            each.id: {"status": "PENDING", "attempt": 0}
            for entry in graph.order
            for each in graph.of(entry)
            if groups.failed(each, entry) and each.attempt >= limit and each.id not in changes
        }
    return tasks_document.update(text or "", changes, where), edits


def _edits(run: TicketRun, graph: Tasks, where: str) -> tuple[Fact, ...]:
    """What differs from the file as the run last saw it."""
    now = {each.id: [each.status, each.attempt] for each in graph.tasks}
    said = [f"{name} is new" for name in now if name not in run.tasks]
    said += [f"{name} is gone" for name in run.tasks if name not in now]
    said += [
        f"{name} is {now[name][0]}, was {was[0]}"
        for name, was in run.tasks.items()
        if name in now and now[name][0] != was[0]
    ]
    said += [
        f"{name} has attempt {now[name][1]}, had {was[1]}"
        for name, was in run.tasks.items()
        if name in now and now[name][1] != was[1]
    ]
    return ({"type": "ticket.edited", "path": where, "changes": said},) if said else ()


def _progress(
    run: TicketRun,
    graph: Tasks,
    minutes: Mapping[str, float],
    found: Evidence,
    sets: dict[str, Any],
) -> tuple[Fact, ...]:
    """Numbers for progress.yaml, and the line people see if it says something new."""
    measured = measure(run, graph, minutes, found)
    sets |= {"metrics": dict(vars(measured)), "percent": measured.percent_complete}
    line = metrics.progress_line(measured)
    if run.metrics and line == metrics.progress_line(Metrics(**run.metrics)):
        return ()
    return ({"type": "ticket.progress", "text": line, "iteration": run.iteration},)


def measure(run: TicketRun, graph: Tasks, minutes: Mapping[str, float], found: Evidence) -> Metrics:
    return metrics.measure(
        groups.work_of(graph, run.parallel, minutes),
        created_at=run.created_at,
        now=now(found),
        before=Metrics(**run.metrics) if run.metrics else None,
        code_changes=[each.first_code_change_at for each in graph.tasks],
    )


def validated(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    """One build and one test for the group: all its tasks are accepted, or all are rejected with
    the output.
    """
    failing = broken(found)
    status = "REJECTED" if failing else "ACCEPTED"
    said = ["\n".join(failure_lines(each)) for each in failing][:MAX_EVIDENCE]
    short = "; ".join(map(line_of, failing))
    results = {each: {"status": status, "evidence": said} for each in run.batch}
    word = "fail" if failing else "pass"
    passed = [record["state"] == "passed" for record in found if "state" in record]
    sets = {"results": results, "green": run.green or (bool(passed) and all(passed))}
    return Judgement("ok" if not failing else "revise", word, short, word, sets=sets)
