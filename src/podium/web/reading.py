"""The files that pages show: those of a step's folder, and what a gate is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.state.run_folder import RunFolder
from podium.state.versions import other_versions
from podium.views import figures
from podium.views.show import ARTIFACT, Material
from podium.web.files import absent, head
from podium.web.pages import gate, step

KNOWN = (
    "brief.json",
    "prompt.md",
    "transcript.jsonl",
    "output.md",
    "verdict.json",
    "changes.patch",
    "quarantine.patch",
)
NAME = re.compile(r"(?:evidence/)?[^/\0]{1,255}")
MOST_FILES = 200
"""Of one step: an agent also influences how much evidence and how many artifacts there are."""

Events = Sequence[Mapping[str, Any]]


def names(folder: Path) -> list[str]:
    """The files in a step's folder that people may see."""
    found = [name for name in KNOWN if (folder / name).is_file()]
    more = [*folder.glob("evidence*"), *folder.glob("evidence/*"), *folder.glob(f"{ARTIFACT}*")]
    return (
        found
        + sorted(each.relative_to(folder).as_posix() for each in more if each.is_file())[
            :MOST_FILES
        ]
    )


def material(project: Path, home: str, key: str) -> tuple[Material, list[str]]:
    """The texts of a step, long ones cut, and their names below the root run's folder."""
    where = RunFolder(project, home)
    folder = where.steps(key)
    texts: dict[str, str] = {}
    for name in names(folder):
        # Nothing below the run's own folder may be a link.
        found = head(where.path, f"{folder.relative_to(where.path).as_posix()}/{name}")
        if found is not None:
            text = (
                found.text
                if found.text is not None
                else f"no text, {figures.plural(found.size, 'byte')}"
            )
            texts[name] = text + (
                f"\n… cut here: {len(found.data):,} of {found.size:,} bytes are shown\n"
                if found.cut
                else ""
            )
    below = folder.relative_to(RunFolder(project, where.root_id).path).as_posix()
    return Material(texts), [f"{below}/{name}" for name in texts]


def place(project: Path, run: str, events: Events, path: str) -> tuple[Path, str] | None:
    """A file below the run's folder as a root and a path; None unless the journal knows its
    step.
    """
    top = RunFolder(project, run).path
    for key in {str(each.get("key")) for each in events if each.get("type") == "step.started"}:
        home = step.home(events, key) if f"steps/{key}/" in path else None
        if home is None:
            continue
        folder = RunFolder(project, home).steps(key).relative_to(top).as_posix()
        name = path.removeprefix(f"{folder}/")
        if name != path and NAME.fullmatch(name) and name in names(top / folder):
            return top, path
    return None


def subjects(project: Path, home: Path, events: Events, key: str) -> list[gate.Subject]:
    """What a gate is about, as it is now; text and digest come from one read. `home` has the
    run's folder.
    """
    before = gate.previous(events, key)
    found = []
    for path in _newest_first(events, gate.subjects(events, key)):
        now = head(project, path)
        digest = now.digest if now is not None else absent(project, path)
        earlier = _earlier(home, path, before.get(path))
        text, size = (now.text, now.size) if now is not None else (None, 0)
        found.append(gate.Subject(path, digest, text, earlier, size))
    return found


def offers(project: Path, home: Path, run: str, events: Events, key: str) -> list[gate.Offer]:
    """At a gate about drift: for each file the version in the project and the other one, as
    texts.
    """
    opened = next(
        (
            each
            for each in reversed(events)
            if each.get("type") == "gate.opened" and each.get("key") == key
        ),
        None,
    )
    stands = step.home(events, key.rpartition("/")[0])
    if opened is None or opened.get("kind") != "drift" or stands is None:
        return []
    top = RunFolder(home, run).path
    kept = other_versions(
        top / "guard",
        RunFolder(home, stands).steps(key.rpartition("/")[0]),
        key,
        opened.get("subject") or (),
    )
    found = []
    for path, where in kept.items():
        now, other = head(project, path), head(top, where.relative_to(top).as_posix())
        found.append(
            gate.Offer(path, (now.text if now else "") or "", (other.text if other else "") or "")
        )
    return found


def _newest_first(events: Events, paths: Iterable[str]) -> list[str]:
    """What was written last is what a person wants to see first."""
    wrote = {
        path: at
        for at, each in enumerate(events)
        if each.get("type") == "step.finished"
        for path in each.get("outputs") or ()
    }
    return sorted(paths, key=lambda path: (-wrote.get(path, -1), path))


def _earlier(home: Path, path: str, known: tuple[str, str, str] | None) -> str | None:
    if known is None:
        return None
    where = RunFolder(home, known[0])
    folder = where.steps(known[1]).relative_to(where.path).as_posix()
    found = head(where.path, f"{folder}/{ARTIFACT}{path.replace('/', '~')}")
    return found.text if found is not None else None
