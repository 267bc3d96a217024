"""What the disk itself takes: the yardstick of the other measurements."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

WORK = Path(__file__).parent / ".work"
"""Beside the source, so that it is on a real disk even if /tmp is in memory; TMPDIR wins if it
is set.
"""

WITHIN = "BENCH_WITHIN"
"""The folder of a measurement that this one is part of."""


@contextmanager
def work_folder(name: str) -> Iterator[Path]:
    """A fresh folder on the measured disk, removed afterwards; inside another measurement's folder
    it is removed with that.

    After many deletions a disk creates files several times more slowly, so consecutive measurements
    remove nothing in between.
    """
    if os.environ.get(WITHIN):
        folder = Path(os.environ[WITHIN]) / f"{name}-{os.getpid()}"
        folder.mkdir()
        yield folder
        return
    base = Path(os.environ["TMPDIR"]) / "podium-bench" if os.environ.get("TMPDIR") else WORK
    folder = base / f"{name}-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not any(base.iterdir()):
            base.rmdir()


class Floor:
    """The least that a durable orchestrator writes for a step: two appends with fdatasync plus
    one file renamed into place.
    """

    def __init__(self, folder: Path) -> None:
        self.target, self.temp = folder / "floor.json", folder / ".floor.json.tmp"
        self.log = os.open(folder / "floor.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def step(self, line: bytes, state: bytes, pause: float = 0.0) -> float:
        """Seconds of one step; a pause before each append is not counted."""
        took = 0.0
        for _ in range(2):
            _busy(pause)
            began = perf_counter()
            os.write(self.log, line)
            os.fdatasync(self.log)
            took += perf_counter() - began
        began = perf_counter()
        with open(self.temp, "wb", buffering=0) as file:
            file.write(state)
        os.rename(self.temp, self.target)
        return took + perf_counter() - began

    def close(self) -> None:
        os.close(self.log)


def _busy(seconds: float) -> None:
    """Compute between two writes as a program does: a sleep would also let the processor slow
    down.
    """
    until = perf_counter() + seconds
    while perf_counter() < until:
        pass
