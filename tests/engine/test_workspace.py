"""Checkpoints, views, audits and commits, on real repositories of every kind."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.verify.test_folder_audit import dig

from podium.core.errors import Halted, InputError, PodiumError
from podium.engine.git import audit
from podium.engine.git.git import Git, GitFailed
from podium.engine.git.index_file import Entry
from podium.engine.git.trees import hashed
from podium.engine.workspace import Change, CodeView, Workspace, run_branch, trailers_of

DATE = "2026-01-02T03:04:05+00:00"
RUN = "r-1"
NASTY = (
    "with space",
    'quo"te',
    "new\nline",
    "ünï",
    os.fsdecode(b"bytes-\xff\xfe"),
    "tab\there",
    "-dash",
    "back\\slash",
    ":(top)x",
)


def sh(folder: Path, *args: str) -> bytes:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.anchor), "GIT_CONFIG_GLOBAL": "/dev/null"}
    who = ("-c", "user.name=User", "-c", "user.email=user@example.org", "-c", "protocol.file.allow=always")
    return subprocess.run(["git", *who, *args], cwd=folder, env=env, check=True, capture_output=True).stdout


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


FILES: dict[str, str | bytes] = {
    "readme.md": "hello\n",
    "src/main.py": "print(1)\n",
    "src/deep/util.py": "x = 1\n",
    "docs/plan.md": "plan\n",
    "bin.dat": b"\0\1\2\xff" * 20,
    ".gitignore": "*.log\nscratch/\n",
}


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("templates")
    for name in ("repository", "unborn", "plain"):
        write(root / name, FILES)
        os.symlink("readme.md", root / name / "link")
    sh(root / "repository", "init", "-q", "-b", "main")
    sh(root / "repository", "add", "-A")
    sh(root / "repository", "commit", "-q", "-m", "first")
    sh(root / "unborn", "init", "-q", "-b", "main")
    write(
        root / "subfolder",
        {f"apps/web/{name}": text for name, text in FILES.items()} | {"lib/shared.py": "s = 1\n"},
    )
    os.symlink("readme.md", root / "subfolder/apps/web/link")
    sh(root / "subfolder", "init", "-q", "-b", "main")
    sh(root / "subfolder", "add", "-A")
    sh(root / "subfolder", "commit", "-q", "-m", "first")
    return root


Make = Callable[[str], Workspace]


@pytest.fixture
def make(templates: Path, tmp_path: Path) -> Make:
    def made(kind: str) -> Workspace:
        top = tmp_path / "top"
        shutil.copytree(templates / kind, top, symlinks=True)
        project = top / "apps/web" if kind == "subfolder" else top
        return Workspace.find(project, project / ".podium")

    return made


@pytest.fixture
def space(make: Make) -> Workspace:
    return make("repository")


def opened(space: Workspace, **how: tuple[str, ...]) -> CodeView:
    folder = space.toplevel.parent / "views" / "step"
    return space.open_view(folder, space.checkpoint("before step", DATE, run_id=RUN), **how)


def kept(space: Workspace, view: CodeView, step: str = "build/1") -> str:
    paths = [change.path for change in space.changes(view)]
    return space.commit(view, RUN, f"{step}: work", trailers_of(RUN, step), DATE, paths)


def by_path(changes: tuple[Change, ...]) -> dict[str, str]:
    return {change.path: change.status for change in changes}


def files_in(folder: Path) -> dict[str, bytes]:
    found = {}
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in {".git", ".podium"}]
        for name in names:
            path = os.path.join(root, name)
            data = os.fsencode(os.readlink(path)) if os.path.islink(path) else Path(path).read_bytes()
            found[os.path.relpath(path, folder)] = data
    return found


def private_state(folder: Path) -> dict[str, bytes]:
    """All that belongs to the user and not to their files."""
    git = folder / ".git"
    return {
        "index": (git / "index").read_bytes() if (git / "index").exists() else b"",
        "head": (git / "HEAD").read_bytes(),
        "config": (git / "config").read_bytes(),
        "refs": b"".join(
            line + b"\n" for line in sh(folder, "for-each-ref").splitlines() if b"podium" not in line
        ),
        "stashes": sh(folder, "stash", "list"),
        "worktrees": sh(folder, "worktree", "list"),
        "hooks": b"\n".join(sorted(os.fsencode(name) for name in os.listdir(git / "hooks")))
        if (git / "hooks").exists()
        else b"",
    }


KINDS = ("repository", "unborn", "plain", "subfolder")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("repository", "repository"), ("unborn", "unborn"), ("plain", "plain"), ("subfolder", "repository")],
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
        Workspace.find(space.project / "scratch/inner", space.project / "scratch/inner/.podium").kind
        == "plain"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_agents_side_by_side_may_all_be_the_first_to_take_a_checkpoint(make: Make, kind: str) -> None:
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


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_way_is_the_same_for_every_kind(make: Make, kind: str) -> None:
    space = make(kind)
    before = files_in(space.toplevel)
    state = private_state(space.toplevel) if kind != "plain" else {}
    view = opened(space)
    assert files_in(view.folder) == before
    assert view.project == view.folder / space.prefix
    assert space.changes(view) == ()
    write(view.project, {"src/main.py": "print(2)\n", "new/file.txt": "n\n", "x.log": "ignored"})
    (view.project / "docs/plan.md").unlink()
    assert by_path(space.changes(view)) == {
        "docs/plan.md": "deleted",
        "new/file.txt": "added",
        "src/main.py": "modified",
    }
    assert space.ignored(view) == ("x.log",)
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
    assert not view.folder.exists()
    if kind != "plain":
        assert private_state(space.toplevel) == state


def dirty(folder: Path) -> None:
    """One of everything a checkout can have besides its commit."""
    write(folder, {"src/main.py": "staged\n"})
    sh(folder, "add", "src/main.py")
    write(folder, {"src/main.py": "staged, then edited\n", "fresh.txt": "untracked\n", "x.log": "ignored\n"})
    sh(folder, "mv", "docs/plan.md", "docs/renamed.md")
    (folder / "src/deep/util.py").unlink()
    (folder / "readme.md").chmod(0o755)
    (folder / "link").unlink()
    (folder / "link").symlink_to("bin.dat")
    for name in NASTY:
        write(folder, {f"odd/{name}": name.encode(errors="surrogateescape")})
    write(folder, {"odd/bin": bytes(range(256))})
    sh(folder, "add", "-N", "odd/bin")


def test_a_dirty_checkout_is_seen_as_it_is_and_stays_as_it_is(space: Workspace) -> None:
    sh(space.project, "stash", "list")
    write(space.project, {"readme.md": "stashed\n"})
    sh(space.project, "stash")
    dirty(space.project)
    status = sh(space.project, "status", "--porcelain=v2", "-z")
    state, files = private_state(space.project), files_in(space.project)
    view = opened(space)
    expected = {name: data for name, data in files.items() if name != "x.log"}
    assert files_in(view.folder) == expected
    assert os.access(view.folder / "readme.md", os.X_OK)
    assert space.changes(view) == ()
    for name in NASTY:
        write(view.folder, {f"odd/{name}": "changed", f"more/{name}": "added"})
    os.chmod(view.folder / "readme.md", 0o644)
    found = by_path(space.changes(view))
    assert found["readme.md"] == "mode"
    assert {path for path, status in found.items() if status == "added"} == {f"more/{name}" for name in NASTY}
    assert {path for path, status in found.items() if status == "modified"} == {
        f"odd/{name}" for name in NASTY
    }
    commit = kept(space, view)
    assert space.patch(view, found)
    assert private_state(space.project) == state
    landed = space.land(commit, view.checkpoint)
    assert landed.conflicts == ()
    assert files_in(space.project) == files_in(view.folder) | {"x.log": b"ignored\n"}
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
    assert one == two
    assert one.commit != space.head()
    assert space.checkpoint_of(one.commit) == one
    assert space.checkpoint("x", "2026-01-02T03:04:05.678901+00:00") == one


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


def test_a_checkpoint_survives_the_users_garbage_collection_until_the_sweep(space: Workspace) -> None:
    write(space.project, {"new.txt": "1"})
    point = space.checkpoint("x", DATE, run_id=RUN)
    sh(space.project, "gc", "-q", "--prune=now")
    assert space.checkpoint_of(point.commit) == point
    space.sweep(RUN)
    sh(space.project, "gc", "-q", "--prune=now")
    with pytest.raises(GitFailed):
        space.checkpoint_of(point.commit)


def test_an_edit_within_one_tick_of_the_clock_is_not_missed(space: Workspace) -> None:
    write(space.project, {"readme.md": "same!\n"})
    sh(space.project, "add", "readme.md")
    write(space.project, {"readme.md": "other\n"})
    view = opened(space)
    assert (view.folder / "readme.md").read_text() == "other\n"


def test_an_unfinished_merge_is_seen_with_its_markers(space: Workspace) -> None:
    sh(space.project, "switch", "-q", "-c", "side")
    write(space.project, {"readme.md": "side\n"})
    sh(space.project, "commit", "-qam", "side")
    sh(space.project, "switch", "-q", "main")
    write(space.project, {"readme.md": "main\n"})
    sh(space.project, "commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        sh(space.project, "merge", "side")
    state = private_state(space.project)
    view = opened(space)
    assert b"<<<<<<<" in (view.folder / "readme.md").read_bytes()
    assert private_state(space.project) == state


def test_hidden_files_are_not_in_the_view_and_are_kept_in_the_commit(space: Workspace) -> None:
    view = opened(space, hidden=("docs", "*.dat"))
    assert set(files_in(view.folder)) == {
        "readme.md",
        "src/main.py",
        "src/deep/util.py",
        ".gitignore",
        "link",
    }
    assert sh(view.folder, "status", "--porcelain") == b""
    assert sh(view.folder, "log", "--all", "--oneline").count(b"\n") == 1
    write(view.folder, {"src/main.py": "2\n"})
    commit = kept(space, view)
    assert sh(space.project, "diff", "--name-only", view.checkpoint.commit, commit) == b"src/main.py\n"


def test_a_file_written_where_one_is_hidden_is_told_and_refused(space: Workspace) -> None:
    view = opened(space, hidden=("docs/**",))
    write(view.folder, {"docs/plan.md": "guessed\n"})
    (change,) = space.changes(view)
    assert (change.status, change.hidden, change.allowed) == ("added", True, False)
    with pytest.raises(PodiumError):
        kept(space, view)
    shutil.rmtree(view.folder / "docs")
    write(view.folder, {"docs": "a file in place of the hidden folder\n"})
    with pytest.raises(PodiumError):
        kept(space, view)


def test_only_the_named_files_are_in_the_view(space: Workspace) -> None:
    view = opened(space, only=("src/**/*.py",), hidden=("src/deep",))
    assert set(files_in(view.folder)) == {"src/main.py", ".gitignore"}


def test_a_view_left_by_a_crash_is_replaced(space: Workspace) -> None:
    view = opened(space)
    write(view.folder, {"left.txt": "over"})
    (view.folder / "src").chmod(0)
    again = opened(space)
    assert space.changes(again) == ()
    assert "left.txt" not in files_in(again.folder)


def test_every_kind_of_change_is_reported(space: Workspace) -> None:
    view = opened(space)
    root = view.folder
    write(root, {"readme.md": "2\n", "huge.bin": b"x" * 5000, "scratch/deep/tmp": "i", "a.log": "i"})
    (root / "bin.dat").write_bytes(b"y" * 5000)
    (root / "src/main.py").chmod(0o755)
    (root / "docs/plan.md").unlink()
    os.symlink("/etc/passwd", root / "out")
    os.symlink("docs/../readme.md", root / "in")
    os.mkfifo(root / "pipe")
    os.mkfifo(root / "src/.gitignore")
    (root / "src/deep/util.py").unlink()
    os.mkfifo(root / "src/deep/util.py")
    found = {change.path: change for change in space.changes(view, max_bytes=1000)}
    assert by_path(tuple(found.values())) == {
        "bin.dat": "oversize", "docs/plan.md": "deleted", "huge.bin": "oversize", "in": "symlink", "out": "symlink",
        "pipe": "special", "readme.md": "modified", "src/.gitignore": "special", "src/deep/util.py": "special",
        "src/main.py": "mode",
    }  # fmt: skip
    assert (found["out"].target, found["out"].allowed, found["in"].allowed) == ("/etc/passwd", False, True)
    assert (found["huge.bin"].size, found["src/main.py"].new_mode) == (5000, "100755")
    assert space.ignored(view) == ("a.log", "scratch/")
    space.undo(view, found)
    assert space.changes(view) == ()


def test_an_unchanged_big_file_is_no_change(space: Workspace) -> None:
    assert space.changes(opened(space), max_bytes=1) == ()


def test_a_tracked_file_that_became_a_giant_is_not_read(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()

    def noted(git: Git, known: Mapping[str, Entry], paths: Iterable[str], *, store: bool) -> dict[str, Entry]:
        read.update(paths)
        return hashed(git, known, paths, store=store)

    monkeypatch.setattr(audit, "hashed", noted)
    view = opened(space)
    with (view.folder / "src/main.py").open("r+b") as file:
        file.truncate(1 << 28)
    found = space.changes(view)
    assert [(each.path, each.status, each.allowed, each.size) for each in found] == [("src/main.py", "oversize", False, 1 << 28)]
    assert "src/main.py" not in read
    assert "readme.md" in read
    assert b"not in this patch" in space.patch(view, ["src/main.py"])
    space.undo(view, ["src/main.py"])
    assert space.changes(view) == ()


def test_a_big_file_that_a_filter_makes_bigger_is_no_change_and_one_of_its_size_is_looked_at(space: Workspace) -> None:
    sh(space.project, "config", "filter.twice.clean", "head -c 2000")
    sh(space.project, "config", "filter.twice.smudge", "cat; head -c 3000 /dev/zero")
    write(space.project, {".gitattributes": "*.big filter=twice\n", "a.big": b"a" * 2000, "plain": b"p" * 5000})
    view = opened(space)
    assert (view.folder / "a.big").stat().st_size == 5000
    assert space.changes(view, max_bytes=1000) == ()
    write(view.folder, {"a.big": b"b" * 5000, "plain": b"q" * 5000})
    assert by_path(space.changes(view, max_bytes=1000)) == {"a.big": "oversize", "plain": "oversize"}


def test_an_agent_that_uses_git_changes_nothing_of_the_users(space: Workspace) -> None:
    write(space.project, {"readme.md": "stashed\n"})
    sh(space.project, "stash")
    state = private_state(space.project)
    view = opened(space)
    root = view.folder
    assert sh(root, "rev-parse", "main").decode().strip() == space.head()
    write(root, {"src/main.py": "committed\n"})
    sh(root, "commit", "-qam", "mine")
    write(root, {"new.txt": "amended\n"})
    sh(root, "add", "-A")
    sh(root, "commit", "-q", "--amend", "-m", "amended")
    sh(root, "switch", "-q", "-c", "topic")
    sh(root, "branch", "-f", "main", "topic")
    sh(root, "tag", "v9")
    write(root, {"readme.md": "to be stashed\n"})
    sh(root, "stash")
    sh(root, "stash", "drop")
    sh(root, "config", "core.hooksPath", "/tmp/evil")
    sh(root, "rm", "-q", "docs/plan.md")
    sh(root, "gc", "-q", "--prune=now")
    assert by_path(space.changes(view)) == {
        "docs/plan.md": "deleted",
        "new.txt": "added",
        "src/main.py": "modified",
    }
    space.land(kept(space, view), view.checkpoint)
    space.close_view(view)
    assert private_state(space.project) == state


@pytest.mark.parametrize("how", ["removed", "file", "init", "elsewhere", "attributes", "lying index"])
def test_what_an_agent_does_to_its_own_git_folder_does_not_matter(space: Workspace, how: str) -> None:
    view = opened(space)
    root = view.folder
    write(root, {"src/main.py": "2\n"})
    if how == "lying index":
        sh(root, "update-index", "--assume-unchanged", "src/main.py")
    elif how == "attributes":
        write(root, {".git/info/exclude": "*\n", ".git/info/attributes": "* -diff\n"})
    else:
        shutil.rmtree(root / ".git")
    if how == "file":
        write(root, {".git": "gitdir: /nonexistent\n"})
    elif how == "init":
        sh(root, "init", "-q")
    elif how == "elsewhere":
        os.symlink(space.project / ".git", root / ".git")
    state = private_state(space.project)
    assert by_path(space.changes(view)) == {"src/main.py": "modified"}
    space.close_view(view)
    assert not root.exists()
    assert private_state(space.project) == state


def test_a_repository_made_inside_hides_nothing(space: Workspace) -> None:
    view = opened(space)
    write(view.folder, {"src/added.py": "hidden?\n", "other/file.txt": "f\n", "odd/.GIT/x": "1"})
    sh(view.folder / "src", "init", "-q")
    sh(view.folder / "other", "init", "-q")
    sh(view.folder / "other", "add", "-A")
    sh(view.folder / "other", "commit", "-qm", "x")
    found = by_path(space.changes(view))
    assert found == {
        "odd/.GIT": "submodule", "other/.git": "submodule", "other/file.txt": "added", "src/.git": "submodule",
        "src/added.py": "added",
    }  # fmt: skip
    assert b"not in this patch" in space.patch(view, found)
    space.undo(view, [path for path, status in found.items() if status == "submodule"])
    assert by_path(space.changes(view)) == {"other/file.txt": "added", "src/added.py": "added"}


def test_a_folder_replaced_by_a_link_to_outside_is_undone_without_following_it(
    space: Workspace, tmp_path: Path
) -> None:
    write(tmp_path / "outside", {"main.py": "precious\n", "deep/util.py": "precious\n"})
    view = opened(space)
    shutil.rmtree(view.folder / "src")
    os.symlink(tmp_path / "outside", view.folder / "src")
    found = by_path(space.changes(view))
    assert found == {"src": "symlink", "src/deep/util.py": "deleted", "src/main.py": "deleted"}
    space.undo(view, found)
    assert space.changes(view) == ()
    assert files_in(tmp_path / "outside") == {"main.py": b"precious\n", "deep/util.py": b"precious\n"}


def test_strays_become_a_patch_that_applies(space: Workspace) -> None:
    view = opened(space)
    write(view.folder, {"bin.dat": b"\0new\xff", "src/stray.py": "s\n", "readme.md": "kept\n"})
    (view.folder / "docs/plan.md").unlink()
    strays = ["bin.dat", "src/stray.py", "docs/plan.md"]
    text = space.patch(view, strays)
    space.undo(view, strays)
    assert by_path(space.changes(view)) == {"readme.md": "modified"}
    (space.project.parent / "q.patch").write_bytes(text)
    sh(view.folder, "apply", str(space.project.parent / "q.patch"))
    assert by_path(space.changes(view)) == {
        "bin.dat": "modified", "docs/plan.md": "deleted", "readme.md": "modified", "src/stray.py": "added",
    }  # fmt: skip
    assert space.patch(view, strays, max_bytes=10).startswith(b"# Podium: the patch has")


@pytest.mark.parametrize("rule", ["*.sql -diff", "*.sql binary", "* -diff"])
def test_attributes_hide_no_text_from_whoever_reads_a_patch(space: Workspace, rule: str) -> None:
    write(space.project, {".gitattributes": f"{rule}\n"})
    view = opened(space)
    write(view.folder, {"m.sql": "DROP TABLE users;\n", "src/.gitattributes": "* -diff\n", "src/n.sql": "DROP TABLE n;\n"})
    paths = [change.path for change in space.changes(view)]
    for patch in (space.patch(view, paths), space.patch_of(kept(space, view), view.checkpoint)):
        assert b"\n+DROP TABLE users;\n" in patch
        assert b"\n+DROP TABLE n;\n" in patch


def test_an_unreadable_file_is_audited_all_the_same(space: Workspace) -> None:
    view = opened(space)
    write(view.folder, {"locked/secret.txt": "s"})
    (view.folder / "locked/secret.txt").chmod(0)
    (view.folder / "locked").chmod(0)
    assert by_path(space.changes(view)) == {"locked/secret.txt": "added"}
    space.close_view(view)


def test_deep_folders_are_changes_that_never_land_and_ignored_ones_are_scratch(space: Workspace) -> None:
    view = opened(space)
    (view.folder / "scratch").mkdir()
    for folder in (view.folder, view.folder / "scratch", view.folder / "src"):
        dig(folder, 1500)
    found = space.changes(view)
    assert [(each.status, each.allowed) for each in found] == [("deep", False), ("deep", False)]
    paths = [each.path for each in found]
    assert b"not in this patch" in space.patch(view, paths)
    space.undo(view, paths)
    assert space.changes(view) == ()
    space.close_view(view)
    assert not view.folder.exists()


def test_a_submodule_stays_an_empty_folder_and_what_is_put_in_it_is_a_stray(
    space: Workspace, tmp_path: Path
) -> None:
    write(tmp_path / "library", {"lib.c": "int x;\n"})
    sh(tmp_path / "library", "init", "-q")
    sh(tmp_path / "library", "add", "-A")
    sh(tmp_path / "library", "commit", "-qm", "lib")
    sh(space.project, "submodule", "--quiet", "add", str(tmp_path / "library"), "vendor/lib")
    sh(space.project, "commit", "-qm", "submodule")
    write(space.project, {"vendor/lib/lib.c": "dirty\n"})
    assert space.checkpoint("x", DATE).commit == space.head()
    view = opened(space)
    assert space.changes(view) == ()
    write(view.folder, {"vendor/lib/new.c": "int y;\n", "readme.md": "2\n"})
    assert by_path(space.changes(view)) == {"readme.md": "modified", "vendor/lib": "submodule"}
    assert b"not in this patch" in space.patch(view, ["vendor/lib"])
    with pytest.raises(PodiumError):
        kept(space, view)
    space.undo(view, ["vendor/lib"])
    assert space.land(kept(space, view), view.checkpoint).paths == ("readme.md",)
    assert (space.project / "vendor/lib/lib.c").read_text() == "dirty\n"


def test_hooks_and_filters_of_the_repository(space: Workspace) -> None:
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
    view = opened(space)
    assert (view.folder / "x.up").read_text() == "text\n"
    write(view.folder, {"x.up": "more\n"})
    commit = kept(space, view)
    assert sh(space.project, "cat-file", "blob", f"{commit}:x.up") == b"MORE\n"
    assert space.land(commit, view.checkpoint).conflicts == ()
    assert (space.project / "x.up").read_text() == "more\n"
    space.close_view(view)
    space.sweep(RUN)
    assert not (space.project.parent / "ran").exists()


def test_line_ends_are_the_users(space: Workspace) -> None:
    write(space.project, {"stored-crlf.txt": "a\r\nb\r\n"})
    sh(space.project, "add", "-A")
    sh(space.project, "commit", "-qm", "stored with CRLF")
    sh(space.project, "config", "core.autocrlf", "true")
    write(space.project, {"src/main.py": "print(1)\r\n"})
    view = opened(space)
    assert (view.folder / "src/main.py").read_bytes() == b"print(1)\r\n"
    assert space.changes(view) == ()
    assert sh(view.folder, "status", "--porcelain") == b""
    write(view.folder, {"src/main.py": "print(2)\r\n", "new.txt": "n\n", "stored-crlf.txt": "a\r\nc\r\n"})
    commit = kept(space, view)
    assert sh(space.project, "cat-file", "blob", f"{commit}:src/main.py") == b"print(2)\n"
    for _ in range(2):
        landed = space.land(commit, view.checkpoint)
        assert (len(landed.paths), landed.conflicts) == (3, ())
    assert (space.project / "src/main.py").read_bytes() == b"print(2)\r\n"
    assert (space.project / "stored-crlf.txt").read_bytes() == b"a\r\nc\r\n"


def test_verified_work_is_kept_on_the_runs_own_branch(space: Workspace) -> None:
    view = opened(space)
    write(view.folder, {"one.txt": "1\n"})
    first = kept(space, view, "build/1")
    assert kept(space, view, "build/1") == first
    space.land(first, view.checkpoint)
    view = opened(space)
    write(view.folder, {"two.txt": "2\n"})
    second = kept(space, view, "build/2")
    space.land(second, view.checkpoint)
    write(space.project, {"mine.txt": "the user's, meanwhile\n"})
    view = opened(space)
    write(view.folder, {"three.txt": "3\n"})
    third = kept(space, view, "build/3")
    branch = run_branch(RUN)
    assert sh(space.project, "rev-parse", branch, f"{third}~2", f"{third}~3").decode().split() == [
        third,
        second,
        first,
    ]
    assert sh(space.project, "rev-parse", f"{first}^").decode().strip() == space.head()
    assert sh(space.project, "show", "--name-only", "--format=", third) == b"three.txt\n"
    text = sh(space.project, "log", "-1", "--format=%an <%ae> %aI%n%(trailers:only)", first).decode()
    assert text.split("\n")[:3] == [
        f"Podium <podium@localhost> {DATE}",
        "Podium-Run: r-1",
        "Podium-Step: build/1",
    ]


def test_the_branch_is_not_moved_under_the_user(space: Workspace) -> None:
    view = opened(space)
    write(view.folder, {"one.txt": "1\n"})
    kept(space, view)
    sh(space.project, "switch", "-q", run_branch(RUN))
    write(view.folder, {"two.txt": "2\n"})
    with pytest.raises(Halted):
        kept(space, view, "build/2")


def test_a_subfolder_project_reports_what_was_changed_beside_it_and_never_commits_it(make: Make) -> None:
    space = make("subfolder")
    view = opened(space, hidden=("docs",))
    assert not (view.project / "docs").exists()
    write(
        view.folder, {"lib/shared.py": "s = 2\n", "apps/web/readme.md": "2\n", "y.log": "not ignored here\n"}
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
    space.undo(view, ["../../lib/shared.py", "../../y.log"])
    assert space.land(kept(space, view), view.checkpoint).paths == ("readme.md",)


@pytest.mark.parametrize("path", ["../x", "", ".", "/etc/passwd", "a/../.."])
def test_a_path_outside_the_repository_is_refused(space: Workspace, path: str) -> None:
    with pytest.raises(PodiumError):
        space.undo(opened(space), [path])


def test_a_users_linked_worktree_is_a_project_too(space: Workspace) -> None:
    other = space.project.parent / "linked"
    sh(space.project, "worktree", "add", "-q", str(other), "-b", "other")
    linked = Workspace.find(other, other / ".podium")
    write(other, {"untracked.txt": "1\n"})
    view = linked.open_view(space.project.parent / "view", linked.checkpoint("x", DATE))
    assert sh(view.folder, "log", "--oneline").count(b"\n") == 2
    write(view.folder, {"readme.md": "2\n"})
    assert linked.land(kept(linked, view), view.checkpoint).paths == ("readme.md",)
    assert (space.project / "readme.md").read_text() == "hello\n"


def test_a_sparse_checkout_has_a_whole_view(space: Workspace) -> None:
    whole = files_in(space.project)
    sh(space.project, "status")  # the copied files are new to the index
    sh(space.project, "sparse-checkout", "set", "src")
    assert "docs/plan.md" not in files_in(space.project)
    view = opened(space)
    assert files_in(view.folder) == whole
    assert space.changes(view) == ()


def test_a_view_is_closed_however_it_was_left(space: Workspace) -> None:
    view = opened(space)
    shutil.rmtree(view.folder)
    space.close_view(view)
    os.symlink(space.project, view.folder)
    space.close_view(view)
    assert files_in(space.project)
    assert not os.path.lexists(view.folder)
    space.sweep(RUN)
    assert sh(space.project, "for-each-ref", "refs/podium-kept") == b""
