"""A roadmap that cannot be obeyed: every fault named with item, field and expected format, and
nothing touched.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.roadmap import EMPTY, FILE, Make, item

from podium.core.errors import InputError, UsageError


def refused(project: Any, *inputs: str) -> list[str]:
    """The faults; nothing may have been dispatched or written."""
    before = project.snapshot()
    with pytest.raises(InputError) as error:
        project.go(None, *inputs)
    assert error.value.exit_code == 2
    assert project.snapshot() == before
    assert not (project.root / ".podium").exists()
    return [str(each) for each in error.value.faults]


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in item("US-1").items() if key != name}


@pytest.mark.parametrize("name", [name for name in item("US-1") if name not in {"id", "title"}])
def test_a_missing_field_is_named_with_the_item_and_what_is_expected(road: Make, name: str) -> None:
    (fault,) = refused(road(without(name)))
    assert f"items[0].{name} is missing (expected " in fault


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"priority": "high"}, "priority is 'high' (expected a number"),
        (
            {"complexity": "trivial"},
            "complexity is 'trivial' (expected one of simple, medium, complex",
        ),
        ({"complexity": "Simple"}, "did you mean 'simple'?"),
        ({"status": "in-progress"}, "did you mean 'in_progress'?"),
        ({"passes": "false"}, "passes is 'false' (expected true or false"),
        ({"passes": True}, 'status is "ready" although passes is true'),
        (
            {"acceptanceCriteria": []},
            "acceptanceCriteria is empty (1 at least",
        ),
        ({"acceptanceCriteria": ["a", 7]}, "acceptanceCriteria[1] is 7"),
        ({"verification": "make"}, "verification is 'make' (expected a list"),
        ({"retryCount": -1}, "retryCount is -1"),
        ({"retryCount": 1.5}, "retryCount is 1.5"),
        ({"dependencies": ["US-9"]}, "dependencies names 'US-9', which is not an item"),
        ({"dependencies": ["us-2"]}, "did you mean 'US-2'?"),
        ({"dependencies": ["US-1"]}, "dependencies names the item itself"),
        (
            {"planningResearch": {**EMPTY, "risks": None}},
            "planningResearch.risks is empty (expected a list",
        ),
        ({"planningResearch": {}}, "planningResearch.patterns is missing"),
        ({"title": "two\nlines"}, "is not one line of text"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(
    road: Make, members: dict[str, Any], words: str
) -> None:
    faults = refused(road(item("US-1", **members), item("US-2")))
    assert any(words in fault for fault in faults), faults


def test_every_fault_of_every_item_is_told_at_once_with_its_line(road: Make) -> None:
    items = [
        item("US-1", priority="x", complexity="y"),
        item("US-1", status="z"),
        item("US-3", dependencies=["US-4"]),
        "no item",
    ]
    faults = refused(road(*items))  # type: ignore[arg-type]
    assert len(faults) == 6
    assert all(fault.startswith(f"{FILE}:") for fault in faults)
    expected = (
        "priority is 'x'",
        "complexity is 'y'",
        "the id stands in items[0] already",
        "status is 'z'",
        "'US-4'",
        "items[3] is 'no item'",
    )
    for fault, words in zip(faults, expected, strict=True):
        assert words in fault


def test_items_that_wait_for_each_other_are_named(road: Make) -> None:
    items = [
        item("US-1", dependencies=["US-3"]),
        item("US-2", dependencies=["US-1"]),
        item("US-3", dependencies=["US-2"]),
    ]
    (fault,) = refused(road(*items))
    assert "items wait for each other in a cycle: US-1" in fault


def test_ids_of_two_kinds_are_refused(road: Make) -> None:
    assert any(
        "id is a text, the id of the first item is a number" in fault
        for fault in refused(road(item(1), item("US-2")))
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{\n  items: []\n}\n", f"{FILE}:2: is not JSON"),
        ('{"items": [}', "is not JSON"),
        ("[1, 2", "is not JSON"),
        ("3", "the document is 3 (expected a table with items"),
        ('{"item": []}', "items is missing"),
        ('{"items": {}}', "items is a table"),
        ('{"items": [], "items": []}', "items"),
    ],
)
def test_what_is_no_roadmap_is_told_with_its_line(road: Make, text: str, words: str) -> None:
    faults = refused(road(text=text))
    assert any(words in fault for fault in faults), faults


def test_a_roadmap_that_is_not_there_names_the_ways_to_one(road: Make) -> None:
    project = road(item("US-1"))
    (fault,) = refused(project, "plans/other.json")
    assert "plans/other.json" in fault
    assert "podium run roadmap plan GOAL" in fault


@pytest.mark.parametrize("path", ["../roadmap.json", "/etc/roadmap.json", "a/../../b.json"])
def test_a_roadmap_outside_the_project_is_refused(road: Make, path: str) -> None:
    assert "outside the project" in refused(road(item("US-1")), path)[0]


def test_two_files_are_one_too_many(road: Make) -> None:
    with pytest.raises(UsageError, match=r"podium run roadmap \[FILE\]"):
        road(item("US-1")).go(None, "a.json", "b.json")


def test_a_roadmap_of_a_thousand_faults_is_told_in_one_go(road: Make) -> None:
    faults = refused(road(text=json.dumps([item(number, priority="x") for number in range(1000)])))
    assert len(faults) == 1000


def test_a_misspelt_policy_is_refused_with_the_nearest_name(road: Make) -> None:
    project = road(item("US-1"))
    project.write("podium.toml", "[policy.roadmap]\nmax_retrys = 1\n")
    with pytest.raises(InputError, match="max_retries"):
        project.go()
