"""The objects of a parcel are the ones that git's own index would write."""

import os
from pathlib import Path

import pytest
from tests.fakes.repository import git

from podium.engine.git.git import Git
from podium.engine.git.trees import FILE, FOLDER
from podium.fleet.parcels.objects import Objects

NOW = "2026-01-02T03:04:05.000Z"
TEXTS = {"a/b.txt": "b", "a/c/d.txt": "d", "a-b": "x", "a.b/c": "y", "ü/ö": "z", "new\nline": ""}


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_trees_and_commits_are_what_git_writes_and_pass_its_check(
    tmp_path: Path, form: str
) -> None:
    git(tmp_path, "init", "-q", "-b", "main", f"--object-format={form}")
    for path, text in TEXTS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "add", "-A")
    wanted = git(tmp_path, "write-tree").strip()
    objects = Objects(Git(tmp_path / ".git", tmp_path))
    names = objects.files(tmp_path, [*TEXTS, "not there"])
    assert objects.tree({path: (FILE, name) for path, name in names.items()}) == wanted
    first = objects.commit(wanted, [], "first", NOW)
    outer = objects.join({"all": (FOLDER, "tree", wanted)})
    second = objects.commit(outer, [first], "second\n\nwith a body\n", NOW)
    git(tmp_path, "update-ref", "refs/heads/main", second)
    assert git(tmp_path, "fsck", "--strict").strip() == ""
    log = git(tmp_path, "log", "--format=%s|%b|%at", "main").splitlines()
    assert log[0] == "second|with a body"


def test_contents_are_kept_byte_for_byte_whatever_the_project_says(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "core.autocrlf", "true")
    (tmp_path / ".gitattributes").write_text("* text=auto eol=crlf\n")
    (tmp_path / "a.txt").write_bytes(b"1\r\n2\n")
    objects = Objects(Git(tmp_path / ".git", tmp_path))
    name = objects.files(tmp_path, ["a.txt"])["a.txt"]
    assert objects.git.run("cat-file", "blob", name) == b"1\r\n2\n"
    assert objects.blob(os.fsencode("x")) == objects.blob(b"x")
