"""The workflows by name."""

from __future__ import annotations

from podium.workflows.entry import Entry

NAMES = ("feature", "governed", "harness", "roadmap", "ticket")
"""The workflows of this version."""


def entry(name: str) -> Entry:
    """One workflow; the modules of the others are not imported."""
    match name:
        case "feature":
            from podium.workflows.feature import entry as feature  # noqa: PLC0415

            return feature.ENTRY
        case "governed":
            from podium.workflows.governed import entry as governed  # noqa: PLC0415

            return governed.ENTRY
        case "harness":
            from podium.workflows.harness import entry as harness  # noqa: PLC0415

            return harness.ENTRY
        case "roadmap":
            from podium.workflows.roadmap import entry as roadmap  # noqa: PLC0415

            return roadmap.ENTRY
        case "ticket":
            from podium.workflows.ticket import entry as ticket  # noqa: PLC0415

            return ticket.ENTRY
        case _:
            raise KeyError(name)
