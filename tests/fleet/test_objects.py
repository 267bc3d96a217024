"""Objects written without git are the ones that git would have written."""

import os
from pathlib import Path

import pytest
from tests.fakes.repository import git

from podium.engine.git.git import Git
from podium.engine.git.objects import FOLDER
from podium.engine.git.trees import FILE
from podium.fleet.parcels.objects import Objects

NOW = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_trees_and_commits_are_what_git_writes_and_pass_its_check(tmp_path: Path, form: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main", f"--object-format={form}")
    paths = {"a.txt": "a", "a/b.txt": "b", "a/c/d.txt": "d", "a-b": "x", "a.b/c": "y", "ü/ö": "z", "empty": ""}
    paths.pop("a.txt")
    for path, text in paths.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "add", "-A")
    wanted = git(tmp_path, "write-tree").strip()
    objects = Objects(Git(tmp_path / ".git", tmp_path))
    found = {path: (FILE, objects.blob(text.encode())) for path, text in paths.items()}
    assert objects.trees(found) == wanted
    first = objects.commit(wanted, [], "first", NOW)
    second = objects.commit(objects.tree({"all": (FOLDER, wanted)}), [first], "second\n\nwith a body\n", NOW)
    git(tmp_path, "update-ref", "refs/heads/main", second)
    assert git(tmp_path, "fsck", "--strict").strip() == ""
    assert git(tmp_path, "log", "--format=%s|%b|%at", "main").splitlines()[0] == "second|with a body"
    env = {"GIT_AUTHOR_DATE": NOW, "GIT_COMMITTER_DATE": NOW}
    same = Git(tmp_path / ".git", tmp_path).word("commit-tree", wanted, stdin=b"first\n", env=env)
    assert same == first


def test_objects_are_written_once_and_stay_as_they_are(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    key = Objects(Git(tmp_path / ".git", tmp_path)).blob(b"text")
    place = tmp_path / ".git" / "objects" / key[:2] / key[2:]
    os.utime(place, (1, 1))
    assert Objects(Git(tmp_path / ".git", tmp_path)).blob(b"text") == key
    assert place.stat().st_mtime == 1
    assert [each.name for each in place.parent.iterdir()] == [key[2:]]
