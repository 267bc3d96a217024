"""Whatever changed in a view is told, and nothing that the view says about itself is believed."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from typing import Any

import pytest
from tests.fakes.mounted import at_work, git_in, run_in
from tests.fakes.projects import (
    DATE,
    Make,
    by_path,
    files_in,
    kept,
    private_state,
    sh,
    view_of,
    write,
)
from tests.verify.test_folder_audit import dig

from podium.core.errors import PodiumError
from podium.engine.git.git import Git
from podium.engine.git.trees import Entry, hash_files
from podium.engine.views import audit
from podium.engine.views.code_view import Kind
from podium.engine.workspace import Workspace


def test_every_kind_of_change_is_reported(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        write(
            top,
            {"readme.md": "2\n", "huge.bin": b"x" * 5000, "scratch/deep/tmp": "i", "a.log": "i"},
        )
        (top / "bin.dat").write_bytes(b"y" * 5000)
        (top / "src/main.py").chmod(0o755)
        (top / "docs/plan.md").unlink()
        os.symlink("/etc/passwd", top / "out")
        os.symlink("docs/../readme.md", top / "in")
        os.mkfifo(top / "pipe")
        os.mkfifo(top / "src/.gitignore")
        (top / "src/deep/util.py").unlink()
        os.mkfifo(top / "src/deep/util.py")
    found = {change.path: change for change in space.changes(view, max_bytes=1000)}
    assert by_path(found.values()) == {
        "bin.dat": "oversize",
        "docs/plan.md": "deleted",
        "huge.bin": "oversize",
        "in": "symlink",
        "out": "symlink",
        "pipe": "special",
        "readme.md": "modified",
        "src/.gitignore": "special",
        "src/deep/util.py": "special",
        "src/main.py": "mode",
    }
    out = found["out"]
    assert (out.target, out.allowed, found["in"].allowed) == ("/etc/passwd", False, True)
    assert (found["huge.bin"].size, found["src/main.py"].new_mode) == (5000, "100755")


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".gitmodules"])
def test_what_git_reads_may_be_a_pipe_and_is_told_each_time_it_is_looked_at(
    space: Workspace, kind: Kind, name: str
) -> None:
    write(space.project, {".gitattributes": "*.md text\n", ".gitmodules": ""})
    view = view_of(space, kind)
    with at_work(view) as top:
        (top / name).unlink()
        os.mkfifo(top / name)
        write(top, {"readme.md": "2\n"})
    for _ in range(2):
        found = {change.path: change.allowed for change in space.changes(view)}
        assert found == {name: False, "readme.md": True}


def test_an_unchanged_big_file_is_no_change(space: Workspace, kind: Kind) -> None:
    assert space.changes(view_of(space, kind), max_bytes=1) == ()


def test_a_tracked_file_that_became_a_giant_is_not_read(
    space: Workspace, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()

    def noted(git: Git, tree: str, paths: Iterable[str], **how: Any) -> dict[str, Entry]:
        read.update(paths)
        return hash_files(git, tree, paths, **how)

    monkeypatch.setattr(audit, "hash_files", noted)
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"readme.md": "2\n"})
        with (top / "src/main.py").open("r+b") as file:
            file.truncate(1 << 28)
    found = {change.path: change for change in space.changes(view)}
    giant = found.pop("src/main.py")
    assert (giant.status, giant.allowed, giant.size) == ("oversize", False, 1 << 28)
    assert list(found) == ["readme.md"]
    assert read == {"readme.md"}
    assert b"not in this patch" in space.patch(view, ["src/main.py"])


def test_a_big_file_that_a_filter_makes_bigger_is_no_change_and_one_of_its_size_is_looked_at(
    space: Workspace, kind: Kind
) -> None:
    sh(space.project, "config", "filter.twice.clean", "head -c 2000")
    sh(space.project, "config", "filter.twice.smudge", "cat; head -c 3000 /dev/zero")
    write(
        space.project,
        {".gitattributes": "*.big filter=twice\n", "a.big": b"a" * 2000, "plain": b"p" * 5000},
    )
    view = view_of(space, kind)
    with at_work(view) as top:
        assert (top / "a.big").stat().st_size == 5000
        for name in ("a.big", "plain"):
            os.utime(top / name)
    assert space.changes(view, max_bytes=1000) == ()
    with at_work(view) as top:
        write(top, {"a.big": b"b" * 5000, "plain": b"q" * 5000})
    found = by_path(space.changes(view, max_bytes=1000))
    assert found == {"a.big": "oversize", "plain": "oversize"}


@pytest.mark.parametrize(
    "how", ["removed", "file", "init", "elsewhere", "attributes", "lying index", "exclude"]
)
def test_what_an_agent_does_to_its_own_git_folder_does_not_matter(
    space: Workspace, kind: Kind, how: str
) -> None:
    view = view_of(space, kind)
    if how == "lying index":
        git_in(view, "update-index", "--assume-unchanged", "src/main.py")
    with at_work(view) as top:
        write(top, {"src/main.py": "2\n"})
        if how == "attributes":
            write(top, {".git/info/attributes": "* -diff -text filter=x\n"})
        elif how == "exclude":
            write(top, {".git/info/exclude": "*\n"})
        elif how != "lying index":
            shutil.rmtree(top / ".git", ignore_errors=True)  # what is mounted in it stays
        with contextlib.suppress(FileExistsError, IsADirectoryError):
            if how == "file":
                write(top, {".git": "gitdir: /nonexistent\n"})
            elif how == "elsewhere":
                os.symlink(space.project / ".git", top / ".git")
    if how == "init":
        run_in(view, "git init -q")
    state = private_state(space.project)
    assert by_path(space.changes(view)) == {"src/main.py": "modified"}
    space.close_view(view)
    assert not view.home.exists()
    assert private_state(space.project) == state


def test_a_repository_made_inside_hides_nothing(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"src/added.py": "hidden?\n", "other/file.txt": "f\n", "odd/.GIT/x": "1"})
    for folder in ("src", "other"):
        git_in(view, "init", "-q", at=folder)
    git_in(view, "add", "-A", at="other")
    git_in(view, "commit", "-qm", "x", at="other")
    found = by_path(space.changes(view))
    assert found == {
        "odd/.GIT": "submodule",
        "other/.git": "submodule",
        "other/file.txt": "added",
        "src/.git": "submodule",
        "src/added.py": "added",
    }
    assert b"not in this patch" in space.patch(view, found)


def test_closed_files_and_folders_are_looked_at_all_the_same(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"locked/secret.txt": "s", "src/main.py": "2\n"})
        for name, mode in (
            ("locked/secret.txt", 0),
            ("locked", 0),
            ("src/main.py", 0),
            ("src/deep/util.py", 0),
            ("src/deep", 0o111),
            ("src", 0o444),
            ("docs", 0),
        ):
            (top / name).chmod(mode)
        top.chmod(0o500)
    expected = {"locked/secret.txt": "added", "src/main.py": "modified"}
    for _ in range(2):
        assert by_path(space.changes(view)) == expected
    assert view.read("src/main.py", 100) == b"2\n"
    kept(space, view)
    space.close_view(view)
    assert not view.home.exists()


@pytest.mark.parametrize("mode", [0, 0o111, 0o444])
def test_a_closed_folder_is_looked_into_before_its_changes_are_asked_for(
    space: Workspace, kind: Kind, mode: int
) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"shut/deep/file": "text"})
        (top / "shut/deep").chmod(mode)
        (top / "shut").chmod(mode)
        (top / "src").chmod(mode)
    assert view.read("shut/deep/file", 100) == b"text"
    assert view.names("shut") == ["deep"]
    assert view.obstacle("shut/deep/file/x") == "shut/deep/file"
    view.write("src/new.py", b"written\n")
    view.remove("shut/deep/file")
    assert by_path(space.changes(view)) == {"src/new.py": "added"}


def test_deep_folders_are_changes_that_never_land_and_ignored_ones_are_scratch(
    space: Workspace, kind: Kind
) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        (top / "scratch").mkdir()
        for folder in (top, top / "scratch", top / "src"):
            dig(folder, 1500)
    found = space.changes(view)
    assert [(each.status, each.allowed) for each in found] == [("deep", False), ("deep", False)]
    assert b"not in this patch" in space.patch(view, [each.path for each in found])
    space.close_view(view)
    assert not view.home.exists()


def test_a_submodule_stays_an_empty_folder_and_what_is_put_in_it_is_a_stray(
    space: Workspace, kind: Kind
) -> None:
    library = space.project.parent / "library"
    write(library, {"lib.c": "int x;\n"})
    sh(library, "init", "-q")
    sh(library, "add", "-A")
    sh(library, "commit", "-qm", "lib")
    sh(space.project, "submodule", "--quiet", "add", str(library), "vendor/lib")
    sh(space.project, "commit", "-qm", "submodule")
    write(space.project, {"vendor/lib/lib.c": "dirty\n"})
    assert space.checkpoint("x", DATE).commit == space.head()
    view = view_of(space, kind)
    with at_work(view) as top:
        assert os.listdir(top / "vendor/lib") == []
    assert git_in(view, "status", "--porcelain") == b""
    assert space.changes(view) == ()
    with at_work(view) as top:
        write(top, {"vendor/lib/new.c": "int y;\n", "readme.md": "2\n"})
    assert by_path(space.changes(view)) == {"readme.md": "modified", "vendor/lib": "submodule"}
    assert b"not in this patch" in space.patch(view, ["vendor/lib"])
    with pytest.raises(PodiumError):
        kept(space, view)
    with at_work(view) as top:
        (top / "vendor/lib/new.c").unlink()
    assert space.land(kept(space, view), view.checkpoint).paths == ("readme.md",)
    assert (space.project / "vendor/lib/lib.c").read_text() == "dirty\n"


def test_a_submodule_that_is_replaced_by_a_file_or_removed(space: Workspace, kind: Kind) -> None:
    """A removed one is as good as an empty one: git itself does not look into it."""
    tree = space.git.word("rev-parse", "HEAD")
    sh(space.project, "update-index", "--add", "--cacheinfo", f"160000,{tree},vendor/lib")
    sh(space.project, "commit", "-qm", "submodule")
    (space.project / "vendor/lib").mkdir(parents=True)
    view = view_of(space, kind)
    with at_work(view) as top:
        shutil.rmtree(top / "vendor")
    assert space.changes(view) == ()
    with at_work(view) as top:
        write(top, {"vendor/lib": "a file\n"})
    assert by_path(space.changes(view)) == {"vendor/lib": "submodule"}


def test_a_subfolder_project_reports_what_was_changed_beside_it_and_never_commits_it(
    make: Make, kind: Kind
) -> None:
    space = make("subfolder")
    view = view_of(space, kind, hidden=("docs",))
    with at_work(view) as top:
        assert not (top / "apps/web/docs").exists()
        write(
            top,
            {
                "lib/shared.py": "s = 2\n",
                "apps/web/readme.md": "2\n",
                "y.log": "not ignored here\n",
            },
        )
    changes = space.changes(view)
    assert by_path(changes) == {
        "../../lib/shared.py": "modified",
        "../../y.log": "added",
        "readme.md": "modified",
    }
    assert [change.path for change in changes if change.allowed] == ["readme.md"]
    with pytest.raises(PodiumError):
        kept(space, view)


def test_a_file_written_where_one_is_hidden_is_told_and_refused(
    space: Workspace, kind: Kind
) -> None:
    view = view_of(space, kind, hidden=("docs/**",))
    with at_work(view) as top:
        write(top, {"docs/plan.md": "guessed\n"})
    (change,) = space.changes(view)
    assert (change.status, change.hidden, change.allowed) == ("added", True, False)
    with pytest.raises(PodiumError):
        kept(space, view)


@pytest.mark.parametrize("made", ["docs", "docs/plan.md/inner"])
def test_what_would_remove_a_hidden_file_if_it_landed_is_told_too(
    space: Workspace, kind: Kind, made: str
) -> None:
    view = view_of(space, kind, hidden=("docs/**",))
    with at_work(view) as top:
        write(top, {made: "in the way of a hidden file\n"})
    (change,) = space.changes(view)
    assert (change.path, change.hidden, change.allowed) == (made, True, False)
    with pytest.raises(PodiumError):
        kept(space, view)


def test_a_view_of_another_project_kind_ignores_what_its_rules_ignore(
    make: Make, kind: Kind
) -> None:
    space = make("plain")
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"node_modules/x/index.js": "1", "target/debug/x": "2", "a.log": "3", "b": "4"})
    assert by_path(space.changes(view)) == {"b": "added"}
    assert "b" not in files_in(space.project)
