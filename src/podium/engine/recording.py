"""Turns the recorded calls into the scenario that a person asked for, and writes it to a file.

A recording's first line says which run it belongs to. A file that says something else, or nothing,
belongs to somebody else and is never overwritten.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from podium.agents.scenario_text import document
from podium.core.errors import PodiumError, UsageError
from podium.core.history import History
from podium.documents import yaml_text
from podium.engine.outcome import Ended
from podium.engine.recorder import Recorder, lines
from podium.engine.services import Services
from podium.state.port import Journal
from podium.state.run_folder import RunFolder, family

_OWNER = re.compile(r"# podium recording of (?P<run>\S+) (?P<mark>\S+)$")
_UNKNOWN = {"say": "this dispatch is not in the recording", "fail": "not_dispatchable"}


def begin(cwd: Path, spoken: str) -> str:
    """Where to record a new run; "" if it is not recorded."""
    if not spoken:
        return ""
    _free(cwd / spoken)
    return str(cwd / spoken)


def go_on(project: Path, journal: Journal, run: str, cwd: Path, spoken: str) -> str:
    """Where to record a resumed run from now on; every call it has made must already be on
    record.
    """
    _free(cwd / spoken, run, mark_of(journal, run))
    recorded = {(each["key"], each["turn"]) for each in lines(home_of(project, run))}
    calls = _calls(project, journal, run)
    gone = [
        key
        for key, count in calls.items()
        for turn in range(1, count + 1)
        if (key, turn) not in recorded
    ]
    if gone:
        raise UsageError(
            f"--record: {run} was begun without it, and {len(gone)} of its dispatches "
            f"({', '.join(gone[:3])}"
            f"{' …' if len(gone) > 3 else ''}) are not on record; start a new run with --record"
        )
    return str(cwd / spoken)


def _free(target: Path, run: str = "", mark: str = "") -> None:
    """Refuse a place that cannot be written, or a file that is not a recording of this very run."""
    if not target.parent.is_dir():
        raise UsageError(f"--record {target}: there is no folder {target.parent}")
    if os.path.lexists(target) and (not run or owner(target) != (run, mark)):
        raise UsageError(
            f"--record {target}: there is a file already, and it is not a recording of this "
            "run; choose another name"
        )


def owner(target: Path) -> tuple[str, str] | None:
    """The run that a file is a recording of, and its mark; None for any other file."""
    try:
        with open(target, "rb") as file:
            found = _OWNER.match(file.readline(400).decode(errors="replace").rstrip())
    except OSError:
        return None
    return (found["run"], found["mark"]) if found else None


def mark_of(journal: Journal, run: str) -> str:
    """Distinguishes a run from another of the same name elsewhere: the hash of its first event."""
    first = next(iter(journal.read(run)), None)
    return str(first["hash"])[-16:] if first else ""


def home_of(project: Path, run: str) -> Path:
    return RunFolder(project, run).path / "recording"


def _calls(project: Path, journal: Journal, run: str) -> dict[str, int]:
    """How many dispatches of each key the family's journals know, in order."""
    histories = [History(journal.read(each)) for each in family(project, run)]
    return {
        key: step.calls
        for history in histories
        for key, step in history.steps.items()
        if step.kind == "dispatch"
    }


def drive(services: Services, run: str, go: Callable[[], Ended]) -> Ended:
    """Drive a run and write its recording when it rests, for whatever reason."""
    recorder = services.recorder
    if recorder is None:
        return go()
    recorder.home = home_of(services.project, run)
    try:
        ended = go()
    except BaseException:
        _written(services, run, recorder)
        raise
    fault = _written(services, run, recorder)
    said = (f"the recording could not be written, or not whole: {fault}",) if fault else ()
    return replace(ended, advice=(*ended.advice, *said))


def _written(services: Services, run: str, recorder: Recorder) -> str:
    """Returns why the recording could not be written, otherwise "". A recording never changes
    how a run ends.
    """
    try:
        _free(recorder.target, run, mark_of(services.journal, run))
        save(services, run, recorder)
    except (OSError, PodiumError, ValueError) as fault:
        return str(fault)
    return f"a call could not be kept, {recorder.fault}" if recorder.fault else ""


def save(services: Services, run: str, recorder: Recorder) -> None:
    """Write the contents first, then the scenario as a whole."""
    found = lines(recorder.home)
    beside = f"{recorder.target.name}.files"
    scenario = made(found, _calls(services.project, services.journal, run), beside)
    disk = services.disk
    for name in scenario.copies:
        disk.make_dirs(recorder.target.parent / beside)
        disk.save(recorder.target.parent / beside / name, (recorder.home / name).read_bytes())
    words = " ".join(
        [str(services.request["workflow"]), *map(yaml_text.quoted, services.request["inputs"])]
    )
    remarks = [
        f"podium recording of {run} {mark_of(services.journal, run)}",
        recorder.redact(f"Played by: podium run {words} --agent scripted:{recorder.target.name}"),
        *(f"Not in it, because no scenario can say it: {each}" for each in scenario.lost),
    ]
    disk.save(
        recorder.target,
        document(scenario.data, remarks).encode(errors="backslashreplace"),
        sync=True,
    )


@dataclass(frozen=True)
class Made:
    """A scenario as data."""

    data: Mapping[str, Any]
    copies: Sequence[str]
    """Names of the content files beside it."""
    lost: Sequence[str]
    """What a scenario cannot express."""


def made(found: Iterable[Mapping[str, Any]], calls: Mapping[str, int], beside: str) -> Made:
    """The scenario of these calls.

    If a role's calls always come one after the other, they form one list for the role. If agents of
    a role may work side by side, calls are listed by key, since it is chance who begins first. If a
    crash caused a call to be made twice, the last one counts; a call that the journal does not know
    did not happen.
    """
    last = {
        (line["key"], line["turn"]): line
        for line in found
        if line["turn"] <= calls.get(line["key"], 0)
    }
    kept = [
        last[key, turn]
        for key, count in calls.items()
        for turn in range(1, count + 1)
        if (key, turn) in last
    ]
    roles = {role: lines for role, lines in _by_role(kept).items() if lines}
    keyed: dict[str, list[Mapping[str, Any]]] = {}
    for line in kept:
        if line["role"] not in roles:
            keyed.setdefault(line["key"], []).append(line)
    copies: set[str] = set()
    parts = {
        "agents": {
            role: [_does(line, beside, copies) for line in each] for role, each in roles.items()
        },
        "keys": {
            key: [_does(line, beside, copies) for line in each] for key, each in keyed.items()
        },
    }
    told = {name: table for name, table in parts.items() if table}
    lost = [f"{line['key']}: {each}" for line in kept for each in line["lost"]]
    return Made({**told, "defaults": _UNKNOWN}, sorted(copies), lost)


def _by_role(kept: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Each role's calls in order; empty if that order is not certain."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for line in kept:
        found.setdefault(line["role"], []).append(line)
    for role, each in found.items():
        each.sort(key=lambda line: line["call"])
        certain = all(line["in_line"] for line in each) and [line["call"] for line in each] == list(
            range(len(each))
        )
        found[role] = each if certain else []
    return found


def _does(line: Mapping[str, Any], beside: str, copies: set[str]) -> dict[str, Any]:
    """What a call does, with its contents in files beside the scenario."""
    does = dict(line["does"])
    for path, content in does.get("write", {}).items():
        if isinstance(content, Mapping):
            copies.add(content["copy"])
            does["write"] = {**does["write"], path: {"copy": f"{beside}/{content['copy']}"}}
    return does
