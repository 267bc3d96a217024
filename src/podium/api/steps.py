"""The steps of a workflow of one's own: each decorator says what is done, the method below it says
where the run goes next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from podium.api import contracts
from podium.api.contracts import AgentSpec, Owner
from podium.core.contract import CodeAccess, Tests
from podium.core.effects import Check, Cluster, Effect, Gate, Member, Stage
from podium.core.verdict import Judgement
from podium.documents import Document

Route = Callable[[Any, Any, Any], str]
Join = Literal["all", "any"]
APPROVE = "approve"
DECIDED: Mapping[str, str] = {"approved": APPROVE, "rejected": "reject"}
"""What `podium approve` and `podium reject` record, as words of a gate."""


@dataclass(frozen=True)
class Declared:
    """One step as it was declared; a workflow makes the effect when it has its settings."""

    name: str
    route: Route
    outcomes: tuple[str, ...]
    exits: tuple[str, ...]
    spec: AgentStep | GateStep | CheckStep | ParallelStep


class _Spec:
    """What is done. Used as a decorator, it takes the method that routes the outcome."""

    def __call__(self, route: Route) -> Declared:
        assert isinstance(self, AgentStep | GateStep | CheckStep | ParallelStep)
        name = route.__name__
        declared = Declared(name, route, _words(route, "outcome"), _words(route, "return"), self)
        wrong = set(declared.outcomes) - set(self.can_end(declared.outcomes))
        if not declared.outcomes or wrong:
            known = ", ".join(self.can_end(declared.outcomes))
            raise TypeError(
                f"{name}: outcome must be a Literal of {known}"
                + (f", not {min(wrong)!r}" if wrong else "")
            )
        return declared


@dataclass(frozen=True)
class AgentStep(AgentSpec, _Spec):
    def can_end(self, _outcomes: Sequence[str]) -> tuple[str, ...]:
        return self.verdict or (contracts.DONE,)

    def effect(self, workflow: Owner, name: str) -> Effect:
        return Stage(
            role=self.role,
            contract=lambda run: contracts.contract(workflow, self, name, run),
            judge=contracts.judge,
        )


@dataclass(frozen=True)
class GateStep(_Spec):
    question: str
    shows: tuple[Document[Any] | str, ...]

    def can_end(self, outcomes: Sequence[str]) -> tuple[str, ...]:
        # A gate's words are its own; what its first means is what `podium approve` records.
        return tuple(outcomes)

    def effect(self, _workflow: Owner, _name: str, outcomes: Sequence[str] = ()) -> Effect:
        paths = tuple(item.path for item in self.shows if isinstance(item, Document))
        if APPROVE not in outcomes:
            return Gate(self.question, "question", tuple(outcomes), lambda _: paths)
        others = tuple(word for word in outcomes if word != APPROVE)
        back = "reject" if "reject" in others else (others[0] if others else "")
        return Gate(
            self.question,
            choices=("approved", *others),
            subject=lambda _: paths,
            default_rejection=back,
        )


@dataclass(frozen=True)
class CheckStep(_Spec):
    commands: tuple[str, ...]

    def can_end(self, _outcomes: Sequence[str]) -> tuple[str, ...]:
        return ("pass", "fail")

    def effect(self, _workflow: Owner, name: str) -> Effect:
        return Check(what=name, kind="command", commands=self.commands)


@dataclass(frozen=True)
class ParallelStep(_Spec):
    members: Mapping[str, AgentStep]
    join: Join
    at_once: int

    def can_end(self, _outcomes: Sequence[str]) -> tuple[str, ...]:
        return ("pass", "fail")

    def effect(self, workflow: Owner, name: str) -> Effect:
        return Cluster(
            members=lambda _: [
                Member(
                    member,
                    lambda run, member=member, spec=spec: contracts.contract(  # type: ignore[misc]
                        workflow, spec, f"{name}-{member}", run
                    ),
                    contracts.judge,
                )
                for member, spec in self.members.items()
            ],
            decide=self._decide,
            limit=self.at_once,
            most=len(self.members),
            in_order=any(spec.code == "write" for spec in self.members.values()),
        )

    def _decide(self, results: Mapping[str, Judgement]) -> Judgement:
        good = {name: result.outcome == "ok" for name, result in results.items()}
        passed = any(good.values()) if self.join == "any" else all(good.values())
        against = [
            f"{name}: {results[name].word or results[name].outcome}"
            + (f", {results[name].reason}" if results[name].reason else "")
            for name, fine in good.items()
            if not fine
        ]
        word = "pass" if passed else "fail"
        return Judgement("ok", word, reason="; ".join(against), classification=word)


def agent(
    role: str,
    *,
    task: str = "{{ input }}",
    reads: Sequence[Document[Any]] = (),
    writes: Sequence[Document[Any]] = (),
    code: CodeAccess = "none",
    writable: Sequence[str] = (),
    tests: Tests = "add",
    proof: Sequence[str] = (),
    verdict: Sequence[str] = (),
) -> AgentStep:
    """One agent under a contract.

    role: who; its definition is looked up by name. task: what it is asked, with `{{ input }}` and
    `{{ policy.NAME }}`. reads, writes: documents. code: `none`, `read` or `write`; `writable`
    narrows it to these globs. tests: what it may do to tests without a person being asked. proof:
    commands of `[commands]` that must pass afterwards. verdict: the words it may report, best
    first; without them it is `done` or blocked.
    """
    for name, value, known in (("code", code, CodeAccess), ("tests", tests, Tests)):
        if value not in get_args(known):
            raise TypeError(f"agent {role!r}: {name} is none of {', '.join(get_args(known))}")
    if proof and code != "write":
        raise TypeError(f"agent {role!r}: proof is for a step that may write code")
    if len(set(verdict)) != len(verdict) or "blocked" in verdict:
        raise TypeError(f"agent {role!r}: verdict names a word twice, or blocked")
    return AgentStep(
        role,
        task,
        tuple(reads),
        tuple(writes),
        code,
        tuple(writable),
        tests,
        tuple(proof),
        tuple(verdict),
    )


def gate(question: str, *, shows: Sequence[Document[Any] | str] = ("proof", "diff")) -> GateStep:
    """A person decides. The proof and the changed code are always shown; `shows` adds documents,
    and the decision is about their content.
    """
    for item in shows:
        if isinstance(item, str) and item not in {"proof", "diff"}:
            raise TypeError(f"gate {question!r}: shows {item!r} is no document, proof or diff")
    return GateStep(question, tuple(shows))


def check(*commands: str) -> CheckStep:
    """The program runs these commands of `[commands]` itself: `pass` or `fail`."""
    if not commands:
        raise TypeError("check: name at least one command, such as 'test'")
    return CheckStep(commands)


def parallel(
    members: Mapping[str, AgentStep], *, join: Join = "all", at_once: int = 4
) -> ParallelStep:
    """Several agents side by side: `pass` if all of them (or any) ended with their best word."""
    if len(members) < 2:
        raise TypeError("parallel: name at least two members")
    return ParallelStep(dict(members), join, at_once)


def _words(route: Route, name: str) -> tuple[str, ...]:
    """The words of one `Literal` of the method's signature."""
    hint = route.__annotations__.get(name)
    if isinstance(hint, str):
        hint = eval(hint, vars(sys.modules[route.__module__]))  # noqa: S307 - their own source
    return get_args(hint)
