"""What the disk itself takes: the yardstick of the other measurements."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

WORK = Path(__file__).parent / ".work"
"""Beside the source, so that it is on a real disk also where /tmp is memory; TMPDIR wins if it is set."""


@contextmanager
def work_folder(name: str) -> Iterator[Path]:
    """A fresh folder on the disk that is measured, removed afterwards."""
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


def durable_step(folder: Path, line: bytes, state: bytes, count: int) -> list[float]:
    """Seconds of two appends with fdatasync plus one file written and renamed into place, `count` times."""
    log, target, temp = folder / "floor.jsonl", folder / "floor.json", folder / ".floor.json.tmp"
    descriptor = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    found: list[float] = []
    try:
        for _ in range(count):
            began = perf_counter()
            for _ in range(2):
                os.write(descriptor, line)
                os.fdatasync(descriptor)
            with open(temp, "wb", buffering=0) as file:
                file.write(state)
            os.rename(temp, target)
            found.append(perf_counter() - began)
    finally:
        os.close(descriptor)
    return found
