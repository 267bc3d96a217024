from __future__ import annotations

from podium.formats.markdown import scan
from podium.formats.markdown_fields import read_field
from podium.workflows.feature.documents.initial_request import render


def test_the_request_stands_in_the_document_word_for_word() -> None:
    text = render(
        "Add login\n\nWith `tokens`, please.\n", "Two users tried it.", "add-login", "2026-04-20"
    )
    assert "## Request\n\nAdd login\n\nWith `tokens`, please.\n" in text
    assert "## Context\n\nTwo users tried it.\n" in text
    assert read_field(text, None, "Feature") == "add-login"
    assert read_field(text, None, "Date") == "2026-04-20"
    assert scan(text).headings[0].title == "Initial Request — Add login"


def test_no_context_is_said() -> None:
    assert render("Add login", "  ", "add-login", "2026-04-20").endswith(
        "## Context\n\nNone given.\n"
    )
