"""How the suite is shared among its workers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def groups(pytestconfig: pytest.Config) -> object:
    return pytestconfig.pluginmanager.get_plugin(str(HERE / "conftest.py"))


def test_modules_that_stay_together_exist(groups: object) -> None:
    assert [
        each for each in sorted(groups.TOGETHER | groups.BY_CASE) if not (HERE / each).is_file()
    ] == []  # type: ignore[attr-defined]


def test_what_keeps_time_is_where_make_test_looks_for_it() -> None:
    makefile = (HERE.parent / "Makefile").read_text()
    marks = re.search(r"^OTHERS := (.+)$", makefile, re.MULTILINE)
    places = re.search(r"^PLACES := (.+)$", makefile, re.MULTILINE)
    assert marks
    assert places
    marked = re.compile(rf"mark\.({marks[1].replace(' or ', '|')})\b")
    found = [
        path.relative_to(HERE.parent)
        for path in HERE.rglob("*.py")
        if marked.search(path.read_text())
    ]
    assert len(found) > 20
    assert [
        str(each)
        for each in found
        if not any(each.is_relative_to(place) for place in places[1].split())
    ] == []


@pytest.mark.parametrize(
    ("path", "pieces"),
    [
        ("crash/test_every_write.py", 1),
        ("core/test_keys.py", 1),
        ("workflows/test_ticket_rules.py", 1),
        ("cli/test_main.py", 3),
    ],
)
def test_tests_of_such_a_module_or_of_a_quick_one_are_one_piece_of_work_and_others_are_their_own(
    groups: object, path: str, pieces: int
) -> None:
    kind = groups.Grouped  # type: ignore[attr-defined]
    found = kind.__new__(kind)  # a whole one wants workers
    assert (
        len({found._split_scope(f"tests/{path}::test_{number}[@]") for number in range(3)})
        == pieces
    )


def test_runs_that_were_left_are_shared_out_by_their_workflow(groups: object) -> None:
    kind = groups.Grouped  # type: ignore[attr-defined]
    found = kind.__new__(kind)
    cases = ("governed-after-plan+1", "governed-2-killed", "ticket-killed")
    assert (
        len(
            {
                found._split_scope(f"tests/upgrades/test_resuming.py::test_a_run[{each}]")
                for each in cases
            }
        )
        == 2
    )


def test_a_piece_of_work_that_is_done_is_forgotten_and_the_next_is_handed_out(
    groups: object,
) -> None:
    kind = groups.Grouped  # type: ignore[attr-defined]
    found, node = kind.__new__(kind), "worker"
    done: list[str] = []
    found.registered_collections = {
        node: [
            "tests/cli/test_main.py::test_1",
            "tests/core/test_keys.py::test_1",
            "tests/core/test_keys.py::test_2",
        ]
    }
    found.assigned_work = {node: {}}
    for nodeid in found.registered_collections[node]:
        found.assigned_work[node].setdefault(found._split_scope(nodeid), {})[nodeid] = False
    found._reschedule = done.append
    found.mark_test_complete(node, 0)
    found.mark_test_complete(node, 1)
    assert found.assigned_work == {
        node: {
            "tests/core/test_keys.py": {
                "tests/core/test_keys.py::test_1": True,
                "tests/core/test_keys.py::test_2": False,
            }
        }
    }
    found.mark_test_complete(node, 2)
    assert found.assigned_work == {node: {}}
    assert done == [node, node, node]
