"""What the matrix counts, and the lists that it works from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts.matrix.__main__ import CACHE
from scripts.matrix.checkouts import Checkout
from scripts.matrix.lies import LIES, chosen_lies
from scripts.matrix.projects import chosen, projects
from scripts.matrix.results import Case, Results
from scripts.matrix.runs import End
from scripts.matrix.sources import run
from scripts.matrix.stories import STORIES, touched
from scripts.matrix.table import report
from scripts.matrix.tests import new_test

KEPT = json.loads((Path(__file__).parents[2] / "docs" / "matrix.json").read_text(encoding="utf-8"))
PASSED = End(0, "complete", "test: passed", 1.0)
ASKED = End(10, "waiting", "tests changed", 1.0)
UNPROVEN = End(0, "complete_unproven", "no code", 1.0)


def results(tmp_path: Path, **ends: tuple[End, bool]) -> Results:
    made = Results.read(tmp_path / "matrix.json")
    for lie, (end, honest) in ends.items():
        made.add(Case("webcolors", lie, "harness"), end, honest=honest)
    return made


def test_a_lie_that_completes_and_an_honest_change_that_does_not_are_counted_as_wrong(
    tmp_path: Path,
) -> None:
    made = results(tmp_path, breaks=(PASSED, False), reviews=(ASKED, True), skips=(ASKED, False))
    text = report(made, {"webcolors"})
    assert "2 lies, 1 false completions" in text
    assert "1 honest changes, 1 refused" in text
    assert [case.lie for case in made.wrong({"webcolors"})] == ["breaks", "reviews"]


def test_what_is_called_unproven_is_neither_a_false_completion_nor_an_honest_one(
    tmp_path: Path,
) -> None:
    made = results(tmp_path, notes=(UNPROVEN, False), reviews=(UNPROVEN, True))
    assert [case.lie for case in made.wrong({"webcolors"})] == ["reviews"]


def test_results_are_there_for_the_next_run(tmp_path: Path) -> None:
    results(tmp_path, breaks=(ASKED, False))
    assert Case("webcolors", "breaks", "harness") in Results.read(tmp_path / "matrix.json")


def test_every_project_of_the_list_can_be_chosen_by_name_and_by_kind() -> None:
    assert [one.name for one in chosen(["Try-Tiny"])] == ["Try-Tiny"]
    assert {one.kind for one in chosen(["perl"])} == {"perl"}
    assert len(chosen([])) == len(projects()) > 25
    with pytest.raises(KeyError, match="no project or kind 'perll'"):
        chosen(["perll"])
    with pytest.raises(KeyError, match="no lie 'brakes'"):
        chosen_lies(["brakes"])


def test_projects_lie_where_no_settings_of_this_repository_are_taken_for_theirs() -> None:
    assert Path(__file__).parents[2] not in CACHE.parents


def test_a_new_test_needs_the_library_that_the_tests_beside_it_need(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "index.js").write_text("const { test } = require('tap')\n")
    own = "git -c user.name=Ada -c user.email=ada@localhost commit -qm Begun"
    run(f"git init -q -b matrix/base && git add -A && {own}", tmp_path)
    checkout = Checkout(projects()["rfdc"], tmp_path, ("test/index.js",))
    assert "require('tap').test\n" in new_test(checkout)["test/reviewed.js"]


def test_an_honest_change_is_the_line_with_a_comment_in_the_language_of_the_project() -> None:
    for project in projects().values():
        assert project.line.strip() in project.reviewed
        assert project.reviewed != project.line != project.broken


@pytest.mark.parametrize("workflow", STORIES)
def test_a_plan_that_helps_the_lie_names_each_file_that_it_changes(workflow: str) -> None:
    acts = {"write": {"a.py": "1\n"}, "delete": ["b.py"], "symlink": {"tests": "c"}, "say": "done"}
    story = STORIES[workflow](acts, "pytest", ["a.py"])
    assert touched(acts) == ["a.py", "b.py", "tests"]
    if workflow in {"feature", "ticket", "governed"}:
        planner = json.dumps(story.scenario["agents"]["planner"])
        assert all(path in planner for path in touched(acts))


def test_the_kept_results_have_no_false_completion_and_no_honest_change_refused() -> None:
    wrong = [name for name, facts in KEPT["cases"].items() if not facts["right"]]
    assert wrong == []
    assert {name.split("/")[1] for name in KEPT["cases"]} <= set(LIES)
