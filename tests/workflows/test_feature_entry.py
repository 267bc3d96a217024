"""How a run of a feature begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.fakes.feature import plan, task

from podium.core.errors import InputError, UsageError
from podium.settings import policies
from podium.workflows.feature.entry import ENTRY, LONGEST_REQUEST
from podium.workflows.feature.run import MAX_WARNINGS, FeatureRun, told, warned

POLICY = policies.defaults("feature")


def start(*inputs: str, files: Mapping[str, str] | None = None, **policy: Any) -> Any:
    return ENTRY.start(inputs, {**POLICY, **policy}, {"today": "2026-03-01"}, (files or {}).get)


def test_a_request_becomes_a_slug_a_title_and_a_place_of_its_own() -> None:
    found = start("Count words", "in files")
    assert (found.slug, found.scope) == (
        "count-words-in-files",
        "docs/feature/count-words-in-files/memory.md",
    )
    assert found.members == {
        "slug": "count-words-in-files",
        "title": "Count words in files",
        "request": "Count words in files",
        "began": "2026-03-01",
        "approval_mode": False,
        "strict": False,
    }


def test_the_policy_decides_about_gates_and_structure() -> None:
    found = start("x", approval_mode=True, structure="require").members
    assert (found["approval_mode"], found["strict"]) == (True, True)


def test_where_an_earlier_run_left_a_plan_this_one_adds_to_it_and_what_is_ticked_off_counts_as_done() -> (  # noqa: E501
    None
):
    folder = "docs/feature/count-words"
    files = {
        f"{folder}/plan.md": plan({"01-a": [], "02-b": []}, {"03-c": ["01"]}),
        f"{folder}/tasks/01-a.md": task("01-a").replace("[ ]", "[x]"),
        f"{folder}/tasks/02-b.md": task("02-b"),
    }
    found = start("Count words", files=files).members
    assert found["extends"]
    assert list(found["tasks"]) == ["01-a", "02-b"]  # the third has no file
    assert found["finished"] == ["01-a"]
    assert "extends" not in start("Count words", files={}).members


@pytest.mark.parametrize("inputs", [(), ("",), ("  ", "\n")])
def test_nothing_is_no_request(inputs: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="takes a request"):
        start(*inputs)


def test_a_book_is_no_request_and_nobody_at_work_is_no_policy() -> None:
    with pytest.raises(InputError, match="50,001 characters"):
        start("x" * (LONGEST_REQUEST + 1))
    with pytest.raises(InputError, match="at least one agent must work"):
        start("x", max_parallel=0)


def test_every_policy_key_is_in_a_new_settings_file() -> None:
    own = list(policies.WORKFLOWS["feature"])
    assert [line.split()[1] for line in ENTRY.settings] == own


def test_warnings_are_kept_once_and_the_newest_of_too_many() -> None:
    run = FeatureRun(step="x", warnings=["a"])
    assert warned(run, ["b", "a", "b"]) == ["a", "b"]
    assert warned(run, map(str, range(99))) == [str(n) for n in range(99 - MAX_WARNINGS, 99)]
    assert told(["a", "a", "b"]) == ({"type": "feature.warning", "text": "a\nb"},)
    assert told([]) == ()
