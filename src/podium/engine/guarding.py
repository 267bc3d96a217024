"""The tamper guard around dispatches: one memory per run, however many dispatches are under way."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from podium.core.digest import digest
from podium.core.globs import matches
from podium.core.history import History
from podium.engine.git.marks import same_but_for_marks
from podium.engine.session import Session
from podium.settings.own_table import SHARED, same_table
from podium.state.disk import ensure_folder
from podium.state.regular import read_regular
from podium.state.run_folder import RunFolder
from podium.verify.guard import Guard, Kept, Tampered

PLACES = (".github/agents", ".claude/agents", ".podium/roles", "governance", "podium.toml", SHARED)
"""Files of roles and rules in every workflow; each workflow names what else is protected."""
PARTS = {SHARED: same_table, ".git/config": same_but_for_marks}
"""Files of which only one part is protected; anyone may change the rest."""
GIT = ("hooks", "config", "info/attributes", "info/exclude")
"""What git runs or obeys, in the project's repository."""
OF_ONE = "config.worktree"
"""Further configuration for one worktree; git reads it if a person turned that on, as a sparse
checkout does.
"""
MANIFEST = "manifest.json"
COMING = "coming.json"


def git_places(project: Path) -> list[tuple[str, Path]]:
    """What is guarded in the project's repository; found without calling git, which would take
    milliseconds.
    """
    for folder in (project, *project.parents):
        own = common = folder / ".git"
        if own.is_file():  # a linked worktree: hooks and configuration are in the common folder
            said = own.read_text(errors="replace").partition("gitdir:")[2].strip()
            own = common = (folder / said).resolve()
            if (own / "commondir").is_file():
                common = (own / (own / "commondir").read_text().strip()).resolve()
        if own.is_dir():
            return [
                *((f".git/{name}", common / name) for name in GIT),
                (f".git/{OF_ONE}", own / OF_ONE),
            ]
    return []


def rules(project: Path) -> dict[str, str]:
    """The files of roles and rules and git's hooks by name, each with its digest. Settings are
    compared by value, and anybody may change the rest of git's configuration.
    """
    left_out = {"podium.toml", SHARED, ".git/config"}
    places = [*((name, project / name) for name in PLACES), *git_places(project)]
    guard = Guard([each for each in places if each[0] not in left_out])
    guard.remember()
    return {name: digest(kept.content or b"") for name, kept in guard.kept.items()}


class RunGuard:
    """The guard of one root run and its journal."""

    def __init__(self, session: Session) -> None:
        self.session = session
        project = session.services.project
        top = RunFolder(project, session.folder.root_id)
        self.state = str(top.state.relative_to(project))
        self.own = self._own()
        self.files = Guard(self.places(), PARTS)
        self.persisted = ""
        self.active = 0
        """Dispatches under way."""
        self.entries: dict[str, tuple[Kept, list[Any]]] = {}

    def look(self) -> None:
        """Watch what is protected as the run stands now: new documents appear as it goes on."""
        own = self._own()
        if own != self.own:
            self.own = own
            self.files.watch(self.places())

    def _own(self) -> list[str]:
        workflow, run = self.session.workflow, self.session.run
        own = [each.path for each in workflow.projections(run, self.session.history, "")]
        own += (pattern.removesuffix("/**") for pattern in workflow.protected(run))
        # Podium's and git's own folders are guarded below, by their files that matter.
        return [
            path
            for path in dict.fromkeys(own)
            if path not in {".podium", ".git"} and "*" not in path
        ]

    def places(self) -> list[tuple[str, Path]]:
        """Every protected file and folder."""
        project, own = self.session.services.project, self.own
        top = RunFolder(project, self.session.folder.root_id)
        names = [
            *PLACES,
            *(path for path in own if not matches(path, (*PLACES, *(o for o in own if o != path)))),
        ]
        places = [(name, project / name) for name in names]
        places += git_places(project)
        return places + [
            (str(path.relative_to(project)), path) for path in (top.state, top.request)
        ]

    def tampered(self) -> list[Tampered]:
        found = self.files.tampered(spare=self._of_other_runs)
        journal = self.session.services.journal
        if not journal.intact(self.session.opened):
            path = self.session.folder.journal
            now = path.read_bytes()[-10_000:] if path.is_file() else b""
            journal.repair(self.session.opened)
            found.append(
                Tampered(str(path.relative_to(self.session.services.project)), "changed", now)
            )
        return found

    def _of_other_runs(self) -> frozenset[str]:
        """Documents of other runs that are being driven now, which their engines may write.
        Called only after a change.
        """
        services, own = self.session.services, self.session.folder.root_id
        found: set[str] = set()
        for run in services.journal.runs():
            if run != own and services.journal.holder(run) is not None:
                found.update(History(services.journal.read(run)).documents)
        return frozenset(found)


def shared_guard(session: Session) -> RunGuard:
    """One guard for a run and its children: a dispatch must not remember what a parallel one has
    just changed.
    """
    guard: RunGuard = session.guard or RunGuard(session)
    session.guard = guard
    return guard


def guard_of(session: Session) -> RunGuard:
    """The run's guard, with everything protected remembered, in memory and on disk.

    Only the first of several dispatches looks again: otherwise a change that another one made
    meanwhile would be accepted.
    """
    guard = shared_guard(session)
    guard.active += 1
    if guard.active == 1:
        guard.look()
        changed = guard.files.remember(beside=guard.state)
        if changed or not guard.persisted:
            persist(session, guard)
    return guard


def guard_home(session: Session) -> Path:
    return RunFolder(session.services.project, session.folder.root_id).path / "guard"


def persist(session: Session, guard: RunGuard) -> None:
    """Store what the guard remembers, by content; only new content is written."""
    home = guard_home(session)
    # The state file is left out: it changes with every step, and the journal can rebuild it.
    found = {
        name: _entry(session, guard, home, name, kept)
        for name, kept in guard.files.kept.items()
        if name != guard.state
    }
    text = json.dumps(
        {"files": found, "places": [name for name, _ in guard.files.places]}, sort_keys=True
    )
    if text != guard.persisted:
        ensure_folder(home)
        # After a power cut a new file that was not synced is empty, and a lost manifest looks like
        # tampering.
        session.services.disk.save(
            home / MANIFEST, text.encode(), sync=not os.path.lexists(home / MANIFEST)
        )
        guard.persisted = text


def _entry(session: Session, guard: RunGuard, home: Path, name: str, kept: Kept) -> list[Any]:
    known = guard.entries.get(name)
    if known is None or known[0] is not kept:
        known = guard.entries[name] = (kept, _stored(session, home, kept))
    return known[1]


def _stored(session: Session, home: Path, kept: Kept) -> list[Any]:
    """Mode, name of the stored content, and the signature if the file is too large to store."""
    if kept.content is None:
        return [kept.mode, "", list(kept.signature)]
    name = digest(kept.content).removeprefix("sha256:")
    where = f"{home}/{name}"
    if _content(name, where) is None:  # new, or damaged by a power cut
        ensure_folder(home)
        session.services.disk.save(where, kept.content)
    return [kept.mode, name, [0, 0, 0, 0]]


def announced(session: Session, path: str | Path, content: bytes) -> None:
    """Announce what the engine is about to write while agents may be running.

    If the process dies between the write and `expected`, the next owner would otherwise take the
    write for somebody else's.
    """
    guard = session.guard
    # A sibling's dispatch may have ended without being recorded; only a run without siblings knows
    # that none is under way.
    beside = guard is not None and (guard.active or session.prefix)
    if guard is not None and beside and (name := guard.files.name(os.fspath(path))):
        ensure_folder(guard_home(session))
        session.services.disk.save(
            guard_home(session) / COMING, json.dumps([name, digest(content)]).encode()
        )


def was_announced(session: Session, name: str, where: str) -> bool:
    """Whether the content there is what the engine last announced."""
    try:
        coming = json.loads((guard_home(session) / COMING).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    content = read_regular(where) if coming[0] == name else None
    return content is not None and coming[1] == digest(content)


def recalled(session: Session) -> RunGuard | None:
    """The guard of the previous owner, with what it watched and remembered; None if that cannot
    be read.
    """
    home = guard_home(session)
    guard = RunGuard(session)
    try:
        manifest = json.loads((home / MANIFEST).read_text(encoding="utf-8"))
        guard.files.watch([each for each in guard.places() if each[0] in manifest["places"]])
        guard.files.kept = {
            name: Kept(
                mode,
                _content(stored, f"{home}/{stored}", guard.files.where(name)),
                tuple(signature),
            )
            for name, (mode, stored, signature) in manifest["files"].items()
        }
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):  # missing, or not what was written there
        return None
    return guard


def remember_anew(session: Session) -> None:
    """If the memory is lost and a person was asked about it: start again from what is there."""
    guard = RunGuard(session)
    guard.files.remember()
    persist(session, guard)


def _content(stored: str, *places: str) -> bytes | None:
    """The content with that digest, from where it is stored or where it belongs; None if it is
    in neither place.
    """
    for where in places if stored else ():
        data = _plain(where)
        if data is not None and digest(data) == f"sha256:{stored}":
            return data
    return None


def _plain(where: str) -> bytes | None:
    return os.fsencode(os.readlink(where)) if os.path.islink(where) else read_regular(where)


def expected(session: Session, *paths: str | Path) -> None:
    """Tell the guard that the engine itself wrote these, while agents may be running."""
    if session.guard is not None and session.guard.files.expect(paths):
        persist(session, session.guard)
