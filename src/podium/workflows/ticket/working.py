"""The inner loop: what the last step came to is written into tasks.yaml, and the next move follows from the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.verdict import Judgement
from podium.workflows.ticket import fast_path, groups, metrics, splitting, tasks_document, times, validation
from podium.workflows.ticket.groups import Exhausted, GroupDone, Review, RunTasks, Validate
from podium.workflows.ticket.metrics import Metrics
from podium.workflows.ticket.noting import Evidence, Fact, noted, now, stamp
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.task import Entry, Tasks

Texts = Mapping[str, str | None]


def settle(run: TicketRun, texts: Texts, _found: Evidence) -> Judgement:
    """Whether the Planner's tasks can be used, or the Splitter must write them."""
    where = run.paths.tasks(run.iteration)
    found = splitting.settle(texts[where], where, after_splitter=run.split)
    done = () if run.split else (noted(run, "planner.complete", f"plan of iteration {run.iteration + 1}"),)
    match found:
        case splitting.NoTasks():
            return Judgement("fail", "none", found.reason, "none", stop="tasks")
        case splitting.Split():
            invalid = (noted(run, "tasks.yaml.invalid", found.reason, level="ERROR"),) if found.event else ()
            return Judgement("ok", "split", found.reason, "split", facts=(*done, *invalid))
        case splitting.UseTasks(graph):
            trivial = not fast_path.not_trivial(graph)
            skipped = () if run.split else (noted(run, "splitter.skipped_planner_provided", "the Planner wrote tasks.yaml"),)
            ready = noted(run, "tasks.ready", f"{len(graph.tasks)} tasks in {len(graph.order)} groups")
            sets = {**mirrored(run, graph), "trivial": trivial}
            return Judgement("ok", f"{len(graph.tasks)} tasks", "", "use", sets=sets, facts=(*done, *skipped, ready))


def mirrored(run: TicketRun, graph: Tasks) -> dict[str, Any]:
    """What the run keeps of tasks.yaml, for its rules and for progress.yaml."""
    order = [
        {"group": each.group, "strategy": each.strategy, "tasks": list(each.tasks),
         "rounds": len(groups.schedule(graph, each, each.tasks, run.parallel).batches)}
        for each in graph.order
    ]  # fmt: skip
    return {"order": order, "tasks": {each.id: [each.status, each.attempt] for each in graph.tasks}}


def next_move(run: TicketRun, texts: Texts, found: Evidence, policy: Mapping[str, Any]) -> Judgement:
    where = run.paths.tasks(run.iteration)
    text = texts[where]
    assert text is not None
    at = stamp(found)
    text = tasks_document.update(text, _written(run, text, where, at), where)
    graph = tasks_document.read(text, where)
    entry = groups.next_entry(graph)
    minutes = dict(run.minutes)
    if run.group and (entry is None or entry.group != run.group) and run.group not in minutes:
        minutes[run.group] = times.minutes(times.moment(run.group_began), now(found)) or 0.0
    sets: dict[str, Any] = {**mirrored(run, graph), "results": {}, "minutes": minutes}
    if entry is None:
        facts = (_progress(run, graph, minutes, found, sets),)
        sets |= {"batch": [], "group": ""}
        return Judgement("ok", "all accepted", "", "trivial" if run.trivial else "finished", sets=sets, facts=facts, writes={where: text})
    return _in_group(run, graph, entry, text, at, found, sets, policy)


def _in_group(
    run: TicketRun, graph: Tasks, entry: Entry, text: str, at: str, found: Evidence, sets: dict[str, Any], policy: Mapping[str, Any]
) -> Judgement:
    where = run.paths.tasks(run.iteration)
    began = run.group_began if run.group == entry.group else at
    sets |= {"group": entry.group, "group_began": began}
    move = groups.decide(graph, entry, policy["max_attempts"])
    facts: tuple[Fact, ...] = (_progress(run, graph, sets["minutes"], found, sets),)
    match move:
        case Exhausted(ids):
            facts += (noted(run, "task.max_attempts", move.message, level="ERROR", task=ids[0], group=entry.group),)
            told = "; ".join(f"{each}: {' | '.join(run.evidence.get(each, []))}" for each in ids)
            return Judgement("fail", "exhausted", f"{move.message}: {told}", "exhausted", sets=sets, facts=facts, writes={where: text}, stop="attempts")
        case RunTasks(ids):
            planned = groups.schedule(graph, entry, ids, max(len(ids), 1))
            batch = list(planned.batches[0])
            text = tasks_document.update(text, {each: groups.started(graph.task(each), at) for each in batch}, where)
            graph = tasks_document.read(text, where)
            sets |= mirrored(run, graph)
            sets |= {"batch": batch, "scopes": {each: list(validation.allowed(graph.task(each), graph.policy)) for each in batch},
                     "warnings": [*run.warnings, *(each for each in planned.warnings if each not in run.warnings)][-50:]}  # fmt: skip
            outcome = "develop"
        case Validate(ids):
            commands = validation.commands_for(graph.policy, entry.group, build=run.build_command, test=run.test_command, directory=run.directory)
            sets |= {"batch": list(ids), "commands": [_in(commands.working_directory, each) for each in (commands.build, commands.test) if each]}
            outcome = "validate"
        case Review(ids):
            sets |= {"batch": list(ids[:1])}
            outcome = "review_task"
        case GroupDone():
            raise AssertionError("a group that is done is not next")
    return Judgement("ok", f"group {entry.group}: {', '.join(sets['batch'])}", "", outcome, sets=sets, facts=facts, writes={where: text})


def _in(directory: str, command: str) -> str:
    return f"cd '{directory}' && {command}" if directory else command


def _written(run: TicketRun, text: str, where: str, at: str) -> dict[str, dict[str, Any]]:
    """The last step's results as members of tasks; a task that a person took out meanwhile is left out."""
    graph = tasks_document.read(text, where)
    known = {each.id for each in graph.tasks}
    return {
        name: groups.worked(each["status"], bool(each.get("changed")), at, graph.task(name))
        for name, each in run.results.items()
        if name in known
    }


def _progress(run: TicketRun, graph: Tasks, minutes: Mapping[str, float], found: Evidence, sets: dict[str, Any]) -> Fact:
    """Numbers for progress.yaml, and the line people see."""
    before = Metrics(**run.metrics) if run.metrics else None
    measured = metrics.measure(
        groups.work_of(graph, run.parallel, minutes),
        created_at=run.created_at,
        now=now(found),
        before=before,
        code_changes=[each.first_code_change_at for each in graph.tasks],
    )
    sets["metrics"] = dict(vars(measured))
    return {"type": "ticket.progress", "text": metrics.progress_line(measured), "iteration": run.iteration}


def validated(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    """One build and one test for the group: all its tasks are accepted, or all are rejected with the output."""
    broken = [each for each in found if not each["passed"]]
    status = "REJECTED" if broken else "ACCEPTED"
    told = [line for each in broken for line in (f"`{each['command']}` exits {each['exit']}", *each["new_failures"][:5])]
    results = {each: {"status": status, "evidence": told} for each in run.batch}
    word = "fail" if broken else "pass"
    return Judgement("ok" if not broken else "revise", word, "; ".join(told), word, sets={"results": results})
