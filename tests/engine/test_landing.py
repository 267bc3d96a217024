"""Landing: all of it or nothing, again and again, and never through a link."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.mounted import at_work

from podium.core.digest import digest
from podium.engine.git import landing
from podium.engine.views.code_view import Kind
from podium.engine.workspace import CodeView, Conflict, Workspace, trailers_of

DATE = "2026-01-02T03:04:05+00:00"


def sh(folder: Path, *args: str) -> bytes:
    who = ("-c", "user.name=User", "-c", "user.email=user@example.org")
    return subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True).stdout


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def snapshot(folder: Path) -> dict[str, str]:
    found = {}
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in {".git", ".podium"}]
        for name in (
            *names,
            *(each for each in folders if os.path.islink(os.path.join(root, each))),
        ):
            path = Path(root, name)
            found[str(path.relative_to(folder))] = (
                f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
            )
    return found


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template")
    write(
        root,
        {
            "a.txt": "a\n",
            "b.txt": "b\n",
            "dir/c.txt": "c\n",
            "dir/sub/d.txt": "d\n",
            ".gitignore": "*.log\n",
        },
    )
    (root / "link").symlink_to("a.txt")
    sh(root, "init", "-q", "-b", "main")
    sh(root, "add", "-A")
    sh(root, "commit", "-q", "-m", "first")
    return root


@pytest.fixture
def space(template: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(template, tmp_path / "project", symlinks=True)
    project = tmp_path / "project"
    return Workspace.find(project, project / ".podium", tmp_path / "store")


@pytest.fixture
def view(space: Workspace, kind: Kind) -> CodeView:
    return space.open_view(
        space.project.parent / "view", space.checkpoint("before", DATE), kind=kind
    )


def kept(space: Workspace, view: CodeView) -> str:
    paths = [change.path for change in space.changes(view)]
    return space.commit(view, "r-1", "work", trailers_of("r-1", "build"), DATE, paths)


def wrote(view: CodeView, files: dict[str, str]) -> None:
    with at_work(view) as top:
        write(top, files)


def work(view: CodeView) -> dict[str, str]:
    """A change, an addition, a deletion that empties folders, a new link and a new mode; returns
    what is there then.
    """
    with at_work(view) as top:
        write(top, {"a.txt": "a2\n", "new/n.txt": "n\n"})
        (top / "dir/sub/d.txt").unlink()
        (top / "link").unlink()
        (top / "link").symlink_to("b.txt")
        (top / "b.txt").chmod(0o755)
        return snapshot(top)


WORK = ("a.txt", "b.txt", "dir/sub/d.txt", "link", "new/n.txt")


def test_what_was_done_in_the_view_is_in_the_checkout(space: Workspace, view: CodeView) -> None:
    after = work(view)
    landed = space.land(kept(space, view), view.checkpoint)
    assert landed == landing.Landed(WORK)
    assert snapshot(space.project) == after
    assert os.access(space.project / "b.txt", os.X_OK)
    assert not (space.project / "dir/sub").exists()
    assert not any((space.project / ".podium/cache").iterdir())


def test_landing_again_is_harmless(space: Workspace, view: CodeView) -> None:
    work(view)
    commit = kept(space, view)
    first = space.land(commit, view.checkpoint)
    stamp = os.stat(space.project / "a.txt").st_mtime_ns
    assert space.land(commit, view.checkpoint) == first
    assert os.stat(space.project / "a.txt").st_mtime_ns == stamp


class Crash(BaseException):
    """The power goes."""


@pytest.mark.parametrize("moment", range(5))
def test_a_landing_cut_off_at_any_file_is_repeated(
    space: Workspace, view: CodeView, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    after = work(view)
    commit, before = kept(space, view), snapshot(space.project)
    left = [moment]

    def crashing(name: str) -> None:
        real = getattr(os, name)

        def act(*args: Any, **how: Any) -> None:
            if not how and args[-1].is_relative_to(
                space.project
            ):  # not the removal of temporary files
                if left[0] == 0:
                    raise Crash
                left[0] -= 1
            real(*args, **how)

        monkeypatch.setattr(os, name, act)

    crashing("replace")
    crashing("unlink")
    with pytest.raises(Crash):
        space.land(commit, view.checkpoint)
    monkeypatch.undo()
    half = snapshot(space.project)
    assert all(half.get(path) in {before.get(path), after.get(path)} for path in {*before, *after})
    assert space.land(commit, view.checkpoint) == landing.Landed(WORK)
    assert snapshot(space.project) == after


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("a.txt", "mine\n", "was changed in the checkout"),
        ("a.txt", None, "was deleted in the checkout"),
        ("new/n.txt", "mine\n", "was changed in the checkout"),
        ("dir/sub/d.txt", "mine\n", "was changed in the checkout"),
        ("link", "mine\n", "was changed in the checkout"),
    ],
)
def test_one_conflict_and_nothing_is_written(
    space: Workspace, view: CodeView, path: str, text: str | None, why: str
) -> None:
    work(view)
    commit = kept(space, view)
    (space.project / path).unlink(missing_ok=True)
    if text is not None:
        write(space.project, {path: text})
    before = snapshot(space.project)
    assert space.conflicts(commit, view.checkpoint) == (Conflict(path, why),)
    landed = space.land(commit, view.checkpoint)
    assert landed.conflicts == (Conflict(path, why),)
    assert snapshot(space.project) == before


def test_a_changed_mode_is_somebodys_work_too(space: Workspace, view: CodeView) -> None:
    wrote(view, {"a.txt": "a2\n"})
    (space.project / "a.txt").chmod(0o755)
    assert space.land(kept(space, view), view.checkpoint).conflicts == (
        Conflict("a.txt", "was changed in the checkout"),
    )


def test_where_the_disk_keeps_no_modes_they_are_no_conflict(space: Workspace, kind: Kind) -> None:
    sh(space.project, "config", "core.fileMode", "false")
    view = space.open_view(
        space.project.parent / "view", space.checkpoint("before", DATE), kind=kind
    )
    wrote(view, {"a.txt": "a2\n", "tool": "t\n"})
    commit = kept(space, view)
    (space.project / "a.txt").chmod(0o755)
    for _ in range(2):
        assert space.land(commit, view.checkpoint) == landing.Landed(("a.txt", "tool"))


def test_edits_elsewhere_are_kept(space: Workspace, view: CodeView) -> None:
    work(view)
    write(space.project, {"dir/c.txt": "mine\n", "dir/sub/mine.log": "mine\n"})
    assert space.land(kept(space, view), view.checkpoint).conflicts == ()
    assert (space.project / "dir/c.txt").read_text() == "mine\n"
    assert (space.project / "dir/sub/mine.log").read_text() == "mine\n"


def test_an_ignored_file_of_the_user_is_not_overwritten(space: Workspace, view: CodeView) -> None:
    wrote(view, {"x.dat": "the agent's\n", "a.txt": "a2\n"})
    write(space.project, {".gitignore": "*.log\n*.dat\n", "x.dat": "mine\n"})
    landed = space.land(kept(space, view), view.checkpoint)
    assert landed.conflicts == (Conflict("x.dat", "was changed in the checkout"),)
    assert (space.project / "a.txt").read_text() == "a\n"


def test_what_was_ignored_does_not_land_although_the_rule_is_removed(
    space: Workspace, view: CodeView
) -> None:
    wrote(view, {".gitignore": "", "x.log": "the agent's\n"})
    write(space.project, {"x.log": "mine\n"})
    landed = space.land(kept(space, view), view.checkpoint)
    assert landed == landing.Landed((".gitignore",))
    assert (space.project / "x.log").read_text() == "mine\n"


def test_nothing_is_written_or_removed_through_a_link(
    space: Workspace, view: CodeView, tmp_path: Path
) -> None:
    with at_work(view) as top:
        write(top, {"dir/c.txt": "c2\n", "dir/new.txt": "n\n"})
        (top / "dir/sub/d.txt").unlink()
    commit = kept(space, view)
    shutil.move(space.project / "dir", tmp_path / "outside")
    (space.project / "dir").symlink_to(tmp_path / "outside")
    landed = space.land(commit, view.checkpoint)
    assert [each.path for each in landed.conflicts] == ["dir/c.txt", "dir/new.txt"]
    assert "lies behind dir" in landed.conflicts[0].why
    assert snapshot(tmp_path / "outside") == {"c.txt": "c\n", "sub/d.txt": "d\n"}


def test_a_pipe_in_the_way_is_not_opened(space: Workspace, view: CodeView) -> None:
    wrote(view, {"a.txt": "a2\n"})
    (space.project / "a.txt").unlink()
    os.mkfifo(space.project / "a.txt")
    assert "pipe" in space.land(kept(space, view), view.checkpoint).conflicts[0].why
    assert landing.digests(space.project, ["a.txt"]) == {"a.txt": "missing"}


def _file_to_folder(root: Path) -> None:
    (root / "a.txt").unlink()
    write(root, {"a.txt/inner": "1\n"})


def _folder_to_file(root: Path) -> None:
    shutil.rmtree(root / "dir")
    write(root, {"dir": "now a file\n"})


def _folder_to_link(root: Path) -> None:
    shutil.rmtree(root / "dir")
    (root / "dir").symlink_to("new")
    write(root, {"new/x": "1\n"})


def _link_to_folder(root: Path) -> None:
    (root / "link").unlink()
    write(root, {"link/inner": "1\n"})


@pytest.mark.parametrize(
    "turn", [_file_to_folder, _folder_to_file, _folder_to_link, _link_to_folder]
)
def test_files_folders_and_links_may_take_each_others_place(
    space: Workspace, view: CodeView, turn: Callable[[Path], None]
) -> None:
    with at_work(view) as top:
        turn(top)
        after = snapshot(top)
    before = snapshot(space.project)
    commit = kept(space, view)
    first = space.land(commit, view.checkpoint)
    assert first.conflicts == ()
    assert snapshot(space.project) == after
    assert space.land(commit, view.checkpoint) == first
    assert space.restore(first.paths, view.checkpoint, commit).conflicts == ()
    assert snapshot(space.project) == before


@pytest.mark.parametrize("turn", [_folder_to_file, _folder_to_link])
def test_a_folder_with_other_files_is_not_replaced(
    space: Workspace, view: CodeView, turn: Callable[[Path], None]
) -> None:
    with at_work(view) as top:
        turn(top)
    write(space.project, {"dir/sub/mine.log": "ignored, but mine\n"})
    before = snapshot(space.project)
    landed = space.land(kept(space, view), view.checkpoint)
    assert landed.conflicts == (Conflict("dir", "is a folder with other files in the checkout"),)
    assert snapshot(space.project) == before


def test_attributes_landed_together_with_their_files_count(
    space: Workspace, view: CodeView
) -> None:
    wrote(view, {".gitattributes": "*.txt eol=crlf\n", "new.txt": "n\n"})
    commit = kept(space, view)
    landed = space.land(commit, view.checkpoint)
    assert landed.conflicts == ()
    assert (space.project / "new.txt").read_bytes() == b"n\r\n"
    assert space.land(commit, view.checkpoint) == landed


def test_restore_puts_back_what_nobody_touched_and_names_the_rest(
    space: Workspace, view: CodeView
) -> None:
    work(view)
    commit = kept(space, view)
    landed = space.land(commit, view.checkpoint)
    write(space.project, {"a.txt": "mine\n"})
    restored = space.restore(landed.paths, view.checkpoint, commit)
    assert restored.conflicts == (Conflict("a.txt", "was changed in the checkout"),)
    assert restored.paths == ("b.txt", "dir/sub/d.txt", "link", "new/n.txt")
    assert (space.project / "dir/sub/d.txt").read_text() == "d\n"
    assert not (space.project / "new").exists()
    assert space.restore(["b.txt"], view.checkpoint, commit).paths == ("b.txt",)


def test_digests_are_of_the_checkouts_own_bytes(space: Workspace) -> None:
    assert landing.digests(space.project, ["a.txt", "link", "dir", "none/x", "a.txt/x"]) == {
        "a.txt": digest("a\n"),
        "link": digest("a.txt"),
        "dir": "missing",
        "none/x": "missing",
        "a.txt/x": "missing",
    }


def test_the_digests_of_a_landing_are_known_before_it(space: Workspace, view: CodeView) -> None:
    sh(space.project, "config", "core.autocrlf", "true")
    work(view)
    commit = kept(space, view)
    told = space.digests_in(commit, WORK)
    assert landing.digests(space.project, WORK) != told
    assert space.conflicts(commit, view.checkpoint) == ()
    space.land(commit, view.checkpoint)
    assert landing.digests(space.project, WORK) == told


def test_a_submodule_is_never_landed(space: Workspace, view: CodeView) -> None:
    tree = view.checkpoint.tree
    line = f"160000 commit {view.checkpoint.commit}\tmodule\n"
    listed = sh(space.project, "ls-tree", tree) + line.encode()
    made = subprocess.run(
        ["git", "mktree"], cwd=space.project, input=listed, check=True, capture_output=True
    )
    commit = (
        sh(space.project, "commit-tree", made.stdout.decode().strip(), "-m", "x").decode().strip()
    )
    assert space.land(commit, view.checkpoint).conflicts == (Conflict("module", "is a submodule"),)
