"""The list of broken rules is up to date, what it says is really tried, and nothing but a failing test counts as caught."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.scripts import script

ROOT = Path(__file__).parents[1]
SAMPLE, SEED = 3, 8
"""Few, because each is a run of pytest; `make mutations` tries them all."""
PACKAGES = {"core", "state", "verify", "engine", "agents", "workflows"}


mutations = script("mutations")
BREAKS = mutations.listed()
QUICK = [each for each in BREAKS if each.tests[0].startswith(("tests/core", "tests/workflows", "tests/verify")) and len(each.tests) == 1]


def test_no_break_is_stale() -> None:
    assert [f"{each.rule}: {why}" for each in BREAKS if (why := mutations.stale(each))] == []


def test_at_least_sixty_rules_over_all_packages_are_broken_and_each_differs() -> None:
    assert len(BREAKS) >= 60
    assert {each.file.partition("/")[0] for each in BREAKS} >= PACKAGES
    assert len({each.rule for each in BREAKS}) == len({(each.file, each.old, each.new) for each in BREAKS}) == len(BREAKS)
    assert all(each.old != each.new and each.tests for each in BREAKS)


def test_the_tests_that_are_named_exist() -> None:
    for each in BREAKS:
        for name in each.tests:
            path, _, test = name.partition("::")
            assert not test or f"def {test}(" in (ROOT / path).read_text(), name


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    assert mutations.chosen(BREAKS, 5, 1, "") == mutations.chosen(BREAKS, 5, 1, "")
    assert mutations.chosen(BREAKS, 5, 1, "") != mutations.chosen(BREAKS, 5, 2, "")
    assert mutations.chosen(BREAKS, 0, 1, "") == BREAKS


@pytest.mark.timeout(300)
def test_a_sample_of_breaks_is_caught_and_the_tree_is_whole_afterwards() -> None:
    with mutations.copied() as tree:
        for each in mutations.chosen(QUICK, SAMPLE, SEED, ""):
            assert mutations.tried(each, tree)[0] == "caught", each.rule
            assert (tree / each.source).read_bytes() == (ROOT / each.source).read_bytes()


@pytest.mark.timeout(300)
def test_a_break_that_no_test_notices_survives_and_one_without_tests_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "src" / "podium").mkdir(parents=True)
    (tmp_path / "src" / "podium" / "rule.py").write_text("LIMIT = 3\n")
    (tmp_path / "test_rule.py").write_text("def test_nothing() -> None:\n    assert True\n")
    broken = mutations.Mutation("a limit", "rule.py", "LIMIT = 3", "LIMIT = 4", ("test_rule.py",))
    assert mutations.tried(broken, tmp_path)[0] == "SURVIVED"
    unknown = mutations.Mutation("a limit", "rule.py", "LIMIT = 3", "LIMIT = 4", ("test_rule.py::test_gone",))
    assert mutations.tried(unknown, tmp_path)[0] == "UNTESTED"
    assert mutations.tried(mutations.Mutation("a limit", "rule.py", "LIMIT = 5", "", ("test_rule.py",)), tmp_path)[0] == "STALE"


def test_the_page_says_how_many_breaks_there_are() -> None:
    page = (ROOT / "docs" / "proof-mutations.md").read_text(encoding="utf-8")
    assert f"lists {len(BREAKS)} deliberate breaks" in page
