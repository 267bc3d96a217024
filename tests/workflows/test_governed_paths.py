from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed import paths
from podium.workflows.governed.policy.policy import DEFAULT, read_policy


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Add word count", "add-word-count"),
        ("  Fix: ../../etc/passwd  ", "fix-etc-passwd"),
        ("Überprüfung", "uberprufung"),
        ("日本", "task"),
        ("", "task"),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_title_becomes_a_name_that_is_safe_in_paths(title: str, slug: str) -> None:
    assert paths.slug(title, DEFAULT) == slug


@given(st.text(max_size=80))
@settings(max_examples=80, deadline=None)
def test_any_title_fits_the_policys_pattern(title: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", paths.slug(title, DEFAULT))


def test_a_pattern_that_no_name_fits_says_so() -> None:
    with pytest.raises(ValueError, match=r"does not fit tool_output_policy\.task_slug_pattern"):
        paths.slug("x", read_policy(None, {"tool_output_policy.task_slug_pattern": "^[0-9]+$"}))


def test_documents_have_their_places() -> None:
    assert paths.plan_path("x") == "plans/x-plan.md"
    assert paths.phase_path("x", 2) == "plans/x-plan-phase-2-complete.md"
    assert paths.complete_path("x") == "plans/x-plan-complete.md"
    assert paths.final_review_path("x") == "plans/artifacts/x/final_review.md"
    assert paths.registry_path("x") == "plans/artifacts/x/verified-items.md"
    assert paths.sink_path("x") == "plans/artifacts/observability/x.ndjson"
    assert paths.log_path(DEFAULT) == "plans/session-outcomes.md"
    assert paths.spill_folder("x", DEFAULT) == ".cache/tool-output/x/"


@pytest.mark.parametrize(("most", "limit"), [(None, None), (1, 1_000_000), (0, 0)])
def test_spilled_output_has_a_limit_where_the_policy_sets_one(
    most: int | None, limit: int | None
) -> None:
    assert paths.most_spilled(read_policy(None, {"tool_output_policy.max_total_mb": most})) == limit
