from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.agent_tools import ABILITIES, abilities, ability, listed


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Read", "read"),
        ("read/readFile", "read"),
        ("read/problems", "read"),
        ("view", "read"),
        ("Write", "edit"),
        ("MultiEdit", "edit"),
        ("edit/createFile", "edit"),
        ("apply_patch", "edit"),
        ("Bash", "execute"),
        ("Bash(git log:*)", "execute"),
        ("execute/runInTerminal", "execute"),
        ("shell", "execute"),
        ("run_shell_command", "execute"),
        ("vscode/runCommand", "execute"),
        ("Grep", "search"),
        ("search/codebase", "search"),
        ("LS", "search"),
        ("WebFetch", "web"),
        ("web/fetch", "web"),
        ("browser/openBrowserPage", "web"),
        ("Task", "agent"),
        ("agent/runSubagent", "agent"),
        ("todo", "todo"),
        ("TodoWrite", "todo"),
        ("mcp__github__list_issues", "mcp"),
        ("context7/query-docs", "mcp"),
        ("github/*", "mcp"),
    ],
)
def test_a_tool_of_any_program_has_one_of_eight_words(name: str, meant: str) -> None:
    assert ability(name) == meant


@pytest.mark.parametrize(
    "name", ["", "telepathy", "vscode/askQuestions", "/readFile", "server/", "()"]
)
def test_a_name_that_nobody_knows_has_no_word(name: str) -> None:
    assert ability(name) is None


def test_names_that_nobody_knows_are_told_once_and_the_rest_stands_in_a_fixed_order() -> None:
    assert abilities(["todo", "Bash", "telepathy", "Read", "telepathy"]) == (
        ("read", "execute", "todo"),
        ("telepathy",),
    )


def test_a_star_is_everything() -> None:
    assert abilities(["*"]) == (ABILITIES, ())


def test_a_comma_in_brackets_belongs_to_its_name() -> None:
    assert listed("Read, Bash(git add, git mv), ,Grep") == ("Read", "Bash(git add, git mv)", "Grep")


def test_a_bracket_that_is_never_opened_hides_nothing() -> None:
    assert listed("Read), Bash") == ("Read)", "Bash")


@settings(max_examples=60)
@given(st.lists(st.text()))
def test_any_names_give_words_of_the_list_and_lose_none(names: list[str]) -> None:
    found, unknown = abilities(names)
    assert set(found) <= set(ABILITIES)
    assert all(name in unknown or ability(name) or name.strip() == "*" for name in names)


@settings(max_examples=60)
@given(st.text())
def test_a_text_with_commas_is_taken_apart_without_losing_a_letter(text: str) -> None:
    def letters(said: str) -> str:
        return "".join(said.replace(",", " ").split())

    assert letters(" ".join(listed(text))) == letters(text)
