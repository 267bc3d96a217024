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

from podium.core import events
from podium.engine.gates import Rest
from podium.engine.guarding import RunGuard, guard_home
from podium.engine.session import Session
from podium.verify.guard import Kept

KEEP, RESTORE = "keep", "restore"


def put_back(session: Session, *, edited: bool) -> list[str]:
    """Restore every protected file that changed around an unfinished dispatch; their names.

    `edited`: the state file does not say what the journal says.
    """
    if not any(each.kind == "dispatch" for each in session.history.running()):
        return []
    home = guard_home(session)
    try:
        manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    guard = RunGuard(session)
    guard.files.kept = {
        name: Kept(mode, (home / stored).read_bytes(), (0, 0, 0, 0))
        for name, (mode, stored) in manifest.items()
        if (home / stored).is_file()
    }
    guard.files.places = [each for each in guard.files.places if each[0] != guard.state]
    found = guard.files.tampered()
    for each in found:
        _lay_aside(home, each.path, each.now, deleted=each.what == "deleted")
    names = [each.path for each in found]
    if edited:
        _lay_aside(home, guard.state, session.folder.state.read_bytes(), deleted=False)
        session.folder.state.unlink()
        names.append(guard.state)
    return names


def _lay_aside(home: Path, name: str, content: bytes, *, deleted: bool) -> None:
    where = home / "aside" / (name + (".deleted" if deleted else ""))
    os.makedirs(where.parent, exist_ok=True)
    where.write_bytes(content)


def ask(session: Session, changed: list[str]) -> Rest:
    """A person says whose change it was; until then the files are as they were."""
    record = session.history.running()[0]
    number = 1 + sum(key.startswith(f"{record.key}/drift-") for key in session.history.gates)
    key = f"{record.key}/drift-{number}"
    aside = os.path.relpath(guard_home(session) / "aside", session.services.project)
    prompt = (
        f"The engine died while {record.key} was under way, and protected files changed since: {', '.join(changed)}. "
        f"They were put back; the changed versions are in {aside}. Were these changes yours? "
        f"{KEEP}: apply them again. {RESTORE}: leave them out."
    )
    session.append(
        *(events.step_interrupted(each.key) for each in session.history.running()),
        events.contract_violated(record.key, changed, "protected"),
        events.gate_opened(key, record.step, "drift", prompt, [KEEP, RESTORE], {}),
    )
    return Rest(prompt, "drift", (key,))


def apply_decision(session: Session) -> None:
    """Before anything is read back: a person's `keep` puts the laid-aside versions in place once."""
    aside = guard_home(session) / "aside"
    if not aside.is_dir():
        return
    decided = [gate for gate in session.history.gates.values() if gate.kind == "drift" and gate.decision]
    if not decided or any(gate.kind == "drift" and gate.open for gate in session.history.gates.values()):
        return
    if decided[-1].decision == KEEP:
        _apply(session, aside)
    os.rename(aside, aside.with_name(f"aside-{len(decided)}"))


def _apply(session: Session, aside: Path) -> None:
    for path in sorted(aside.rglob("*")):
        if not stat.S_ISREG(path.lstat().st_mode):
            continue
        name = path.relative_to(aside).as_posix()
        target = session.services.project / name.removesuffix(".deleted")
        if name.endswith(".deleted"):
            target.unlink(missing_ok=True)
        else:
            os.makedirs(target.parent, exist_ok=True)
            target.write_bytes(path.read_bytes())
