"""If the engine dies while an agent runs, that dispatch is never audited. Protected files are
compared later.

Before a dispatch the protected files are stored on disk, by content. If the next owner finds
the dispatch unfinished and one of those files changed, nobody can tell whether the agent or
a person changed it: everything is restored, the changed versions are set aside, and a person
says whether they were theirs. So killing the engine is no way around a gate.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from podium.core import events
from podium.core.history import History
from podium.core.records import StepRecord
from podium.engine import documents
from podium.engine.gates import Rest, opened
from podium.engine.guarding import (
    MANIFEST,
    RunGuard,
    guard_home,
    persist,
    recalled,
    was_announced,
)
from podium.engine.session import Session
from podium.state.disk import ensure_folder
from podium.state.regular import read_regular
from podium.state.run_folder import family
from podium.verify.guard import Guard, Tampered

KEEP, RESTORE = "keep", "restore"
ASIDE = "aside"


def put_back(session: Session, *, edited: bool, kept: frozenset[str] = frozenset()) -> list[str]:
    """Restore every protected file that changed around an unfinished dispatch; returns their names.

    `edited`: the state file does not match the journal; `kept`: a person has just said that these
    are theirs.
    """
    if not _unfinished(session):
        return []
    edited = edited and os.path.relpath(session.folder.state, session.services.project) not in kept
    home = guard_home(session)
    guard = recalled(session)
    if guard is None:
        return [] if session.services.fresh else _forgotten(session, edited=edited)
    found = [(each.path, each.what, each.now, each.mode) for each in _changed(session, guard)]
    if edited:
        found.append((guard.state, "changed", session.folder.state.read_bytes(), 0o644))
    if found:
        # Set aside first: after a crash here it is asked again, after a crash once restored it is
        # still known what changed.
        _lay_aside(home / ASIDE, found)
        guard.files.tampered()
    if edited:
        session.folder.state.unlink()
    return [each["name"] for each in _index(home / ASIDE)]


def _changed(session: Session, guard: RunGuard) -> list[Tampered]:
    """What is not as it was, but for the state file and what the run writes again by itself."""
    guard.files.places = [each for each in guard.files.places if each[0] != guard.state]
    places = [guard.files.where(each.path) for each in guard.files.differences()]
    named = [(guard.files.name(each), each) for each in places]
    again = {name for name, _ in named if _made_again(session, name)}
    guard.files.kept = {name: each for name, each in guard.files.kept.items() if name not in again}
    guard.files.expect(
        each
        for name, each in named
        if was_announced(session, name, each) or (name in again and os.path.lexists(each))
    )
    return guard.files.differences()


def left_as_it_is(session: Session) -> list[str]:
    """What an end leaves for a person to look at: protected files that changed around a dispatch
    that was never audited.
    """
    home, said = guard_home(session), []
    if aside := _index(home / ASIDE):
        where = os.path.relpath(home / ASIDE, session.services.project)
        names = ", ".join(str(each["name"]) for each in aside)
        said.append(f"{names} changed while nobody watched and were put back; see {where}")
    guard = recalled(session) if _unfinished(session) else None
    if guard is not None and (changed := [each.path for each in _changed(session, guard)]):
        said.append(
            f"{', '.join(changed)} changed since {_unfinished(session)[0].key} was cut off; "
            "look whether that was you"
        )
    return said


def _made_again(session: Session, path: str) -> bool:
    """Whether it is a missing or unreadable document that the run writes again by itself, so
    that nobody need be asked.
    """
    ours = next((each for each in documents.projections(session) if each.path == path), None)
    if ours is None or ours.needed or ours.shared or ours.grows:
        return False
    text = session.text(path) or ""
    return not text.strip("\0 \t\r\n") or bool(ours.check(text))


def _forgotten(session: Session, *, edited: bool) -> list[str]:
    """The memory is written before the step is recorded: if it is gone, somebody removed it, which
    is a change too.

    What the run itself wrote is known by digest and is written again as the run stands; about the
    rest nothing is known.
    """
    home = guard_home(session)
    _make_way(home)
    files = RunGuard(session).files
    histories = [session.history, *_below(session)]
    written = {
        path: {each.documents.get(path) for each in histories} for path in session.history.documents
    }
    changed = [
        path
        for path, known in written.items()
        if session.digest(path) not in known and files.name(f"{session.root}/{path}")
    ]
    now = {path: read_regular(f"{session.root}/{path}") for path in changed}
    found = [
        (path, "deleted" if text is None else "changed", text or b"", 0o644)
        for path, text in now.items()
    ]
    if edited:
        name = os.path.relpath(session.folder.state, session.services.project)
        found.append((name, "changed", session.folder.state.read_bytes(), 0o644))
    if found:
        _lay_aside(home / ASIDE, found)
    if edited:
        session.folder.state.unlink()
    return [
        os.path.relpath(home, session.services.project),
        *(each["name"] for each in _index(home / ASIDE)),
    ]


def _make_way(home: Path) -> None:
    """Remove whatever is in the place of the memory."""
    if os.path.islink(home) or os.path.isfile(home):
        home.unlink()
    ensure_folder(home)
    if os.path.isdir(home / MANIFEST) and not os.path.islink(home / MANIFEST):
        shutil.rmtree(home / MANIFEST)


def _unfinished(session: Session) -> list[StepRecord]:
    """Dispatches of the run and its children that have no recorded end."""
    histories = [session.history, *_below(session)]
    return [record for each in histories for record in each.running() if record.kind == "dispatch"]


def _below(session: Session) -> list[History]:
    services, root = session.services, session.folder.root_id
    return [History(services.journal.read(each)) for each in family(services.project, root)[1:]]


def _index(aside: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads((aside / "index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    wanted = {"name": str, "what": str, "mode": int, "link": bool, "file": str}
    return [
        row
        for row in (found if isinstance(found, list) else [])
        if isinstance(row, dict)
        and all(isinstance(row.get(name), kind) for name, kind in wanted.items())
    ]


def _lay_aside(aside: Path, found: list[tuple[str, str, bytes, int]]) -> None:
    """Store the changed versions by number, with an index that says what each was."""
    ensure_folder(aside)
    index = []
    for number, (name, what, content, mode) in enumerate(found):
        (aside / str(number)).write_bytes(content)
        row = {
            "name": name,
            "what": what,
            "mode": stat.S_IMODE(mode),
            "link": stat.S_ISLNK(mode),
            "file": str(number),
        }
        index.append(row)
    (aside / "index.json").write_text(json.dumps(index, indent=1), encoding="utf-8")


def ask(session: Session, changed: list[str]) -> Rest:
    """Ask a person whose change it was; until they answer, the files stay as they were."""
    record = _unfinished(session)[0]
    number = 1 + sum(key.startswith(f"{record.key}/drift-") for key in session.history.gates)
    key = f"{record.key}/drift-{number}"
    aside = os.path.relpath(guard_home(session) / ASIDE, session.services.project)
    began = f"Podium died while {record.key} was running, and"
    if recalled(session) is not None:
        what = (
            f"{began} protected files have changed since: {', '.join(changed)}. Were these "
            "changes yours?"
        )
        found = f"They were put back; the changed versions are in {aside}."
    else:
        what = (
            f"{began} its record of protected files is gone: {', '.join(changed)}. Were these "
            "changes yours?"
        )
        found = (
            f"The run's own files are written again, and the changed versions are in {aside}. "
            "Nobody can say whether settings, roles or rules changed: check them yourself."
        )
    prompt = "\n".join(
        [what, found, f"{KEEP}: yes, apply them again.", f"{RESTORE}: no, leave them out."]
    )
    session.append(
        *(events.step_interrupted(each.key) for each in session.history.running()),
        events.contract_violated(record.key, changed, "protected"),
    )
    opened(session, key, session.run.step, "drift", prompt, [KEEP, RESTORE], {})
    return Rest(what, "drift", (key,))


def apply_decision(session: Session) -> frozenset[str]:
    """Before anything is read back: a person's `keep` puts the versions set aside back in place,
    once. Returns the names of those files.
    """
    aside, kept = guard_home(session) / ASIDE, frozenset[str]()
    if not aside.is_dir():
        return kept
    asked = [gate for gate in session.history.gates.values() if gate.choices == (KEEP, RESTORE)]
    decided = [gate for gate in asked if gate.decision]
    if not decided or any(gate.open for gate in asked):
        return kept
    if _taken_up(session, decided[-1].key):
        return kept  # these were set aside after the decision, which is therefore not about them
    if decided[-1].decision == KEEP:
        kept = _apply(session, aside)
    os.rename(aside, aside.with_name(f"aside-{len(decided)}"))
    return kept


def _taken_up(session: Session, gate: str) -> bool:
    """Whether the run has continued since the last decision at the gate: then that decision was
    applied.
    """
    types = [(str(each["type"]), each.get("key")) for each in session.opened.events]
    last = max(at for at, each in enumerate(types) if each == ("gate.decided", gate))
    return any(each == "run.resumed" for each, _ in types[last:])


def _target(session: Session, guard: Guard, name: str) -> Path | None:
    """Where a file belongs that was laid aside. The run may stand elsewhere now and guard other
    documents; those are files of the project like any.
    """
    parts = Path(name).parts
    if Path(name).is_absolute() or ".." in parts:
        return None
    with contextlib.suppress(KeyError):
        return Path(guard.where(name))
    return None if parts[:1] == (".git",) else session.place(name)


def _apply(session: Session, aside: Path) -> frozenset[str]:
    guard, applied = RunGuard(session).files, {}
    for each in _index(aside):
        target = _target(session, guard, each["name"])
        content = read_regular(aside / each["file"]) if each["file"].isdigit() else None
        if target is None or content is None:
            continue  # not an entry that was written here
        applied[each["name"]] = target
        target.unlink(missing_ok=True)
        if each["what"] == "deleted":
            continue
        ensure_folder(target.parent)
        if each["link"]:
            target.symlink_to(os.fsdecode(content.removeprefix(b"-> ")))
        else:
            target.write_bytes(content)
            target.chmod(each["mode"])
    # The dispatch of a child run stays unfinished until that is driven again; what the person kept
    # is not asked about twice.
    if (known := recalled(session)) is not None:
        known.files.expect(place for place in applied.values() if os.path.lexists(place))
        kept = known.files.kept
        known.files.kept = {
            name: each
            for name, each in kept.items()
            if name not in applied or os.path.lexists(applied[name])
        }
        persist(session, known)
    return frozenset(applied)
