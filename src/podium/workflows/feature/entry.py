"""How a run of a feature begins: with a request in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import Fault, InputError, UsageError
from podium.core.verdict import Dialect
from podium.workflows.entry import Entry, Read, Start
from podium.workflows.feature import planning
from podium.workflows.feature.slug import slug_of, title_of
from podium.workflows.feature.workflow import Feature

LONGEST_REQUEST = 50_000


def start(
    inputs: Sequence[str], policy: Mapping[str, Any], options: Mapping[str, Any], read: Read
) -> Start:
    request = " ".join(inputs).strip()
    if not request:
        raise UsageError(
            'podium run feature takes a request: podium run feature "let people export their notes"'
        )
    if len(request) > LONGEST_REQUEST:
        mend = (
            f"shorten it to {LONGEST_REQUEST:,}, or put the details in a file of the project and "
            "name that"
        )
        raise InputError(Fault("the request", f"has {len(request):,} characters", mend))
    if policy["max_parallel"] < 1:
        raise InputError(
            Fault("max_parallel", "is 0", "at least one agent must work; 4 at most do")
        )
    slug = slug_of(request)
    return Start(
        workflow=Feature(policy),
        members={
            "slug": slug,
            "title": title_of(request),
            "request": request,
            "began": options.get("today", ""),
            "approval_mode": policy["approval_mode"],
            "strict": policy["structure"] == "require",
            **planning.earlier(f"docs/feature/{slug}", read),
        },
        definition={"issue": options["issue"]} if "issue" in options else {},
        slug=slug,
        title=f"{slug} — {title_of(request)}",
        scope=f"docs/feature/{slug}/memory.md",
    )


def sample(policy: Mapping[str, Any], read: Read, scaffold: Read) -> Feature:
    return Feature(policy)


def remake(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Feature:
    return Feature(policy)


def _dialects() -> Mapping[str, Dialect]:
    # only where an agent is asked
    from podium.workflows.feature.dialects import DIALECTS  # noqa: PLC0415

    return DIALECTS


ENTRY = Entry(
    name="feature",
    summary="a request through research, design, plan, waves of tasks, verification and review",
    takes="REQUEST",
    start=start,
    sample=sample,
    remake=remake,
    imagine=lambda _, policy: {"approval_mode": policy["approval_mode"]},
    dialects=_dialects,
    retries=lambda _: {"violation": 1},
    options=frozenset({"issue"}),
    issue=lambda _, request: ([request], {}),
    example='"what the feature should do"',
    settings=(
        "# approval_mode = false   # ask a person after research and after planning",
        "# max_parallel = 4        # agents at once, 4 at most",
        "# max_ct_loops = 1        # how often the design review may send the design back",
        "# max_v_loops = 3         # how often verification may ask for a new plan",
        "# max_r_loops = 1         # how often the review may send tasks back",
        '# structure = "warn"      # "require": refuse documents that lack sections',
        "# review_full = []        # globs that call for a Full review; empty: the built-in ones",
        (
            "# review_lightweight = [] # globs that a Lightweight review is enough for; empty: "
            "the built-in ones"
        ),
    ),
)
