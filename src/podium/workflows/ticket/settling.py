"""Who wrote tasks.yaml, and whether it can be used or the Splitter must write it."""

from __future__ import annotations

from collections.abc import Mapping

from podium.core.digest import digest
from podium.core.verdict import Judgement
from podium.workflows.ticket.noting import Evidence, Fact, noted
from podium.workflows.ticket.progress import metrics
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import splitting
from podium.workflows.ticket.tasks.task import Tasks
from podium.workflows.ticket.working import measure, mirrored, not_trivial

Texts = Mapping[str, str | None]


def settle(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """Whether the existing tasks can be used. A person's own file is never overwritten."""
    where = run.paths.tasks(run.iteration)
    text = texts[where]
    own = _persons(run, text)
    if _old(run, text):
        text = None
    decided = splitting.settle(text, where, after_splitter=run.split or own, fresh=not own)
    facts: tuple[Fact, ...] = ()
    if not run.split and run.settled == 1:
        facts = (
            noted(run.iteration, "planner.complete", f"plan of iteration {run.iteration + 1}"),
        )
    match decided:
        case splitting.NoTasks():
            facts += (noted(run.iteration, "tasks.yaml.invalid", decided.reason, level="ERROR"),)
            return Judgement("fail", "none", decided.reason, "none", facts=facts, stop="tasks")
        case splitting.Split():
            if decided.event:
                facts += (
                    noted(run.iteration, "tasks.yaml.invalid", decided.reason, level="ERROR"),
                )
            return Judgement(
                "ok",
                "split",
                decided.reason,
                "split",
                sets={"invalid": decided.reason},
                facts=facts,
            )
        case splitting.UseTasks(graph):
            return _used(run, graph, found, facts, own=own)


def _persons(run: TicketRun, text: str | None) -> bool:
    """Whether a person wrote the file, or changed what an agent wrote."""
    if text is None:
        return False
    if run.by_hand:
        return True
    return digest(text) not in {run.planned, run.leftover} and not _old(run, text)


def _old(run: TicketRun, text: str | None) -> bool:
    """Whether the file is older than this plan, which means that the Planner wrote none."""
    if text is None or run.planned or run.by_hand:
        return False
    return run.anew or digest(text) == run.leftover


def _counted(graph: Tasks) -> str:
    tasks, groups = len(graph.tasks), len(graph.order)
    return f"{tasks} task{'s' * (tasks != 1)} in {groups} group{'s' * (groups != 1)}"


def _used(
    run: TicketRun, graph: Tasks, found: Evidence, facts: tuple[Fact, ...], *, own: bool
) -> Judgement:
    measured = measure(run, graph, {}, found)
    sets = {
        **mirrored(run, graph),
        "trivial": not not_trivial(run, graph),
        "strategy": graph.order[0].strategy,
        "metrics": dict(vars(measured)),
        "percent": measured.percent_complete,
        "anew": False,
        "by_hand": False,
        "invalid": "",
    }
    if not run.split:
        whose = "a person's tasks.yaml" if own else "the Planner's tasks.yaml"
        facts += (noted(run.iteration, "splitter.skipped_planner_provided", f"{whose} is used"),)
    facts += (
        noted(run.iteration, "tasks.ready", _counted(graph)),
        {
            "type": "ticket.progress",
            "text": metrics.progress_line(measured),
            "iteration": run.iteration,
        },
    )
    return Judgement("ok", _counted(graph), "", "use", sets=sets, facts=facts)
