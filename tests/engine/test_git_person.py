"""What is so in a person's checkout, and the few things that are done with it, on real
repositories.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.person import NASTY, Person, copied, started
from tests.fakes.person import checkout as seen_by

from podium.core.errors import Halted
from podium.engine.git import person as git_person
from podium.engine.git.checkout import Checkout
from podium.engine.git.person import facts, perform

TARGET = "fix/PROJ-1_a_b_c"
RUN = "PROJ-1-ab12"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [each for each in os.environ if each.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text('[protocol "file"]\n\tallow = always\n')


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return started(tmp_path_factory.mktemp("person") / "p").root


@pytest.fixture
def person(template: Path, tmp_path: Path) -> Person:
    return copied(template, tmp_path / "p")


def checkout(person: Person, run: str = RUN, target: str = TARGET) -> Checkout:
    return seen_by(person, run, target)


def seen(person: Person, *, ask_remote: bool = False, **how: Any) -> dict[str, Any]:
    """The facts; looking changes nothing."""
    before = person.everything()
    found = facts(checkout(person, **how), ask_remote=ask_remote)
    assert person.everything() == before
    return found


# -- what is so


def test_a_clean_checkout_on_its_default_branch(person: Person) -> None:
    found = seen(person)
    assert (found["branch"], found["default"], found["changes"]) == ("main", "main", [])
    assert (found["unborn"], found["operation"], found["unmerged"]) == (False, "", [])
    assert (found["target_exists"], found["target_owned"], found["target_worktree"]) == (
        False,
        False,
        "",
    )
    assert found["head"] == person.git("rev-parse", "HEAD")
    assert found["remote"] == "none"


def test_a_branch_is_known_by_its_name_also_where_a_tag_has_the_same(person: Person) -> None:
    person.git("tag", "main")
    person.git("tag", TARGET)
    assert seen(person)["branch"] == "main"
    assert not seen(person)["target_exists"]


@pytest.mark.parametrize(
    ("branches", "origin", "default"),
    [
        (("main",), "", "main"),
        (("master",), "", "master"),
        (("main", "master"), "", "master"),
        (("trunk",), "", ""),
        (("main", "trunk"), "trunk", "trunk"),
        (("main",), "release/1.x", "release/1.x"),
    ],
)
def test_the_default_branch_is_what_the_remote_says_else_master_else_main(
    person: Person, branches: tuple[str, ...], origin: str, default: str
) -> None:
    person.git("branch", "-m", branches[0])
    for each in branches[1:]:
        person.git("branch", each)
    if origin:
        person.git("update-ref", f"refs/remotes/origin/{origin}", "HEAD")
        person.git("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{origin}")
    assert seen(person)["default"] == default


def test_a_detached_head_and_whether_some_branch_keeps_its_commit(person: Person) -> None:
    person.git("switch", "-q", "--detach")
    found = seen(person)
    assert (found["branch"], found["loose"]) == ("", False)
    person.commit("loose", new="x")
    assert seen(person)["loose"]
    person.git("branch", f"podium/{RUN}")
    assert seen(person)["loose"]
    person.git("tag", "kept")
    assert not seen(person)["loose"]


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    unborn = Person(tmp_path / "unborn")
    unborn.root.mkdir()
    unborn.git("init", "-q", "-b", "trunk")
    unborn.write("a b.txt", "x")
    found = seen(unborn, ask_remote=True)
    assert (found["unborn"], found["branch"], found["head"], found["changes"]) == (
        True,
        "trunk",
        "",
        ["a b.txt"],
    )


def change_rename(person: Person) -> list[str]:
    person.git("mv", "src/old.py", "src/new.py")
    return ["src/new.py", "src/old.py"]


def change_copy(person: Person) -> list[str]:
    person.git("config", "status.renames", "copies")
    person.write("src/copy.py", person.read("src/app.py"))
    person.write("src/app.py", person.read("src/app.py") + b"more\n")
    person.git("add", "src/copy.py")
    return ["src/app.py", "src/copy.py"]


def change_intended(person: Person) -> list[str]:
    (person.root / "src/old.py").rename(person.root / "src/new.py")
    person.git("add", "-N", "src/new.py")
    return ["src/new.py", "src/old.py"]


def change_mode(person: Person) -> list[str]:
    (person.root / "run.sh").chmod(0o755)
    return ["run.sh"]


def change_binary(person: Person) -> list[str]:
    person.write("picture.bin", b"\0\0")
    return ["picture.bin"]


def change_deleted(person: Person) -> list[str]:
    (person.root / "README.md").unlink()
    person.git("rm", "-q", "src/old.py")
    return ["README.md", "src/old.py"]


def change_staged(person: Person) -> list[str]:
    person.write("src/app.py", "other\n")
    person.git("add", "src/app.py")
    person.git("checkout", "-q", "HEAD", "--", "run.sh")
    return ["src/app.py"]


def change_staged_only(person: Person) -> list[str]:
    """Staged, and then put back in the tree."""
    before = person.read("run.sh")
    person.write("run.sh", "staged\n")
    person.git("add", "run.sh")
    person.write("run.sh", before)
    return ["run.sh"]


def change_untracked(person: Person) -> list[str]:
    person.git("config", "status.showUntrackedFiles", "no")
    person.write("deep/er/file", "x")
    person.write("more.log", "ignored")
    return ["deep/er/file"]


def change_nasty(person: Person) -> list[str]:
    for name in NASTY:
        person.write(f"n/{name}", "x")
    return sorted(f"n/{name}" for name in NASTY)


def change_link(person: Person) -> list[str]:
    (person.root / "run.sh").unlink()
    os.symlink("README.md", person.root / "run.sh")
    return ["run.sh"]


def change_folder(person: Person) -> list[str]:
    (person.root / "run.sh").unlink()
    person.write("run.sh/inner", "x")
    return ["run.sh", "run.sh/inner"]


def change_inner_repository(person: Person) -> list[str]:
    started(person.root / "inner")
    return ["inner/"]


CHANGES = [each for name, each in sorted(globals().items()) if name.startswith("change_")]


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_is_listed_by_its_paths(person: Person, change: Any) -> None:
    expected = change(person)
    assert seen(person)["changes"] == expected


def test_what_the_program_wrote_itself_is_no_change(person: Person) -> None:
    person.write("prompts/PROJ-1/progress.yaml", "x")
    assert seen(person)["changes"] == []


def with_submodule(person: Person) -> Person:
    started(person.root.parent / "library")
    person.git("submodule", "add", "-q", "../library", "lib")
    person.git("commit", "-q", "-m", "a submodule")
    return Person(person.root / "lib")


@pytest.mark.parametrize("what", ["changed", "untracked", "commit", "staged"])
def test_dirt_in_a_submodule_is_a_change(person: Person, what: str) -> None:
    inner = with_submodule(person)
    assert seen(person)["changes"] == []
    if what == "changed":
        inner.write("README.md", "x")
    elif what == "untracked":
        inner.write("new", "x")
    else:
        inner.commit("more", new="x")
        if what == "staged":
            person.git("add", "lib")
    assert seen(person)["changes"] == ["lib"]


def conflict(person: Person, *words: str) -> None:
    """Two branches that changed one line; then the command."""
    person.git("switch", "-q", "-c", "other")
    person.commit("other", **{"README.md": "other\n"})
    person.git("switch", "-q", "main")
    person.commit("mine", **{"README.md": "mine\n"})
    person.git(*words, check=False)


@pytest.mark.parametrize(
    ("words", "operation"),
    [
        (("merge", "-q", "other"), "merge"),
        (("rebase", "-q", "other"), "rebase"),
        (("cherry-pick", "other"), "cherry-pick"),
        (("revert", "--no-edit", "HEAD~1"), ""),
        (("rebase", "--apply", "-q", "other"), "rebase"),
        (("bisect", "start"), "bisect"),
    ],
)
def test_an_operation_under_way_is_named_with_its_unmerged_paths(
    person: Person, words: tuple[str, ...], operation: str
) -> None:
    conflict(person, *words)
    found = seen(person)
    assert found["operation"] == (operation or "revert")
    assert found["unmerged"] == ([] if operation == "bisect" else ["README.md"])


def test_a_merge_that_only_waits_for_its_commit_is_under_way(person: Person) -> None:
    conflict(person, "merge", "-q", "-s", "ours", "--no-commit", "other")
    assert (seen(person)["operation"], seen(person)["unmerged"]) == ("merge", [])


def test_a_sequence_of_picks_is_under_way_between_two_of_them(person: Person) -> None:
    conflict(person, "switch", "-q", "other")
    person.commit("and another", more="x")
    person.git("switch", "-q", "main")
    person.git("cherry-pick", "other~1", "other", check=False)
    person.commit("picked", **{"README.md": "both\n"})
    assert not (person.git_dir / "CHERRY_PICK_HEAD").exists()
    assert seen(person)["operation"] == "cherry-pick or revert"


def test_the_runs_branch_is_found_here_or_at_the_remote_with_its_owner(person: Person) -> None:
    person.git("update-ref", f"refs/remotes/origin/{TARGET}", "HEAD")
    assert seen(person)["target_exists"]
    person.git("update-ref", "-d", f"refs/remotes/origin/{TARGET}")
    person.git("branch", TARGET)
    assert (seen(person)["target_exists"], seen(person)["target_owned"]) == (True, False)
    person.git("config", f"branch.{TARGET}.podiumRun", f"{RUN}3")
    assert not seen(person)["target_owned"]
    person.git("config", f"branch.{TARGET}.podiumRun", RUN)
    assert seen(person)["target_owned"]


def test_the_runs_branch_in_another_worktree_is_found_and_in_this_one_not(person: Person) -> None:
    person.git("branch", TARGET)
    other = person.root.parent / "other tree"
    person.git("worktree", "add", "-q", str(other), TARGET)
    assert seen(person)["target_worktree"] == str(other)
    found = facts(checkout(Person(other)), ask_remote=False)
    assert (found["target_worktree"], found["branch"]) == ("", TARGET)


def test_a_repository_whose_git_folder_is_elsewhere_is_no_other_worktree(tmp_path: Path) -> None:
    person = Person(tmp_path / "p")
    person.root.mkdir()
    person.git("init", "-q", "-b", TARGET, f"--separate-git-dir={tmp_path / 'elsewhere.git'}")
    person.commit("first", a="a")
    assert seen(person)["target_worktree"] == ""


def test_a_linked_worktree_is_a_checkout_of_its_own(person: Person, tmp_path: Path) -> None:
    person.write("src/app.py", "dirty\n")
    linked = Person(tmp_path / "linked")
    person.git("worktree", "add", "-q", "-b", "side", str(linked.root))
    linked.write("new file", "x")
    found = seen(linked)
    assert (found["branch"], found["default"], found["changes"]) == ("side", "main", ["new file"])
    conflict_head = linked.git_dir / "MERGE_HEAD"
    conflict_head.write_text(linked.git("rev-parse", "HEAD"))
    assert seen(linked)["operation"] == "merge"
    assert seen(person)["operation"] == ""


def test_a_sparse_checkout_has_no_changes_where_files_are_left_out(person: Person) -> None:
    person.git("sparse-checkout", "set", "docs")
    assert not (person.root / "src").exists()
    assert seen(person)["changes"] == []


# -- the remote


@pytest.fixture
def remote(person: Person, tmp_path: Path) -> Person:
    """Where the person's main branch comes from, with somebody else's clone of it."""
    person.git("clone", "-q", "--bare", ".", str(tmp_path / "remote.git"))
    person.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    person.git("fetch", "-q", "origin")
    person.git("branch", "-q", "-u", "origin/main")
    person.git("clone", "-q", str(tmp_path / "remote.git"), str(tmp_path / "colleague"))
    return Person(tmp_path / "colleague")


def news(colleague: Person, **files: str) -> str:
    made = colleague.commit("news", **(files or {"news.txt": "new\n"}))
    colleague.git("push", "-q", "origin", "HEAD:main")
    return made


def test_a_remote_that_answers_says_how_far_apart_the_two_are(
    person: Person, remote: Person
) -> None:
    assert seen(person, ask_remote=True)["remote"] == "ok"
    news(remote)
    found = seen(person, ask_remote=True)
    assert (found["ahead"], found["behind"]) == (0, 1)
    person.commit("mine", mine="x")
    found = seen(person, ask_remote=True)
    assert (found["ahead"], found["behind"]) == (1, 1)


def test_looking_at_the_remote_moves_no_ref_of_the_person_and_prunes_nothing(
    person: Person, remote: Person
) -> None:
    person.git("config", "fetch.prune", "true")
    person.git("config", "remote.origin.tagOpt", "--tags")
    person.git("update-ref", "refs/remotes/origin/gone", "HEAD")
    remote.git("tag", "v1")
    remote.git("push", "-q", "origin", "v1")
    news(remote)
    person.git("fetch", "-q", "origin", "main", check=False)
    before = (person.git_dir / "FETCH_HEAD").read_bytes()
    seen(person, ask_remote=True)
    assert (person.git_dir / "FETCH_HEAD").read_bytes() == before


def test_the_upstream_may_have_another_name(person: Person, remote: Person) -> None:
    remote.commit("t", t="t")
    remote.git("push", "-q", "origin", "HEAD:trunk")
    person.git("config", "branch.main.merge", "refs/heads/trunk")
    assert seen(person, ask_remote=True)["behind"] == 1


def test_nobody_is_asked_but_for_a_new_branch_from_the_default_one(
    person: Person, remote: Person
) -> None:
    shutil.rmtree(person.root.parent / "remote.git")
    assert seen(person, ask_remote=True)["remote"] == "refuses"
    assert seen(person, ask_remote=False)["remote"] == "none"
    person.git("branch", TARGET)
    assert seen(person, ask_remote=True)["remote"] == "none"
    person.git("branch", "-D", TARGET)
    person.git("switch", "-q", "-c", "topic")
    assert seen(person, ask_remote=True)["remote"] == "none"


def test_a_remote_that_refuses_says_why(person: Person, remote: Person) -> None:
    person.git("remote", "set-url", "origin", "/nonexistent/repository.git")
    found = seen(person, ask_remote=True)
    assert found["remote"] == "refuses"
    assert "/nonexistent/repository.git" in found["remote_said"]


def test_a_remote_that_does_not_answer_is_given_up_with_all_its_processes(
    person: Person, remote: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "slow"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nsleep 600\n")
    script.chmod(0o755)
    person.git("config", "remote.origin.uploadpack", str(script))
    monkeypatch.setattr(git_person, "FETCH_S", 0.5)
    began = time.monotonic()
    found = seen(person, ask_remote=True)
    assert (found["remote"], "no answer" in found["remote_said"]) == ("refuses", True)
    assert time.monotonic() - began < 10
    pid = (tmp_path / "pid").read_text().strip()
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() - began < 20
        time.sleep(0.05)


def test_a_remote_that_wants_a_password_gets_none_and_nobody_is_asked(
    person: Person, remote: Person, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ask = tmp_path / "ask"
    ask.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho secret\n")
    ask.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(ask))
    person.git("config", "core.askPass", str(ask))
    # A transport that does what a real one does when it needs a name.
    (tmp_path / "bin").mkdir()
    helper = tmp_path / "bin" / "git-remote-wants"
    helper.write_text(
        "#!/bin/sh\nprintf 'protocol=https\\nhost=h\\n\\n' | git credential fill >&2\n(: < "
        "/dev/tty) 2>/dev/null && echo has a terminal >&2\nexit 1\n"
    )
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    person.git("remote", "set-url", "origin", "wants::somewhere")
    found = seen(person, ask_remote=True)
    assert found["remote"] == "refuses"
    assert "terminal prompts disabled" in found["remote_said"]
    assert not (tmp_path / "asked").exists()


def test_a_shallow_clone_knows_how_far_behind_it_is(
    person: Person, remote: Person, tmp_path: Path
) -> None:
    for number in range(3):
        news(remote, **{f"n{number}": "x"})
    person.git(
        "clone", "-q", "--depth=1", f"file://{tmp_path}/remote.git", str(tmp_path / "shallow")
    )
    shallow = Person(tmp_path / "shallow")
    news(remote, more="x")
    found = seen(shallow, ask_remote=True)
    assert (found["default"], found["remote"], found["ahead"], found["behind"]) == (
        "main",
        "ok",
        0,
        1,
    )
    perform(checkout(shallow), "pull")
    assert shallow.git("rev-parse", "HEAD") == remote.git("rev-parse", "HEAD")


# -- pull


def pulled(person: Person) -> str:
    facts(checkout(person), ask_remote=True)
    return str(perform(checkout(person), "pull")["said"])


def test_a_pull_only_goes_forward(person: Person, remote: Person) -> None:
    made = news(remote)
    assert pulled(person) == "pulled"
    assert person.git("rev-parse", "main") == made
    assert perform(checkout(person), "pull")["said"] == "nothing new"
    person.commit("mine", mine="x")
    news(remote, other="x")
    before = person.everything()
    assert pulled(person).startswith("not pulled: ")
    assert person.everything() == before


@pytest.mark.parametrize("how", ["changed", "untracked", "ignored"])
def test_a_pull_that_would_write_over_something_is_left(
    person: Person, remote: Person, how: str
) -> None:
    news(remote, **{"README.md": "theirs\n", "new.txt": "theirs\n"})
    remote.write("trace.log", "theirs\n")
    remote.git("add", "-f", "trace.log")
    remote.commit("a log")
    remote.git("push", "-q", "origin", "HEAD:main")
    if how == "changed":
        person.write("README.md", "mine\n")
    elif how == "untracked":
        person.write("new.txt", "mine\n")
    before = person.everything()
    assert pulled(person).startswith("not pulled: ")
    assert person.everything() == before


def test_a_pull_takes_what_was_looked_at_whatever_was_fetched_since(
    person: Person, remote: Person
) -> None:
    made = news(remote)
    facts(checkout(person), ask_remote=True)
    news(remote, later="x")
    remote.git("push", "-q", "origin", "HEAD:other")
    person.git("fetch", "-q", "origin", "other")
    assert perform(checkout(person), "pull")["said"] == "pulled"
    assert person.git("rev-parse", "main") == made


def test_a_pull_moves_no_branch_that_the_person_switched_to_meanwhile(
    person: Person, remote: Person
) -> None:
    news(remote)
    facts(checkout(person), ask_remote=True)
    person.git("switch", "-q", "-c", "topic")
    before = person.everything()
    assert perform(checkout(person), "pull")["said"] == "not pulled: the checkout is not on main"
    assert person.everything() == before


def test_a_pull_without_a_look_does_nothing(person: Person, remote: Person) -> None:
    news(remote)
    assert perform(checkout(person), "pull")["said"] == "not pulled: the remote was not asked"


# -- create and switch


def test_the_runs_branch_begins_where_the_checkout_is_and_is_known_as_the_runs(
    person: Person,
) -> None:
    person.git("config", "branch.autoSetupMerge", "always")
    before = person.everything()
    perform(checkout(person), "create")
    after = person.everything()
    assert after.refs == {**before.refs, f"refs/heads/{TARGET}": before.refs["refs/heads/main"]}
    assert (after.head, after.config) == (f"ref: refs/heads/{TARGET}\n", before.config)
    assert (after.files, after.index) == (before.files, before.index)
    assert seen(person)["target_owned"]
    assert perform(checkout(person), "create")["said"] == "on it already"


def test_a_branch_that_was_made_before_a_crash_is_gone_to(person: Person) -> None:
    person.git("config", f"branch.{TARGET}.podiumRun", RUN)
    perform(checkout(person), "create")
    person.git("switch", "-q", "main")
    perform(checkout(person), "create")
    assert person.git("symbolic-ref", "HEAD") == f"refs/heads/{TARGET}"


def test_a_branch_that_somebody_made_meanwhile_is_not_entered(person: Person) -> None:
    person.git("branch", TARGET)
    before = person.everything()
    with pytest.raises(Halted, match="somebody else"):
        perform(checkout(person), "create")
    assert person.everything() == before
    assert not seen(person)["target_owned"]


def test_a_branch_that_git_cannot_make_leaves_no_trace(person: Person) -> None:
    person.git("branch", "fix")
    before = person.everything()
    config = (person.git_dir / "config").read_bytes()
    with pytest.raises(
        Halted, match=r"cannot switch to fix/PROJ-1_a_b_c: .*refs/heads/fix.* exists"
    ):
        perform(checkout(person), "create")
    assert person.everything() == before
    assert (person.git_dir / "config").read_bytes() == config


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_branch_leaves_every_change_as_it_is(person: Person, change: Any) -> None:
    change(person)
    before = person.everything()
    perform(checkout(person), "create")
    after = person.everything()
    assert (after.files, after.index) == (before.files, before.index)


def foreign_branch(person: Person) -> None:
    person.git("switch", "-q", "-c", TARGET)
    person.write("trace.log", "committed\n")
    person.write("new.txt", "committed\n")
    person.git("add", "-f", "trace.log")
    person.commit("theirs", **{"src/app.py": "theirs\n"})
    person.git("switch", "-q", "main")


@pytest.mark.parametrize("how", ["changed", "staged", "untracked", "ignored"])
def test_a_switch_that_would_write_over_something_is_refused_with_its_name(
    person: Person, how: str
) -> None:
    foreign_branch(person)
    name = {
        "changed": "src/app.py",
        "staged": "src/app.py",
        "untracked": "new.txt",
        "ignored": "trace.log",
    }[how]
    person.write(name, "mine\n")
    if how == "staged":
        person.git("add", name)
    before = person.everything()
    with pytest.raises(Halted, match=f"cannot switch to {TARGET}: .*{name}"):
        perform(checkout(person), "switch")
    assert person.everything() == before


def test_a_switch_is_done_once_and_hooks_see_nothing_of_it(person: Person) -> None:
    person.git("branch", TARGET)
    hooks = person.git_dir / "hooks"
    for name in (
        "post-checkout",
        "post-merge",
        "reference-transaction",
        "post-index-change",
        "pre-commit",
    ):
        hooks.mkdir(exist_ok=True)
        (hooks / name).write_text("#!/bin/sh\necho noise; touch hooked\nexit 1\n")
        (hooks / name).chmod(0o755)
    before = person.everything()
    for _ in range(2):
        perform(checkout(person), "switch")
    assert person.git("symbolic-ref", "HEAD") == f"refs/heads/{TARGET}"
    assert person.everything().files == before.files


def test_a_branch_that_only_the_remote_has_is_made_to_follow_it(
    person: Person, remote: Person
) -> None:
    remote.git("push", "-q", "origin", f"HEAD:{TARGET}")
    person.git("fetch", "-q", "origin")
    person.git("config", "checkout.guess", "false")
    perform(checkout(person), "switch")
    assert person.git("rev-parse", "--abbrev-ref", "@{upstream}") == f"origin/{TARGET}"


def test_a_branch_that_is_gone_is_told(person: Person) -> None:
    with pytest.raises(Halted, match=f"the branch {TARGET} is gone"):
        perform(checkout(person), "switch")


def test_a_commit_that_no_branch_has_is_not_left_behind(person: Person) -> None:
    person.git("branch", TARGET)
    person.git("switch", "-q", "--detach")
    person.commit("precious", precious="x")
    with pytest.raises(Halted, match="git branch NAME"):
        perform(checkout(person), "switch")
    assert (person.root / "precious").exists()
    person.git("branch", "kept")
    perform(checkout(person), "switch")


def test_a_sparse_checkout_stays_sparse(person: Person) -> None:
    foreign_branch(person)
    (person.root / "trace.log").unlink(missing_ok=True)
    person.git("sparse-checkout", "set", "docs")
    perform(checkout(person), "switch")
    assert not (person.root / "src").exists()
    assert person.status() == []
    assert person.git("config", "core.sparseCheckout") == "true"


# -- commit


def committed(person: Person) -> str:
    perform(checkout(person), "create")
    return str(perform(checkout(person), "commit")["said"])


@pytest.mark.parametrize(
    "change",
    [each for each in CHANGES if each not in {change_inner_repository, change_staged_only}],
)
def test_a_commit_takes_exactly_the_persons_changes(person: Person, change: Any) -> None:
    person.git("config", "commit.gpgsign", "true")
    person.git("config", "gpg.program", "/nonexistent")
    person.write("prompts/PROJ-1/progress.yaml", "x")
    expected = set(change(person))
    before = person.everything()
    said = committed(person)
    after = person.everything()
    assert said.startswith("committed as ")
    names = person.raw("show", "--pretty=", "--name-only", "--no-renames", "-z", "HEAD").split(
        b"\0"
    )
    assert {os.fsdecode(name) for name in names if name} == expected
    assert person.status() == ["?? prompts/PROJ-1/progress.yaml"]
    assert after.files == before.files
    assert after.refs["refs/heads/main"] == before.refs["refs/heads/main"]
    assert person.git("log", "-1", "--format=%an <%ae>") == "Ada <ada@localhost>"
    assert f"Podium-Run: {RUN}" in person.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("autocrlf", ["true", "input"])
def test_a_commit_changes_no_line_ends_in_the_tree(person: Person, autocrlf: str) -> None:
    person.git("config", "core.autocrlf", autocrlf)
    person.git("config", "core.safecrlf", "true")
    person.write("src/app.py", b"a\r\nb\n")
    person.write("new.txt", b"a\r\nb\r\n")
    before = person.files()
    committed(person)
    assert (person.files(), person.status()) == (before, [])
    assert person.raw("cat-file", "blob", "HEAD:new.txt") == b"a\nb\n"


def test_a_commit_is_made_once(person: Person) -> None:
    person.write("src/app.py", "mine\n")
    said = committed(person)
    assert perform(checkout(person), "commit")["said"] == said
    assert person.git("rev-list", "--count", "main..HEAD") == "1"


def test_a_commit_whose_index_was_not_brought_up_before_a_crash_is_mended(person: Person) -> None:
    person.write("src/app.py", "mine\n")
    person.write("new file", "mine\n")
    committed(person)
    person.git("read-tree", "main")
    assert perform(checkout(person), "commit")["said"].startswith("committed as ")
    assert person.status() == []


def test_a_submodule_is_committed_where_it_stands_and_an_inner_repository_stays_out(
    person: Person,
) -> None:
    inner = with_submodule(person)
    made = inner.commit("more", new="x")
    started(person.root / "inner")
    committed(person)
    assert person.git("ls-tree", "HEAD", "lib").split()[:3] == ["160000", "commit", made]
    assert person.git("ls-tree", "HEAD", "inner") == ""


def test_nothing_is_committed_to_another_branch(person: Person) -> None:
    person.write("src/app.py", "mine\n")
    before = person.everything()
    with pytest.raises(Halted, match="nothing was committed"):
        perform(checkout(person), "commit")
    assert person.everything() == before


def test_a_person_without_a_name_gets_their_commit_all_the_same(person: Person) -> None:
    person.git("config", "--unset", "user.name")
    person.git("config", "user.useConfigOnly", "true")
    person.write("src/app.py", "mine\n")
    committed(person)
    assert person.git("log", "-1", "--format=%an") == "Podium"


# -- what stops an act


@pytest.mark.parametrize("act", ["stash", "pull", "create", "switch", "commit"])
def test_in_the_middle_of_a_merge_nothing_is_done(person: Person, act: str) -> None:
    conflict(person, "merge", "-q", "-s", "ours", "--no-commit", "other")
    before = person.everything()
    with pytest.raises(Halted, match="a merge is in progress"):
        perform(checkout(person), act)
    assert person.everything() == before


@pytest.mark.parametrize("act", ["stash", "unstash", "pull", "create", "switch", "commit"])
def test_a_lock_that_stays_is_named_with_the_way_out(
    person: Person, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_person, "LOCK_S", 0.1)
    person.write("src/app.py", "mine\n")
    (person.git_dir / "index.lock").touch()
    before = person.everything()
    with pytest.raises(Halted, match=r"index\.lock is there: .*remove that file"):
        perform(checkout(person), act)
    assert person.everything() == before


def test_a_lock_that_goes_away_is_waited_for(person: Person) -> None:
    lock = person.git_dir / "index.lock"
    lock.touch()
    with subprocess.Popen(["sh", "-c", f"sleep 0.3; rm '{lock}'"]):
        perform(checkout(person), "create")
    assert person.git("symbolic-ref", "HEAD") == f"refs/heads/{TARGET}"


def test_a_failure_of_git_is_told_in_its_own_words(person: Person) -> None:
    """A ref that cannot be written, as in a repository that is read-only."""
    heads = person.git_dir / "refs/heads/fix"
    heads.write_text("no commit\n")
    before = person.files()
    with pytest.raises(Halted, match="fix"):
        perform(checkout(person), "create")
    assert person.files() == before
