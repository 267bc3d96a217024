"""The list of broken rules is up to date, what it says is really tried, and nothing but a
failing test counts as caught.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.scripts import script

ROOT = Path(__file__).parents[1]
SAMPLE = 3
"""Few, because each is two runs of pytest; `make mutations` tries them all."""
PACKAGES = {"core", "state", "verify", "engine", "agents", "workflows"}


mutations = script("mutations")
Mutation = Any
BREAKS = mutations.listed()
QUICK = [
    each
    for each in BREAKS
    if each.tests[0].startswith(("tests/core", "tests/workflows", "tests/verify"))
    and len(each.tests) == 1
]


def test_no_break_is_stale() -> None:
    assert [f"{each.rule}: {why}" for each in BREAKS if (why := mutations.stale(each))] == []


def test_at_least_sixty_rules_over_all_packages_are_broken_and_each_differs() -> None:
    assert len(BREAKS) >= 60
    assert {each.file.partition("/")[0] for each in BREAKS} >= PACKAGES
    assert (
        len({each.rule for each in BREAKS})
        == len({(each.file, each.old, each.new) for each in BREAKS})
        == len(BREAKS)
    )
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


def test_a_seed_goes_with_the_commit_and_without_git_with_the_day(tmp_path: Path) -> None:
    for words in (
        ["init", "-q"],
        [
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@localhost",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "one",
        ],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    name = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert mutations.drawn(tmp_path) == int(name[:8], 16)
    (tmp_path / ".git").rename(tmp_path / "git")
    assert 20_000 < mutations.drawn(tmp_path) < 100_000


@pytest.mark.timeout(300)
def test_a_sample_of_breaks_is_caught_and_the_tree_is_whole_afterwards() -> None:
    seed = mutations.drawn()
    with mutations.copied() as tree:
        for each in mutations.chosen(QUICK, SAMPLE, seed, ""):
            ((_, found, _),) = mutations.judged([each], tree)
            assert found.result == "caught", (
                f"{each.rule}: {found.said} (seed {seed}; again: make mutations ARGS='--only "
                f'"{each.rule}"\')'
            )
            assert (tree / each.source).read_bytes() == (ROOT / each.source).read_bytes()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src" / "podium").mkdir(parents=True)
    (tmp_path / "src" / "podium" / "__init__.py").touch()
    (tmp_path / "src" / "podium" / "rule.py").write_text("LIMIT = 3\n")
    return tmp_path


def broken(tree: Path, test: str, name: str = "test_rule.py", **more: object) -> Mutation:
    (tree / "test_rule.py").write_text(
        f"import time\n\nimport pytest\n\nfrom podium.rule import LIMIT\n\n\n{test}\n"
    )
    return mutations.Mutation("a limit", "rule.py", "LIMIT = 3", "LIMIT = 4", (name,), **more)


def judged(tree: Path, mutation: Mutation) -> str:
    ((_, found, _),) = mutations.judged([mutation], tree)
    return str(found.result)


def test_a_break_that_no_test_notices_survives_and_one_that_cannot_be_made_is_stale(
    tree: Path,
) -> None:
    assert judged(tree, broken(tree, "def test_nothing() -> None:\n    assert True")) == "SURVIVED"
    unknown = mutations.Mutation("a limit", "rule.py", "LIMIT = 5", "", ("test_rule.py",))
    assert mutations.tried(unknown, tree).result == "STALE"


def test_a_test_that_fails_is_named(tree: Path) -> None:
    found = mutations.tried(
        broken(
            tree,
            (
                "@pytest.mark.parametrize('each', [3])\ndef test_limit(each) -> None:\n    assert "
                "each == LIMIT"
            ),
        ),
        tree,
    )
    assert (found.result, found.by) == ("caught", "test_rule.py::test_limit")


@pytest.mark.parametrize(
    ("test", "name", "why"),
    [
        (
            "def test_wrong() -> None:\n    assert LIMIT == 5",
            "test_rule.py",
            "do not hold without the break",
        ),
        (
            (
                "@pytest.fixture\ndef server():\n    raise OSError\n\n\ndef test_it(server) -> "
                "None:\n    assert LIMIT == 3"
            ),
            "test_rule.py",
            "do not hold",
        ),
        (
            "@pytest.mark.skip\ndef test_it() -> None:\n    assert LIMIT == 3",
            "test_rule.py",
            "none of its tests ran",
        ),
        (
            "def test_it() -> None:\n    assert LIMIT == 3",
            "test_rule.py::test_gone",
            "do not hold without the break",
        ),
    ],
    ids=["fails anyway", "nothing to stand on", "skipped", "not there"],
)
def test_tests_that_do_not_hold_without_the_break_prove_nothing(
    tree: Path, test: str, name: str, why: str
) -> None:
    ((_, found, _),) = mutations.judged([broken(tree, test, name)], tree)
    assert found.result == "UNTESTED"
    assert why in found.said


def test_a_break_of_what_stands_around_the_tests_is_not_caught_by_them(tree: Path) -> None:
    around = (
        "@pytest.fixture\ndef server():\n    assert LIMIT == 3\n\n\ndef test_it(server) -> None:\n"
        "    assert True"
    )
    assert judged(tree, broken(tree, around)) == "UNTESTED"


def test_tests_without_an_end_have_hung_unless_the_rule_is_that_something_ends(tree: Path) -> None:
    forever = "def test_it() -> None:\n    time.sleep(60 if LIMIT == 4 else 0)"
    assert mutations.tried(broken(tree, forever), tree, limit=0.5).result == "HUNG"
    assert mutations.tried(broken(tree, forever, hangs=True), tree, limit=0.5).result == "caught"
    late = mutations.tried(broken(tree, f"@pytest.mark.timeout(0.2)\n{forever}"), tree)
    assert (late.result, late.by) == ("HUNG", "test_rule.py::test_it")


def test_results_are_kept_beside_those_of_other_breaks_until_a_break_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, gone = (
        mutations.Mutation(rule, "core/run.py", "1", "2", ("tests/core",))
        for rule in ("one", "two", "gone")
    )
    monkeypatch.setattr(mutations, "listed", lambda: [two, one])
    kept = tmp_path / "kept.json"
    mutations.keep(
        {
            two: mutations.Result("SURVIVED", "", "3 passed"),
            gone: mutations.Result("caught", "tests/core::x", ""),
        },
        kept,
    )
    mutations.keep({one: mutations.Result("caught", "tests/core::test_one", "1 failed")}, kept)
    assert [(each["rule"], each["result"], each["by"]) for each in mutations.kept(kept)] == [
        ("one", "caught", "tests/core::test_one"),
        ("two", "SURVIVED", ""),
    ]
    assert json.loads(kept.read_text())["caught"] == 1
    monkeypatch.setattr(
        mutations,
        "listed",
        lambda: [mutations.Mutation("one", "core/run.py", "1", "3", ("tests/core",)), two],
    )
    mutations.keep({}, kept)
    assert [each["rule"] for each in mutations.kept(kept)] == ["two"]


def test_every_break_of_the_list_is_known_to_be_caught_by_one_of_its_tests() -> None:
    """`make mutations ARGS=--untried` tries what is missing here."""
    known = {(each["rule"], each["break"]): each for each in mutations.kept()}
    assert known.keys() == {(each.rule, each.digest) for each in BREAKS}
    assert [each["rule"] for each in known.values() if each["result"] != "caught"] == []
    for each in BREAKS:
        by = known[each.rule, each.digest]["by"]
        assert any(
            by == name or by.startswith((f"{name}::", f"{name}/")) for name in each.tests
        ) or (each.hangs and not by), each.rule


def test_the_page_says_how_many_breaks_there_are_and_how_many_are_caught() -> None:
    page = (ROOT / "docs" / "proof-mutations.md").read_text(encoding="utf-8")
    assert f"| together | {len(BREAKS)} | {len(BREAKS)} |" in page
