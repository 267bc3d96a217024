"""What a person reads before deciding: the files a gate is about, and the code changed on the
way to it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

from podium.core.digest import MISSING, digest
from podium.core.records import StepRecord
from podium.state.regular import read_regular
from podium.state.run_folder import step_folder
from podium.state.versions import other_versions
from podium.views.delivery_lines import file_lines
from podium.views.gate import Gate
from podium.views.look import plain
from podium.views.report.ledger import Ledger
from podium.views.show import ARTIFACT, MOST_BYTES
from podium.views.terminal.reader import Section
from podium.wiring import App

READ = 110
"""Columns of a list of files in the reader."""


def as_it_is(where: Path) -> tuple[str, bytes | None]:
    """The digest of a project file and its bytes, from one read."""
    data = read_regular(where)
    if data is not None:
        return digest(data), data
    return MISSING if not os.path.lexists(where) else "unreadable", None


def delivered_sections(gate: Gate) -> list[Section]:
    """What is proven, how tests were weakened, and every file of the code."""
    delivery = gate.delivery
    sections = [Section("what is proven", "\n".join(text for text, _ in delivery.proof))]
    sections += [
        Section(finding.words, "\n".join(finding.lines), "patch") for finding in delivery.weakened
    ]
    files = plain(file_lines(delivery.files, READ))
    left = delivery.total - len(delivery.files)
    files += [f"… and {left} more files"] if left else []
    sections.append(Section(f"the code: {delivery.summary}", "\n".join(files)))
    return [section for section in sections if section.text]


def subject_sections(project: Path, gate: Gate) -> tuple[list[Section], dict[str, str]]:
    """The question and the files in full; also the digests of exactly what is shown."""
    sections = [*delivered_sections(gate), Section("the question", gate.prompt)]
    marks: dict[str, str] = {}
    for path in sorted(gate.subject):
        marks[path], data = as_it_is(project / path)
        if data is None:
            text = "(there is no such file)" if marks[path] == MISSING else "(no plain file)"
        else:
            text = data[:MOST_BYTES].decode(errors="replace")
            text += (
                f"\n(cut here: {len(data) - MOST_BYTES} more bytes, in the file)"
                if len(data) > MOST_BYTES
                else ""
            )
        sections.append(Section(path, text))
    return sections, marks


def stored_sections(top: Path, gate: Gate) -> list[Section]:
    """The same for a run whose project is not here: files from the run's folder, if their
    digests match.
    """
    sections = [*delivered_sections(gate), Section("the question", gate.prompt)]
    for path, mark in sorted(gate.subject.items()):
        kept = (
            read_regular(each)
            for each in sorted(top.glob(f"**/{ARTIFACT}{path.replace('/', '~')}"))
        )
        data = next((each for each in kept if each is not None and digest(each) == mark), None)
        text = (
            "(not on this machine; it is on the run's branch)"
            if data is None
            else data[:MOST_BYTES].decode(errors="replace")
        )
        sections.append(Section(path, text))
    return sections


def diff_sections(app: App, run: str, gate: Gate, *, here: bool = True) -> list[Section]:
    """What was changed since a step wrote it, and the code that steps changed, in order.

    `here`: whether the project's own files are those of the run.
    """
    steps = Ledger(app.events(run)).steps
    top = app.folder(run)
    edited = (
        (_offered if gate.kind == "drift" else _edited)(app.project, top, steps, gate)
        if here
        else ()
    )
    found = [*edited, *_patches(top, _near(steps, gate.key))]
    return found or [
        Section("diff", "No step has changed any code, and the files are as the steps wrote them.")
    ]


def _near(steps: list[StepRecord], key: str) -> list[StepRecord]:
    """For a child run's gate, the steps of that child, if it has any."""
    home = key.rpartition("/")[0]
    inside = [each for each in steps if home and each.key.startswith(f"{home}/")]
    return inside or steps


def _patches(top: Path, steps: list[StepRecord]) -> Iterator[Section]:
    for each in sorted(
        (each for each in steps if each.state == "finished"),
        key=lambda each: (each.finished, each.key),
    ):
        data = read_regular(step_folder(top, each.key) / "changes.patch")
        if data:
            yield Section(
                f"{each.key} ({each.role or each.kind})",
                data[:MOST_BYTES].decode(errors="replace"),
                "patch",
            )


def _edited(project: Path, top: Path, steps: list[StepRecord], gate: Gate) -> Iterator[Section]:
    for path in sorted(gate.subject):
        made = [each for each in steps if path in each.outputs]
        mark, now = as_it_is(project / path)
        if not made or now is None or made[-1].outputs[path] == mark:
            continue
        before = read_regular(step_folder(top, made[-1].key) / (ARTIFACT + path.replace("/", "~")))
        if before is not None:
            lines = difflib.unified_diff(
                _lines(before), _lines(now), f"{path} by {made[-1].key}", f"{path} now", lineterm=""
            )
            yield Section(
                f"{path}: changed since {made[-1].key} wrote it", "\n".join(lines), "patch"
            )


def _offered(project: Path, top: Path, _: list[StepRecord], gate: Gate) -> Iterator[Section]:
    """How each drifted file would change: from the version in the project to the other one."""
    step = gate.key.rpartition("/")[0]
    for path, kept in other_versions(
        top / "guard", step_folder(top, step), gate.key, gate.subject
    ).items():
        now, other = as_it_is(project / path)[1] or b"", read_regular(kept) or b""
        lines = difflib.unified_diff(
            _lines(now),
            _lines(other),
            f"{path} in your checkout",
            f"{path}, the other version",
            lineterm="",
        )
        yield Section(
            f"{path}: from the version in your checkout to the other one", "\n".join(lines), "patch"
        )


def _lines(data: bytes) -> list[str]:
    return data[:MOST_BYTES].decode(errors="replace").splitlines()
