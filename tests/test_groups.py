"""How the suite is shared among its workers."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def groups(pytestconfig: pytest.Config) -> object:
    return pytestconfig.pluginmanager.get_plugin(str(HERE / "conftest.py"))


def test_modules_that_stay_together_exist(groups: object) -> None:
    assert [each for each in sorted(groups.TOGETHER) if not (HERE / each).is_file()] == []  # type: ignore[attr-defined]


def test_tests_of_such_a_module_are_one_piece_of_work_and_others_are_their_own(groups: object) -> None:
    kind = groups.Grouped  # type: ignore[attr-defined]
    found = kind.__new__(kind)  # a whole one wants workers
    together = {found._split_scope(f"tests/crash/test_every_write.py::test_{number}[@]") for number in range(3)}
    apart = {found._split_scope(f"tests/core/test_keys.py::test_{number}") for number in range(3)}
    assert (len(together), len(apart)) == (1, 3)
