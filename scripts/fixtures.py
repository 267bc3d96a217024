"""Makes `tests/fixtures/runs`: folders of runs at rest, which every later Podium must take up.

    python scripts/fixtures.py [WORKFLOW …]     (default: all)

Run it for a workflow whose journey (`tests/upgrades/journeys.py`) got a stop more, or a step more: it makes the folders
that are not there yet, in one more archive. What is there already is the proof that old runs go on, and stays as it is.
Only where a change that breaks them was decided and told in CHANGELOG.md, an archive and its lines in `index.json` are
removed by hand first.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    runpy.run_module("tests.upgrades.making", run_name="__main__")
