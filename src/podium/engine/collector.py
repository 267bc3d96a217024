"""The garbage collector of a process that drives runs."""

from __future__ import annotations

import gc

OFTEN = 50_000
"""New objects before the collector runs: about ten steps' worth, a few megabytes."""


def spare_what_is_loaded() -> None:
    """Modules and settings live until the process ends; collecting them again and again takes a
    twentieth of a step.
    """
    if (
        not gc.get_freeze_count()
    ):  # once: a process that drives many runs would otherwise never free the first ones
        gc.freeze()
        gc.set_threshold(OFTEN, 20, 20)
