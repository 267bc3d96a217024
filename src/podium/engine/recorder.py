"""Keeps each call of a run as it happens, so that the run can be replayed from the calls alone.

One line per call, in the run's own folder. `engine/recording.py` makes the scenario from these
lines; they survive a crash and a resume.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.state.disk import ensure_folder
from podium.verify.redact import Redactor

LINES = "calls.jsonl"


@dataclass
class Recorder:
    """The calls of one run and its child runs."""

    target: Path
    """The scenario file that a person asked for."""
    redact: Redactor
    home: Path = Path()
    """The run's folder for the recording; known once the run has an id."""
    fault: str = ""
    """Why a call could not be kept; the run itself does not fail because of that."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, line: Mapping[str, Any], copies: Mapping[str, bytes]) -> None:
        """Keep one call; the contents it names are written before it."""
        data = json.dumps(line, ensure_ascii=False, default=str).encode(errors="backslashreplace")
        with self._lock:  # agents side by side end on threads of their own
            try:
                self._write(data, copies)
            except OSError as fault:
                self.fault = self.fault or f"{line['key']}: {fault}"

    def _write(self, data: bytes, copies: Mapping[str, bytes]) -> None:
        ensure_folder(self.home)
        for name, content in copies.items():
            (self.home / name).write_bytes(content)
        with open(self.home / LINES, "ab") as file:
            file.write(data + b"\n")


def lines(home: Path) -> list[dict[str, Any]]:
    """Every recorded call, oldest first; a line torn by a crash is skipped."""
    try:
        data = (home / LINES).read_bytes()
    except FileNotFoundError:
        return []
    found = []
    for line in data.split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return [each for each in found if isinstance(each, dict)]
