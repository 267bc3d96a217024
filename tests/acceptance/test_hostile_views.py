"""What hostile agents and hostile tests do in a view stays in it, and the person is told."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.agents.confine.rooms import working
from tests.fakes.copyist import copyist
from tests.fakes.mounted import at_work
from tests.fakes.project import Project
from tests.fakes.repository import git

from podium.engine.views.machine import support
from podium.engine.workspace import Workspace

Run = Callable[..., Project]
OLD = "200001010000"
"""A time before any cache was written, as `touch` takes it."""
MAKEFILE = """\
test: build/app.checked
\t@! grep -q broken build/app.checked || { echo 'FAILED app: broken'; exit 1; }
build/app.checked: src/app.py
\t@mkdir -p build && cp src/app.py $@
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run in layered views, with a program for all roles that also does these deeds."""
    working("bubblewrap")
    if support(tmp_path / "probe").kind != "overlay":
        pytest.skip("this machine gives no layers")

    def drive(deeds: Mapping[str, str], files: Mapping[str, str], settings: str = "") -> Project:
        twin, own = tmp_path / "twin", tmp_path / "own"
        for folder in (twin, own):
            folder.mkdir()
        project = Project.at(own)
        test = "" if "[commands]" in settings else '[commands]\ntest = "sh tests.sh"\n'
        project.write("podium.toml", f'{test}{settings}\n[view]\nkind = "overlay"\n')
        for path, text in files.items():
            project.write(path, text)
        git(project.root, "add", "-A")
        git(project.root, "commit", "-q", "--allow-empty", "-m", "as the person left it")
        project.through(agent=copyist(Project.at(twin), tmp_path / "agent", deeds))
        return project

    return drive


def ignored_packages() -> dict[str, str]:
    return {
        ".gitignore": "*.log\nbuild/\nnode_modules/\n",
        "node_modules/dep/index.js": "module.exports = 1\n",
        "node_modules/.bin/runner": "if grep -q broken src/*.py; then exit 1; fi\n",
        "node_modules/other/index.js": "module.exports = 2\n",
    }


def judged(project: Project) -> set[str]:
    """The states in which the build's commands ended."""
    return {each["state"] for each in project.event("step.finished", key="build/1")["evidence"]}


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file in a folder: mode, time, content."""
    return {
        os.path.relpath(path, folder): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def test_installed_packages_are_the_persons_own_whatever_an_agent_does_to_them(
    run: Run, tmp_path: Path
) -> None:
    """Appended to, removed, linked and written through, made executable, timed back; the next step
    has them as they were.
    """
    place = tmp_path / "own/project/node_modules"
    deed = (
        "echo FORGED >>node_modules/dep/index.js; ln node_modules/other/index.js src/twin.js;"
        "echo FORGED >>src/twin.js; rm src/twin.js; rm -r node_modules/.bin;"
        f"touch -t {OLD} node_modules/other/index.js; chmod 4777 node_modules/other/index.js;"
        "mv node_modules/dep node_modules/stolen; true"
    )
    look = "cat node_modules/dep/index.js node_modules/other/index.js; ls -a node_modules; true"
    project = run({"build/1": deed, "qa/1": look}, ignored_packages())
    assert project.app.summary(project.run_id).status == "complete"
    assert sorted(each.name for each in place.iterdir()) == [".bin", "dep", "other"]
    everything = snapshot(place)
    assert not any(b"FORGED" in data for _, _, data in everything.values())
    assert not any(mode & stat.S_ISUID for mode, _, _ in everything.values())
    said = project.said("qa/1")
    assert "module.exports = 1" in said
    assert "module.exports = 2" in said
    assert "FORGED" not in said
    assert "stolen" not in said


def test_a_runner_that_is_forged_among_installed_packages_proves_nothing(run: Run) -> None:
    forge = (
        "echo 'VALUE = \"broken\"' >src/app.py;"
        "echo 'echo 14 passed; exit 0' >node_modules/.bin/runner; true"
    )
    settings = '[commands]\ntest = "sh node_modules/.bin/runner"\n'
    project = run({"build/1": forge}, ignored_packages(), settings)
    assert judged(project) == {"failed"}
    assert project.app.summary(project.run_id).status == "blocked"
    assert b"broken" not in project.path("src/app.py").read_bytes()


def test_an_old_file_time_does_not_let_a_build_cache_speak_for_broken_code(run: Run) -> None:
    """The cache of the checkout is brought, and what lands is newer than all of it."""
    files = {"Makefile": MAKEFILE, "build/app.checked": "VALUE = 1\n"}
    deed = (
        f"echo 'VALUE = \"broken\"' >src/app.py; touch -t {OLD} src/app.py;"
        "make test && echo THE CACHE SAYS YES; true"
    )
    project = run({"build/1": deed}, files, '[commands]\ntest = "make test"\n')
    assert "THE CACHE SAYS YES" in project.said("build/1"), "the lie works where it was told"
    assert judged(project) == {"failed"}
    assert project.app.summary(project.run_id).status == "blocked"
    assert "broken" not in project.text("src/app.py")


def test_marks_of_layers_hide_nothing_from_the_audit(run: Run, tmp_path: Path) -> None:
    """Whiteouts, opaque folders and redirects made by hand, other extended attributes, hard links
    to files of lower layers.
    """
    marks = (
        "import os\n"
        "for folder in ('src', '.'):\n"
        "    for name in ('opaque', 'redirect', 'metacopy', 'whiteout', 'origin'):\n"
        "        for space in ('user', 'trusted'):\n"
        "            try: os.setxattr(folder, f'{space}.overlay.{name}', b'y')\n"
        "            except OSError as fault: print(space, name, fault.strerror)\n"
        "try: os.setxattr('src/app.py', 'user.mine', b'1')\n"
        "except OSError: pass\n"
    )
    deed = (
        f"{shlex.quote(sys.executable)} -c {shlex.quote(marks)};"
        "mknod src/gone.py c 0 0; mknod src/old.py c 0 0; ln src/old.py src/stray.py;"
        "echo x >outside.md; true"
    )
    project = run({"qa/1": deed}, {})
    violated = project.events("contract.violated", key="qa/1")
    assert violated
    assert {"outside.md", "src/stray.py"} <= set(violated[0]["paths"])
    assert project.text("src/old.py") == "OLD = True\n"
    assert project.path("src/old.py").stat().st_nlink == 1
    assert not project.path("outside.md").exists()
    assert not project.path("src/stray.py").exists()
    assert os.listxattr(project.path("src/app.py")) == []


def test_a_mode_that_gives_rights_away_does_not_land(run: Run) -> None:
    deed = (
        "printf '#!/bin/sh\\ntrue\\n' >src/tool.sh; chmod 6755 src/tool.sh;"
        "chmod 4755 src/app.py; mkdir src/shut; echo x >src/shut/in.py; chmod 0 src/shut; true"
    )
    project = run({"build/1": deed}, {})
    assert project.app.summary(project.run_id).status == "complete"
    modes = {
        name: stat.S_IMODE(project.path(f"src/{name}").lstat().st_mode)
        for name in ("tool.sh", "app.py", "shut", "shut/in.py")
    }
    assert not any(mode & 0o6000 for mode in modes.values()), modes
    assert modes["tool.sh"] & stat.S_IXUSR
    assert project.text("src/shut/in.py") == "x\n"
    left = [*project.home.rglob("upper")]
    assert left == [], "a folder that was closed to everybody is removed with its view"


def test_a_view_is_frozen_while_the_checkout_is_edited_and_its_store_is_swept(
    tmp_path: Path,
) -> None:
    """The person edits, commits and installs, and old layers are removed, while a program is at
    work: it ends what it began on what it had.
    """
    project = Project.at(tmp_path)
    for path, text in ignored_packages().items():
        project.write(path, text)
    space = Workspace.find(project.root, project.root / ".podium", tmp_path / "store")
    if space.view_kind != "overlay":
        pytest.skip("this machine gives no layers")
    view = space.open_view(tmp_path / "view", space.checkpoint("x", "2026-01-02T03:04:05+00:00"))
    with at_work(view) as folder:
        project.write("src/app.py", "VALUE = 'edited'\n")
        project.path("src/old.py").unlink()
        git(project.root, "commit", "-q", "-a", "-m", "meanwhile")
        project.path("node_modules/dep/index.js").unlink()
        project.write("node_modules/dep/index.js", "module.exports = 'newer'\n")
        space.store.prune(now=2**33)
        space.dependencies.prune(now=2**33)
        assert (folder / "src/app.py").read_text() == "VALUE = 1\n"
        assert (folder / "src/old.py").exists()
        assert (folder / "node_modules/dep/index.js").read_text() == "module.exports = 1\n"
        (folder / "src/app.py").write_text("VALUE = 2\n")
    assert [change.path for change in space.changes(view)] == ["src/app.py"]


def test_a_test_that_rewrites_settings_roles_journal_and_hooks_rewrites_its_view(
    run: Run, tmp_path: Path
) -> None:
    """The project's own command is agents' code by now; it does not reach the project either."""
    root = tmp_path / "own/project"
    attack = (
        f"cd {root} 2>/dev/null; for place in podium.toml .podium/roles/build.md"
        " .podium/runs/T001-0001/journal.jsonl .podium/runs/T001-0001/state.json"
        " .git/hooks/post-commit .git/config; do"
        ' mkdir -p "$(dirname "$place")"; echo FORGED >>"$place"; chmod 755 "$place"; done\n'
        "if grep -q broken src/*.py; then exit 1; fi\n"
    )
    project = run({"build/1": f"printf %s {shlex.quote(attack)} >tests.sh; true"}, {})
    for path in (
        "podium.toml",
        ".podium/roles/build.md",
        ".git/hooks/post-commit",
        ".git/config",
        f".podium/runs/{project.run_id}/journal.jsonl",
        f".podium/runs/{project.run_id}/state.json",
    ):
        place = project.path(path)
        assert b"FORGED" not in (place.read_bytes() if place.exists() else b""), path
    assert "passed" not in judged(project), "it changed tracked files, so it judged nothing"
    assert project.app.summary(project.run_id).status == "blocked"
