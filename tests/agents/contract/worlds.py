"""Where one agent is tried in tests: the world of `podium verify-agent`, below `.agents`,
skipped where it cannot be made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.agents.contract.drivers import HOME, Driver

from podium.agents.conformance.world import AMBIENT, SECRET, WHISPER, Outcome, World, why_not
from podium.agents.conformance.world import world as made
from podium.agents.scripted_model.script import Script

REAL_KEY = "sk-a-real-key-that-no-agent-may-see"
__all__ = ["AMBIENT", "REAL_KEY", "SECRET", "WHISPER", "Outcome", "World", "world"]


@contextmanager
def world(
    tmp_path: Path, driver: Driver, scripts: Mapping[str, Script], *, confined: bool
) -> Iterator[World]:
    if why := why_not(driver):
        pytest.skip(why)
    # Not below /tmp: Codex does without its own sandbox there.
    root = HOME / "work" / f"{os.getpid()}-{tmp_path.name}"
    sockets = Path("/tmp") / f"podium-test-{os.getpid()}-{abs(hash(tmp_path.name)) % 10**8}.sock"
    with made(root, sockets, driver, scripts, confined=confined) as found:
        yield found
