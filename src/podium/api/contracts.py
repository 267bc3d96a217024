"""What one agent of a workflow of one's own may read and must write, and how it reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from podium.api import template
from podium.core.contract import CodeAccess, Contract, Input, Output, Tests
from podium.core.effects import Report
from podium.core.run import Run
from podium.core.schema import TEXT, object_of, one_of
from podium.core.verdict import Dialect, Judgement, Outcome, Verdict, choice, line_reader, members
from podium.documents import Document
from podium.workflows.protected import PROTECTED

DONE = "done"
"""The word of an agent that was given none."""
HIDDEN = (".podium/**", ".github/agents/**", ".claude/agents/**")


class Owner(Protocol):
    """The workflow that an agent belongs to."""

    name: ClassVar[str]

    def values(self, run: Run) -> Mapping[str, str]:
        """What `{{ … }}` stands for."""


@dataclass(frozen=True)
class AgentSpec:
    """One agent as it was declared (see `agent`)."""

    role: str
    task: str
    reads: tuple[Document[Any], ...]
    writes: tuple[Document[Any], ...]
    code: CodeAccess
    writable: tuple[str, ...]
    tests: Tests
    proof: tuple[str, ...]
    verdict: tuple[str, ...]


def contract(workflow: Owner, spec: AgentSpec, name: str, run: Run) -> Contract:
    return Contract(
        role=spec.role,
        inputs=tuple(Input(_name_of(item), item.path, material=True) for item in spec.reads),
        outputs=tuple(map(_output, spec.writes)),
        code=spec.code,
        writable=spec.writable,
        protected=PROTECTED,
        hidden=HIDDEN,
        tests=spec.tests,
        dialect=dialect_name(workflow, name),
        evidence=spec.proof,
        proof_of_change="new" if spec.code == "write" else "none",
        told=(template.filled(spec.task, workflow.values(run)),),
    )


def _name_of(document: Document[Any]) -> str:
    return document.path.rpartition("/")[2].rpartition(".")[0] or document.path


def _output(document: Document[Any]) -> Output:
    return Output(
        name=_name_of(document),
        path=document.path,
        check=lambda text, _template: document.check(text),
        compose=lambda _members, _template, _facts: document.example(),
        structure=lambda _template: document.prompt(),
    )


def judge(report: Report) -> Judgement:
    """The word is the outcome that the method routes."""
    said = report.verdict
    if said.outcome == "fail":
        return Judgement("fail", said.word, said.reason)
    # An agent without words of its own may end without a verdict: the proof is the files.
    word = said.word or DONE
    return Judgement(said.outcome, word, said.reason, classification=word)


def dialect_name(workflow: Owner, step: str) -> str:
    return f"{workflow.name}-{step}"


def dialect(name: str, words: tuple[str, ...]) -> Dialect:
    """How an agent reports: one of the words, or that it is blocked."""
    good, *rest = words or (DONE,)
    outcomes: Mapping[str, Outcome] = {
        good: "ok",
        **dict.fromkeys(rest, "revise"),
        "blocked": "fail",
    }

    def read(data: Mapping[str, Any]) -> Verdict:
        members(data, {"verdict": str, "summary": str}, required=("verdict",))
        word, outcome = choice(data, "verdict", outcomes)
        return Verdict(outcome, word, str(data.get("summary", "")), data)

    spoken = " or ".join(f"`{word}`" for word in outcomes)
    return Dialect(
        name=name,
        read=read,
        line=line_reader(outcomes) if words else None,
        required=bool(words),
        good={"verdict": good, "summary": "done"},
        told=(
            "End with a short final message that says what you did and why.",
            f'As a verdict object: {{"verdict": {spoken}, "summary": text}}.',
            "If you cannot do this with what you were given, say `blocked` and what is missing.",
            "Your words are not evidence: the files and the program's own commands are.",
        ),
        schema=object_of({"verdict": one_of(outcomes), "summary": TEXT}, ("verdict", "summary")),
    )
