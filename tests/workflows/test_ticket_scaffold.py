from __future__ import annotations

from importlib.resources import files

import pytest

from podium.workflows import ticket
from podium.workflows.ticket.dialects import STOPS
from podium.workflows.ticket.plan_document import deferrals

ROLES = (
    "interpreter",
    "initializer",
    "planner",
    "splitter",
    "task-executor",
    "developer",
    "reviewer",
)


def definition(role: str) -> str:
    return (files(ticket) / "scaffold" / "roles" / f"{role}-agent.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_defined_on_one_page_and_says_how_to_report(role: str):
    text = definition(role)
    assert 20 <= len(text.splitlines()) <= 60
    assert "## How to report" in text
    assert max(map(len, text.splitlines())) <= 115


def test_there_is_no_role_beside_them():
    found = [each.name for each in (files(ticket) / "scaffold" / "roles").iterdir()]
    assert sorted(found) == sorted(f"{role}-agent.md" for role in ROLES)


@pytest.mark.parametrize("role", ["developer", "task-executor"])
def test_who_writes_code_knows_how_to_give_up(role: str):
    assert all(each in " ".join(definition(role).split()) for each in STOPS)


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("reviewer", ("ACCEPTED", "REJECTED", "MET", "NOT MET")),
        ("planner", ("PENDING",)),
        ("task-executor", ("SYNTAX_VALID", "SYNTAX_ERROR", "DONE", "ERROR")),
    ],
)
def test_a_definition_uses_the_words_of_its_dialect(role: str, words: tuple[str, ...]):
    assert all(f"`{each}`" in definition(role) for each in words)


def test_only_the_planner_is_told_which_words_it_may_not_use():
    assert deferrals(definition("developer")) == ()
