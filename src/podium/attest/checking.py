"""Checks an exported statement against the journal it came from and the files it is about."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.attest.journals import journal
from podium.attest.statements import PREDICATE, TYPE, statements
from podium.core.digest import canonical, digest
from podium.core.errors import Fault, InputError, UsageError
from podium.state.regular import read_regular
from podium.state.run_folder import RunFolder

LARGEST = 5_000_000


@dataclass(frozen=True)
class Checked:
    """The result for one statement."""

    where: str
    run: str = ""
    gate: str = ""
    wrong: tuple[str, ...] = ()
    """In what the journal contradicts it."""
    changed: tuple[str, ...] = ()
    """Files that are no longer what was decided on."""
    checked: tuple[str, ...] = ()
    """Files that are."""

    @property
    def holds(self) -> bool:
        return not self.wrong and not self.changed


def check(project: Path, file: Path, home: Callable[[str], Path] | None = None) -> Checked:
    """`home`: from a run's id to the folder with its journals, if that is not the project."""
    statement = _read(file)
    place = statement["predicate"]["journal"]
    gate, run = (
        str(statement["predicate"].get("gate", {}).get("key", "")),
        str(place.get("run", "")),
    )
    wrong = tuple(_wrong(home or (lambda _: project), statement, place))
    same, moved = _files(project, statement)
    return Checked(str(file), run, gate, wrong, moved, same)


def _wrong(
    home: Callable[[str], Path], statement: Mapping[str, Any], place: Mapping[str, Any]
) -> list[str]:
    run = str(place.get("run", ""))
    try:
        _ = RunFolder(Path(), run)  # check the run's name before anybody looks for it
        folder = RunFolder(home(run), run)
    except UsageError as fault:
        return [str(fault)]
    if not folder.journal.is_file():
        return [f"there is no run {folder.run_id} in this project"]
    found = journal(folder.root, folder.run_id)
    if not found.intact:
        return [found.said()]
    head = place.get("head")
    seq = head.get("seq") if isinstance(head, dict) else None
    if not isinstance(seq, int) or not 0 < seq <= len(found.events):
        return [f"its head is not an event of {found.path}"]
    again = [
        each
        for each in statements(found.events[:seq])
        if each["predicate"]["journal"]["seq"] == place.get("seq")
    ]
    if not again:
        return [f"{found.path} has no decision at event {place.get('seq')}"]
    return _differences(statement, again[0])


def _differences(given: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
    """The differing members by name, so that a reader sees what was changed."""
    if canonical(given) == canonical(made):
        return []
    left = {
        **given,
        **{f"predicate.{name}": value for name, value in given["predicate"].items()},
        "predicate": None,
    }
    right = {
        **made,
        **{f"predicate.{name}": value for name, value in made["predicate"].items()},
        "predicate": None,
    }
    names = sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))
    return [f"{name} differs from the journal" for name in names] or ["it differs from the journal"]


def _files(project: Path, statement: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    same: list[str] = []
    moved: list[str] = []
    for each in statement["subject"]:
        name, mark = str(each["name"]), each["digest"].get("sha256")
        if name.startswith("journal:"):
            continue
        data = read_regular(project / name) if _inside(project, name) else None
        (same if data is not None and digest(data) == f"sha256:{mark}" else moved).append(name)
    return tuple(same), tuple(moved)


def _inside(project: Path, name: str) -> bool:
    """A statement may come from anywhere; it must not make us read files outside the project."""
    root = os.path.realpath(project)
    return os.path.realpath(os.path.join(root, name)).startswith(root + os.sep)


def _read(file: Path) -> dict[str, Any]:
    where = str(file)
    try:
        with file.open("rb") as source:
            data = source.read(LARGEST + 1)
    except OSError as fault:
        raise InputError(Fault(where, f"cannot be read: {fault.strerror}")) from None
    if len(data) > LARGEST:
        raise InputError(Fault(where, f"is larger than {LARGEST:,} bytes"))
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(Fault(where, "is not JSON")) from None
    if not isinstance(found, dict) or (found.get("_type"), found.get("predicateType")) != (
        TYPE,
        PREDICATE,
    ):
        raise InputError(
            Fault(
                where,
                f"is not a statement of the type {PREDICATE}",
                "`podium export RUN --approvals` writes them",
            )
        )
    predicate, subject = found.get("predicate"), found.get("subject")
    good = (
        isinstance(predicate, dict)
        and isinstance(predicate.get("journal"), dict)
        and isinstance(predicate.get("gate"), dict)
    )
    if not good or not isinstance(subject, list) or not all(map(_named, subject)):
        raise InputError(
            Fault(
                where,
                (
                    "lacks members that such a statement has: subject, predicate.gate, "
                    "predicate.journal"
                ),
            )
        )
    return found


def _named(subject: Any) -> bool:
    return (
        isinstance(subject, dict)
        and isinstance(subject.get("name"), str)
        and isinstance(subject.get("digest"), dict)
        and "\0" not in subject["name"]
    )
