"""The workflows by name."""

from __future__ import annotations

from collections.abc import Mapping

from podium.workflows.entry import Entry


def entries() -> Mapping[str, Entry]:
    """Every workflow; imported only when asked for."""
    from podium.workflows.harness import entry  # noqa: PLC0415

    return {entry.ENTRY.name: entry.ENTRY}
