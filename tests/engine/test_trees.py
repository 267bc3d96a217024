"""Trees made from a tree and its changes are the ones that git's own index would write."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from podium.engine.git.git import Git
from podium.engine.git.trees import (
    FILE,
    PROGRAM,
    Entry,
    attribute_files,
    between,
    displaced,
    entries,
    hash_files,
    put,
    scratch_index,
    staged,
    write_tree,
)

NAMES = ["a", "b.txt", "ü ö", "new\nline", 'quo"te', "back\\slash", "-dash", "bad\udcff"]


@pytest.fixture(params=["sha1", "sha256"])
def git(tmp_path: Path, request: pytest.FixtureRequest) -> Git:
    place = tmp_path / "project"
    subprocess.run(["git", "init", "-q", f"--object-format={request.param}", place], check=True)
    return Git(place / ".git", place)


def blob(git: Git, text: str) -> str:
    return git.word("hash-object", "-w", "--stdin", stdin=text.encode())


def tree_by_index(git: Git, tree: str, changes: dict[str, Entry | None]) -> str:
    with scratch_index(git, tree) as mine:
        put(mine, changes)
        return mine.word("write-tree")


def test_random_changes_give_the_tree_that_an_index_gives(git: Git) -> None:
    chance = random.Random(7)
    tree = git.word("mktree")
    for number in range(40):
        changes: dict[str, Entry | None] = {}
        for _ in range(chance.randrange(1, 5)):
            path = "/".join(chance.choices(NAMES, k=chance.randrange(1, 4)))
            if any(
                path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in changes
            ):
                continue
            changes[path] = (chance.choice([FILE, PROGRAM]), blob(git, str(number)))
        for path in chance.sample(sorted(entries(git, tree)), k=min(2, len(entries(git, tree)))):
            changes.setdefault(path, None)
        expected = tree_by_index(git, tree, changes)
        assert write_tree(git, tree, changes) == expected
        tree = expected
    assert git.word("fsck", "--strict", "--no-dangling").strip() == ""
    assert git.word("for-each-ref") == ""


def test_no_change_is_the_same_tree_and_removing_everything_is_the_empty_one(git: Git) -> None:
    empty = git.word("mktree")
    tree = write_tree(git, empty, {"a/b": (FILE, blob(git, "x"))})
    assert write_tree(git, tree, {}) == tree
    assert write_tree(git, tree, {"a/b": None}) == empty
    assert write_tree(git, tree, {"never/there": None}) == tree


def test_what_is_in_the_way_of_a_new_entry_is_named(git: Git) -> None:
    name = blob(git, "x")
    tree = write_tree(git, git.word("mktree"), {"a/b": (FILE, name), "c": (FILE, name)})
    over_folder: dict[str, Entry | None] = {"a": (FILE, name)}
    over_file: dict[str, Entry | None] = {"c/d": (FILE, name)}
    assert displaced(git, tree, write_tree(git, tree, over_folder), over_folder) == ["a/b"]
    assert displaced(git, tree, write_tree(git, tree, over_file), over_file) == ["c"]
    both: dict[str, Entry | None] = {"a/b": None, "a": (FILE, name)}
    assert displaced(git, tree, write_tree(git, tree, both), both) == []


def test_entries_of_some_paths_are_those_of_the_whole_listing(git: Git) -> None:
    name = blob(git, "x")
    changes = {f"{folder}/{file}": (FILE, name) for folder in NAMES for file in NAMES}
    tree = write_tree(git, git.word("mktree"), changes)
    whole = entries(git, tree)
    assert whole == changes
    for path in [*changes, "a", "not/there"]:
        assert entries(git, tree, [path]) == ({path: whole[path]} if path in whole else {})
    assert entries(git, tree, [f"{'x' * 90}{number}" for number in range(2000)]) == {}


def test_entries_of_paths_that_lie_below_a_file_are_none(git: Git) -> None:
    tree = write_tree(git, git.word("mktree"), {"a": (FILE, blob(git, "a"))})
    assert entries(git, tree, ["a/b", "a/b/c"]) == {}


@pytest.mark.parametrize("many", [0, 3000])
def test_entries_within_a_few_places_and_within_many(git: Git, many: int) -> None:
    names = ("in/a", "in/deep/b", "in.c", "out/a", "single")
    tree = write_tree(git, git.word("mktree"), {name: (FILE, blob(git, name)) for name in names})
    places = ["in", "single", "single/x", "none", *(f"{'x' * 90}{count}" for count in range(many))]
    assert sorted(entries(git, tree, places, within=True)) == ["in/a", "in/deep/b", "single"]


def test_files_are_hashed_as_git_would_add_them(git: Git) -> None:
    write = git.work_tree.joinpath
    write("sub").mkdir()
    write("sub/.gitattributes").write_text("*.txt text eol=crlf\n*.up filter=up\n")
    git.run("config", "filter.up.clean", "tr a-z A-Z")
    write("sub/a.txt").write_bytes(b"a\r\nb\r\n")
    write("sub/b.up").write_text("word\n")
    write("run").write_text("#!/bin/sh\n")
    write("run").chmod(0o755)
    os.symlink("elsewhere", write("link"))
    paths = ["sub/a.txt", "sub/b.up", "run", "link"]
    rules = {"sub/.gitattributes": (FILE, blob(git, write("sub/.gitattributes").read_text()))}
    tree = write_tree(git, git.word("mktree"), rules)
    write("sub/.gitattributes").unlink()  # what the tree says still counts
    known = hash_files(git, tree, paths, store=True)
    assert git.run("cat-file", "blob", known["sub/a.txt"][1]) == b"a\nb\n"
    assert git.run("cat-file", "blob", known["sub/b.up"][1]) == b"WORD\n"
    assert git.run("cat-file", "blob", known["link"][1]) == b"elsewhere"
    assert known["run"][0] == PROGRAM
    assert hash_files(git, tree, paths, store=False) == known


def test_files_of_a_tree_are_checked_out_with_its_own_attributes(git: Git, tmp_path: Path) -> None:
    rules = blob(git, "*.txt text eol=crlf\n")
    files = {".gitattributes": (FILE, rules), "a/b.txt": (FILE, blob(git, "1\n2\n"))}
    tree = write_tree(git, git.word("mktree"), files)
    with staged(git, tree, ["a/b.txt"], tmp_path / "stage") as stage:
        assert (stage / "a/b.txt").read_bytes() == b"1\r\n2\r\n"
        assert sorted(path.name for path in stage.iterdir()) == ["a"]
    assert not (tmp_path / "stage").exists()


def test_attribute_files_are_those_of_every_folder_above() -> None:
    assert attribute_files(["a/b/c", "d"]) == {
        ".gitattributes",
        "a/.gitattributes",
        "a/b/.gitattributes",
    }


def test_differences_are_in_path_order_and_none_for_the_same_tree(git: Git) -> None:
    name = blob(git, "x")
    empty = git.word("mktree")
    tree = write_tree(git, empty, {"b": (FILE, name), "a/c": (PROGRAM, name)})
    assert [(row.path, row.new_mode) for row in between(git, empty, tree)] == [
        ("a/c", PROGRAM),
        ("b", FILE),
    ]
    assert between(git, tree, tree) == ()
