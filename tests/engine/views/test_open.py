"""A view shows the files of its checkpoint, and nothing that the step may not see."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.fakes.mounted import at_work, git_in, run_in
from tests.fakes.projects import (
    DATE,
    NASTY,
    RUN,
    Make,
    by_path,
    committed,
    files_in,
    kept,
    sh,
    view_of,
    write,
)

from podium.engine.views.code_view import Kind
from podium.engine.workspace import Workspace


def test_hidden_files_are_not_in_the_view_and_are_kept_in_the_commit(
    space: Workspace, kind: Kind
) -> None:
    view = view_of(space, kind, hidden=("docs", "*.dat"))
    with at_work(view) as top:
        assert set(files_in(top)) == {
            "readme.md",
            "src/main.py",
            "src/deep/util.py",
            ".gitignore",
            "link",
        }
        assert not (top / "docs").exists()
        write(top, {"src/main.py": "2\n"})
    assert git_in(view, "log", "--all", "--oneline").count(b"\n") == 1
    commit = kept(space, view)
    assert (
        sh(space.project, "diff", "--name-only", view.checkpoint.commit, commit) == b"src/main.py\n"
    )


def test_only_the_named_files_are_in_the_view(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind, only=("src/**/*.py",), hidden=("src/deep",))
    with at_work(view) as top:
        assert set(files_in(top)) == {"src/main.py", ".gitignore"}
        assert sorted(os.listdir(top)) == [".git", ".gitignore", "src"]


def test_files_with_odd_names_are_hidden_and_shown(space: Workspace, kind: Kind) -> None:
    for name in NASTY:
        write(space.project, {f"hide/{name}": "h", f"show/{name}": "s"})
    view = view_of(space, kind, hidden=("hide/**",))
    with at_work(view) as top:
        assert not (top / "hide").exists()
        assert sorted(os.listdir(top / "show")) == sorted(NASTY)
        for name in NASTY:
            write(top, {f"hide/{name}": "guessed"})
    assert {change.path: change.hidden for change in space.changes(view)} == {
        f"hide/{name}": True for name in NASTY
    }


def test_an_installation_in_a_hidden_folder_is_there_and_its_neighbours_are_not(
    space: Workspace, kind: Kind
) -> None:
    write(space.project, {"docs/scratch/tool.js": "1", "docs/deep/a.md": "a", "docs/x.log": "log"})
    view = view_of(space, kind, hidden=("docs/**",))
    with at_work(view) as top:
        assert files_in(top / "docs") == {"scratch/tool.js": b"1", "x.log": b"log"}
        assert sorted(os.listdir(top / "docs")) == ["scratch", "x.log"]
    assert space.changes(view) == ()


def test_an_input_is_brought_below_a_hidden_folder_and_nothing_else_appears_there(
    space: Workspace, kind: Kind
) -> None:
    write(space.project, {"docs/deep/er/a.md": "a", "docs/deep/b.md": "b", "docs/c.md": "c"})
    view = view_of(space, kind, hidden=("docs/**",))
    view.bring("docs/deep/er/a.md", b"brought")
    view.bring("docs/plan.md/inner", b"where a file was")
    view.make_folder("docs/out/deep")
    with at_work(view) as top:
        assert files_in(top / "docs") == {
            "deep/er/a.md": b"brought",
            "plan.md/inner": b"where a file was",
        }
        assert sorted(os.listdir(top / "docs")) == ["deep", "out", "plan.md"]
        assert os.listdir(top / "docs/deep") == ["er"]
        assert os.listdir(top / "docs/out") == ["deep"]


@pytest.mark.parametrize("how", ["touched", "rewritten", "folder removed", "file removed"])
def test_an_input_that_is_brought_again_is_there_whatever_a_program_did_meanwhile(
    space: Workspace, kind: Kind, how: str
) -> None:
    view = view_of(space, kind, hidden=("docs/**",))
    view.bring("docs/plan.md", b"first\n")
    view.bring("src/deep/util.py", b"first\n")
    script = {
        "touched": "touch docs/plan.md src/deep/util.py",
        "rewritten": "echo second >docs/plan.md; echo second >src/deep/util.py",
        "folder removed": "rm -r docs src",
        "file removed": "rm docs/plan.md src/deep/util.py",
    }[how]
    assert run_in(view, script).returncode == 0
    for path in ("docs/plan.md", "src/deep/util.py"):
        view.bring(path, b"third\n")
        assert view.read(path, 100) == b"third\n"
    with at_work(view) as top:
        assert (top / "docs/plan.md").read_text() == "third\n"
        assert (top / "src/deep/util.py").read_text() == "third\n"
        assert (top / "src/main.py").exists() == (how != "folder removed")
    if kind == "overlay":
        found = by_path(space.changes(view))
        assert found == ({"src/main.py": "deleted"} if how == "folder removed" else {})


def test_a_view_left_by_a_crash_is_replaced(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        write(top, {"left.txt": "over"})
        (top / "src").chmod(0)
    again = view_of(space, kind)
    assert space.changes(again) == ()
    with at_work(again) as top:
        assert "left.txt" not in files_in(top)


def test_a_view_is_closed_however_it_was_left(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    shutil.rmtree(view.home)
    space.close_view(view)
    os.symlink(space.project, view.home)
    space.close_view(view)
    assert files_in(space.project)
    assert not os.path.lexists(view.home)
    space.sweep(RUN)
    assert sh(space.project, "for-each-ref", "refs/podium-kept") == b""


def test_a_users_linked_worktree_is_a_project_too(
    space: Workspace, kind: Kind, tmp_path: Path
) -> None:
    other = tmp_path / "linked"
    sh(space.project, "worktree", "add", "-q", str(other), "-b", "other")
    linked = Workspace.find(other, other / ".podium", tmp_path / "linked store")
    write(other, {"untracked.txt": "1\n"})
    view = view_of(linked, kind)
    assert git_in(view, "log", "--oneline").count(b"\n") == 2
    assert git_in(view, "branch").split() == [b"*", b"other"]
    with at_work(view) as top:
        write(top, {"readme.md": "2\n"})
    assert linked.land(kept(linked, view), view.checkpoint).paths == ("readme.md",)
    assert (space.project / "readme.md").read_text() == "hello\n"


def test_a_sparse_checkout_has_a_whole_view(space: Workspace, kind: Kind) -> None:
    whole = files_in(space.project)
    sh(space.project, "status")  # the copied files are new to the index
    sh(space.project, "sparse-checkout", "set", "src")
    assert "docs/plan.md" not in files_in(space.project)
    view = view_of(space, kind)
    assert space.changes(view) == ()
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as top:
        assert files_in(top) == whole
        write(top, {"docs/plan.md": "changed\n"})
    assert git_in(view, "status", "--porcelain") == b" M docs/plan.md\n"
    assert by_path(space.changes(view)) == {"docs/plan.md": "modified"}


@pytest.mark.parametrize(
    "settings",
    [
        {"core.splitIndex": "true"},
        {"index.version": "4"},
        {"core.untrackedCache": "true"},
        {"index.sparse": "true", "core.sparseCheckout": "true", "core.sparseCheckoutCone": "true"},
        {"core.checkStat": "minimal"},
        {"feature.manyFiles": "true"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_an_index_of_every_form_serves(
    space: Workspace, kind: Kind, settings: dict[str, str]
) -> None:
    for name, value in settings.items():
        sh(space.project, "config", name, value)
    if "index.sparse" in settings:
        sh(space.project, "sparse-checkout", "set", "--cone", "--sparse-index", "src")
    sh(space.project, "update-index", "--force-write-index", "--refresh")
    write(space.project, {"new.txt": "staged\n"})
    sh(space.project, "add", "new.txt")
    sh(space.project, "update-index", "--assume-unchanged", "src/main.py")
    view = view_of(space, kind)
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as top:
        write(top, {"src/main.py": "changed\n", "new.txt": "changed\n"})
    assert git_in(view, "status", "--porcelain").splitlines() == [b" M new.txt", b" M src/main.py"]
    assert by_path(space.changes(view)) == {"new.txt": "modified", "src/main.py": "modified"}
    assert len(space.land(kept(space, view), view.checkpoint).paths) == 2


def test_line_ends_are_the_users(space: Workspace, kind: Kind) -> None:
    write(space.project, {"stored-crlf.txt": "a\r\nb\r\n"})
    sh(space.project, "add", "-A")
    sh(space.project, "commit", "-qm", "stored with CRLF")
    sh(space.project, "config", "core.autocrlf", "true")
    write(space.project, {"src/main.py": "print(1)\r\n"})
    view = view_of(space, kind)
    assert space.changes(view) == ()
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as top:
        assert (top / "src/main.py").read_bytes() == b"print(1)\r\n"
        write(
            top,
            {"src/main.py": "print(2)\r\n", "new.txt": "n\n", "stored-crlf.txt": "a\r\nc\r\n"},
        )
    assert b"\n-print(1)\n+print(2)\n" in git_in(view, "diff", "src/main.py").replace(b"\r", b"")
    commit = kept(space, view)
    assert sh(space.project, "cat-file", "blob", f"{commit}:src/main.py") == b"print(2)\n"
    for _ in range(2):
        landed = space.land(commit, view.checkpoint)
        assert (len(landed.paths), landed.conflicts) == (3, ())
    assert (space.project / "src/main.py").read_bytes() == b"print(2)\r\n"
    assert (space.project / "stored-crlf.txt").read_bytes() == b"a\r\nc\r\n"


def test_line_ends_are_those_of_the_checkout_also_where_it_is_older_than_the_settings(
    space: Workspace, kind: Kind
) -> None:
    before = (space.project / "src/main.py").read_bytes()
    assert b"\r" not in before
    sh(space.project, "config", "core.autocrlf", "true")
    view = view_of(space, kind)
    assert space.changes(view) == ()
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as top:
        assert (top / "src/main.py").read_bytes() == before


def test_line_ends_and_names_that_attributes_decide(space: Workspace, kind: Kind) -> None:
    write(
        space.project,
        {".gitattributes": "*.bat eol=crlf\n*.txt text working-tree-encoding=UTF-16\n"},
    )
    write(space.project, {"run.bat": "a\r\nb\r\n", "wide.txt": "wide\n".encode("utf-16")})
    sh(space.project, "add", "-A")
    sh(space.project, "commit", "-qm", "attributes")
    view = view_of(space, kind)
    assert space.changes(view) == ()
    with at_work(view) as top:
        assert (top / "run.bat").read_bytes() == b"a\r\nb\r\n"
        assert (top / "wide.txt").read_bytes() == "wide\n".encode("utf-16")
        write(top, {"run.bat": "a\r\nc\r\n", "other.bat": "x\r\n"})
    commit = kept(space, view)
    assert sh(space.project, "cat-file", "blob", f"{commit}:run.bat") == b"a\nc\n"
    assert sh(space.project, "cat-file", "blob", f"{commit}:other.bat") == b"x\n"
    later = view_of(space, kind, "later", space.checkpoint_of(commit))
    with at_work(later) as top:
        assert (top / "run.bat").read_bytes() == b"a\r\nc\r\n"


def test_hooks_and_filters_of_the_repository(space: Workspace, kind: Kind) -> None:
    """Hooks never run; the user's own filters do, since they decide what a file's content is."""
    (space.project / ".git/hooks").mkdir(exist_ok=True)
    names = (
        "pre-commit",
        "post-checkout",
        "reference-transaction",
        "post-index-change",
        "post-commit",
        "update",
    )
    for name in names:
        write(
            space.project,
            {f".git/hooks/{name}": f"#!/bin/sh\necho ran >> {space.project.parent}/ran\nexit 1\n"},
        )
        (space.project / ".git/hooks" / name).chmod(0o755)
    sh(space.project, "config", "filter.upper.clean", "tr a-z A-Z")
    sh(space.project, "config", "filter.upper.smudge", "tr A-Z a-z")
    write(space.project, {".gitattributes": "*.up filter=upper\n", "x.up": "text\n"})
    view = view_of(space, kind)
    with at_work(view) as top:
        assert (top / "x.up").read_text() == "text\n"
        write(top, {"x.up": "more\n"})
    commit = kept(space, view)
    assert sh(space.project, "cat-file", "blob", f"{commit}:x.up") == b"MORE\n"
    assert space.land(commit, view.checkpoint).conflicts == ()
    assert (space.project / "x.up").read_text() == "more\n"
    space.close_view(view)
    space.sweep(RUN)
    assert not (space.project.parent / "ran").exists()


PLACES = {
    "spaces": "a b  c",
    "commas and colons": "a,b:c=d;e",
    "quotes": 'it\'s "here"',
    "a line end": "one\ntwo",
    "a line end last": "one\n",
    "a backslash": "back\\slash\\040",
    "bytes": os.fsdecode(b"bytes-\xff\xfe"),
    "a dash": "-v",
    "letters": "ünï 日本",
    "a shell's signs": "$(touch x) `y` * ?",
}


@pytest.mark.parametrize("name", PLACES.values(), ids=PLACES.keys())
def test_a_project_may_be_called_anything(tmp_path: Path, kind: Kind, name: str) -> None:
    top = tmp_path / name / "project"
    write(top, {"readme.md": "hello\n", ".gitignore": "out/\n", "out/made": "1", "docs/a": "a"})
    committed(top)
    space = Workspace.find(top, top / ".podium", tmp_path / f"store {name}")
    view = space.open_view(
        tmp_path / f"views {name}" / "step",
        space.checkpoint("x", DATE),
        kind=kind,
        hidden=("docs",),
    )
    assert run_in(view, "pwd -P; cat out/made; ls").stdout == (
        os.fsencode(view.project) + b"\n1out\nreadme.md\n"
    )
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as folder:
        write(folder, {"readme.md": "changed\n"})
    assert b"+changed" in git_in(view, "diff")
    whole = space.open_view(tmp_path / "whole", space.checkpoint("x", DATE), kind=kind)
    assert git_in(whole, "show", "HEAD:docs/a") == b"a"
    assert space.land(kept(space, view), view.checkpoint).paths == ("readme.md",)


def test_a_project_behind_a_symbolic_link(tmp_path: Path, kind: Kind) -> None:
    write(tmp_path / "real/project", {"readme.md": "hello\n"})
    committed(tmp_path / "real/project")
    (tmp_path / "way").symlink_to("real")
    project = tmp_path / "way/project"
    space = Workspace.find(project, project / ".podium", tmp_path / "way/store")
    view = view_of(space, kind)
    assert run_in(view, f"cat '{project}/readme.md' && echo new >'{project}/new'").returncode == 0
    assert by_path(space.changes(view)) == ({} if kind == "copy" else {"new": "added"})
    assert (tmp_path / "real/project/new").exists() == (kind == "copy")


def test_a_repository_of_long_names_serves_like_any_other(tmp_path: Path, kind: Kind) -> None:
    top = tmp_path / "project"
    top.mkdir()
    sh(top, "init", "-q", "--object-format=sha256", "-b", "main")
    write(top, {"readme.md": "hello\n", "docs/a": "a\n"})
    sh(top, "add", "-A")
    sh(top, "commit", "-qm", "first")
    space = Workspace.find(top, top / ".podium", tmp_path / "store")
    for hidden in ((), ("docs",)):
        view = view_of(space, kind, hidden=hidden)
        assert git_in(view, "status", "--porcelain") == b""
        with at_work(view) as folder:
            write(folder, {"readme.md": f"{hidden}\n"})
        assert git_in(view, "commit", "-qam", "mine") == b""
        assert by_path(space.changes(view)) == {"readme.md": "modified"}
        assert space.land(kept(space, view), view.checkpoint).conflicts == ()


@pytest.mark.parametrize("project", ["unborn", "plain"])
def test_a_project_without_a_commit_has_a_view_in_which_git_works(
    make: Make, kind: Kind, project: str
) -> None:
    space = make(project)
    if project == "unborn":
        write(space.project, {"staged.txt": "1\n", "src/main.py": "print(2)\n"})
        sh(space.project, "add", "staged.txt")
    for hidden in ((), ("docs",)):
        view = view_of(space, kind, hidden=hidden)
        assert git_in(view, "status", "--porcelain") == b""
        assert git_in(view, "log", "--oneline").count(b"\n") == 1
        with at_work(view) as top:
            write(top, {"readme.md": "2\n"})
        assert git_in(view, "status", "--porcelain") == b" M readme.md\n"
        assert by_path(space.changes(view)) == {"readme.md": "modified"}


def test_a_project_that_is_a_submodule_of_another_one(
    space: Workspace, kind: Kind, tmp_path: Path
) -> None:
    super_project = tmp_path / "super"
    write(super_project, {"top.txt": "t\n"})
    committed(super_project)
    sh(super_project, "submodule", "--quiet", "add", str(space.project), "lib")
    inner = Workspace.find(super_project / "lib", super_project / "lib/.podium", tmp_path / "inner")
    view = view_of(inner, kind)
    assert git_in(view, "status", "--porcelain") == b""
    with at_work(view) as top:
        assert not (top / "top.txt").exists()
        write(top, {"readme.md": "2\n"})
    assert inner.land(kept(inner, view), view.checkpoint).paths == ("readme.md",)


def test_a_project_that_borrows_its_objects(space: Workspace, kind: Kind, tmp_path: Path) -> None:
    sh(tmp_path, "clone", "-q", "--shared", str(space.project), "borrower")
    top = tmp_path / "borrower"
    other = Workspace.find(top, top / ".podium", tmp_path / "other store")
    write(top, {"own.txt": "own\n"})
    sh(top, "add", "-A")
    sh(top, "commit", "-qm", "own")
    view = view_of(other, kind)
    assert git_in(view, "show", "HEAD:own.txt", "HEAD:readme.md") == b"own\nhello\n"


def test_names_that_differ_in_case_alone_stay_apart(space: Workspace, kind: Kind) -> None:
    if (space.project / "README.md").exists():
        pytest.skip("one name here")
    sh(space.project, "config", "core.ignoreCase", "false")
    write(space.project, {"README.MD": "other\n", "SRC/main.py": "other\n"})
    view = view_of(space, kind, hidden=("SRC",))
    with at_work(view) as top:
        assert (top / "README.MD").read_text() == "other\n"
        assert (top / "src/main.py").read_text() == "print(1)\n"
        assert not (top / "SRC").exists()
        (top / "readme.md").unlink()
    assert by_path(space.changes(view)) == {"readme.md": "deleted"}


def test_a_merge_under_way_is_no_hindrance_for_a_view_that_hides(
    space: Workspace, kind: Kind
) -> None:
    for branch, text in (("side", "side\n"), ("main", "main\n")):
        sh(space.project, "switch", "-q", *(("-c",) if branch == "side" else ()), branch)
        write(space.project, {"readme.md": text})
        sh(space.project, "commit", "-qam", branch)
    with pytest.raises(subprocess.CalledProcessError):
        sh(space.project, "merge", "side")
    view = view_of(space, kind, hidden=("docs",))
    assert git_in(view, "status", "--porcelain") == b""
