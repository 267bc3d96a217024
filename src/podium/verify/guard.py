"""Protected files of the project: remembered before a dispatch, restored after it.

Agents work in a view and never write in the project. But without a sandbox a program can
reach any file of its user, so the files with rules, roles, state and hooks are remembered
before a dispatch and compared after it. Any change to one of them while an agent runs is
taken to be the agent's: it is kept in quarantine and undone.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.state.regular import Signature, is_there, read_regular, signature, signature_of
from podium.state.removal import remove_all

MAX_KEPT = 1_000_000
"""Bytes of a protected file that are remembered; changes of larger files are only noticed, by
size and time.
"""

TICK_NS = 50_000_000
"""Longer than one clock tick of any file system that stores fractions of a second."""
COARSE_NS = 2_100_000_000
"""The same for file systems that store whole or even seconds."""
Same = Callable[[bytes | None, bytes | None], bool]
"""Whether the protected part of a file is the same in two versions; None means no file."""


@dataclass(frozen=True)
class Kept:
    """One protected path as it was."""

    mode: int
    content: bytes | None
    """None if the path is not a regular file, or is too large."""
    signature: Signature


@dataclass(frozen=True)
class Tampered:
    path: str
    what: str
    now: bytes
    """What was there, for the quarantine; may be truncated."""
    mode: int = 0o644


class Trail:
    """The signatures of everything that a look at all protected files depended on: if none
    changed, no file did.
    """

    def __init__(self) -> None:
        self.files: dict[str, Signature] = {}
        """Files and folders, links not followed."""
        self.above: dict[str, Signature] = {}
        """Folders in which a missing place would appear."""
        self.sure = True
        """False if a folder changed so recently that its next change might not be visible."""

    def is_unchanged(self) -> bool:
        return (
            self.sure
            and all(_signature_of_itself(where) == seen for where, seen in self.files.items())
            and all(signature_of(where) == seen for where, seen in self.above.items())
        )


class Guard:
    """Remembers every protected file below some roots."""

    def __init__(
        self, places: Sequence[tuple[str, Path]], parts: Mapping[str, Same] | None = None
    ) -> None:
        """Each place is (name for events, absolute file or folder). Of the files in `parts` only
        a part is protected.
        """
        self.parts = parts or {}
        self.places: list[tuple[str, str]] = []
        self.watch(places)
        self.kept: dict[str, Kept] = {}
        self._absent: dict[str, tuple[str, Signature]] = {}
        """Places that did not exist at the last look (about half of them, in any project): the
        deepest existing folder on the way to each, and that folder's signature.
        """
        self._listed: dict[str, tuple[Signature, list[tuple[str, bool]]]] = {}
        self._last: tuple[Trail, dict[str, Kept], list[tuple[str, str]]] | None = None
        """The last look that found everything as remembered, with the files and places it was
        about.
        """

    def watch(self, places: Sequence[tuple[str, Path]]) -> None:
        """Guard these places from now on; what is known about others is forgotten at the next
        look.
        """
        self.places = [(name, os.fspath(place)) for name, place in places]

    def remember(self, beside: str = "") -> bool:
        """Remember all files; unchanged ones are not read again. Returns whether any except
        `beside` is new, changed or gone.
        """
        if self._is_as_last():
            return False
        now: dict[str, Kept] = {}
        changed, trail = False, Trail()
        for name, where, facts in self._files(trail):
            known = self.kept.get(name)
            if known is not None and known.signature == signature(facts):
                now[name] = known
            else:
                now[name] = _keep(where, facts)
                changed = changed or name != beside
        changed = changed or len(now) != len(self.kept)
        self.kept = now
        self._last = (trail, now, self.places)
        return changed

    def _is_as_last(self) -> bool:
        """Whether a new look would find what the last one found; this takes a third of the time
        of a look.
        """
        if self._last is None:
            return False
        trail, kept, places = self._last
        return kept is self.kept and places is self.places and trail.is_unchanged()

    def tampered(self, spare: Callable[[], frozenset[str]] = frozenset) -> list[Tampered]:
        """Everything that differs from what was remembered; it is restored at once.

        `spare` is called only if something differs; it names files that somebody else may write.
        """
        found = self.differences()
        spared = spare() if found else frozenset()
        found = [each for each in found if each.path not in spared]
        for each in found:
            where = self.where(each.path)
            if each.what == "added":
                os.unlink(where)
            else:
                self._restore(each.path, where, self.kept[each.path])
        return found

    def differences(self) -> list[Tampered]:
        """What differs from what was remembered. Additions come first: one may be in the place
        of a folder to restore.
        """
        if self._is_as_last():
            return []
        trail, self._last = Trail(), None
        added: list[Tampered] = []
        changed: list[Tampered] = []
        present = set()
        for name, where, facts in self._files(trail):
            present.add(name)
            known = self.kept.get(name)
            if (
                name in self.parts
                and (known is None or known.signature != signature(facts))
                and self._alike(name, where, facts)
            ):
                continue
            if known is None:
                added.append(Tampered(name, "added", _read(where), facts.st_mode))
            elif known.signature != signature(facts):
                now = _keep(where, facts)
                if (now.mode, now.content) != (known.mode, known.content) or now.content is None:
                    changed.append(Tampered(name, "changed", _read(where), facts.st_mode))
        gone = [
            name
            for name in self.kept.keys() - present
            if not (name in self.parts and self._alike(name))
        ]
        deleted = [Tampered(name, "deleted", b"") for name in gone]
        if not (added or changed or deleted):
            self._last = (trail, self.kept, self.places)
        return [
            each
            for some in (added, changed, deleted)
            for each in sorted(some, key=lambda each: each.path)
        ]

    def _alike(self, name: str, where: str = "", facts: os.stat_result | None = None) -> bool:
        """Whether the protected part is unchanged; if so, the file is remembered as it is now,
        since the rest is not ours.
        """
        known = self.kept.get(name)
        now = _keep(where, facts) if facts is not None else None
        plain = [
            each
            for each in (known, now)
            if each is not None and each.content is not None and stat.S_ISREG(each.mode)
        ]
        if len(plain) < sum(each is not None for each in (known, now)):
            return False  # a link, a pipe, or too large to look into
        if not self.parts[name](known.content if known else None, now.content if now else None):
            return False
        if now is not None:
            self.kept[name] = now
        else:
            self.kept.pop(name, None)
        return True

    def expect(self, paths: Iterable[str | Path]) -> bool:
        """The engine itself wrote these: remember them as they are now. Returns whether any of
        them is protected.
        """
        found = False
        for path in paths:
            where = os.fspath(path)
            if name := self.name(where):
                kept = self.kept[name] = _keep(where, os.lstat(where))
                if self._last is not None:
                    self._last[0].files[where] = kept.signature
                found = True
        return found

    def name(self, where: str) -> str:
        """The name of a protected file in events; "" if the file is not protected."""
        for name, place in self.places:
            if where.startswith(place) and where[len(place) : len(place) + 1] in {"", "/"}:
                return name + where[len(place) :]
        return ""

    def _files(self, trail: Trail) -> Iterator[tuple[str, str, os.stat_result]]:
        looked = trail.above
        for name, place in self.places:
            above, seen = self._absent.get(place, ("", ()))
            if above and above not in looked:
                looked[above] = signature_of(above)
            if seen and looked[above] == seen:
                continue  # nothing was added to that folder
            try:
                facts = os.lstat(place)
            except OSError:
                trail.sure = self._missed(place, looked) and trail.sure
                continue
            if stat.S_ISDIR(facts.st_mode):
                yield from self._below(name, place, facts, trail)
            else:
                trail.files[place] = signature(facts)
                yield name, place, facts

    def _missed(self, place: str, looked: dict[str, Signature]) -> bool:
        """Remember the folder in which a missing place would appear; whether it is certain that
        it has not appeared meanwhile.
        """
        above = _last_there(place)
        seen = looked[above] = signature_of(above)
        certain = _settled(seen) and not is_there(place)
        if certain:
            self._absent[place] = (above, seen)
        return certain

    def _below(
        self, name: str, folder: str, facts: os.stat_result, trail: Trail
    ) -> Iterator[tuple[str, str, os.stat_result]]:
        """All files below a folder, links not followed; a folder with unchanged entries is not
        read again.
        """
        now = trail.files[folder] = signature(facts)
        known = self._listed.get(folder)
        if known is None or known[0] != now:
            known = (now, _listing(folder))
            if _settled(now):
                self._listed[folder] = known
            else:
                trail.sure = False
        for entry, is_folder in known[1]:
            path, where = f"{name}/{entry}", f"{folder}/{entry}"
            try:
                inner = os.lstat(where)
            except OSError:
                trail.sure = False
                continue
            if is_folder:
                yield from self._below(path, where, inner, trail)
            else:
                trail.files[where] = signature(inner)
                yield path, where, inner

    def where(self, name: str) -> str:
        """The path of a file that events call by this name."""
        for prefix, place in self.places:
            if name == prefix:
                return place
            if name.startswith(prefix + "/"):
                return os.path.join(place, name[len(prefix) + 1 :])
        raise KeyError(name)

    def _restore(self, name: str, where: str, known: Kept) -> None:
        if known.content is None:
            return
        _open_way(os.path.dirname(where))
        remove_all(where)
        os.makedirs(os.path.dirname(where), exist_ok=True)
        if stat.S_ISLNK(known.mode):
            os.symlink(known.content, where)
        else:
            with open(where, "wb") as file:
                file.write(known.content)
            os.chmod(where, stat.S_IMODE(known.mode))
        self.kept[name] = _keep(where, os.lstat(where))


def _signature_of_itself(path: str) -> Signature:
    try:
        return signature(os.lstat(path))
    except OSError:
        return ()


def _settled(seen: Signature) -> bool:
    """Whether another change would be visible: file clocks tick every few milliseconds, so two
    changes can look like one.
    """
    if not seen:
        return False
    tick = TICK_NS if seen[-1] % 1_000_000_000 else COARSE_NS
    return seen[-1] < time.time_ns() - tick


def _last_there(place: str) -> str:
    """The deepest existing folder on the way to a missing place."""
    above = os.path.dirname(place)
    while above != os.path.dirname(above) and not is_there(above):
        above = os.path.dirname(above)
    return above


def _keep(where: str, facts: os.stat_result) -> Kept:
    content: bytes | None = None
    if stat.S_ISLNK(facts.st_mode):
        content = os.readlink(os.fsencode(where))
    elif stat.S_ISREG(facts.st_mode) and facts.st_size <= MAX_KEPT:
        # None if an agent took away its owner's read access: then it counts as changed, whatever
        # its content.
        content = read_regular(where)
    return Kept(facts.st_mode, content, signature(facts))


def _read(where: str) -> bytes:
    facts = os.lstat(where)
    if stat.S_ISLNK(facts.st_mode):
        return b"-> " + os.readlink(os.fsencode(where))
    if not stat.S_ISREG(facts.st_mode):
        return b"(not a regular file)"
    try:
        with open(where, "rb") as file:
            return file.read(MAX_KEPT)
    except PermissionError:
        return b"(not readable)"


def _listing(folder: str) -> list[tuple[str, bool]]:
    try:
        entries = list(os.scandir(folder))
    except PermissionError:
        _open_way(folder)
        entries = list(os.scandir(folder))
    # git installs a dozen sample hooks, which it never runs.
    return sorted(
        (each.name, each.is_dir(follow_symlinks=False))
        for each in entries
        if not each.name.endswith(".sample")
    )


def _open_way(folder: str) -> None:
    """Restore the owner's access that an agent removed: a protected folder must stay readable
    and repairable.
    """
    if (
        os.path.isdir(folder)
        and not os.path.islink(folder)
        and not os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    ):
        os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode) | stat.S_IRWXU)
