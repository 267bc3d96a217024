from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.request.mandates import Mandate, find_mandates, needs_running_program


@pytest.mark.parametrize(
    ("text", "tool", "agent"),
    [
        ("You MUST use playwright for it.", "playwright", "developer"),
        ("Use Chrome DevTools to inspect the page.", "Chrome DevTools", "planner"),
        ("Investigate the crash using Sentry", "Sentry", "planner"),
        ("Build the form with React.", "React", "developer"),
        ("leverage the cache service", "cache", "developer"),
        ("integrate with stripe", "stripe", "developer"),
        ("Fix it using `rg`", "rg", "developer"),
        ("use ruff", "ruff", "developer"),
        ("Must use context7 to research the API, then implement it", "context7", "planner"),
    ],
)
def test_a_demanded_tool_is_found_and_given_to_whom_it_is_for(text: str, tool: str, agent: str):
    assert find_mandates(text) == (Mandate(text, agent, tool),)


@pytest.mark.parametrize(
    "text",
    [
        "replace the button with a link",
        "so that people can use it",
        "add users with roles",
        "with your help",
        "use it",
    ],
)
def test_everyday_words_demand_no_tool(text: str):
    assert find_mandates(text) == ()


def test_each_sentence_is_one_mandate_word_for_word():
    text = "Fix the page.  Use Chrome to inspect  it.\n- MUST use `axe` for a11y"
    assert [each.text for each in find_mandates(text)] == [
        "Use Chrome to inspect  it.",
        "- MUST use `axe` for a11y",
    ]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="use with MUST`axeR.\n ;", max_size=60))
def test_a_mandate_is_always_part_of_the_request(text: str):
    assert all(each.text in text for each in find_mandates(text))


@pytest.mark.parametrize(
    ("mandate", "needs"),
    [
        (Mandate("use ruff", tool="ruff"), False),
        (Mandate("MUST use mypy"), False),
        (Mandate("use Playwright", tool="Playwright"), True),
        (Mandate("use ruff, and verify it with Playwright", tool="ruff"), True),
        (Mandate("Use mypy and playwright.", tool="mypy"), True),
        (Mandate("Use mypy and ruff.", tool="mypy"), False),
        (Mandate("look at the page"), True),
        (Mandate("MUST use Frobnicator 3000"), True),
    ],
)
def test_in_doubt_a_mandate_needs_a_running_program(mandate: Mandate, needs: bool):
    assert needs_running_program(mandate) is needs
