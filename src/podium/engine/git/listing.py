"""The contents of a tree, and trees that differ from it in some paths, made without a process for each."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from podium.core.dataclass import dataclass
from podium.core.regex import regex
from podium.engine.git.git import Git, split
from podium.engine.git.index_file import Entry, algorithm_of
from podium.engine.git.objects import FOLDER, Objects

FULL_ID = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_MOST = 8
_LOCK = threading.Lock()
_KNOWN: OrderedDict[tuple[Path, str], Listing] = OrderedDict()
"""Cached, because what a full id names never changes."""


@dataclass(frozen=True)
class Listing:
    """Everything in a tree."""

    files: Mapping[str, Entry]
    """Path to mode and id; no folders."""
    levels: Mapping[str, Mapping[str, Entry]]
    """Folder ("" for the top) to its contents by name, including folders."""


def listing(git: Git, tree: str) -> Listing:
    if not FULL_ID.fullmatch(tree):
        return _listed(git, tree)
    return known(git, tree) or _remembered((git.git_dir, tree), _listed(git, tree))


def known(git: Git, tree: str) -> Listing | None:
    """The listing, if it is known without asking git."""
    with _LOCK:
        found = _KNOWN.get((git.git_dir, tree))
        if found is not None:
            _KNOWN.move_to_end((git.git_dir, tree))
    return found


def _remembered(key: tuple[Path, str], found: Listing) -> Listing:
    with _LOCK:
        _KNOWN[key] = found
        while len(_KNOWN) > _MOST:
            _KNOWN.popitem(last=False)
    return found


def _listed(git: Git, tree: str) -> Listing:
    files: dict[str, Entry] = {}
    levels: dict[str, dict[str, Entry]] = {"": {}}
    for line in split(git.run("ls-tree", "-r", "-t", "-z", "--full-tree", tree)):
        head, _, path = line.partition("\t")
        mode, _, key = head.split(" ")
        above, _, name = path.rpartition("/")
        levels[above][name] = (mode, key)
        if mode == FOLDER:
            levels[path] = {}
        else:
            files[path] = (mode, key)
    return Listing(files, levels)


def differing(old: Listing, new: Listing, folder: str = "") -> Iterator[tuple[str, Entry | None, Entry | None]]:
    """Each path that differs, with what each side has there; folders with the same id are skipped."""
    before, after = old.levels.get(folder, {}), new.levels.get(folder, {})
    for name in before.keys() | after.keys():
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        path = f"{folder}/{name}" if folder else name
        if (was and was[0] == FOLDER) or (now and now[0] == FOLDER):
            yield from differing(old, new, path)
            was, now = (None if each and each[0] == FOLDER else each for each in (was, now))
        if was or now:
            yield path, was, now


def in_the_way(files: Iterable[str], folders: Collection[str], made: Collection[str]) -> list[str]:
    """Of these files, which are in these folders, those that must go for what is made, although nobody asked for that.

    These are a file where a folder will be, and everything in a folder where a file will be.
    """
    needed = {above for path in made for above in above_all(path)}
    places = tuple(f"{path}/" for path in made if path in folders)
    return sorted(path for path in files if path not in made and (path in needed or path.startswith(places)))


def rebuilt(git: Git, tree: str, changes: Mapping[str, Entry | None]) -> str:
    """The tree with other entries at these paths, or none; nothing else may be in their way."""
    here = listing(git, tree)
    touched = {above for path in changes for above in above_all(path)} | {""}
    levels = {folder: dict(here.levels.get(folder, {})) for folder in touched}
    # Removals first, because a folder may come where a file was.
    for path, entry in sorted(changes.items(), key=lambda each: each[1] is not None):
        above, _, name = path.rpartition("/")
        if entry is None:
            levels[above].pop(name, None)
        else:
            levels[above][name] = entry
    objects = Objects(git, algorithm_of(tree))
    for folder in sorted(touched - {""}, key=lambda each: each.count("/"), reverse=True):
        above, _, name = folder.rpartition("/")
        if levels[folder]:
            levels[above][name] = (FOLDER, objects.tree(levels[folder]))
        elif levels[above].get(name, ("", ""))[0] == FOLDER:
            del levels[above][name]
    top = objects.tree(levels[""])
    files = {path: entry for path, entry in here.files.items() if path not in changes}
    files |= {path: entry for path, entry in changes.items() if entry is not None}
    whole = {folder: level for folder, level in {**here.levels, **levels}.items() if level or not folder}
    _remembered((git.git_dir, top), Listing(files, whole))
    return top


def above_all(path: str) -> Iterable[str]:
    """The folders that contain a path, except the top."""
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))

