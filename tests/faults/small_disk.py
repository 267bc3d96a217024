"""A real disk that fills up under a real run, then is read-only: the story of one case, told in a
mount namespace of its own.

    unshare --user --map-root-user --mount python -m tests.faults.small_disk FOLDER ROLE LEFT

Project, home, views and git are all on a small tmpfs at FOLDER. When the agent of ROLE ends its
work, so much is written that LEFT bytes remain. One line for each thing that is wrong.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.crash.driver import NO_GATES, Site

SIZE = "32m"
BLOCK = 4096
CASES = (
    *(("po-spec", left) for left in (0, 1, 2, 4, 8, 16)),
    *(("qa", left) for left in (0, 1, 2, 4)),
    *(("build", left) for left in (0, 1, 2, 6, 8, 16, 4)),
)
"""Roles and blocks that are left: the more, the later in the run the disk is full. The last one, at
which git is the first to meet it, is always tried; the others in `make torture`.
"""
DISK_FAILED = 20
FULL, READ_ONLY = os.strerror(errno.ENOSPC), os.strerror(errno.EROFS)


def fill(filler: Path, left: int) -> None:
    """Take all room there is but so many blocks."""
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 20)):
                pass
        except OSError as full:
            if full.errno != errno.ENOSPC:
                raise
        os.ftruncate(file.fileno(), max(0, file.tell() - file.tell() % BLOCK - left * BLOCK))


def story(mount: Path, role: str, left: int) -> Iterator[str]:
    """What is wrong with a run that met this disk, in words."""
    whole, site, filler = Site(mount / "whole"), Site(mount / "site"), mount / "filler"
    whole.scenario()
    assert whole.podium(*whole.run_words("--run-id", "R1", *NO_GATES)).returncode == 0
    here = Path(__file__).parents[2]
    filling = f"cd {here} && {sys.executable} -m tests.faults.small_disk --fill {filler} {left}"
    site.scenario(**{role.replace("-", "_"): {"run": filling}})
    began = site.podium(*site.run_words("--run-id", "R1", *NO_GATES))
    yield from _told(began, FULL)
    again = site.podium("resume", "R1", "--because", "once more")
    if again.returncode != 0:  # what the first one left behind when it stopped may be room enough
        yield from _told(again, FULL)
    filler.unlink()
    _mounted(mount, "remount,ro")
    yield from _told(site.podium("resume", "R1", "--because", "there is room"), READ_ONLY)
    shown = site.podium("status", "R1", "--json")
    if shown.returncode != 0 or '"status"' not in shown.stdout:
        yield (
            f"it cannot be looked at on a read-only disk: {shown.returncode} {shown.stdout} "
            f"{shown.stderr}"
        )
    _mounted(mount, "remount,rw")
    site.scenario()  # nobody fills it again
    last = site.podium("resume", "R1", "--because", "the disk is well again")
    if (last.returncode, site.status()) != (0, "complete"):
        yield f"it does not go on with room: {last.returncode} {last.stdout} {last.stderr}"
    if _finished(site) != _finished(whole):
        yield f"what was done is not what was to be done, each once: {_finished(site)}"
    if (one := _code(site)) != (other := _code(whole)):
        yield f"the code is another: {one} instead of {other}"


def _told(done: subprocess.CompletedProcess[str], words: str) -> Iterator[str]:
    """One message that says what the disk said, and the exit code of a run that a person must
    see to.
    """
    said = [line for line in done.stderr.splitlines() if line.startswith("podium:")]
    if done.returncode != DISK_FAILED:
        yield f"exit code {done.returncode}: {done.stdout[-600:]} {done.stderr[-1500:]}"
    elif words not in done.stderr + done.stdout or len(said) > 1 or "Traceback" in done.stderr:
        yield (
            f"it does not say {words!r} in one message: {done.stdout[-600:]} {done.stderr[-1500:]}"
        )


def _finished(site: Site) -> list[str]:
    return [each["key"] for each in site.events("step.finished")]


def _code(site: Site) -> dict[str, str]:
    return {
        path.relative_to(site.project).as_posix(): path.read_text()
        for path in sorted((site.project / "src").rglob("*.py"))
    }


def _mounted(mount: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(mount)], check=True)


def main(words: Sequence[str]) -> int:
    if words[0] == "--fill":
        fill(Path(words[1]), int(words[2]))
        return 0
    mount = Path(words[0])
    _mounted(mount, f"size={SIZE}")
    found = list(story(mount, words[1], int(words[2])))
    sys.stdout.write("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
