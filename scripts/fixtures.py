"""Makes `tests/fixtures/runs`: folders of resting runs that every later Podium must be able to
resume.

    python scripts/fixtures.py [WORKFLOW …]     (default: all)

Run it for a workflow whose journey (`tests/upgrades/journeys.py`) got another stop or step: it adds
the missing folders in a new archive. Existing folders prove that old runs still continue, and stay
as they are. Only if a breaking change was decided and is in CHANGELOG.md, remove an archive and its
lines in `index.json` by hand first.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    runpy.run_module("tests.upgrades.making", run_name="__main__")
