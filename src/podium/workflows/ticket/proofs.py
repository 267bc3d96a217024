"""What must hold for every run of a ticket, and the small plans used to explore it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from podium.core.proofs import Exploration, story
from podium.core.run import DONE, Status
from podium.core.workflow import Invariant
from podium.workflows.ticket.progress import metrics
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import moves
from podium.workflows.ticket.tasks.task import FAILED, STRATEGIES, Entry, Task, Tasks

DISPATCHED: Mapping[str, Sequence[str]] = {
    "parallel": ("SYNTAX_VALID", "REJECTED"),
    "sequential": ("DONE", "REJECTED"),
}
"""Possible results of a dispatch, one word for each kind of status."""
LEFT: Mapping[str, Sequence[Any]] = {"A": ["PENDING", 0], "B": ["ACCEPTED", 1]}
"""What tasks.yaml may say when a run without a journal continues."""


def imagined(
    run: TicketRun, outcome: str, policy: Mapping[str, Any]
) -> Sequence[Mapping[str, Any]]:
    """What a step's result may set besides its outcome."""
    match run.step, outcome:
        case "settle", "use":
            one, two = {"A": ["PENDING", 0]}, {"A": ["PENDING", 0], "B": ["PENDING", 0]}
            return [
                {"tasks": one, "trivial": True, "strategy": "parallel"},
                *({"tasks": two, "trivial": False, "strategy": each} for each in STRATEGIES),
            ]
        case "settle", "split":
            return () if run.split else ({},)
        case "settle", "none":
            return ({},) if run.split else ()
        case "next_group", _:
            return _next(run, outcome, policy)
        case "develop", "ok":
            words = product(DISPATCHED[run.strategy], repeat=len(run.batch))
            return [
                {
                    "results": {
                        name: {"status": word} for name, word in zip(run.batch, each, strict=True)
                    }
                }
                for each in words
            ]
        case "validate", "pass" | "fail":
            return (
                {
                    "results": {
                        name: {"status": "ACCEPTED" if outcome == "pass" else "REJECTED"}
                        for name in run.batch
                    }
                },
            )
        case "review_task", "ok" | "revise":
            return (
                {
                    "results": {
                        name: {"status": "ACCEPTED" if outcome == "ok" else "REJECTED"}
                        for name in run.batch
                    }
                },
            )
        case ("judge", "accepted") | ("accept", "ok"):
            return ({"percent": 100},)
        case _:
            return ({},)


def _next(run: TicketRun, outcome: str, policy: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The real rule, applied to tasks as the file would have them; only its own answer is
    possible.
    """
    if outcome in {"invalid", "fail"}:  # a person may break the file at any time
        return ({},)
    known = run.tasks or LEFT  # a run that continues from its files has its tasks there
    tasks = {
        name: [run.results.get(name, {"status": each[0]})["status"], each[1]]
        for name, each in known.items()
    }
    found = moves.next_move(
        _graph(run, tasks), trivial=run.trivial, green=True, limit=policy["max_attempts"]
    )
    if found.outcome != outcome:
        return ()
    accepted = sum(status == "ACCEPTED" for status, _ in tasks.values())
    shown = metrics.percent(accepted, len(tasks), before=run.percent)
    if outcome == "develop":
        tasks = {
            name: [status, attempt + (name in found.ids)]
            for name, (status, attempt) in tasks.items()
        }
    return (
        {
            "tasks": tasks,
            "results": {},
            "batch": list(found.ids),
            "percent": shown,
            "trivial": run.trivial,
        },
    )


def _graph(run: TicketRun, tasks: Mapping[str, Sequence[Any]]) -> Tasks:
    """Tasks of one group that share no file."""
    listed = tuple(
        Task(
            id=name,
            parallel_group="A",
            files_to_modify=(f"{name}.txt",),
            status=status,
            attempt=attempt,
        )
        for name, (status, attempt) in tasks.items()
    )
    return Tasks(
        tasks=listed, groups={"A": tuple(tasks)}, order=(Entry("A", run.strategy, tuple(tasks)),)
    )


def invariants(policy: Mapping[str, Any]) -> tuple[Invariant, ...]:
    rounds, attempts = policy["max_iterations"], policy["max_attempts"]
    return (
        Invariant("no code-writing agent before the git gate", _gated),
        Invariant(f"at most {rounds} iterations", partial(_at_most, "iteration", rounds - 1)),
        Invariant(f"at most {attempts} attempts of a task", partial(_attempts, attempts)),
        Invariant("only new and rejected tasks are run", _only_rejected),
        Invariant("the Reviewer is left out only for a trivial graph", _reviewed),
        Invariant("percent never above 95 before acceptance", _below),
        Invariant("percent never falls within an iteration", _rising),
        Invariant("nothing is complete without a commit step", _committed),
    )


def _runs(found: Exploration) -> Sequence[TicketRun]:
    return [run for run in found.states if isinstance(run, TicketRun)]


def _gated(found: Exploration) -> Sequence[str]:
    wrong = [n for n in found.at("develop") if not getattr(found.states[n], "gated", False)]
    around = found.dominated("develop", "git_move", "ok")
    told = [f"code before the gate: {story(found.path(n))}" for n in wrong[:3]]
    return told if around is None else [*told, f"code without the gate: {story(around)}"]


def _at_most(member: str, most: int, found: Exploration) -> Sequence[str]:
    high = max(getattr(each, member) for each in found.states)
    return [] if high <= most else [f"{member} reaches {high}"]


def _attempts(most: int, found: Exploration) -> Sequence[str]:
    high = max((attempt for each in _runs(found) for _, attempt in each.tasks.values()), default=0)
    return [] if high <= most else [f"a task is tried {high} times"]


def _only_rejected(found: Exploration) -> Sequence[str]:
    wrong = []
    for n in found.at("develop"):
        run = found.states[n]
        assert isinstance(run, TicketRun)
        # The attempt is counted when the step is entered, so a first attempt has number 1.
        if any(
            status not in FAILED and (status, attempt) != ("PENDING", 1)
            for status, attempt in map(run.tasks.__getitem__, run.batch)
        ):
            wrong.append(f"{run.batch} of {run.tasks}: {story(found.path(n))}")
    return wrong[:3]


def _reviewed(found: Exploration) -> Sequence[str]:
    wrong = [n for n in found.at("accept") if not getattr(found.states[n], "trivial", False)]
    told = [f"accepted without a review: {story(found.path(n))}" for n in wrong[:3]]
    direct = sorted(
        source
        for source, target in found.edges
        if target == "commit" and source not in {"accept", "judge"}
    )
    return [*told, *(f"{each} leads to a commit" for each in direct)]


def _below(found: Exploration) -> Sequence[str]:
    wrong = [
        run for run in _runs(found) if run.percent > metrics.BEFORE_REVIEW and not run.accepted
    ]
    return [f"{run.percent} percent at {run.step}" for run in wrong[:3]]


def _rising(found: Exploration) -> Sequence[str]:
    wrong = []
    for each in found.transitions:
        before, after = found.states[each.source], found.states[each.target]
        assert isinstance(before, TicketRun)
        assert isinstance(after, TicketRun)
        if before.iteration == after.iteration and after.percent < before.percent:
            wrong.append(
                f"from {before.percent} to {after.percent} after {before.step} {each.outcome}"
            )
    return wrong[:3]


def _committed(found: Exploration) -> Sequence[str]:
    wrong = [run for run in _runs(found) if run.status is Status.COMPLETE and not run.accepted]
    around = found.dominated(DONE, "commit", "none")
    other = found.dominated(DONE, "commit", "refresh")
    told = ["complete and not accepted"] if wrong else []
    if around is None or other is None or ("commit", "refresh") in around:
        return told
    return [*told, f"complete without a commit: {story(around)}"]
