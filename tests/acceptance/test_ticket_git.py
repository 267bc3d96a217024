"""The git gate of a ticket on real repositories: nothing of the person's is lost, moved or
touched unasked.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.person import Everything, Person, mess, started
from tests.fakes.ticket import BRANCH, WORDS, TicketProject, planned, task

from podium.core.errors import Halted, InputError, UsageError
from podium.engine.git import person as git_person
from podium.engine.git.git import Git
from podium.engine.outcome import Ended

AGENTS = {"planner": [planned(task(1, "src/task1.py"))]}
MADE = frozenset({"src/task1.py", ".gitignore"})
"""What the run writes into the checkout."""
TARGET = f"refs/heads/{BRANCH}"


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    made = TicketProject.at(
        tmp_path, files={"docs/guide.md": "guide\n", "picture.bin": "x", "run.sh": "echo\n"}
    )
    (made.root / ".git/info/exclude").write_text("*.log\n")
    (made.root / "trace.log").write_text("ignored\n")
    return made


@pytest.fixture
def person(project: TicketProject) -> Person:
    return Person(project.root)


@pytest.fixture
def remote(person: Person, tmp_path: Path) -> Person:
    """A remote with something new."""
    person.git("clone", "-q", "--bare", ".", str(tmp_path / "remote.git"))
    person.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    person.git("fetch", "-q", "origin")
    person.git("branch", "-q", "-u", "origin/main")
    person.git("clone", "-q", str(tmp_path / "remote.git"), str(tmp_path / "colleague"))
    colleague = Person(tmp_path / "colleague")
    colleague.commit("news", **{"news.txt": "new\n"})
    colleague.git("push", "-q", "origin", "HEAD:main")
    return Person(tmp_path / "remote.git")


def paused(project: TicketProject, gate: str) -> Ended:
    """A run without a terminal stops at the question, and nothing is touched."""
    before = Person(project.root).everything()
    ended = project.run(AGENTS)
    assert (ended.exit_code, ended.gates) == (10, (gate,))
    assert Person(project.root).everything() == before
    return ended


def answered(project: TicketProject, choice: str) -> Ended:
    project.answer(choice=choice)
    return project.resume()


def same(
    before: Everything, after: Everything, *, made: frozenset[str] = MADE, **moved: str
) -> None:
    """All of the person's is there as it was; `moved`: branches that went forward."""
    assert {path: each for path, each in after.files.items() if path not in made} == {
        path: each for path, each in before.files.items() if path not in made
    }
    assert {path: each for path, each in after.index.items() if path not in made} == {
        path: each for path, each in before.index.items() if path not in made
    }
    assert after.stashes == before.stashes
    assert (after.config, after.hooks, after.operation) == (
        before.config,
        before.hooks,
        before.operation,
    )
    refs = {**before.refs, **{f"refs/heads/{name}": each for name, each in moved.items()}}
    assert {name: each for name, each in after.refs.items() if name != TARGET} == {
        name: each for name, each in refs.items() if name != TARGET
    }


def on_its_branch(person: Person) -> bool:
    return person.git("symbolic-ref", "HEAD") == TARGET


def run_commits(person: Person, start: str = "main") -> list[str]:
    return person.git("log", "--format=%s", f"{start}..{BRANCH}").splitlines()


# -- the matrix


def test_a_clean_default_branch_gives_the_run_its_own(
    project: TicketProject, person: Person
) -> None:
    before = person.everything()
    assert project.run(AGENTS).exit_code == 0
    assert on_its_branch(person)
    same(before, person.everything())
    assert person.status() == []
    made = set(person.git("for-each-ref", "--format=%(refname)").splitlines()) - before.refs.keys()
    assert made == {TARGET, f"refs/heads/podium/{project.run_id}"}


def test_a_clean_default_branch_is_pulled_first_and_nothing_is_pushed(
    project: TicketProject, person: Person, remote: Person
) -> None:
    before, there = person.everything(), remote.refs()
    assert project.run(AGENTS).exit_code == 0
    news = there["refs/heads/main"]
    same(before, person.everything(), made=MADE | {"news.txt"}, main=news)
    assert (person.read("news.txt"), remote.refs()) == (b"new\n", there)
    assert len(run_commits(person)) == 1


def test_changed_documents_come_along_without_a_question(
    project: TicketProject, person: Person, remote: Person
) -> None:
    person.write("README.md", b"# Mine\r\n")
    person.git("add", "README.md")
    person.write("README.md", b"# Mine, again\r\n")
    person.write("docs/new.md", "new\n", 0o600)
    (person.root / "docs/guide.md").unlink()
    before = person.everything()
    assert project.run(AGENTS).exit_code == 0
    after = person.everything()
    same(before, after, made=MADE | {"news.txt"}, main=remote.refs()["refs/heads/main"])
    assert person.git("show", "--format=", "--name-only", BRANCH).split() == [
        ".gitignore",
        "src/task1.py",
    ]


def test_changed_documents_that_clash_with_the_pull_stay_in_the_stash_and_are_told(
    project: TicketProject, person: Person, remote: Person, tmp_path: Path
) -> None:
    colleague = Person(tmp_path / "colleague")
    colleague.commit("more", **{"README.md": "theirs\n"})
    colleague.git("push", "-q", "origin", "HEAD:main")
    person.write("README.md", "mine\n")
    ended = project.run(AGENTS)
    assert ended.exit_code == 0
    assert (person.read("README.md"), len(person.stashes())) == (b"theirs\n", 1)
    told = [each["text"] for each in project.events("ticket.warning")]
    assert any(
        "your changes are still in stash@{0}: it clashes with README.md" in each for each in told
    )
    assert person.raw("cat-file", "blob", "stash@{0}:README.md") == b"mine\n"


def test_mixed_changes_put_aside_come_back_when_the_run_ends(
    project: TicketProject, person: Person, remote: Person
) -> None:
    mess(person)
    before = person.everything()
    paused(project, "ask-dirty")
    assert answered(project, "stash").exit_code == 0
    same(
        before, person.everything(), made=MADE | {"news.txt"}, main=remote.refs()["refs/heads/main"]
    )
    assert person.git("show", "--format=", "--name-only", BRANCH).split() == [
        ".gitignore",
        "src/task1.py",
    ]


def test_words_are_no_answer_where_only_the_choices_lead_on(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    paused(project, "ask-dirty")
    with pytest.raises(
        UsageError, match="gate ask-dirty is not answered in words; choose one of: stash, "
    ):
        project.answer(text="please stash it")
    assert answered(project, "stash").exit_code == 0


def test_mixed_changes_put_aside_are_not_in_the_tree_while_agents_work(
    project: TicketProject, person: Person
) -> None:
    person.write("src/app.py", "mine\n")
    agents = {
        **AGENTS,
        "developer": [
            {
                "behave": "well",
                "run": "grep -c mine src/app.py > /dev/null && touch src/seen || true",
            }
        ],
    }
    project.run(agents)
    assert answered(project, "stash").exit_code == 0
    assert not (person.root / "src/seen").exists()
    assert person.read("src/app.py") == b"mine\n"


def test_mixed_changes_committed_are_a_commit_before_the_runs(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    before = person.everything()
    paused(project, "ask-dirty")
    assert answered(project, "commit first").exit_code == 0
    after = person.everything()
    same(before, replace(after, index=before.index))
    assert person.status() == []
    assert run_commits(person) == [
        "feat(PROJ-12): add a function that counts words",
        "chore: changes from before the run",
    ]
    names = person.raw(
        "show", "--format=", "--name-only", "--no-renames", "-z", f"{BRANCH}~1"
    ).split(b"\0")
    changed = {os.fsdecode(each) for each in names if each}
    assert {
        "src/app.py",
        "src/old.py",
        "src/new.py",
        "added.py",
        "run.sh",
        "intended.py",
        "dangling",
    } <= changed
    assert not [each for each in changed if each.startswith(("prompts/", ".podium/"))]


def test_mixed_changes_carried_along_stay_in_the_tree_and_out_of_the_commit(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    before = person.everything()
    paused(project, "ask-dirty")
    assert answered(project, "carry along").exit_code == 0
    same(before, person.everything())
    assert person.git("show", "--format=", "--name-only", BRANCH).split() == [
        ".gitignore",
        "src/task1.py",
    ]
    assert not project.events("contract.violated")


def test_abort_leaves_everything_and_asks_again_another_time(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    before = person.everything()
    paused(project, "ask-dirty")
    ended = answered(project, "abort")
    assert (ended.exit_code, ended.stop) == (20, "git")
    assert "nothing was touched" in ended.reason
    assert person.everything() == before
    assert project.resume().exit_code == 10
    assert person.everything() == before
    assert answered(project, "carry").exit_code == 0
    same(before, person.everything())


def test_a_person_who_cleans_up_themselves_is_not_asked(
    project: TicketProject, person: Person
) -> None:
    person.write("src/app.py", "mine\n")
    paused(project, "ask-dirty")
    answered(project, "abort")
    person.git("commit", "-q", "-a", "-m", "by hand")
    assert project.resume().exit_code == 0
    assert run_commits(person) == ["feat(PROJ-12): add a function that counts words"]


def test_a_changed_gitignore_is_a_persons_change_and_never_in_the_runs_commit(
    project: TicketProject, person: Person
) -> None:
    person.write(".gitignore", "mine/\n")
    paused(project, "ask-dirty")
    assert answered(project, "carry").exit_code == 0
    assert person.read(".gitignore") == b"mine/\nprompts/\ndocs/docs_cache_state.yaml\n"
    assert person.status() == ["?? .gitignore"]
    assert person.git("show", "--format=", "--name-only", BRANCH).split() == ["src/task1.py"]


def test_a_changed_gitignore_that_was_put_aside_comes_back_with_the_runs_lines(
    project: TicketProject, person: Person
) -> None:
    person.write(".gitignore", "mine/\n")
    project.run(AGENTS)
    assert answered(project, "stash").exit_code == 0
    assert person.read(".gitignore").splitlines() == [
        b"prompts/",
        b"docs/docs_cache_state.yaml",
        b"mine/",
    ]
    assert person.stashes() == ()


def test_a_branch_that_exists_is_used_only_if_a_person_says_so(
    project: TicketProject, person: Person
) -> None:
    person.git("switch", "-q", "-c", BRANCH)
    theirs = person.commit("theirs", **{"theirs.txt": "x"})
    person.git("switch", "-q", "main")
    before = person.everything()
    paused(project, "ask-branch")
    assert answered(project, "abort").exit_code == 20
    assert person.everything() == before
    assert project.resume().exit_code == 10
    assert answered(project, "use").exit_code == 0
    same(before, person.everything(), made=MADE | {"theirs.txt"})
    assert person.git("rev-parse", f"{BRANCH}~1") == theirs


def test_a_branch_that_exists_and_a_dirty_tree_are_two_questions(
    project: TicketProject, person: Person
) -> None:
    person.git("branch", BRANCH)
    mess(person)
    before = person.everything()
    paused(project, "ask-branch")
    ended = answered(project, "use")
    assert ended.gates == ("ask-dirty",)
    assert person.everything() == before
    assert answered(project, "stash").exit_code == 0
    same(before, person.everything())


def test_a_detached_head_is_where_the_branch_begins(project: TicketProject, person: Person) -> None:
    person.git("switch", "-q", "--detach")
    loose = person.commit("loose", **{"loose.txt": "x"})
    before = person.everything()
    assert project.run(AGENTS).exit_code == 0
    same(before, person.everything())
    assert person.git("rev-parse", f"{BRANCH}~1") == loose


def test_a_detached_head_is_not_left_behind_for_a_branch_that_exists(
    project: TicketProject, person: Person
) -> None:
    person.git("branch", BRANCH)
    person.git("switch", "-q", "--detach")
    person.commit("loose", **{"loose.txt": "x"})
    before = person.everything()
    project.run(AGENTS)
    ended = answered(project, "use")
    assert (ended.exit_code, "git branch NAME" in ended.reason) == (20, True)
    assert person.everything() == before
    person.git("branch", "kept")
    assert project.resume().exit_code == 0


def start_merge(person: Person, _: Path) -> None:
    person.git("switch", "-q", "-c", "other")
    person.commit("other", **{"README.md": "other\n"})
    person.git("switch", "-q", "main")
    person.commit("mine", **{"README.md": "mine\n"})
    person.git("merge", "-q", "other", check=False)


def take_branch(person: Person, tmp_path: Path) -> None:
    person.git("branch", BRANCH)
    person.git("worktree", "add", "-q", str(tmp_path / "elsewhere"), BRANCH)


@pytest.mark.parametrize(
    ("prepare", "words"),
    [(start_merge, "a merge is in progress"), (take_branch, "is checked out in")],
)
def test_a_repository_that_is_not_ready_is_left_alone(
    project: TicketProject,
    person: Person,
    tmp_path: Path,
    prepare: Callable[[Person, Path], None],
    words: str,
) -> None:
    prepare(person, tmp_path)
    before = person.everything()
    ended = project.run(AGENTS)
    assert (ended.exit_code, ended.stop) == (20, "git")
    assert words in ended.reason
    assert person.everything() == before


def test_a_merge_that_was_finished_lets_the_run_go_on(
    project: TicketProject, person: Person, tmp_path: Path
) -> None:
    start_merge(person, tmp_path)
    project.run(AGENTS)
    person.write("README.md", "both\n")
    person.git("commit", "-q", "-a", "-m", "merged")
    assert project.resume().exit_code == 0


@pytest.mark.parametrize(
    ("kind", "words"), [("unborn", "no commit to start from"), ("plain", "not a git repository")]
)
def test_a_folder_without_history_is_told_what_to_do(tmp_path: Path, kind: str, words: str) -> None:
    project = TicketProject.at(tmp_path, kind)
    kept = ("prompts", ".git/refs/podium-kept")
    before = project.snapshot(*kept)
    with pytest.raises(InputError, match=words):
        project.run(AGENTS)
    assert project.snapshot(*kept) == before
    assert not (project.root / ".podium/runs").exists(), "nothing was begun, and nobody asked"


def test_stashes_of_the_person_stay(project: TicketProject, person: Person) -> None:
    for name in ("one", "two"):
        person.write(name, name)
        person.git("stash", "push", "-q", "-u", "-m", f"podium {project.run_id}")
    mess(person)
    before = person.everything()
    paused(project, "ask-dirty")
    assert answered(project, "stash").exit_code == 0
    same(before, person.everything())


def test_a_remote_that_refuses_is_told_and_the_run_goes_on(
    project: TicketProject, person: Person, remote: Person
) -> None:
    shutil.rmtree(remote.root)
    before = person.everything()
    assert project.run(AGENTS).exit_code == 0
    same(before, person.everything())
    assert any(
        "the remote did not answer" in each["text"] for each in project.events("ticket.warning")
    )


def test_a_shallow_clone_is_worked_in_like_any_other(
    project: TicketProject, person: Person, remote: Person, tmp_path: Path
) -> None:
    person.git("clone", "-q", "--depth=1", f"file://{remote.root}", str(tmp_path / "shallow"))
    shallow = TicketProject(tmp_path / "shallow", project.home)
    clone = Person(shallow.root)
    before = clone.everything()
    assert shallow.run(AGENTS).exit_code == 0
    same(before, clone.everything())
    assert len(clone.git("log", "--format=%s", "origin/main..HEAD").splitlines()) == 1


def test_a_project_in_a_subfolder_leaves_the_rest_of_the_repository(tmp_path: Path) -> None:
    top = started(tmp_path / "top")
    (top.root / "apps").mkdir()
    inner = TicketProject.at(tmp_path / "top" / "apps", "plain")
    inner.home = tmp_path / "home"
    inner.scenario(AGENTS)
    top.git("add", "-A")
    top.git("commit", "-q", "-m", "an app")
    shutil.rmtree(top.root / "apps" / "home", ignore_errors=True)
    top.write("src/app.py", "changed outside\n")
    top.write("notes.txt", "untracked outside\n")
    before = top.everything()
    ended = inner.run(AGENTS)
    assert (ended.exit_code, ended.gates) == (10, ("ask-dirty",))
    assert "../../src/app.py" in ended.reason
    made = {
        path
        for path in top.files()
        if path.startswith("apps/project/.podium") or "/prompts/" in path
    }
    same(before, top.everything(), made=frozenset(made))
    assert answered(inner, "stash").exit_code == 0
    made |= {
        path
        for path in top.files()
        if path.startswith("apps/project/") and ("/prompts/" in path or "/.podium/" in path)
    }
    same(
        before,
        top.everything(),
        made=frozenset(made | {"apps/project/src/task1.py", "apps/project/.gitignore"}),
    )
    assert top.git("show", "--format=", "--name-only", BRANCH).split() == [
        "apps/project/.gitignore",
        "apps/project/src/task1.py",
    ]


def test_a_linked_worktree_is_worked_in_and_the_main_one_left(
    project: TicketProject, person: Person, tmp_path: Path
) -> None:
    person.write("src/app.py", "dirty in the main one\n")
    person.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    before = person.everything()
    linked = TicketProject(tmp_path / "linked", project.home)
    Person(linked.root).write("src/app.py", "dirty in the linked one\n")
    assert linked.run(AGENTS).exit_code == 10
    assert answered(linked, "stash").exit_code == 0
    assert Person(linked.root).read("src/app.py") == b"dirty in the linked one\n"
    assert {
        name: each for name, each in person.everything().refs.items() if name != TARGET
    } == before.refs
    assert (person.files(), person.index(), person.stashes()) == (before.files, before.index, ())


def test_names_that_are_no_text_pass_the_gate_and_the_journal(
    project: TicketProject, person: Person
) -> None:
    person.write(os.fsdecode(b"bytes-\xff\xfe.py"), "x")
    person.write("new\nline.py", "x")
    before = person.everything()
    paused(project, "ask-dirty")
    assert answered(project, "stash").exit_code == 0
    same(before, person.everything())


def test_a_lock_in_the_way_stops_at_the_gate_with_the_way_out(
    project: TicketProject, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_person, "LOCK_S", 0.1)
    lock = person.root / ".git/index.lock"
    lock.touch()
    before = person.everything()
    ended = project.run(AGENTS)
    assert (ended.exit_code, "index.lock is there" in ended.reason) == (20, True)
    assert person.everything() == before
    lock.unlink()
    assert project.resume().exit_code == 0


def test_an_act_that_fails_gives_back_what_was_put_aside_before_it(
    project: TicketProject, person: Person
) -> None:
    person.git("branch", "feature")  # so that feature/… cannot be made
    mess(person)
    before = person.everything()
    project.run(AGENTS)
    ended = answered(project, "stash")
    assert (ended.exit_code, ended.stop) == (20, "git")
    assert "refs/heads/feature" in ended.reason
    assert person.everything() == before
    person.git("branch", "-m", "feature", "features")
    assert project.resume().exit_code == 0
    same(replace(before, refs=person.refs()), person.everything())


def test_hooks_and_settings_of_the_person_change_nothing(
    project: TicketProject, person: Person
) -> None:
    for name in (
        "pre-commit",
        "commit-msg",
        "post-checkout",
        "post-commit",
        "reference-transaction",
        "pre-push",
        "prepare-commit-msg",
    ):
        hook = person.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho noise\ntouch hooked\nexit 1\n")
        hook.chmod(0o755)
    for setting in (
        "core.autocrlf=true",
        "commit.gpgsign=true",
        "gpg.program=/nonexistent",
        "init.defaultBranch=trunk",
        "merge.autoStash=true",
        "push.autoSetupRemote=true",
    ):
        person.git("config", *setting.split("=", 1))
    person.git("config", "--unset", "user.name")
    person.write("src/app.py", b"mine\r\nmixed\n")
    before = person.everything()
    paused(project, "ask-dirty")
    assert answered(project, "stash").exit_code == 0
    same(before, person.everything())


# -- what happens later


def test_a_cancelled_run_gives_back_what_it_put_aside(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    before = person.everything()
    project.run(
        {
            **AGENTS,
            "reviewer": [{"ask": "Which one?"}],
            "developer": [{"ask": "Which one?"}],
            "task-executor": [{"ask": "Which one?"}],
        }
    )
    answered(project, "stash")
    assert len(person.stashes()) == 1
    assert person.status() == [] or person.status() == ["?? .gitignore"]
    summary = project.app.cancel(project.run_id, "enough", "Ada")
    assert summary.status == "cancelled"
    same(before, person.everything())


def test_a_run_cancelled_at_the_question_has_touched_nothing(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    before = person.everything()
    project.run(AGENTS)
    project.app.cancel(project.run_id, "enough", "Ada")
    assert person.everything() == before


def test_a_cancelled_run_whose_changes_clash_says_where_they_are(
    project: TicketProject, person: Person
) -> None:
    person.write("src/app.py", "mine\n")
    project.run(
        {**AGENTS, "developer": [{"ask": "Which one?"}], "task-executor": [{"ask": "Which one?"}]}
    )
    answered(project, "stash")
    person.write("src/app.py", "written meanwhile\n")
    summary = project.app.cancel(project.run_id, "enough", "Ada")
    assert "your changes are still in stash@{0}: it clashes with src/app.py" in summary.reason
    assert person.read("src/app.py") == b"written meanwhile\n"


def stuck(project: TicketProject) -> Ended:
    """A run that stops in its work with a stash taken."""
    fails: list[dict[str, Any]] = [{"fail": "crash"}] * 5
    project.run(
        {
            **AGENTS,
            "developer": [*fails, {"behave": "well"}],
            "task-executor": [*fails, {"behave": "well"}],
        }
    )
    ended = answered(project, "stash")
    assert ended.exit_code == 20
    return ended


def test_a_blocked_run_keeps_the_stash_until_it_goes_on(
    project: TicketProject, person: Person
) -> None:
    mess(person)
    before = person.everything()
    stuck(project)
    assert len(person.stashes()) == 1
    assert project.resume(because="try again").exit_code == 0
    same(before, person.everything())


def test_a_run_that_goes_on_later_goes_back_to_its_branch(
    project: TicketProject, person: Person
) -> None:
    person.write("src/app.py", "mine\n")
    before = person.everything()
    stuck(project)
    person.git("switch", "-q", "main")
    person.write("meanwhile.txt", "x")
    person.git("add", "meanwhile.txt")
    person.git("commit", "-q", "-m", "meanwhile")
    main = person.refs()["refs/heads/main"]
    assert project.resume(because="try again").exit_code == 0
    assert on_its_branch(person)
    same(before, person.everything(), main=main)


def test_a_run_does_not_go_on_over_what_the_person_does_elsewhere(
    project: TicketProject, person: Person
) -> None:
    person.write("src/app.py", "mine\n")
    stuck(project)
    person.git("switch", "-q", "main")
    person.write("src/old.py", "in the middle of something\n")
    before = person.everything()
    with pytest.raises(Halted, match=r"on main with changes of yours \(.*src/old\.py"):
        project.resume(because="try again")
    assert person.everything() == before


def test_a_person_who_switches_away_stops_the_run_at_its_next_step(
    project: TicketProject, person: Person
) -> None:
    agents = {
        **AGENTS,
        "developer": [{"behave": "well", "run": project.by_hand("git switch -q main")}],
    }
    agents["task-executor"] = agents["developer"]
    before = person.everything()
    ended = project.run(agents)
    assert (ended.exit_code, ended.stop) == (20, "git")
    assert f"not on {BRANCH}" in ended.reason
    assert person.everything().refs["refs/heads/main"] == before.refs["refs/heads/main"]
    assert run_commits(person) == []


# -- deaths


DEADLY = {
    "switch",
    "merge",
    "store",
    "drop",
    "config",
    "--index-info",
    "--refresh",
    "update-ref",
    "update-index",
}


def died(project: TicketProject, at: int, do: Callable[[], object]) -> bool:
    """Do it in a process of its own that is killed at the given git command that changes the
    repository.
    """
    child = os.fork()
    if child == 0:
        run, seen = Git.run, [0]

        def deadly(git: Git, *args: str, **how: Any) -> bytes:
            mutes = (
                git.index is None
                and bool(DEADLY & set(args))
                and "refs/podium-kept" not in " ".join(args)
                and "--get" not in args
            )
            mutes = mutes and not (args[0] == "config" and len(args) < 3)
            seen[0] += 2 * mutes
            if mutes and seen[0] - 1 == at:
                os.kill(os.getpid(), signal.SIGKILL)
            done = run(git, *args, **how)
            if mutes and seen[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        Git.run = deadly  # type: ignore[method-assign]
        try:
            do()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("choice", "every"), [("stash", 3), ("commit", 5), ("carry", 5)])
def test_killed_at_any_git_command_nothing_is_lost_and_the_run_goes_on(
    project: TicketProject, person: Person, remote: Person, tmp_path: Path, choice: str, every: int
) -> None:
    mess(person)
    before, there = person.everything(), remote.refs()
    paused(project, "ask-dirty")
    project.answer(choice=choice)
    shutil.copytree(tmp_path / "project", tmp_path / "kept", symlinks=True)
    at = 0
    while True:
        at += every
        if not died(project, at, project.resume):
            break
        ended = project.resume()
        assert ended.exit_code == 0, (at, ended.reason)
        after = person.everything()
        news = (
            {"made": MADE | {"news.txt"}, "main": there["refs/heads/main"]}
            if choice == "stash"
            else {}
        )
        same(before, after if choice != "commit" else replace(after, index=before.index), **news)  # type: ignore[arg-type]
        assert len(run_commits(person)) == (2 if choice == "commit" else 1), at
        assert remote.refs() == there
        shutil.rmtree(tmp_path / "project")
        shutil.copytree(tmp_path / "kept", tmp_path / "project", symlinks=True)
    assert at > 10


def test_killed_at_any_git_command_and_cancelled_everything_is_given_back(
    project: TicketProject, person: Person, tmp_path: Path
) -> None:
    mess(person)
    before = person.everything()
    paused(project, "ask-dirty")
    project.answer(choice="stash")
    shutil.copytree(tmp_path / "project", tmp_path / "kept", symlinks=True)
    at = 0
    while died(project, (at := at + 2), project.resume):
        if project.app.summary(project.run_id).status != "complete":
            project.app.cancel(project.run_id, "enough", "Ada")
        same(before, person.everything())
        shutil.rmtree(tmp_path / "project")
        shutil.copytree(tmp_path / "kept", tmp_path / "project", symlinks=True)
    assert at > 10


def test_a_person_at_a_keyboard_answers_and_the_command_goes_on(
    project: TicketProject, person: Person
) -> None:
    def podium(*words: str) -> subprocess.CompletedProcess[str]:
        env = {**project.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LANG": "C.UTF-8"}
        return subprocess.run(
            [sys.executable, "-m", "podium", *words],
            cwd=project.root,
            env=env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    mess(person)
    before = person.everything()
    assert (
        podium(
            "run", "ticket", WORDS, "--agent", project.scenario(AGENTS), "--run-id", "R1"
        ).returncode
        == 10
    )
    assert person.everything() == before
    done = podium("answer", "R1", "--choice", "stash", "--go")
    assert done.returncode == 0, done.stderr
    same(before, person.everything())


def test_no_run_has_a_word_for_pushing(
    project: TicketProject, person: Person, remote: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, ...]] = []
    run = Git.run
    monkeypatch.setattr(
        Git, "run", lambda git, *args, **how: (said.append(args), run(git, *args, **how))[1]
    )
    mess(person)
    project.run(AGENTS)
    assert answered(project, "stash").exit_code == 0
    words = {word for each in said for word in each}
    assert not words & {"push", "reset", "clean", "--hard", "-f", "-D", "gc", "prune"}
    assert (
        subprocess.run(
            ["git", "-C", str(remote.root), "log", "--all", "--grep=Podium-Run"],
            capture_output=True,
            check=True,
        ).stdout
        == b""
    )


def test_work_of_an_earlier_run_is_not_put_aside_with_the_persons(
    project: TicketProject, person: Person
) -> None:
    """The run's folder is gone, its files and its uncommitted code are there."""
    project.run(AGENTS, until="validate")
    shutil.rmtree(project.root / ".podium")
    person.write("src/app.py", "mine\n")
    work = person.read("src/task1.py")
    ended = project.run(AGENTS, run_id="again")
    assert (ended.exit_code, ended.gates) == (10, ("ask-dirty",))
    assert "src/app.py" in ended.reason
    assert "src/task1.py" not in ended.reason
    assert answered(project, "stash").exit_code == 0
    assert person.git("show", "--format=", "--name-only", BRANCH).split() == [
        ".gitignore",
        "src/task1.py",
    ]
    assert (person.read("src/app.py"), person.read("src/task1.py")) == (b"mine\n", work)
    assert person.status() == [" M src/app.py"]
