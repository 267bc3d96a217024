from __future__ import annotations

import pytest

from podium.workflows.ticket.plan_document import (
    DEFERRED,
    MARKS,
    PHRASES,
    check,
    compose,
    deferrals,
    structure,
)
from podium.workflows.ticket.progress.log_lines import Entry

GOOD = "# Plan\n\nChange src/a.py so that it parses.\n"


@pytest.mark.parametrize("phrase", [*PHRASES, *MARKS])
def test_each_phrase_that_puts_research_off_is_found_with_its_line(phrase: str):
    text = f"{GOOD}\n- The API: {phrase}.\n"
    assert [(each.line, each.phrase) for each in deferrals(text)] == [(5, phrase)]
    assert phrase in str(deferrals(text)[0])
    assert deferrals(text.replace(phrase, "settled")) == ()


def test_a_plan_that_leaves_something_open_is_well_formed_so_that_nobody_is_asked_to_reword_it():
    assert check(f"{GOOD}\n- The API: TBD.\n", "") == ()


@pytest.mark.parametrize(
    "text",
    [
        "We need to\nresearch the API.",
        "FIGURE OUT the API.",
        "> figure out",
        "_figure out_ the rest",
        "<!-- TBD -->",
        "## TODO",
        "| a | TBD |",
        "`code` is TBD",
        "three TODOs are left",
        "`TODO`: the rest",
        "``a ` TBD``",
        "XTODOX",
        "the API_TBD endpoint",
    ],
)
def test_no_form_hides_what_is_left_open(text: str):
    assert deferrals(f"{GOOD}\n{text}\n")


@pytest.mark.parametrize(
    "text",
    ["```\nTODO\n```", "    # TODO", "todo list", "we need to\n\nresearch it"],
)
def test_blocks_of_code_leave_nothing_open(text: str):
    assert deferrals(f"{GOOD}\n{text}\n") == ()


def test_every_place_is_told_in_order():
    assert [each.line for each in deferrals("TBD\n\nfigure out\n\nTODO")] == [1, 3, 5]


@pytest.mark.parametrize(
    "text", ["configure outputs in src/a.py", "reconfirm later", "somewhere available"]
)
def test_a_phrase_within_other_words_leaves_nothing_open(text: str):
    assert deferrals(f"{GOOD}\n{text}\n") == ()


@pytest.mark.parametrize(
    "text", ["# Plan\n", "```\ncode\n```\n", "---\n", "# Plan\n\nFill this in.\n"]
)
def test_a_plan_says_something_of_its_own(text: str):
    assert check(text, "Fill this in.")


def test_the_message_of_a_deferral_is_a_critical_violation():
    assert Entry(timestamp="", event="", message=DEFERRED).role_violation


def test_the_shortest_good_plan_passes_its_own_check():
    text = compose({}, "", {"Ticket": "PROJ-1"})
    assert text.startswith("# Plan for PROJ-1\n")
    assert check(text, "") == ()
    assert compose({"title": "T", "body": "B"}, "", {}) == "# T\n\nB\n"
    with pytest.raises(ValueError, match="unknown member 'text'"):
        compose({"text": "x"}, "", {})
    assert structure()
