"""A journal on real files, and a clock that ticks once a second."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal

START = {"type": "run.started", "workflow": "harness", "input": "T001", "state": {"step": "build"}}
START_TIME = datetime(2025, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def ticking() -> Callable[[], datetime]:
    seconds = itertools.count()
    return lambda: START_TIME + timedelta(seconds=next(seconds))


def journal(root: Path, disk: Disk | None = None) -> LocalJournal:
    return LocalJournal(root, disk or Disk(), ticking())


def journal_path(root: Path, run: str = "r") -> Path:
    return root / ".podium" / "runs" / run / "journal.jsonl"
