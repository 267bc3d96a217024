"""A real disk under a whole run, with its views, records, landings and git: full, then
read-only, then well again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.crash.share import share
from tests.faults.small_disk import CASES

ROOM = ("unshare", "--user", "--map-root-user", "--mount")
"""A mount that nobody else sees, and that is gone with its process."""


def _refused(folder: Path) -> str:
    """Why no disk can be mounted here; empty where one can."""
    if shutil.which("unshare") is None:
        return "unshare (util-linux) is missing"
    tried = subprocess.run(
        [*ROOM, "mount", "-t", "tmpfs", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        f"no user namespace with a mount of its own is permitted: {tried.stderr.strip()}"
        if tried.returncode
        else ""
    )


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("role", "left"), share(CASES, len(CASES)))
def test_a_disk_that_is_full_or_read_only_is_told_once_and_costs_nothing(
    tmp_path: Path, role: str, left: int
) -> None:
    if why := _refused(tmp_path):
        pytest.skip(why)
    told = subprocess.run(
        [*ROOM, sys.executable, "-m", "tests.faults.small_disk", str(tmp_path), role, str(left)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
