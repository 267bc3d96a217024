"""git works in a view, and nothing that happens there reaches the person's own repository."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.mounted import at_work, git_in, run_in
from tests.fakes.projects import by_path, kept, private_state, sh, view_of, write

from podium.engine.git.trees import tree_of
from podium.engine.views.code_view import CodeView, Kind
from podium.engine.views.repository import KEPT_S, closed_objects, prune_objects
from podium.engine.workspace import Workspace


def test_an_agent_that_uses_git_changes_nothing_of_the_users(space: Workspace, kind: Kind) -> None:
    write(space.project, {"readme.md": "stashed\n"})
    sh(space.project, "stash")
    state = private_state(space.project)
    view = view_of(space, kind)
    assert git_in(view, "rev-parse", "main").decode().strip() == space.head()
    with at_work(view) as top:
        write(top, {"src/main.py": "committed\n"})
    git_in(view, "commit", "-qam", "mine")
    with at_work(view) as top:
        write(top, {"new.txt": "amended\n"})
    git_in(view, "add", "-A")
    git_in(view, "commit", "-q", "--amend", "-m", "amended")
    git_in(view, "switch", "-q", "-c", "topic")
    git_in(view, "branch", "-f", "main", "topic")
    git_in(view, "tag", "v9")
    with at_work(view) as top:
        write(top, {"readme.md": "to be stashed\n"})
    git_in(view, "stash")
    git_in(view, "stash", "drop")
    git_in(view, "config", "core.hooksPath", "/tmp/evil")
    git_in(view, "rm", "-q", "docs/plan.md")
    git_in(view, "gc", "-q", "--prune=now")
    assert by_path(space.changes(view)) == {
        "docs/plan.md": "deleted",
        "new.txt": "added",
        "src/main.py": "modified",
    }
    space.land(kept(space, view), view.checkpoint)
    space.close_view(view)
    assert private_state(space.project) == state


@pytest.mark.skipif(
    not os.path.isdir("/dev/shm") or os.stat("/dev/shm").st_dev == os.stat("/tmp").st_dev,
    reason="needs a second disk",
)
def test_views_may_be_kept_on_another_disk_than_the_project(space: Workspace) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        store = replace(space.store, root=Path(elsewhere))
        commit = space.head()
        folders = closed_objects(store, commit, tree_of(space.git, commit))
        assert all(list(folder.glob("pack/*.pack")) for folder in folders)


def scanned(view: CodeView, at: Path) -> dict[str, int]:
    """How many files `git status` looked at and how many of them it read."""
    trace = at / "trace"
    trace.unlink(missing_ok=True)
    done = run_in(view, f"GIT_TRACE2_PERF='{trace}' git status --porcelain")
    assert (done.returncode, done.stdout) == (0, b"")
    text = trace.read_text()
    return {
        name: sum(map(int, re.findall(rf"refresh/sum_{name}:(\d+)", text.replace(" ", ""))))
        for name in ("lstat", "scan")
    }


def aged(space: Workspace) -> None:
    """A checkout whose files are older than its index, as they are a second after the last edit."""
    for path in ("readme.md", "src/main.py", "src/deep/util.py", "docs/plan.md", "bin.dat"):
        os.utime(space.project / path, (1_700_000_000, 1_700_000_000))
    os.utime(space.project / ".gitignore", (1_700_000_000, 1_700_000_000))
    sh(space.project, "update-index", "--refresh")


def test_git_finds_every_file_clean_without_reading_it(
    space: Workspace, machine: object, tmp_path: Path
) -> None:
    aged(space)
    view = view_of(space, _best(machine))
    assert scanned(view, tmp_path) == {"lstat": 7, "scan": 0}


def test_after_an_edit_git_reads_the_edited_file_alone(
    space: Workspace, machine: object, tmp_path: Path
) -> None:
    aged(space)
    view_of(space, _best(machine))
    write(space.project, {"readme.md": "edited\n"})
    sh(space.project, "commit", "-qam", "edited")
    view = view_of(space, _best(machine))
    assert scanned(view, tmp_path)["scan"] <= 1
    assert scanned(view, tmp_path)["scan"] == 0


def _best(machine: object) -> Kind:
    kind: Kind = getattr(machine, "kind", "copy")
    if kind != "overlay":
        pytest.skip("only layers have the times of the checkout")
    return kind


def test_hidden_content_is_nowhere_among_the_objects_of_a_view(
    space: Workspace, kind: Kind
) -> None:
    name = sh(space.project, "rev-parse", "HEAD:docs/plan.md").decode().strip()
    view = view_of(space, kind, hidden=("docs",))
    for words in (f"cat-file -p {name}", "show HEAD:docs/plan.md", "show main:docs/plan.md"):
        done = run_in(view, f"git {words}")
        assert done.returncode != 0
        assert b"plan\n" not in done.stdout
    listed = git_in(view, "cat-file", "--batch-all-objects", "--batch-check").decode()
    assert name not in listed
    assert str(space.head()) not in listed
    assert git_in(view, "fsck", "--full", "--no-dangling").strip() == b""


def test_what_an_earlier_view_packed_is_not_packed_again(space: Workspace) -> None:
    def packed(hidden: str) -> tuple[Path, ...]:
        point = space.checkpoint("x", "2026-01-02T03:04:05+00:00")
        view = view_of(space, "copy", hidden=(hidden,))
        return closed_objects(space.store, point.commit, view.base)

    first = packed("docs")
    write(space.project, {"readme.md": "changed\n"})
    second = packed("docs")
    assert second[1:] == first
    assert packed("docs") == second
    counted = [
        sh(space.project, "verify-pack", "-s", *map(str, place.glob("pack/*.idx")))
        for place in second
    ]
    assert counted[0].startswith(b"non delta: 3 objects")


def test_objects_are_packed_anew_where_git_has_forgotten_the_earlier_ones(
    space: Workspace, kind: Kind
) -> None:
    write(space.project, {"readme.md": "to be forgotten\n"})
    old = view_of(space, kind, hidden=("docs",))
    space.close_view(old)
    space.sweep("r-1")
    sh(space.project, "checkout", "-q", "readme.md")
    sh(space.project, "gc", "-q", "--prune=now")
    view = view_of(space, kind, hidden=("docs",))
    assert git_in(view, "status", "--porcelain") == b""
    assert git_in(view, "show", "HEAD:readme.md") == b"hello\n"


def test_many_views_that_hide_are_opened_at_once(space: Workspace, kind: Kind) -> None:
    together = threading.Barrier(4)

    def shown(number: int) -> bytes:
        together.wait()
        view = view_of(space, kind, f"step{number}", hidden=("docs",))
        return git_in(view, "status", "--porcelain") + git_in(view, "show", "HEAD:readme.md")

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(shown, range(4))) == {b"hello\n"}
    assert not list((space.views / "frozen").glob(".new-*"))


def test_objects_that_no_view_uses_any_more_are_removed(space: Workspace) -> None:
    view = view_of(space, "copy", hidden=("docs",))
    home = space.store.root / "objects"
    assert [place.name for place in home.iterdir()] == [view.base]
    prune_objects(space.store)
    assert git_in(view, "show", "HEAD:readme.md") == b"hello\n"
    os.utime(home / view.base, (0, 0))
    prune_objects(space.store, KEPT_S + 1)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value", "copied"),
    [
        ("core.autocrlf", "input", True),
        ("filter.x.clean", 'sh -c "cat #; a\\tb"', True),
        ("filter.with.dots.clean", "cat", True),
        ("core.ignorecase", "true", True),
        ("core.hookspath", "/tmp/hooks", False),
        ("core.sshcommand", "ssh -i key", False),
        ("credential.helper", "store", False),
        ("remote.origin.url", "https://user:token@example.org/x", False),
        ("url.x.insteadof", "y", False),
        ("alias.st", "status", False),
        ("core.fsmonitor", "/tmp/program", False),
        ("core.worktree", "/tmp", False),
        ("include.path", "/etc/other", False),
    ],
)
def test_settings_that_decide_content_are_copied_and_no_others(
    space: Workspace, name: str, value: str, copied: bool
) -> None:
    sh(space.project, "config", name, value) if name != "core.worktree" else None
    view = view_of(space, "copy")
    own = sh(view.top, "config", "--local", "--list", "-z").split(b"\0")
    assert (f"{name}\n{value}".encode() in own) == copied


def test_line_ends_that_a_person_set_for_all_their_projects_count_in_a_view_without_their_home(
    space: Workspace, kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    write(home, {".gitconfig": "[core]\n\tautocrlf = true\n[user]\n\tname = Ada\n"})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    write(space.project, {"readme.md": "hello\r\n"})
    view = view_of(space, kind)
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as top:
        assert (top / "readme.md").read_bytes() == b"hello\r\n"
        write(top, {"readme.md": "hello\r\nagain\r\n"})
    assert git_in(view, "diff", "--numstat") == b"1\t0\treadme.md\n"
    assert b"Ada" not in git_in(view, "config", "--local", "--list")


def test_a_branch_of_the_person_has_its_name_and_no_other_is_there(
    space: Workspace, kind: Kind
) -> None:
    sh(space.project, "branch", "secret-plans")
    sh(space.project, "tag", "v1")
    view = view_of(space, kind)
    assert git_in(view, "for-each-ref", "--format=%(refname)") == b"refs/heads/main\n"
    assert tree_of(space.git, view.checkpoint.commit) == view.base


def test_a_person_who_is_on_no_branch_has_views_on_none(space: Workspace, kind: Kind) -> None:
    sh(space.project, "switch", "-q", "--detach")
    view = view_of(space, kind)
    assert git_in(view, "status", "--short", "--branch") == b"## HEAD (no branch)\n"
