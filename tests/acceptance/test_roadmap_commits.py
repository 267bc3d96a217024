"""Each passing item is one commit of exactly its files and the roadmap; what else the user has
stays as it is.
"""

from __future__ import annotations

import json

import pytest
from tests.fakes.repository import git
from tests.fakes.roadmap import FILE, Make, Road, built, failing, item

WELL = {"behave": "well"}


def test_an_item_is_one_commit_of_its_files_and_the_roadmap(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    agents = {
        "implement": [built("src/a.py"), built("src/a.py", "A = 2\n"), built("src/b.py")],
        "testing": [
            {
                "behave": "well",
                "verdict": {"status": "needs_revision", "tests": "fail"},
                "write": {"tests/test_a.py": "T = 1\n"},
            },
            WELL,
        ],
    }
    assert project.go(agents).exit_code == 0
    assert project.commits() == ["US-1: Item US-1", "US-2: Item US-2"]
    assert project.committed("US-1") == [FILE, "src/a.py", "tests/test_a.py"]
    assert project.committed("US-2") == [FILE, "src/b.py"]
    assert project.git_status() == []


def test_a_commit_shows_the_item_as_done(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    project.go()
    then = json.loads(git(project.root, "show", f"HEAD~1:{FILE}"))["items"]
    assert [(each["status"], each["passes"]) for each in then] == [("done", True), ("ready", False)]


def test_a_commit_says_which_run_made_it_and_is_the_users(road: Make) -> None:
    project = road(item("US-1"))
    git(project.root, "config", "user.name", "Grace")
    git(project.root, "config", "user.email", "grace@localhost")
    project.go()
    said = git(project.root, "log", "-1", "--format=%an%n%B").splitlines()
    assert said == [
        "Grace",
        "US-1: Item US-1",
        "",
        "Podium-Run: roadmap-0001",
        "Podium-Step: commit/1",
        "",
    ]


def test_what_the_user_staged_and_changed_stays_as_it_is(road: Make) -> None:
    project = road(item("US-1"))
    project.write("README.md", "# Changed\n")
    project.write("staged.txt", "staged\n")
    project.write("src/app.py", "VALUE = 2\n")
    git(project.root, "add", "staged.txt", "src/app.py")
    project.write("src/app.py", "VALUE = 3\n")
    project.write("untracked.txt", "mine\n")
    before = git(project.root, "diff", "--cached", "src/app.py", "staged.txt")
    assert project.go({"implement": [built("src/new.py")]}).exit_code == 0
    assert project.committed("US-1") == [FILE, "src/new.py"]
    assert project.git_status() == [
        " M README.md",
        "MM src/app.py",
        "A  staged.txt",
        "?? untracked.txt",
    ]
    assert git(project.root, "diff", "--cached", "src/app.py", "staged.txt") == before


LONG = "".join(f"line {each}\n" for each in range(1, 21))
MINE = LONG.replace("line 3\n", "line 3, not yet finished\n")
THEIRS = MINE.replace("line 17\n", "line 17, by the item\n")


def started(road: Make, text: str, *staged: str) -> Road:
    """A committed file that the person has changed, and staged as it was then."""
    project = road(item("US-1"))
    project.write("src/long.txt", LONG)
    git(project.root, "add", "src/long.txt")
    git(project.root, "commit", "-qm", "long")
    for each in staged:
        project.write("src/long.txt", each)
        git(project.root, "add", "src/long.txt")
    project.write("src/long.txt", text)
    return project


def test_of_a_file_in_which_the_user_works_only_the_items_part_is_committed(road: Make) -> None:
    project = started(road, MINE)
    built_there = {**built("src/other.py"), "write": {"src/long.txt": THEIRS}}
    assert project.go({"implement": [built_there]}).exit_code == 0
    shown = git(project.root, "show", "HEAD:src/long.txt")
    assert shown == LONG.replace("line 17\n", "line 17, by the item\n")
    assert project.text("src/long.txt") == THEIRS
    assert project.git_status() == [" M src/long.txt"]


def test_what_the_user_had_staged_in_that_file_stays_staged_and_alone(road: Make) -> None:
    project = started(road, MINE, MINE)
    built_there = {**built("src/other.py"), "write": {"src/long.txt": THEIRS}}
    assert project.go({"implement": [built_there]}).exit_code == 0
    assert "not yet finished" not in git(project.root, "show", "HEAD:src/long.txt")
    assert project.git_status() == ["M  src/long.txt"]
    staged = git(project.root, "diff", "--cached", "-U0")
    assert "+line 3, not yet finished" in staged
    assert "line 17" not in staged


def test_an_item_that_changes_the_users_own_lines_asks_them_to_commit_first(road: Make) -> None:
    project = started(road, MINE)
    both = MINE.replace("not yet finished", "and finished")
    built_there = {**built("src/other.py"), "write": {"src/long.txt": both}}
    ended = project.go({"implement": [built_there]})
    assert (ended.exit_code, ended.stop) == (20, "git")
    assert "src/long.txt had changes of yours that are not committed" in ended.reason
    git(project.root, "add", "src/long.txt")
    git(project.root, "commit", "-qm", "mine and theirs")
    assert project.resume(because="committed").exit_code == 0


def test_what_a_cancelled_run_left_is_the_users_once_they_went_on_with_it(road: Make) -> None:
    project = road(item("US-1"))
    project.go({"implement": [built("src/new.py", "A = 1\n")]}, until="item/US-1/testing/1")
    project.app.cancel(project.run_id, "", "Ada")
    project.write("src/new.py", "A = 1\nMINE = 2\n")
    ended = project.go({"implement": [built("src/new.py", "A = 1\nMINE = 3\n")]}, run_id="second")
    assert (ended.exit_code, ended.stop) == (20, "git")
    assert "src/new.py had changes of yours that are not committed" in ended.reason
    assert project.commits() == []


def test_items_that_the_user_is_still_writing_are_not_committed(road: Make) -> None:
    project = road(item("US-1"))
    told = project.text(FILE)
    edited = told.replace('"items": [', '"draft": "not yet",\n  "items": [')
    assert edited != told
    project.write(FILE, edited)
    assert project.go().exit_code == 0
    committed = git(project.root, "show", f"HEAD:{FILE}")
    assert '"status": "done"' in committed
    assert "draft" not in committed
    assert "draft" in project.text(FILE)
    assert project.git_status() == [f" M {FILE}"]


def test_a_file_that_an_item_takes_away_is_gone_in_its_commit(road: Make) -> None:
    project = road(item("US-1"))
    project.go(
        {
            "implement": [
                {"delete": ["src/app.py"], "verdict": {"status": "success"}, "say": "removed it"}
            ]
        }
    )
    assert git(project.root, "show", "--format=", "--name-status", "HEAD").split() == [
        "M",
        FILE,
        "D",
        "src/app.py",
    ]


def test_the_first_commit_of_a_repository_is_possible(road: Make) -> None:
    project = road(item("US-1"), item("US-2"), kind="unborn")
    assert project.go({"implement": [built("src/a.py"), built("src/b.py")]}).exit_code == 0
    assert git(project.root, "log", "--format=%s").splitlines() == [
        "US-2: Item US-2",
        "US-1: Item US-1",
    ]
    assert git(project.root, "show", "--format=", "--name-only", "HEAD~1").split() == [
        FILE,
        "src/a.py",
    ]
    assert project.git_status() == ["?? .gitignore", "?? README.md", "?? src/app.py"]


def test_a_folder_without_git_is_worked_in_without_commits(road: Make) -> None:
    project = road(item("US-1"), item("US-2"), kind="plain")
    assert project.go({"implement": [built("src/a.py"), built("src/b.py")]}).exit_code == 0
    assert {each["verdict"] for each in project.events("step.finished", step="commit")} <= {
        "nothing to commit"
    }
    assert project.text("src/a.py") == project.text("src/b.py") == "NEW = 1\n"
    assert not (project.root / ".git").exists()


def test_a_blocked_item_is_not_committed_and_its_work_stays_in_the_checkout(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    agents = {
        "implement": [built("src/half.py", f"H = {n}\n") for n in range(3)]
        + [built("src/whole.py")],
        "testing": [failing("x")] * 3 + [WELL],
    }
    assert project.go(agents, policy={"keep_going": True}).exit_code == 20
    assert project.commits() == ["US-2: Item US-2"]
    assert project.committed("US-2") == [FILE, "src/whole.py"]
    assert project.git_status() == ["?? src/half.py"]


def test_work_of_the_attempt_that_was_blocked_is_in_the_commit_once_the_item_was_sent_on(
    road: Make,
) -> None:
    project = road(item("US-1"))
    tests = [
        {
            "behave": "well",
            "verdict": {"status": "needs_revision", "tests": "fail"},
            "write": {"tests/test_a.py": f"T = {n}\n"},
        }
        for n in range(3)
    ]
    assert project.go({"testing": [*tests, WELL]}).exit_code == 20
    assert project.resume(because="the test server was down").exit_code == 0
    assert "tests/test_a.py" in project.committed("US-1")
    assert project.git_status() == []


def test_a_merge_under_way_is_not_disturbed(road: Make) -> None:
    project = road(item("US-1"))
    git(project.root, "checkout", "-q", "-b", "other")
    project.write("README.md", "# Other\n")
    git(project.root, "commit", "-q", "-am", "Other")
    git(project.root, "checkout", "-q", "main")
    project.write("README.md", "# Main\n")
    git(project.root, "commit", "-q", "-am", "Main")
    with pytest.raises(Exception, match="merge"):
        git(project.root, "merge", "other")
    ended = project.go()
    assert ended.exit_code == 20
    assert "a merge is in progress" in ended.reason
    git(project.root, "merge", "--abort")
    assert project.resume(because="the merge is aborted").exit_code == 0
    assert project.item("US-1")["status"] == "done"


def test_a_roadmap_below_the_top_of_the_repository_is_committed_there(road: Make) -> None:
    project = road(item("US-1"))
    (project.root / "plans").mkdir()
    git(project.root, "mv", FILE, "plans/road.json")
    git(project.root, "commit", "-q", "-m", "Moved")
    assert project.go({"implement": [built()]}, "plans/road.json").exit_code == 0
    assert git(project.root, "show", "--format=", "--name-only", "HEAD").split() == [
        "plans/road.json",
        "src/new.py",
    ]
