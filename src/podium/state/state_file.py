"""`state.json`: where a run stands. It decides the position, and people may edit it.

The journal is written first and synced; the state is written after it and not synced. So after a
crash between the two the file lags: it says what the journal says at the file's own `seq`, and is
rolled forward. After a power cut it may be a mixture of several versions; then it is rebuilt. If it
says anything else, a person wrote that, and Podium obeys.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from podium.core.digest import canonical
from podium.core.errors import Fault, InputError
from podium.core.events import state_of
from podium.core.nearest import nearest
from podium.core.run import Run, restored
from podium.state.disk import Disk, StrPath
from podium.state.json_file import line_of, parse_object
from podium.state.regular import at_once, before_the_start
from podium.state.shape import Misfit, fit, members

FORMAT = 1
STATE_EVENTS = frozenset(
    {
        "run.started",
        "run.advanced",
        "run.edited",
        "run.paused",
        "run.blocked",
        "run.completed",
        "run.cancelled",
        "run.resumed",
    }
)
"""The events that carry `state`: the pointer and every counter as they are after the event."""

Kind = Literal["current", "rolled_forward", "edited", "rebuilt"]

_HEADER = {"format": int, "run": str, "workflow": str, "seq": int}
# Sorted like the members of a state in the journal, so that a rebuilt file equals the one that was
# written first.
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
_PATIENCE = 10
_SECTOR = 512
"""Bytes that every disk writes in one piece."""
_SAVED_WITHIN_S = 20.0
"""Seconds after the journal's last event by which the state has certainly been written."""
_MEND = "correct it, or remove the file: the journal rebuilds it"


@dataclass(frozen=True)
class StateFile:
    """What was found in the file."""

    run: Run
    seq: int
    """The number of the last event that the writer knew of."""
    raw: Mapping[str, Any]
    path: str


@dataclass(frozen=True)
class Reconciled:
    """Where the run stands, after comparing the file with the journal."""

    run: Run
    seq: int
    """The number of the journal's last event."""
    kind: Kind
    changes: tuple[str, ...] = ()
    """`field: before -> after`, if a person edited the file."""


def last_state(events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The state after the last of these events that carries one; empty if none does."""
    return next(
        (
            each["state"]
            for each in reversed(events)
            if each["type"] in STATE_EVENTS and "state" in each
        ),
        {},
    )


def save(
    path: StrPath,
    run_id: str,
    workflow_name: str,
    run: Run | Mapping[str, Any],
    seq: int,
    disk: Disk,
) -> None:
    """Replace the file as a whole; not synced, because the journal can roll it forward."""
    _refuse_folder(path)
    disk.swap(
        path, _written(run_id, workflow_name, state_of(run) if isinstance(run, Run) else run, seq)
    )


def _written(run_id: str, workflow_name: str, state: Mapping[str, Any], seq: int) -> bytes:
    head = {"format": FORMAT, "run": run_id, "workflow": workflow_name, "seq": seq}
    # One member per line, for people who edit it; formatted by hand because `indent` is slow and
    # this runs at every step.
    members = {**head, **state}.items()
    lines = [f"  {_name(name)}: {_ENCODER.encode(value)}" for name, value in members]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    return text.encode(errors="backslashreplace")


@lru_cache(256)
def _name(name: str) -> str:
    """Cached, because the names are the same at every step."""
    return _ENCODER.encode(name)


def current(path: StrPath, events: Sequence[Mapping[str, Any]], run_type: type[Run]) -> Reconciled:
    """Where the run stands according to its file and its journal, whatever condition the file is
    in.
    """
    try:
        found = reconcile(load(path, run_type), events, run_type)
        if found.kind != "edited" or not _torn(path, events, run_type):
            return found
    except InputError:
        if not _torn(path, events, run_type):
            raise
    return reconcile(None, events, run_type)


def load(path: StrPath, run_type: type[Run]) -> StateFile | None:
    """The file's content, with typed members; None if there is no file, or only the empty shell
    that a power cut left.
    """
    where = os.fspath(path)
    data = _read(where)
    if not data.strip(b"\0"):
        return None
    raw = parse_object(data, where, _MEND)
    faults: list[Fault] = []
    known = {**_HEADER, **members(run_type)}
    values: dict[str, Any] = {}
    for name, value in raw.items():
        try:
            values[name] = fit(known[name], value)
        except KeyError:
            faults.append(
                Fault(
                    f"{where}:{line_of(data, name)}",
                    f"unknown field {name!r}",
                    _nearest(name, known),
                )
            )
        except Misfit as fault:
            faults.append(
                Fault(f"{where}:{line_of(data, name)}", f"{name}{fault.at}: {fault}", _MEND)
            )
    faults += [
        Fault(f"{where}:1", f"field {name!r} is missing", _MEND)
        for name in ("step", *_HEADER)
        if name not in raw
    ]
    if not faults and values["format"] != FORMAT:
        what = f"format {values['format']}, this Podium reads {FORMAT}"
        faults.append(
            Fault(f"{where}:{line_of(data, 'format')}", what, "use the Podium that wrote it")
        )
    if faults:
        raise InputError(faults)
    step = values.pop("step")
    seq = values.pop("seq")
    run: Run = restored(
        run_type, step, {name: each for name, each in values.items() if name not in _HEADER}
    )
    return StateFile(run, seq, raw, where)


def refuse(path: StrPath, faults: Sequence[Fault]) -> None:
    """InputError if an edit is impossible; each fault names its member and is shown with that
    member's line.
    """
    if faults:
        where, data = os.fspath(path), _read(os.fspath(path))
        lines = [f"{where}:{line_of(data, each.where)}" for each in faults]
        told = zip(lines, faults, strict=True)
        raise InputError(
            [Fault(line, f"{each.where}: {each.what}", each.mend or _MEND) for line, each in told]
        )


def reconcile(
    file: StateFile | None, events: Sequence[Mapping[str, Any]], run_type: type[Run]
) -> Reconciled:
    """Where the run stands according to its file and its journal."""
    bearing = [event for event in events if event["type"] in STATE_EVENTS and "state" in event]
    if not bearing:
        raise InputError(
            Fault("journal.jsonl:1", "no event carries the state of the run", "start a new run")
        )
    latest = _implied(bearing[-1], run_type)
    if file is None:
        return Reconciled(latest, len(events), "rebuilt")
    _refuse_other_run(file, events[0])
    then = next((event for event in reversed(bearing) if event["seq"] <= file.seq), None)
    found = state_of(file.run)
    if (
        then is not None
        and then is not bearing[-1]
        and _same(found, state_of(_implied(then, run_type)))
    ):
        return Reconciled(latest, len(events), "rolled_forward")
    if _same(found, state_of(latest)):
        return Reconciled(
            latest, len(events), "current"
        )  # only `seq` was changed, and it decides nothing
    # Compared with the latest state, not with the file's own event: this is what changes now and is
    # recorded.
    return Reconciled(file.run, len(events), "edited", _changes(state_of(latest), found))


def _read(where: str) -> bytes:
    """The file's bytes, all of one version: it is read again if it was replaced meanwhile. Empty
    if there is none.
    """
    data = b""
    for _ in range(_PATIENCE):
        try:
            with open(where, "rb", buffering=0, opener=at_once) as file:
                before, data = os.fstat(file.fileno()), file.read()
            after = os.stat(where)
        except FileNotFoundError:
            return b""
        except IsADirectoryError:
            _refuse_folder(where)
            raise
        if (before.st_ino, before.st_mtime_ns, before.st_size) == (
            after.st_ino,
            after.st_mtime_ns,
            after.st_size,
        ):
            break
    return data


def _refuse_folder(path: StrPath) -> None:
    if os.path.isdir(path):
        mend = "remove the folder: the journal rebuilds the file"
        raise InputError(Fault(os.fspath(path), "is a folder", mend))


def _torn(path: StrPath, events: Sequence[Mapping[str, Any]], run_type: type[Run]) -> bool:
    """Whether a power cut left the file like this: we wrote it last, before the machine started,
    and know every sector.

    A person's edit is newer than the journal, or contains something that no version had there.
    """
    data, changed = _read(os.fspath(path)), os.stat(path).st_mtime
    last = datetime.fromisoformat(events[-1]["ts"]).timestamp()
    if changed > last + _SAVED_WITHIN_S or not before_the_start(path):
        return False
    known: list[set[bytes]] = [{bytes(_SECTOR)} for _ in range(0, len(data), _SECTOR)]
    state: Mapping[str, Any] = {}
    for event in events:
        if event["type"] in STATE_EVENTS and "state" in event:
            state = state_of(_implied(event, run_type))
        text = _written(events[0]["run"], events[0]["workflow"], state, event["seq"])
        for at, sectors in enumerate(known):
            sectors.add(text[at * _SECTOR : (at + 1) * _SECTOR].ljust(_SECTOR, b"\0"))
    parts = [data[at * _SECTOR : (at + 1) * _SECTOR] for at in range(len(known))]
    # The last one may be cut short, because the size was written but the text was not.
    whole = all(part in sectors for part, sectors in zip(parts[:-1], known[:-1], strict=True))
    return whole and any(each.startswith(parts[-1]) for each in known[-1])


def _implied(event: Mapping[str, Any], run_type: type[Run]) -> Run:
    state = dict(event["state"])
    known = members(run_type)
    try:
        values = {name: fit(known.get(name, Any), value) for name, value in state.items()}
        run: Run = restored(run_type, values.pop("step"), values)
    except (Misfit, ValueError, KeyError) as fault:
        what = f"the state cannot be read: {fault}"
        raise InputError(
            Fault(f"journal.jsonl:{event['seq']}", what, "use the Podium that wrote it")
        ) from None
    return run


def _refuse_other_run(file: StateFile, first: Mapping[str, Any]) -> None:
    if file.raw["run"] != first["run"]:
        what = (
            f"is the state of run {file.raw['run']!r}, the journal beside it is of {first['run']!r}"
        )
        raise InputError(Fault(file.path, what, _MEND))


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return canonical(one) == canonical(other)


def _changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """`visits` and other objects are compared member by member, since a person usually changes
    one number in them.
    """
    found: list[str] = []
    for name in after:
        old, new = before[name], after[name]
        if isinstance(old, dict) and isinstance(new, dict):
            keys = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
            found += [
                f"{name}.{key}: {_shown(old.get(key))} -> {_shown(new.get(key))}" for key in keys
            ]
        elif canonical(old) != canonical(new):
            found.append(f"{name}: {_shown(old)} -> {_shown(new)}")
    return tuple(found)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    close = nearest(name, known)
    return f"did you mean {close!r}?" if close else f"known: {', '.join(known)}"
