"""Trees and commits written without git are the ones that git would have written."""

from __future__ import annotations

import errno
import os
import random
import subprocess
from pathlib import Path

import pytest

from podium.engine.git.git import Git, GitFailed
from podium.engine.git.index_file import Entry
from podium.engine.git.listing import in_the_way, listing, rebuilt
from podium.engine.git.objects import Objects
from podium.engine.git.trees import between, commit_tree, composed, differences, scratch_index

RAW = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")


@pytest.fixture(params=["sha1", "sha256"])
def git(tmp_path: Path, request: pytest.FixtureRequest) -> Git:
    subprocess.run(["git", "init", "-q", f"--object-format={request.param}", str(tmp_path / "project")], check=True)
    return Git(tmp_path / "project/.git", tmp_path / "project")


def tree(git: Git, files: dict[str, Entry]) -> str:
    with scratch_index(git, files) as mine:
        return mine.word("write-tree")


def blob(git: Git, text: str) -> str:
    return git.word("hash-object", "-w", "--stdin", stdin=text.encode())


def test_a_tree_with_other_paths_is_the_one_that_git_makes(git: Git) -> None:
    draw = random.Random(7)
    blobs = [blob(git, str(each)) for each in range(5)]
    names = ["a", "a.b", "a-b", "a0", "b", "ü\n", os.fsdecode(b"\xff")]

    def drawn() -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for _ in range(draw.randint(0, 12)):
            path = "/".join(draw.choice(names) for _ in range(draw.randint(1, 4)))
            if not any(f"{one}/".startswith(f"{other}/") for each in found for one, other in ((path, each), (each, path))):
                found[path] = (draw.choice(["100644", "100755", "120000"]), draw.choice(blobs))
        return found

    here = drawn()
    at = tree(git, here)
    for _ in range(60):
        wanted = drawn()
        changes = {path: wanted.get(path) for path in here.keys() | wanted.keys() if here.get(path) != wanted.get(path)}
        left = here.keys() - changes.keys()
        assert in_the_way(left, listing(git, at).levels.keys(), wanted.keys() - left) == []
        made = rebuilt(git, at, changes)
        assert made == tree(git, wanted)
        assert listing(git, made).files == wanted
        told = differences(git.run(*RAW, at, made))
        assert [(each.path, each.old, each.new) for each in between(git, at, made)] == sorted((each.path, each.old, each.new) for each in told)
        here, at = wanted, made
    assert git.word("fsck", "--strict", "--no-dangling") == ""


def test_what_would_have_to_go_unasked_is_named() -> None:
    files, folders = ["a/b", "a/c", "d", "ab"], ["", "a"]
    assert in_the_way(files, folders, ["a"]) == ["a/b", "a/c"]
    assert in_the_way(["a/c", "d", "ab"], folders, ["a"]) == ["a/c"]
    assert in_the_way(files, folders, ["d/e/f"]) == ["d"]
    assert in_the_way(files, folders, ["a/b", "e", "abc"]) == []


@pytest.mark.parametrize("date", ["1970-01-01T00:00:00Z", "2026-03-01T12:00:00.250000+00:00", "2026-03-01T12:00:00-03:30"])
def test_a_commit_is_the_one_that_git_makes(git: Git, date: str) -> None:
    empty = tree(git, {})
    message = "Subject: ä\n\nA body.\n"
    env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    first = git.word("commit-tree", empty, stdin=message.encode(), env=env)
    assert commit_tree(git, empty, [], message, date) == first
    second = git.word("commit-tree", empty, "-p", first, stdin=b"second\n", env=env)
    assert commit_tree(git, empty, [first], "second", date) == second
    assert git.word("fsck", "--strict", "--no-dangling") == ""


def test_a_nul_in_an_agents_words_does_not_reach_a_commit() -> None:
    assert composed("Built\0 it", {"Podium-Step": "build\0/1"}) == "Built it\n\nPodium-Step: build/1"


def test_who_shares_the_repository_can_read_what_is_new_in_it_and_nobody_else(git: Git) -> None:
    objects = git.common / "objects"
    for mode, told in ((0o2770, 0o440), (0o755, 0o444), (0o700, 0o400)):
        objects.chmod(mode)
        key = Objects(git, "sha1").blob(str(mode).encode())
        made = objects / key[:2] / key[2:]
        assert (made.stat().st_mode & 0o7777, made.parent.stat().st_mode & 0o7777) == (told, mode)


def test_what_is_written_again_is_not_old_any_more(git: Git) -> None:
    key = Objects(git, "sha1").blob(b"text")
    place = git.common / "objects" / key[:2] / key[2:]
    os.utime(place, (1, 1))
    assert Objects(git, "sha1").blob(b"text") == key
    assert place.stat().st_mtime > 1
    assert [each.name for each in place.parent.iterdir()] == [key[2:]]


def test_objects_are_on_the_disk_before_they_have_their_names(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda each: (done.append("synced"), sync(each))[1])
    monkeypatch.setattr(os, "replace", lambda *each: (done.append("named"), replace(*each))[1])
    Objects(git, "sha1").blob(b"new")
    assert done == ["synced", "named"]


def test_a_repository_that_cannot_be_written_is_told_as_gits_trouble_and_a_full_disk_as_the_disks(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = Objects(git, "sha1").name("blob", b"text")
    (git.common / "objects" / key[:2]).write_text("no folder")
    with pytest.raises(GitFailed, match="cannot write"):
        Objects(git, "sha1").blob(b"text")
    (git.common / "objects" / key[:2]).unlink()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        Objects(git, "sha1").blob(b"text")
    assert list((git.common / "objects" / key[:2]).iterdir()) == []
