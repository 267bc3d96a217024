"""What must hold for every run of a ticket, and the small plans it is explored with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.proofs import Exploration, story
from podium.core.run import DONE
from podium.core.workflow import Invariant
from podium.workflows.ticket.run import TicketRun

FAILED = ("REJECTED", "ERROR", "SYNTAX_ERROR")
WORKED = ("SYNTAX_VALID", "DONE")


def imagined(run: TicketRun, outcome: str, policy: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    match run.step:
        case "settle" if outcome == "use":
            one = {"A": ["PENDING", 0]}
            two = {"A": ["PENDING", 0], "B": ["PENDING", 0]}
            return [{"tasks": one, "trivial": True},
                    {"tasks": two, "trivial": False}, {"tasks": one, "trivial": False}]  # fmt: skip
        case "settle" if outcome == "split":
            return () if run.split else ({},)
        case "settle" if outcome == "none":
            return ({},) if run.split else ()
        case "next_group":
            return _moves(run, outcome, policy)
        case "develop" if outcome == "ok":
            states = ("SYNTAX_VALID", "REJECTED")
            return [{"results": {name: {"status": word} for name in run.batch}} for word in states]
        case "validate":
            word = "ACCEPTED" if outcome == "pass" else "REJECTED"
            return ({"results": {name: {"status": word} for name in run.batch}},)
        case "review_task":
            word = "ACCEPTED" if outcome == "ok" else "REJECTED"
            return ({"results": {name: {"status": word} for name in run.batch}},)
        case _:
            return ({},)


def _moves(run: TicketRun, outcome: str, policy: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What the file would say, worked out from the mirror: the same rule with the groups' order left out."""
    tasks = {name: [run.results.get(name, {"status": each[0]})["status"], each[1]] for name, each in run.tasks.items()}
    most = policy["max_attempts"]
    failed = [name for name, (status, attempt) in tasks.items() if status in FAILED]
    used = [name for name in failed if tasks[name][1] >= most]
    waiting = [name for name, (status, _) in tasks.items() if status in FAILED or status == "PENDING"]
    written = [name for name, (status, _) in tasks.items() if status in WORKED]
    base = {"tasks": tasks, "results": {}}
    if used:
        return ({**base, "batch": []},) if outcome == "exhausted" else ()
    if waiting:
        begun = {name: [status, attempt + (name in waiting)] for name, (status, attempt) in tasks.items()}
        return ({**base, "tasks": begun, "batch": waiting},) if outcome == "develop" else ()
    if written:
        return ({**base, "batch": written},) if outcome in {"validate", "review_task"} else ()
    if run.trivial:
        return ({**base, "batch": []},) if outcome == "trivial" else ()
    return ({**base, "batch": []},) if outcome == "finished" else ()


def invariants(policy: Mapping[str, Any]) -> tuple[Invariant, ...]:
    rounds, attempts = policy["max_iterations"], policy["max_attempts"]
    return (
        Invariant("no code-writing agent before the git gate", _gated),
        Invariant(f"at most {rounds} iterations", partial(_at_most, "iteration", rounds - 1)),
        Invariant(f"at most {attempts} attempts of a task", partial(_attempts, attempts)),
        Invariant("an accepted task is never run again", _accepted_rest),
        Invariant("the Reviewer is left out only for a trivial graph", _reviewed),
        Invariant("nothing is complete without a commit step", _committed),
    )


def _gated(found: Exploration) -> Sequence[str]:
    wrong = [n for n in found.at("develop") if not getattr(found.states[n], "gated", False)]
    around = found.dominated("develop", "git_move", "ok")
    told = [f"code before the gate: {story(found.path(n))}" for n in wrong[:3]]
    return told if around is None else [*told, f"code without the gate: {story(around)}"]


def _at_most(member: str, most: int, found: Exploration) -> Sequence[str]:
    high = max(getattr(each, member) for each in found.states)
    return [] if high <= most else [f"{member} reaches {high}"]


def _attempts(most: int, found: Exploration) -> Sequence[str]:
    high = max((attempt for each in found.states for _, attempt in getattr(each, "tasks", {}).values()), default=0)
    return [] if high <= most else [f"a task is tried {high} times"]


def _accepted_rest(found: Exploration) -> Sequence[str]:
    wrong = []
    for n in found.at("develop"):
        run = found.states[n]
        assert isinstance(run, TicketRun)
        if any(run.tasks[name][0] == "ACCEPTED" for name in run.batch):
            wrong.append(story(found.path(n)))
    return wrong[:3]


def _reviewed(found: Exploration) -> Sequence[str]:
    wrong = [n for n in found.at("accept") if not getattr(found.states[n], "trivial", False)]
    told = [f"accepted without a review: {story(found.path(n))}" for n in wrong[:3]]
    direct = sorted(source for source, target in found.edges if target == "commit" and source not in {"accept", "judge"})
    return [*told, *(f"{each} leads to a commit" for each in direct)]


def _committed(found: Exploration) -> Sequence[str]:
    around = found.dominated(DONE, "commit", "none")
    if around is None:
        return []
    other = found.dominated(DONE, "commit", "refresh")
    return [] if other is None or ("commit", "refresh") in around else [f"complete without a commit: {story(around)}"]
