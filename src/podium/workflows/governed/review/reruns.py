"""How much of a plan's review must be repeated after a change: everything, with one narrow
exception.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.workflows.governed.review.scope import EXECUTABILITY, ReviewScope

Touched = Literal["review_wording", "evidence_citation", "other"]


@dataclass(frozen=True)
class Rerun:
    """Who looks again."""

    full: bool
    reviewers: tuple[str, ...]
    because: str


def rerun(scope: ReviewScope, touched: Mapping[str, Touched], authors: Mapping[str, str]) -> Rerun:
    """The reviewers that must look again after these paths changed; `authors` maps a path to its
    reviewer.

    Anything that is not exactly a reviewer's own wording or citation counts as a change of
    everything.
    """
    if not touched:
        return Rerun(True, scope.reviewers, "nothing says what changed")
    outside = sorted(
        path for path, what in touched.items() if what == "other" or path not in authors
    )
    if outside:
        return Rerun(True, scope.reviewers, f"{outside[0]} changed")
    own = {authors[path] for path in touched}
    again = tuple(role for role in scope.reviewers if role in own or role == EXECUTABILITY)
    return Rerun(False, again, "only wording and citations of reviews changed")


def classified(
    changed: Sequence[str],
    before: Mapping[str, str],
    after: Mapping[str, str],
    reviews: Collection[str],
) -> dict[str, Touched]:
    """What kind of change each path is: a review that says the same in other words, or anything
    else.

    `before` and `after` hold what counts in each review (status, findings, marks), without its
    prose.
    """
    return {
        path: "review_wording"
        if path in reviews and path in before and before[path] == after.get(path)
        else "other"
        for path in changed
    }
