"""An engine that dies while an agent runs never audits that dispatch. What was protected is compared later.

Before a dispatch the protected files are kept on disk, by content. If the next owner finds
the dispatch unfinished and one of those files changed, nobody can tell whether the agent or
a person changed it: everything is put back as it was, the changed versions are laid aside,
and a person says whether they were theirs. Killing the engine is no way around a gate.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from podium.core import events
from podium.core.history import History, StepRecord
from podium.engine.gates import Rest, opened
from podium.engine.guarding import RunGuard, guard_home, recalled, was_announced
from podium.engine.session import Session
from podium.state.disk import ensure_folder
from podium.state.run_folder import family

KEEP, RESTORE = "keep", "restore"
ASIDE = "aside"


def put_back(session: Session, *, edited: bool) -> list[str]:
    """Restore every protected file that changed around an unfinished dispatch; their names.

    `edited`: the state file does not say what the journal says.
    """
    if not _unfinished(session):
        return []
    home = guard_home(session)
    guard = recalled(session)
    if guard is None:
        return []
    guard.files.places = [each for each in guard.files.places if each[0] != guard.state]
    places = [guard.files.where(each.path) for each in guard.files.differences()]
    guard.files.expect(each for each in places if was_announced(session, guard.files.name(each), each))
    found = [(each.path, each.what, each.now, each.mode) for each in guard.files.differences()]
    if edited:
        found.append((guard.state, "changed", session.folder.state.read_bytes(), 0o644))
    if found:
        # Laid aside first: a crash here asks again, a crash after the restoring still knows what was changed.
        _lay_aside(home / ASIDE, found)
        guard.files.tampered()
    if edited:
        session.folder.state.unlink()
    return [each["name"] for each in _index(home / ASIDE)]


def _unfinished(session: Session) -> list[StepRecord]:
    """Dispatches that nobody saw the end of, of the run and of its children."""
    services, root = session.services, session.folder.root_id
    histories = [session.history]
    histories += [History(services.journal.read(each)) for each in family(services.project, root)[1:]]
    return [record for each in histories for record in each.running() if record.kind == "dispatch"]


def _index(aside: Path) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads((aside / "index.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return found


def _lay_aside(aside: Path, found: list[tuple[str, str, bytes, int]]) -> None:
    """The changed versions by number, with an index that says what each was."""
    ensure_folder(aside)
    index = []
    for number, (name, what, content, mode) in enumerate(found):
        (aside / str(number)).write_bytes(content)
        row = {"name": name, "what": what, "mode": stat.S_IMODE(mode), "link": stat.S_ISLNK(mode), "file": str(number)}
        index.append(row)
    (aside / "index.json").write_text(json.dumps(index, indent=1), encoding="utf-8")


def ask(session: Session, changed: list[str]) -> Rest:
    """A person says whose change it was; until then the files are as they were."""
    record = _unfinished(session)[0]
    number = 1 + sum(key.startswith(f"{record.key}/drift-") for key in session.history.gates)
    key = f"{record.key}/drift-{number}"
    aside = os.path.relpath(guard_home(session) / ASIDE, session.services.project)
    prompt = (
        f"The engine died while {record.key} was under way, and protected files changed since: {', '.join(changed)}. "
        f"They were put back; the changed versions are in {aside}. Were these changes yours? "
        f"{KEEP}: apply them again. {RESTORE}: leave them out."
    )
    session.append(
        *(events.step_interrupted(each.key) for each in session.history.running()),
        events.contract_violated(record.key, changed, "protected"),
    )
    opened(session, key, session.run.step, "drift", prompt, [KEEP, RESTORE], {})
    return Rest(prompt, "drift", (key,))


def apply_decision(session: Session) -> None:
    """Before anything is read back: a person's `keep` puts the laid-aside versions in place once."""
    aside = guard_home(session) / ASIDE
    if not aside.is_dir():
        return
    decided = [gate for gate in session.history.gates.values() if gate.kind == "drift" and gate.decision]
    if not decided or any(gate.kind == "drift" and gate.open for gate in session.history.gates.values()):
        return
    if decided[-1].decision == KEEP:
        _apply(session, aside)
    os.rename(aside, aside.with_name(f"aside-{len(decided)}"))


def _apply(session: Session, aside: Path) -> None:
    guard = RunGuard(session).files
    for each in _index(aside):
        target = Path(guard.where(each["name"]))
        content = (aside / each["file"]).read_bytes()
        target.unlink(missing_ok=True)
        if each["what"] == "deleted":
            continue
        ensure_folder(target.parent)
        if each["link"]:
            target.symlink_to(os.fsdecode(content.removeprefix(b"-> ")))
        else:
            target.write_bytes(content)
            target.chmod(each["mode"])
