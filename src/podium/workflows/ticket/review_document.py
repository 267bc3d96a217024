"""`review_report.yaml`: whether an iteration is accepted; the agent's word counts only as far as
the evidence supports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from podium.core.errors import Fault, InputError
from podium.formats import yaml_edit, yaml_text
from podium.formats.yaml_shape import Anything, Fields, Flag, Maybe, Named, Text, faults
from podium.formats.yaml_tree import parse
from podium.workflows.ticket.request.prompt_document import STAMP

NAME = "review_report.yaml"
Decision = Literal["ACCEPTED", "REJECTED"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
MODES = ("prompt-review", "task-review", "auto-accept-trivial")
RESULTS = ("PASSED", "FAILED", "NOT_RUN")
CRITERIA = ("MET", "NOT MET")
MAX_LENGTH = 200_000
"""Characters: a review is judged as a whole, so a longer one is sent back, never cut."""
MAX_EVIDENCE = 500
"""Characters of its notes that go with the verdict that a document states."""
_AGENTS_PART = {"notes": Maybe(Text(empty=True)), "criteria": Maybe(Named(Text(words=CRITERIA)))}
_RESULT = Text(words=RESULTS)
WRITTEN = Fields(
    {"status": Text(words=DECISIONS)},
    {
        "mode": Text(words=MODES),
        "build": Maybe(_RESULT),
        "tests": Maybe(_RESULT),
        "files_verified": Maybe(Flag()),
        "reviewed_at": Anything(),
        **_AGENTS_PART,
    },
)
"""What an agent must write; the program fills in what it observed."""
WHOLE = Fields(
    {
        "status": Text(words=DECISIONS),
        "mode": Text(words=MODES),
        "build": _RESULT,
        "tests": _RESULT,
        "files_verified": Flag(),
        "notes": Text(empty=True),
        "reviewed_at": STAMP,
    },
    {"criteria": _AGENTS_PART["criteria"]},
)


@dataclass(frozen=True, kw_only=True)
class Review:
    status: str
    mode: str = MODES[0]
    build: str = "NOT_RUN"
    tests: str = "NOT_RUN"
    files_verified: bool = True
    """False only where the document says so: what lies outside the tasks' lists is taken out
    before it lands.
    """
    notes: str = ""
    reviewed_at: str = ""
    criteria: Mapping[str, str] = field(default_factory=dict)

    @property
    def unmet(self) -> tuple[str, ...]:
        return tuple(name for name, said in self.criteria.items() if said != "MET")


def read(text: str, where: str = NAME, *, written: bool = False) -> Review:
    """The document; raises InputError with every fault. `written` accepts it as an agent leaves
    it.
    """
    root = parse(text, where)
    if wrong := faults(root, WRITTEN if written else WHOLE, where):
        raise InputError(wrong)
    return from_data(root.data)


def from_data(data: Mapping[str, Any]) -> Review:
    """The review in a document already found valid."""
    return Review(
        status=data["status"],
        mode=data.get("mode") or MODES[0],
        build=data.get("build") or "NOT_RUN",
        tests=data.get("tests") or "NOT_RUN",
        files_verified=data.get("files_verified") is not False,
        notes=data.get("notes") or "",
        reviewed_at=str(data.get("reviewed_at") or ""),
        criteria=data.get("criteria") or {},
    )


def data_of(review: Review) -> dict[str, Any]:
    plain = {name: getattr(review, name) for name in WHOLE.required}
    return {**plain, "criteria": dict(review.criteria)} if review.criteria else plain


def stated(text: str) -> Mapping[str, Any]:
    """The verdict object that a document stands for."""
    found = read(text, written=True)
    return {
        "status": found.status,
        "criteria": dict(found.criteria),
        "evidence": " ".join(found.notes.split())[:MAX_EVIDENCE],
    }


def render(review: Review) -> str:
    return yaml_text.document(data_of(review))


def update(text: str, review: Review, where: str = NAME) -> str:
    """The document with these values; the agent's own words and comments stay."""
    return yaml_edit.merge(text, data_of(review), where)


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
    try:
        return tuple(map(str, faults(parse(text, where), WRITTEN, where)))
    except InputError as fault:
        return tuple(map(str, fault.faults))


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
    return yaml_text.document({**good, **members})
