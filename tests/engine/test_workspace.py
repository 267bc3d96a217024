"""Projects of every kind are found, checkpoints taken, and work goes the whole way from a view to
the checkout.
"""

from __future__ import annotations

import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.fakes.mounted import at_work, git_in
from tests.fakes.projects import (
    DATE,
    NASTY,
    PROJECTS,
    RUN,
    Make,
    by_path,
    files_in,
    kept,
    private_state,
    sh,
    view_of,
    write,
)

from podium.core.errors import Halted, InputError, PodiumError
from podium.engine.git.git import GitFailed
from podium.engine.views.code_view import Kind
from podium.engine.views.machine import support
from podium.engine.workspace import Workspace, run_branch


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("repository", "repository"),
        ("unborn", "unborn"),
        ("plain", "plain"),
        ("subfolder", "repository"),
    ],
)
def test_every_kind_of_project_is_found(make: Make, kind: str, expected: str) -> None:
    space = make(kind)
    assert expected == space.kind
    assert space.prefix == ("apps/web" if kind == "subfolder" else "")
    assert (space.head() is not None) == (expected == "repository")
    assert not (space.project / ".podium").exists()


def test_a_bare_repository_and_a_git_folder_are_refused(space: Workspace, tmp_path: Path) -> None:
    sh(tmp_path, "init", "-q", "--bare", "bare.git")
    for wrong in (
        tmp_path / "bare.git",
        space.project / ".git",
        space.project / ".git/refs",
        tmp_path / "absent",
    ):
        with pytest.raises(InputError):
            Workspace.find(wrong, wrong / ".podium")


def test_a_folder_that_an_enclosing_repository_ignores_is_plain(space: Workspace) -> None:
    (space.project / "scratch/inner").mkdir(parents=True)
    assert (
        Workspace.find(
            space.project / "scratch/inner", space.project / "scratch/inner/.podium"
        ).kind
        == "plain"
    )


def test_nothing_is_mounted_over_the_folder_that_views_are_in(space: Workspace) -> None:
    inside = Workspace.find(space.project, space.podium_dir, space.toplevel / "home/views")
    assert inside.view_kind == "copy"
    assert support(inside.views).kind == space.view_kind


@pytest.mark.parametrize("kind", PROJECTS)
def test_agents_side_by_side_may_all_be_the_first_to_take_a_checkpoint(
    make: Make, kind: str
) -> None:
    space, together = make(kind), threading.Barrier(6)

    def taken(number: int) -> str:
        together.wait()
        return space.checkpoint(f"of {number}", DATE, run_id=RUN).tree

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(taken, range(6)))) == 1
    assert not list(space.git.git_dir.glob("index.*"))


def test_a_snapshot_repository_that_was_cut_off_in_the_making_is_made_again(make: Make) -> None:
    space = make("plain")
    write(space.git.git_dir, {"HEAD": "ref: refs/heads/main\n"})
    assert space.checkpoint("first", DATE).tree
    assert "node_modules/" in (space.git.git_dir / "info/exclude").read_text()


@pytest.mark.parametrize("project", PROJECTS)
def test_the_whole_way_is_the_same_for_every_kind(make: Make, project: str, kind: Kind) -> None:
    space = make(project)
    before = files_in(space.toplevel)
    state = private_state(space.toplevel) if project != "plain" else {}
    view = view_of(space, kind)
    assert view.project == view.top / space.prefix
    assert space.changes(view) == ()
    with at_work(view) as top:
        assert files_in(top) == before
        own = top / space.prefix
        write(own, {"src/main.py": "print(2)\n", "new/file.txt": "n\n", "x.log": "ignored"})
        (own / "docs/plan.md").unlink()
    assert by_path(space.changes(view)) == {
        "docs/plan.md": "deleted",
        "new/file.txt": "added",
        "src/main.py": "modified",
    }
    commit = kept(space, view)
    assert files_in(space.toplevel) == before
    landed = space.land(commit, view.checkpoint)
    assert landed.conflicts == ()
    assert landed.paths == ("docs/plan.md", "new/file.txt", "src/main.py")
    assert (space.project / "src/main.py").read_text() == "print(2)\n"
    assert not (space.project / "docs").exists()
    assert not (space.project / "x.log").exists()
    assert space.restore(landed.paths, view.checkpoint, commit).conflicts == ()
    assert files_in(space.toplevel) == before
    space.close_view(view)
    assert not view.home.exists()
    if project != "plain":
        assert private_state(space.toplevel) == state


def dirty(folder: Path) -> None:
    """One of everything a checkout can have besides its commit."""
    write(folder, {"src/main.py": "staged\n"})
    sh(folder, "add", "src/main.py")
    write(
        folder,
        {"src/main.py": "staged, then edited\n", "fresh.txt": "untracked\n", "x.log": "ignored\n"},
    )
    sh(folder, "mv", "docs/plan.md", "docs/renamed.md")
    (folder / "src/deep/util.py").unlink()
    (folder / "readme.md").chmod(0o755)
    (folder / "link").unlink()
    (folder / "link").symlink_to("bin.dat")
    for name in NASTY:
        write(folder, {f"odd/{name}": name.encode(errors="surrogateescape")})
    write(folder, {"odd/bin": bytes(range(256))})
    sh(folder, "add", "-N", "odd/bin")


def test_a_dirty_checkout_is_seen_as_it_is_and_stays_as_it_is(space: Workspace, kind: Kind) -> None:
    sh(space.project, "stash", "list")
    write(space.project, {"readme.md": "stashed\n"})
    sh(space.project, "stash")
    dirty(space.project)
    status = sh(space.project, "status", "--porcelain=v2", "-z")
    state, files = private_state(space.project), files_in(space.project)
    view = view_of(space, kind)
    assert space.changes(view) == ()
    with at_work(view) as top:
        assert files_in(top) == files
        assert os.access(top / "readme.md", os.X_OK)
        for name in NASTY:
            write(top, {f"odd/{name}": "changed", f"more/{name}": "added"})
        os.chmod(top / "readme.md", 0o644)
        after = files_in(top)
    found = by_path(space.changes(view))
    assert found["readme.md"] == "mode"
    assert {path for path, status in found.items() if status == "added"} == {
        f"more/{name}" for name in NASTY
    }
    assert {path for path, status in found.items() if status == "modified"} == {
        f"odd/{name}" for name in NASTY
    }
    commit = kept(space, view)
    assert space.patch(view, found)
    assert private_state(space.project) == state
    landed = space.land(commit, view.checkpoint)
    assert landed.conflicts == ()
    assert files_in(space.project) == after
    assert not os.access(space.project / "readme.md", os.X_OK)
    space.restore(found, view.checkpoint, commit)
    space.close_view(view)
    space.sweep(RUN)
    assert sh(space.project, "status", "--porcelain=v2", "-z") == status
    assert private_state(space.project) == state
    assert files_in(space.project) == files


def test_a_clean_checkout_is_its_own_checkpoint(space: Workspace) -> None:
    assert space.checkpoint("x", DATE).commit == space.head()
    write(space.project, {"new.txt": "1"})
    one, two = space.checkpoint("x", DATE), space.checkpoint("x", DATE)
    assert (one.commit, one.tree) == (two.commit, two.tree)
    assert one.commit != space.head()
    assert space.checkpoint_of(one.commit).tree == one.tree
    assert space.checkpoint("x", "2026-01-02T03:04:05.678901+00:00").commit == one.commit


def test_podiums_own_folder_is_no_part_of_a_checkpoint(space: Workspace) -> None:
    write(space.project, {".podium/runs/r/state.json": "{}", ".podium/policy.toml": "x"})
    assert space.checkpoint("x", DATE).commit == space.head()


def test_the_checkpoint_leaves_out_what_is_too_big_or_no_file(space: Workspace) -> None:
    write(space.project, {"big.bin": b"x" * 2000, "nested/file": "1"})
    sh(space.project / "nested", "init", "-q")
    os.mkfifo(space.project / "pipe")
    point = space.checkpoint("x", DATE, max_bytes=1000)
    assert set(point.left_out) == {"big.bin", "nested/"}  # git itself does not list pipes
    assert point.tree == space.checkpoint_of(str(space.head())).tree


def test_a_checkpoint_survives_the_users_garbage_collection_until_the_sweep(
    space: Workspace,
) -> None:
    write(space.project, {"new.txt": "1"})
    point = space.checkpoint("x", DATE, run_id=RUN)
    sh(space.project, "gc", "-q", "--prune=now")
    assert space.checkpoint_of(point.commit).tree == point.tree
    space.sweep(RUN)
    sh(space.project, "gc", "-q", "--prune=now")
    with pytest.raises(GitFailed):
        space.checkpoint_of(point.commit)


def test_an_edit_within_one_tick_of_the_clock_is_not_missed(space: Workspace, kind: Kind) -> None:
    write(space.project, {"readme.md": "same!\n"})
    sh(space.project, "add", "readme.md")
    write(space.project, {"readme.md": "other\n"})
    with at_work(view_of(space, kind)) as top:
        assert (top / "readme.md").read_text() == "other\n"


def test_an_unfinished_merge_is_seen_with_its_markers(space: Workspace, kind: Kind) -> None:
    sh(space.project, "switch", "-q", "-c", "side")
    write(space.project, {"readme.md": "side\n"})
    sh(space.project, "commit", "-qam", "side")
    sh(space.project, "switch", "-q", "main")
    write(space.project, {"readme.md": "main\n"})
    sh(space.project, "commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        sh(space.project, "merge", "side")
    state = private_state(space.project)
    view = view_of(space, kind)
    with at_work(view) as top:
        assert b"<<<<<<<" in (top / "readme.md").read_bytes()
    assert git_in(view, "status", "--porcelain") == b""
    assert private_state(space.project) == state


def test_verified_work_is_kept_on_the_runs_own_branch(space: Workspace, kind: Kind) -> None:
    commits = []
    for number in ("one", "two", "three"):
        view = view_of(space, kind)
        with at_work(view) as top:
            write(top, {f"{number}.txt": f"{number}\n"})
        commits.append(kept(space, view, f"build/{number}"))
        assert kept(space, view, f"build/{number}") == commits[-1]
        space.land(commits[-1], view.checkpoint)
        if number == "two":
            write(space.project, {"mine.txt": "the user's, meanwhile\n"})
    first, second, third = commits
    branch = run_branch(RUN)
    assert sh(space.project, "rev-parse", branch, f"{third}~2", f"{third}~3").decode().split() == [
        third,
        second,
        first,
    ]
    assert sh(space.project, "rev-parse", f"{first}^").decode().strip() == space.head()
    assert sh(space.project, "show", "--name-only", "--format=", third) == b"three.txt\n"
    text = sh(
        space.project, "log", "-1", "--format=%an <%ae> %aI%n%(trailers:only)", first
    ).decode()
    assert text.split("\n")[:3] == [
        f"Podium <podium@localhost> {DATE}",
        "Podium-Run: r-1",
        "Podium-Step: build/one",
    ]


def test_the_branch_is_not_moved_under_the_user(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"one.txt": "1\n"})
    kept(space, view)
    sh(space.project, "switch", "-q", run_branch(RUN))
    with at_work(view) as top:
        write(top, {"two.txt": "2\n"})
    with pytest.raises(Halted):
        kept(space, view, "build/2")


@pytest.mark.parametrize("path", ["../x", "", ".", "/etc/passwd", "a/../.."])
def test_a_path_outside_the_repository_is_refused(space: Workspace, path: str) -> None:
    with pytest.raises(PodiumError):
        space.undo(view_of(space, "copy"), [path])
