"""The pictures of the terminal in the documentation are what the terminal shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.terminal
@pytest.mark.parametrize("name", ["low", "note"])
def test_a_picture_is_what_the_script_takes_now(name: str) -> None:
    """Two of them stand for all: the others show the same runs."""
    done = subprocess.run(
        [sys.executable, "scripts/terminal_pictures.py", "--check", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=115,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_every_picture_stands_in_the_documentation() -> None:
    page = (ROOT / "docs/how-to/watch.md").read_text()
    assert all(path.name in page for path in (ROOT / "docs/images").glob("terminal-*.svg"))
