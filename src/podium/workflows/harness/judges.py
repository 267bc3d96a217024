"""What a finished stage means: from the verified files and the verdict to one outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from podium.core.effects import Report, believe
from podium.core.verdict import Judgement
from podium.formats import markdown_fields
from podium.workflows.harness import qa


def judge_document(report: Report) -> Judgement:
    """A verified artifact is a success, unless the agent itself says that it could not or must
    not proceed.
    """
    return _forbidden(report) or believe(report)


def _forbidden(report: Report) -> Judgement | None:
    """The judgement if an artifact's own Lifecycle Check forbids proceeding."""
    for name, text in report.outputs.items():
        said = (
            markdown_fields.read_field(text, "Lifecycle Check", "Proceeding Validly") or ""
        ).split()
        if said and said[0].strip(".,;:").casefold() == "no":
            words = f"lifecycle rules do not permit progression: {name} says Proceeding Validly: No"
            return Judgement("fail", "No", words, stop="lifecycle")
    return None


def judge_review(report: Report) -> Judgement:
    """The document decides; a verdict sent along with it can only make the result worse."""
    if (forbidden := _forbidden(report)) is not None:
        return forbidden
    text = next(iter(report.outputs.values()), "")
    review, faults = qa.parse_qa(text)
    if review is None:
        return Judgement("fail", "malformed", "; ".join(faults))
    if report.verdict.data:
        review = qa.worse(review, qa.from_members(report.verdict.data))
    found = qa.judge(review)
    return Judgement(
        found.outcome,
        found.word,
        "; ".join(found.reasons),
        contradictions=tuple(review.contradictions),
    )


JUDGES: Mapping[str, Callable[[Report], Judgement]] = {
    "document": judge_document,
    "build": believe,
    "review": judge_review,
}
