"""The garbage collector of a process that drives runs."""

from __future__ import annotations

import gc

OFTEN = 50_000
"""Objects that may come before it looks for garbage: some ten steps' worth, and a few megabytes."""


def spare_what_is_loaded() -> None:
    """Modules and settings stay until the process ends: to go through them again and again is a twentieth of a step."""
    if not gc.get_freeze_count():  # once: who drives many runs in one process would never get rid of the first ones
        gc.freeze()
        gc.set_threshold(OFTEN, 20, 20)
