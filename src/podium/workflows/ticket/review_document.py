"""`review_report.yaml`: whether an iteration is accepted; the agent's word counts only as far as
the evidence supports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from podium.core.errors import Fault
from podium.documents import (
    Anything,
    Document,
    Flag,
    Maybe,
    Named,
    Text,
    Word,
    part,
    record,
)

NAME = "review_report.yaml"
Decision = Literal["ACCEPTED", "REJECTED"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
MODES = ("prompt-review", "task-review", "auto-accept-trivial")
MAX_LENGTH = 200_000
"""Characters: a review is judged as a whole, so a longer one is sent back, never cut."""
MAX_EVIDENCE = 500
"""Characters of its notes that go with the verdict that a document states."""
_RESULT = Maybe(Word(("PASSED", "FAILED", "NOT_RUN")), otherwise="NOT_RUN")
_CRITERIA = Maybe(Named(Word(("MET", "NOT MET"))), otherwise={})


class _Moment(Anything):
    """Whatever an agent wrote there: the program states the moment."""

    def build(self, data: Any) -> str:
        return str(data or "")


@record()
class Review:
    """What an agent must write, and what the program fills in: what it observed."""

    status: str = part(value=Word(DECISIONS))
    mode: str = part(value=Word(MODES), default=MODES[0])
    build: str = part(value=_RESULT, default="NOT_RUN")
    tests: str = part(value=_RESULT, default="NOT_RUN")
    files_verified: bool = part(value=Maybe(Flag(), otherwise=True), default=True)
    """False only where the document says so: what lies outside the tasks' lists is taken out
    before it lands.
    """
    notes: str = part(value=Maybe(Text(empty=True), otherwise=""), default="")
    reviewed_at: str = part(value=_Moment(), default="")
    criteria: Mapping[str, str] = part(value=_CRITERIA, factory=dict)

    @property
    def unmet(self) -> tuple[str, ...]:
        return tuple(name for name, said in self.criteria.items() if said != "MET")


REVIEW = Document(NAME, Review)


def read(text: str, where: str = NAME) -> Review:
    """The document as an agent leaves it; raises InputError with every fault."""
    return REVIEW.read(text, where).sound()


def from_data(data: Mapping[str, Any]) -> Review:
    """The review in a document already found valid."""
    return REVIEW.read_object(data).value


def data_of(review: Review) -> dict[str, Any]:
    plain = {**vars(review), "criteria": dict(review.criteria)}
    return plain if review.criteria else {k: v for k, v in plain.items() if k != "criteria"}


def stated(text: str) -> Mapping[str, Any]:
    """The verdict object that a document stands for."""
    found = read(text)
    return {
        "status": found.status,
        "criteria": dict(found.criteria),
        "evidence": " ".join(found.notes.split())[:MAX_EVIDENCE],
    }


def render(review: Review) -> str:
    return REVIEW.render_data(data_of(review))


def update(text: str, review: Review, where: str = NAME) -> str:
    """The document with these values; the agent's own words and comments stay."""
    return REVIEW.update(text, data_of(review), where)


def judged(
    said: Review,
    *,
    build: str,
    tests: str,
    at: str,
    mode: str = MODES[0],
    verdict: str = "",
    evidence: str = "",
    output: Sequence[str] = (),
) -> Review:
    """What counts: the worst of the document, the verdict beside it and what the program observed.

    `output` is what failed commands printed, for the next planner.
    """
    reasons = list(contradictions(said, build=build, tests=tests, verdict=verdict))
    rejected = said.status == "REJECTED" or bool(reasons)
    notes = "\n".join(
        part for part in (said.notes.strip() or evidence.strip(), *reasons, *output) if part
    )
    return Review(
        status="REJECTED" if rejected else "ACCEPTED",
        mode=mode,
        build=build,
        tests=tests,
        files_verified=said.files_verified,
        notes=notes,
        reviewed_at=at,
        criteria=said.criteria,
    )


def contradictions(said: Review, *, build: str, tests: str, verdict: str = "") -> tuple[str, ...]:
    """What speaks against an acceptance; empty if the document does not accept."""
    if said.status != "ACCEPTED":
        return ()
    found = []
    if said.unmet:
        found.append(f"accepted with criteria that are not met: {', '.join(said.unmet)}")
    for name, seen, told in (("build", build, said.build), ("tests", tests, said.tests)):
        if "FAILED" in {seen, told}:
            found.append(f"accepted although {name} FAILED")
    if not said.files_verified:
        found.append("accepted although files outside the tasks' lists were changed")
    if verdict == "REJECTED":
        found.append("the document accepts and the verdict rejects")
    return tuple(found)


def auto_accepted(at: str, *, build: bool = True, tests: bool = True) -> Review:
    """The report of the fast path, which needs no Reviewer; `build` and `tests` say whether
    there was one to run.
    """
    green = "".join(f", {name} green" for name, ran in (("build", build), ("tests", tests)) if ran)
    return Review(
        status="ACCEPTED",
        mode="auto-accept-trivial",
        build="PASSED" if build else "NOT_RUN",
        tests="PASSED" if tests else "NOT_RUN",
        files_verified=True,
        notes=f"Trivial-graph auto-accepted: 1 task{green}.",
        reviewed_at=at,
    )


def check(text: str, template: str = "", *, where: str = NAME) -> tuple[str, ...]:  # noqa: ARG001
    """Every fault of what an agent wrote, in words."""
    if len(text) > MAX_LENGTH:
        return (
            str(
                Fault(where, f"has {len(text)} characters", f"{MAX_LENGTH} at most; say it shorter")
            ),
        )
    return REVIEW.check(text, where)


def structure(template: str = "") -> tuple[str, ...]:  # noqa: ARG001
    """The required structure in words, for the brief."""
    return (
        (
            "YAML with: status (ACCEPTED or REJECTED), criteria (each success criterion to MET or "
            "NOT MET), notes (the evidence)"
        ),
        (
            "the program adds mode, build, tests, files_verified and reviewed_at from what it saw "
            "itself"
        ),
    )


def compose(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:  # noqa: ARG001
    """The shortest good answer, overridden by the members."""
    good = {
        "status": "ACCEPTED",
        "mode": MODES[0],
        "notes": f"Every criterion of {facts.get('Ticket', 'the ticket')} is met.",
    }
    return REVIEW.render_data({**good, **members})
