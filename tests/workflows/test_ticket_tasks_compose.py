from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.tasks.compose import check, compose, structure
from podium.workflows.ticket.tasks.document import read

FACTS = {"Ticket": "PROJ-1"}


def test_the_shortest_good_answer_passes_its_own_check():
    text = compose({}, "", FACTS)
    assert check(text, "") == ()
    assert read(text).task("TASK-1").files_to_modify == ("work/**",)
    assert structure()


def test_tasks_given_in_part_are_completed_and_grouped():
    text = compose(
        {
            "tasks": [
                {"files_to_modify": ["a.py"]},
                {"files_to_modify": ["b.py"], "description": "second"},
                {"files_to_modify": ["a.py"], "test_files": ["t.py"]},
                {"id": "LAST", "files_to_modify": ["c.py"], "depends_on": ["TASK-1"]},
            ]
        },
        "",
        FACTS,
    )
    assert check(text, "") == ()
    assert read(text).groups == {"A": ("TASK-1", "TASK-2"), "B": ("TASK-3",), "C": ("LAST",)}


def test_what_is_given_wins_even_where_it_is_wrong():
    text = compose({"tasks": [{"status": "ACCEPTED"}], "parallel_groups": ["TASK-1"]}, "", FACTS)
    faults = check(text, "")
    assert any("parallel_groups is a list" in each for each in faults)
    assert any("status ACCEPTED" in each for each in faults)
    cycle = compose({"tasks": [{"depends_on": ["TASK-2"]}, {"depends_on": ["TASK-1"]}]}, "", FACTS)
    assert any("a cycle" in each for each in check(cycle, ""))


def test_an_unknown_member_is_refused():
    with pytest.raises(ValueError, match="unknown member 'groups'"):
        compose({"groups": {}}, "", FACTS)


FILES = st.lists(st.sampled_from(["a", "b", "src/a", "src/", "src/*"]), min_size=1, max_size=2)


@settings(max_examples=40, deadline=None)
@given(st.lists(FILES, min_size=1, max_size=30))
def test_any_files_make_a_valid_document(files: list[list[str]]):
    tasks = [
        {"files_to_modify": each, "depends_on": [f"TASK-{number // 2}"] if number > 3 else []}
        for number, each in enumerate(files, 1)
    ]
    assert check(compose({"tasks": tasks}, "", FACTS), "") == ()
