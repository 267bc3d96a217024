"""Objects that nothing names are found; those of any parcel, however old, are not."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fakes.project import make
from tests.fakes.repository import git

from podium.core.digest import digest
from podium.core.errors import Halted
from podium.engine.workspace import Workspace
from podium.fleet.parcels.cleaning import named, unnamed
from podium.fleet.parcels.parcels import Parcels
from podium.fleet.store.folder import FolderStore
from podium.fleet.store.store import keep

NOW = "2026-01-02T03:04:05.000Z"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shared").mkdir()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    found = make(tmp_path / "project")
    (found / "large.json").write_text("a file of the project that is called so, too\n")
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "large.json")
    return found


def sent(project: Path, *texts: str) -> Parcels:
    (project / ".podium/runs/R1").mkdir(parents=True, exist_ok=True)
    workspace, store = (
        Workspace.find(project, project / ".podium"),
        FolderStore(project.parent / "shared"),
    )
    found = Parcels(workspace, str(project.parent / "remote.git"), "R1", 1, store=store, above=1000)
    for text in texts:
        (project / "model.bin").write_text(text)
        found.send(NOW)
    return found


def test_only_what_no_parcel_names_is_found_and_only_when_it_is_old(project: Path) -> None:
    parcels = sent(project, "a" * 2000, "b" * 2000)
    store = FolderStore(project.parent / "shared")
    (project.parent / "orphan").write_text("nobody's")
    keep(store, project.parent / "orphan", project.parent / "aside")
    mirror = project.parent / "mirror.git"
    assert named(parcels.remote, mirror) == {digest("a" * 2000), digest("b" * 2000)}
    assert [each.digest for each in unnamed(store, parcels.remote, mirror, time.time() + 5)] == [
        digest("nobody's")
    ]
    assert unnamed(store, parcels.remote, mirror, time.time() - 86_400) == []
    git(project.parent / "remote.git", "update-ref", "-d", "refs/podium/R1/1")
    assert len(unnamed(store, parcels.remote, mirror, time.time() + 5)) == 3


def test_a_parcel_that_cannot_be_read_keeps_everything(project: Path) -> None:
    parcels = sent(project, "a" * 2000)
    objects = parcels.objects
    tree = objects.tree({"large.json": ("100644", objects.blob(b"{}"))})
    git(
        project,
        "push",
        "-q",
        parcels.remote,
        f"{objects.commit(tree, [], 'R2: parcel of epoch 1', NOW)}:refs/podium/R2/1",
    )
    with pytest.raises(Halted, match="damaged"):
        unnamed(
            FolderStore(project.parent / "shared"),
            parcels.remote,
            project.parent / "mirror.git",
            time.time(),
        )


def test_the_command_lists_first_and_removes_when_told(project: Path) -> None:
    sent(project, "a" * 2000)
    store = FolderStore(project.parent / "shared")
    (project.parent / "orphan").write_text("nobody's")
    keep(store, project.parent / "orphan", project.parent / "aside")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent),
        "PYTHONPATH": str(ROOT / "src"),
        "PODIUM_FLEET__STORE": store.name,
        "PODIUM_FLEET__REMOTE": str(project.parent / "remote.git"),
    }

    def clean(*more: str) -> dict[str, object]:
        words = [sys.executable, "-m", "podium", "fleet", "clean", "--older", "-1", "--json", *more]
        done = subprocess.run(
            words, cwd=project, env=environ, capture_output=True, text=True, check=True, timeout=60
        )
        return json.loads(done.stdout)

    wanted = [{"digest": digest("nobody's"), "size": 8}]
    assert clean() == {"objects": wanted, "removed": False}
    assert clean("--remove") == {"objects": wanted, "removed": True}
    assert clean() == {"objects": [], "removed": False}
    assert store.has(digest("a" * 2000), 2000)
