"""What an agent had no right to change is kept as a patch, and undone in a copy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.fakes.mounted import at_work, git_in
from tests.fakes.projects import Make, by_path, files_in, kept, sh, view_of, write
from tests.verify.test_folder_audit import dig

from podium.engine.views.code_view import Kind
from podium.engine.workspace import Workspace


def test_strays_become_a_patch_that_applies(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    strays = ["bin.dat", "src/stray.py", "docs/plan.md"]
    with at_work(view) as top:
        write(top, {"bin.dat": b"\0new\xff", "src/stray.py": "s\n", "readme.md": "kept\n"})
        (top / "docs/plan.md").unlink()
    text = space.patch(view, strays)
    (space.project.parent / "q.patch").write_bytes(text)
    other = view_of(space, kind, "other")
    git_in(other, "apply", str(space.project.parent / "q.patch"))
    assert by_path(space.changes(other)) == {
        "bin.dat": "modified",
        "docs/plan.md": "deleted",
        "src/stray.py": "added",
    }
    assert space.patch(view, strays, max_bytes=10).startswith(b"# Podium: the patch has")


@pytest.mark.parametrize("rule", ["*.sql -diff", "*.sql binary", "* -diff"])
def test_attributes_hide_no_text_from_whoever_reads_a_patch(
    space: Workspace, kind: Kind, rule: str
) -> None:
    write(space.project, {".gitattributes": f"{rule}\n"})
    view = view_of(space, kind)
    with at_work(view) as top:
        write(
            top,
            {
                "m.sql": "DROP TABLE users;\n",
                "src/.gitattributes": "* -diff\n",
                "src/n.sql": "DROP TABLE n;\n",
            },
        )
    paths = [change.path for change in space.changes(view)]
    for patch in (space.patch(view, paths), space.patch_of(kept(space, view), view.checkpoint)):
        assert b"\n+DROP TABLE users;\n" in patch
        assert b"\n+DROP TABLE n;\n" in patch


def test_a_copy_is_as_it_was_when_its_strays_are_undone(space: Workspace, copied: Kind) -> None:
    view = view_of(space, copied)
    with at_work(view) as top:
        before = files_in(top)
        (top / ".gitignore").unlink()
        write(top, {"bin.dat": b"y", "src/stray.py": "s\n", ".gitignore/x": "a folder now"})
        (top / "docs/plan.md").unlink()
        (top / "src/main.py").chmod(0o755)
        (top / "src/deep/util.py").unlink()
        os.mkfifo(top / "src/deep/util.py")
        os.mkfifo(top / "pipe")
        os.symlink("/etc/passwd", top / "out")
    space.undo(view, [change.path for change in space.changes(view)])
    assert space.changes(view) == ()
    with at_work(view) as top:
        assert files_in(top) == before


def test_repositories_and_what_is_in_submodules_are_undone_and_the_rest_stays(
    space: Workspace, copied: Kind
) -> None:
    view = view_of(space, copied)
    with at_work(view) as top:
        write(top, {"other/file.txt": "f\n", "odd/.GIT/x": "1"})
    git_in(view, "init", "-q", at="other")
    found = by_path(space.changes(view))
    space.undo(view, [path for path, status in found.items() if status == "submodule"])
    assert by_path(space.changes(view)) == {"other/file.txt": "added"}


def test_a_folder_replaced_by_a_link_to_outside_is_undone_without_following_it(
    space: Workspace, copied: Kind, tmp_path: Path
) -> None:
    write(tmp_path / "outside", {"main.py": "precious\n", "deep/util.py": "precious\n"})
    view = view_of(space, copied)
    with at_work(view) as top:
        shutil.rmtree(top / "src")
        os.symlink(tmp_path / "outside", top / "src")
    found = by_path(space.changes(view))
    assert found == {"src": "symlink", "src/deep/util.py": "deleted", "src/main.py": "deleted"}
    space.undo(view, found)
    assert space.changes(view) == ()
    assert files_in(tmp_path / "outside") == {
        "main.py": b"precious\n",
        "deep/util.py": b"precious\n",
    }


def test_folders_deeper_than_a_path_are_undone(space: Workspace, copied: Kind) -> None:
    view = view_of(space, copied)
    with at_work(view) as top:
        dig(top, 1500)
        dig(top / "src", 1500)
    space.undo(view, [change.path for change in space.changes(view)])
    assert space.changes(view) == ()


def test_what_lies_beside_a_project_in_a_subfolder_is_undone(make: Make, copied: Kind) -> None:
    space = make("subfolder")
    view = view_of(space, copied)
    with at_work(view) as top:
        write(top, {"lib/shared.py": "s = 2\n", "apps/web/readme.md": "2\n", "y.log": "new\n"})
    space.undo(view, ["../../lib/shared.py", "../../y.log"])
    assert space.land(kept(space, view), view.checkpoint).paths == ("readme.md",)


def test_what_a_git_driver_of_the_person_made_of_a_file_is_in_the_patch(
    space: Workspace, kind: Kind
) -> None:
    sh(space.project, "config", "filter.upper.clean", "tr a-z A-Z")
    sh(space.project, "config", "filter.upper.smudge", "tr A-Z a-z")
    write(space.project, {".gitattributes": "*.up filter=upper\n", "x.up": "text\n"})
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"x.up": "more\n"})
    assert b"\n-TEXT\n+MORE\n" in space.patch(view, ["x.up"])
