"""Random work in views of every kind, as root and as somebody without privileges: each change set
and each landed layer is what a listing of everything says. More of it:
`python -m tests.engine.views.rounds`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.views.rounds import play

from podium.engine.views.code_view import Kind

ROOT = Path(__file__).parents[3]
OPERATIONS = 60


@pytest.mark.parametrize("seed", ["spring", "summer", "autumn"])
def test_any_work_is_told_and_landed_exactly(tmp_path: Path, kind: Kind, seed: str) -> None:
    tally = play(tmp_path, f"{seed}-{kind}", 1, OPERATIONS, kind)
    assert tally.operations == 3 * OPERATIONS
    assert tally.landed > 0


@pytest.mark.skipif(os.geteuid() != 0, reason="all other tests run without privileges already")
@pytest.mark.skipif(not shutil.which("unshare"), reason="unshare is not installed")
def test_any_work_of_somebody_without_privileges_is_told_and_landed_exactly(tmp_path: Path) -> None:
    plain = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
    module = (sys.executable, "-m", "tests.engine.views.rounds")
    done = subprocess.run(
        [*plain, *module, f"{tmp_path}/rounds", "winter", "2", str(OPERATIONS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(f"user 1000: {2 * 3 * OPERATIONS} operations"), done.stderr
