"""The folders that are kept: archives of them, what is in each, and which steps they show."""

from __future__ import annotations

import json
import lzma
import re
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "fixtures" / "runs"
INDEX = FOLDER / "index.json"
TELLING = re.compile(rb'"type":"(run.started|run.advanced|step.started|gate.opened)".*\n')
Step = tuple[str, str]
"""A workflow, or that of a child run, and a step of it."""


def index() -> dict[str, list[str]]:
    """The folders of each archive: `ticket`, and what was added to it later, `ticket-2`."""
    found: dict[str, list[str]] = json.loads(INDEX.read_text()) if INDEX.exists() else {}
    return found


def of_workflow(name: str) -> list[str]:
    """Its archives, the oldest first."""
    return [each for each in index() if each.partition("-")[0] == name]


def unpack(archive: str, target: Path) -> None:
    """An archive's folders below `target`."""
    with lzma.open(FOLDER / f"{archive}.tar.xz") as file, tarfile.open(fileobj=file) as found:
        # As an attribute: Debian's Python 3.11.2 has no filters yet, and a word for one would be an
        # error there.
        found.extraction_filter = getattr(tarfile, "tar_filter", None)
        found.extractall(target)


def shown(archive: str) -> set[Step]:
    """Every step at which a run in there stands, or which its journal has begun."""
    return {step for events in _journals(archive) for step in steps(events)}


def _journals(archive: str) -> Iterator[list[dict[str, Any]]]:
    """Of each what tells a step, and no more: reading them whole takes seconds."""
    with (
        lzma.open(FOLDER / f"{archive}.tar.xz") as file,
        tarfile.open(fileobj=file, mode="r|") as found,
    ):
        for member in found:
            if member.name.endswith("/journal.jsonl") and (data := found.extractfile(member)):
                yield [json.loads(line) for line in data if TELLING.search(line)]


def steps(events: Sequence[Mapping[str, Any]]) -> set[Step]:
    """Those of one journal."""
    begun = {
        str(each["step"]) for each in events if each["type"] in {"step.started", "gate.opened"}
    }
    return {(events[0]["workflow"], each) for each in begun} | {pointer(events)}


def pointer(events: Sequence[Mapping[str, Any]]) -> Step:
    """Where a journal leads to, and so its run stands; a state may not say it yet."""
    at = [each["to"] for each in events if each["type"] == "run.advanced"]
    return events[0]["workflow"], at[-1] if at else events[0]["state"]["step"]
