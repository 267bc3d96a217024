"""A view shows the code at the project's own path, privately, and says exactly what was changed."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.engine.views.conftest import DATE, Open, git, write
from tests.fakes.mounted import at_work, run_in

from podium.engine.git.trees import tree_of
from podium.engine.views.code_view import CodeView, Kind
from podium.engine.views.mounts import command
from podium.engine.workspace import Workspace


def output(view: CodeView, script: str) -> str:
    done = run_in(view, script)
    return (done.stdout + done.stderr).decode()


def listing(folder: Path) -> dict[str, str]:
    return {
        os.path.relpath(path, folder): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def test_a_view_has_the_files_of_the_checkout_and_the_dependencies(
    project: Path, opened: Open
) -> None:
    write(project, {"app.py": "x = 2, not committed\n", "new.py": "untracked\n"})
    expected = {name: text for name, text in listing(project).items() if name != ".env"}
    with at_work(opened()) as folder:
        assert listing(folder) == expected


def test_programs_find_the_project_at_its_own_path(project: Path, opened: Open, kind: Kind) -> None:
    view = opened()
    where = output(view, "pwd").strip()
    assert where == str(view.home / "copy" if kind == "copy" else project)


def test_what_programs_write_stays_in_the_view(project: Path, opened: Open) -> None:
    before = listing(project)
    view = opened()
    run_in(
        view,
        "echo y >>app.py; rm lib/a.py; rm -r docs; echo new >made.py;"
        "echo bad >node_modules/dep/index.js; echo bad >_version.py; chmod 755 lib/deep/b.py",
    )
    assert listing(project) == before
    with at_work(opened()) as folder:
        assert (folder / "node_modules/dep/index.js").read_text() == "module.exports = 1\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("true", {}),
        ("echo y >>app.py", {"app.py": "modified"}),
        ("echo 'x = 1' >app.py", {}),
        ("touch app.py; chmod 644 app.py", {}),
        ("chmod 755 app.py", {"app.py": "mode"}),
        ("rm app.py", {"app.py": "deleted"}),
        ("echo n >new.py", {"new.py": "added"}),
        ("mkdir -p a/b; echo n >a/b/c.py", {"a/b/c.py": "added"}),
        ("mkdir empty", {}),
        ("rm -r lib", {"lib/a.py": "deleted", "lib/deep/b.py": "deleted"}),
        (
            "rm -r lib; mkdir lib; echo z >lib/z.py",
            {"lib/a.py": "deleted", "lib/deep/b.py": "deleted", "lib/z.py": "added"},
        ),
        ("rm -r lib/deep; echo f >lib/deep", {"lib/deep": "added", "lib/deep/b.py": "deleted"}),
        ("rm app.py; mkdir app.py; echo i >app.py/i", {"app.py": "deleted", "app.py/i": "added"}),
        ("mv app.py moved.py", {"app.py": "deleted", "moved.py": "added"}),
        ("rm link; ln -s app.py link", {"link": "symlink"}),
        ("rm link; cp lib/a.py link", {"link": "symlink"}),
        ("ln -s /etc out", {"out": "symlink"}),
        ("mkfifo pipe", {"pipe": "special"}),
        ("git init -q sub; echo n >sub/n", {"sub/.git": "submodule", "sub/n": "added"}),
        ("echo l >a.log; echo bad >node_modules/x.js", {}),
        ("echo v >_version.py", {}),
        ("mkdir __pycache__; echo c >__pycache__/c.pyc", {}),
        ("echo 'hidden.py' >>.gitignore; echo h >hidden.py", None),
        ("echo 'dist/' >>.gitignore; mkdir dist; echo d >dist/d", {".gitignore": "modified"}),
        ("git add -A; git commit -qm x; git branch other", {}),
        ("printf 'x' >\"$(printf 'bytes-\\377')\"", {os.fsdecode(b"bytes-\xff"): "added"}),
        ("chmod 0 app.py; chmod 0 lib", {}),
    ],
)
def test_the_changes_are_exactly_what_programs_changed(
    workspace: Workspace, opened: Open, script: str, expected: dict[str, str] | None
) -> None:
    if expected is None:
        expected = {".gitignore": "modified"}
    view = opened()
    done = run_in(view, script)
    assert done.returncode == 0, done.stderr
    assert {change.path: change.status for change in workspace.changes(view)} == expected


def test_hidden_files_are_absent_and_git_does_not_know_them(
    workspace: Workspace, opened: Open
) -> None:
    view = opened(hidden=("docs/**", "lib/a.py"))
    assert (
        output(view, "ls; ls lib")
        == "_version.py\napp.py\nlib\nlink\nnode_modules\nrun.sh\ndeep\nnode_modules\n"
    )
    assert "does not exist" in output(view, "git show HEAD:docs/plan.md")
    name = git(workspace.project, "rev-parse", "HEAD:docs/plan.md").strip()
    assert "the plan" not in output(view, f"git cat-file -p {name}")
    assert output(view, "git status --short; git log --format=%s") == "The files of this step\n"
    run_in(view, "mkdir docs; echo mine >docs/plan.md")
    assert [(each.path, each.hidden) for each in workspace.changes(view)] == [
        ("docs/plan.md", True)
    ]


def test_a_brought_file_is_no_change_until_it_is_changed(
    workspace: Workspace, opened: Open, kind: Kind
) -> None:
    view = opened(hidden=("docs/**",))
    view.bring("docs/plan.md", b"what was hashed\n")
    assert output(view, "cat docs/plan.md; ls docs") == "what was hashed\nplan.md\n"
    if kind == "overlay":
        assert workspace.changes(view) == ()
    run_in(view, "echo more >>docs/plan.md")
    assert [each.path for each in workspace.changes(view)] == ["docs/plan.md"]


def test_git_works_inside_and_leaves_nothing(project: Path, opened: Open) -> None:
    write(project, {"app.py": "x = 2\n"})
    before = git(project, "for-each-ref"), git(project, "status", "--short")
    view = opened()
    assert output(view, "git status --short; git branch") == "* main\n"
    assert "x = 3" in output(view, "echo 'x = 3' >>app.py; git diff; git stash; git stash pop")
    assert output(view, "git commit -qam mine && git log --format=%s | head -1") == "mine\n"
    assert (git(project, "for-each-ref"), git(project, "status", "--short")) == before


def test_landed_work_is_one_more_layer_with_new_times(
    workspace: Workspace, project: Path, opened: Open, kind: Kind
) -> None:
    os.utime(project / "lib/a.py", (1_000_000_000, 1_000_000_000))
    git(project, "update-index", "--refresh")
    view = opened()
    run_in(view, "echo y >>app.py; rm -r lib/deep; touch -d 2020-01-01 app.py")
    paths = [change.path for change in workspace.changes(view)]
    commit = workspace.commit(view, "r-1", "work", {}, DATE, paths)
    landed = workspace.checkpoint_of(commit)
    later = opened(point=landed)
    with at_work(later) as folder:
        assert (folder / "app.py").read_text() == "x = 1\ny\n"
        assert not (folder / "lib/deep").exists()
        assert (folder / "app.py").stat().st_mtime > time.time() - 600
        if kind == "overlay":
            assert (folder / "lib/a.py").stat().st_mtime == 1_000_000_000
            assert len(workspace.store.stack(landed.tree)) == 2
    assert workspace.changes(later) == ()


def test_a_view_keeps_what_was_installed_when_it_was_opened(project: Path, opened: Open) -> None:
    view = opened()
    with at_work(view) as folder:
        place = project / "node_modules/dep/index.js"
        place.unlink()
        place.write_text("module.exports = 'newer'\n")
        assert (folder / "node_modules/dep/index.js").read_text() == "module.exports = 1\n"
    with at_work(opened()) as folder:
        assert "newer" in (folder / "node_modules/dep/index.js").read_text()


def test_only_one_program_at_a_time_is_at_work_in_a_layered_view(opened: Open, kind: Kind) -> None:
    view = opened()
    with at_work(view):
        done = run_in(view, "true")
    assert (done.returncode == 0) == (kind == "copy")
    assert run_in(view, "true").returncode == 0


@pytest.mark.parametrize("after_ms", [0, 3, 10, 30, 80])
def test_no_program_outlives_the_process_that_started_it(
    opened: Open, kind: Kind, tmp_path: Path, after_ms: int
) -> None:
    if kind == "copy":
        pytest.skip("ended by the shim")
    view = opened()
    mounts = view.mounts()
    assert mounts is not None
    beat = tmp_path / "beat"
    script = f"while :; do echo x >>{beat}; sleep 0.01; done"
    argv, plan = command(mounts, os.fspath(view.top), ("/bin/sh", "-c", f"({script}) & {script}"))
    parent = subprocess.Popen(
        ["/bin/sh", "-c", '"$@" & echo $!; wait', "sh", *argv],
        pass_fds=(plan,),
        stdout=subprocess.PIPE,
    )
    os.close(plan)
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(after_ms / 1000)
        os.kill(child, signal.SIGKILL)
        time.sleep(0.15)
        size = beat.stat().st_size if beat.exists() else 0
        time.sleep(0.1)
        assert (beat.stat().st_size if beat.exists() else 0) == size
        parent.kill()


def test_sixteen_views_at_once_know_nothing_of_each_other(
    workspace: Workspace, opened: Open
) -> None:
    point = workspace.checkpoint("test", DATE)
    views = [opened(point=point) for _ in range(16)]

    def work(number: int) -> tuple[str, list[str]]:
        view = views[number]
        said = output(
            view, f"echo {number} >mine{number}; echo {number} >>app.py; cat app.py mine*"
        )
        return said, [change.path for change in workspace.changes(view)]

    with ThreadPoolExecutor(16) as all_at_once:
        for number, (said, changed) in enumerate(all_at_once.map(work, range(16))):
            assert said == f"x = 1\n{number}\n{number}\n"
            assert changed == ["app.py", f"mine{number}"]


def test_a_view_whose_engine_was_killed_early_is_opened_again_and_nothing_is_left(
    workspace: Workspace, project: Path, opened: Open, kind: Kind, tmp_path: Path
) -> None:
    """Killed at any moment of the first hundredths of a second, with whatever it had mounted."""
    if kind != "overlay":
        pytest.skip("copies are mounted by nobody, or like this")
    view = opened()
    mounts = view.mounts()
    assert mounts is not None
    for number in range(20):
        argv, plan = command(mounts, os.fspath(view.top), ("/bin/sh", "-c", "sleep 77.7; true"))
        started = subprocess.Popen(argv, pass_fds=(plan,), start_new_session=True)
        os.close(plan)
        time.sleep(number * 0.004)
        started.kill()
        started.wait()
        deadline = time.monotonic() + 5
        while held(view) and time.monotonic() < deadline:
            time.sleep(0.005)
        assert not held(view), f"after {number * 4} ms"
    assert str(view.home) not in Path("/proc/mounts").read_text()
    workspace.close_view(view)
    assert not view.home.exists()
    assert output(opened(), "cat app.py") == "x = 1\n"


def held(view: CodeView) -> bool:
    """Whether a program is still at work in it: its lock is let go after everything it started."""
    folder = os.open(view.home, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(folder)
    return False


def test_a_saved_view_goes_on_where_it_was(workspace: Workspace, opened: Open) -> None:
    view = opened()
    run_in(view, "echo y >>app.py")
    again = CodeView.restored(view.home, view.saved())
    assert again is not None
    assert "y" in output(again, "cat app.py")
    assert [change.path for change in workspace.changes(again)] == ["app.py"]


def test_a_saved_view_whose_layers_are_gone_is_none(
    workspace: Workspace, opened: Open, remove: Callable[[Path], None]
) -> None:
    view = opened()
    saved = view.saved()
    remove(workspace.views / "frozen")
    remove(view.home / "copy")
    assert CodeView.restored(view.home, saved) is None


@pytest.fixture
def remove() -> Callable[[Path], None]:
    from podium.state.removal import remove_all  # noqa: PLC0415

    return remove_all


def test_a_project_below_the_top_level_is_worked_in_there(tmp_path: Path, kind: Kind) -> None:
    top = tmp_path / "top"
    write(top, {"one/app.py": "x\n", "two/other.py": "y\n"})
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "start")
    space = Workspace.find(top / "one", top / "one/.podium", tmp_path / "store")
    view = space.open_view(tmp_path / "view", space.checkpoint("x", DATE), kind=kind)
    assert output(view, "ls; cat ../two/other.py") == "app.py\ny\n"
    run_in(view, "echo z >>app.py; echo z >../two/other.py")
    paths = {change.path: change.allowed for change in space.changes(view)}
    assert paths == {"app.py": True, "../two/other.py": False}


def test_many_steps_stay_few_layers(workspace: Workspace, opened: Open, kind: Kind) -> None:
    if kind != "overlay":
        pytest.skip("copies have no layers")
    point = workspace.checkpoint("start", DATE)
    for number in range(30):
        view = opened(point=point)
        run_in(
            view, f"echo {number} >app.py; echo {number} >new{number}.py; rm -f new{number - 3}.py"
        )
        paths = [change.path for change in workspace.changes(view)]
        point = workspace.checkpoint_of(
            workspace.commit(view, "r-1", f"step {number}", {}, DATE, paths)
        )
    stack = workspace.store.stack(point.tree)
    assert len(stack) <= 25
    with at_work(opened(point=point)) as folder:
        assert (folder / "app.py").read_text() == "29\n"
        assert sorted(path.name for path in folder.glob("new*")) == [
            "new27.py",
            "new28.py",
            "new29.py",
        ]
    assert tree_of(workspace.git, point.commit) == point.tree


def test_the_code_before_a_run_has_the_dependencies_of_the_checkout_too(
    workspace: Workspace, opened: Open, project: Path
) -> None:
    """A checkpoint that is known by its commit alone, as after a resume."""
    point = workspace.checkpoint_of(workspace.checkpoint("test", DATE).commit)
    with at_work(opened(point=point)) as folder:
        assert (folder / "node_modules/dep/index.js").exists()
        assert not (folder / ".env").exists()


def test_a_file_too_large_for_git_is_there_as_a_dependency_is(
    workspace: Workspace, opened: Open, project: Path
) -> None:
    write(project, {"model.bin": "x" * 2000})
    view = opened(point=workspace.checkpoint("test", DATE, max_bytes=1000))
    with at_work(view) as folder:
        assert (folder / "model.bin").stat().st_size == 2000
        (folder / "model.bin").write_text("changed")
    assert workspace.changes(view) == ()
    assert (project / "model.bin").stat().st_size == 2000
