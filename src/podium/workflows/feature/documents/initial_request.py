"""`initial-request.md`: the request word for word, for every agent of the run."""

from __future__ import annotations

from podium.formats.field_lines import field_value
from podium.workflows.feature.slug import title_of


def render(request: str, context: str, slug: str, today: str) -> str:
    """The document; it contains the request and its context unchanged."""
    return "\n".join(
        [
            f"# Initial Request — {title_of(request)}",
            "",
            f"Feature: {field_value(slug)}  ",
            f"Date: {field_value(today)}",
            "",
            "## Request",
            "",
            request.strip() or "None given.",
            "",
            "## Context",
            "",
            context.strip() or "None given.",
            "",
        ]
    )
