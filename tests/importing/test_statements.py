from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.importing.statements import Statement, statements


def said(text: str) -> list[tuple[int, str]]:
    return [(each.line, each.text) for each in statements(text)]


def test_a_paragraph_is_taken_apart_into_sentences_with_their_lines() -> None:
    assert said("Never skip a gate. Ask first.\nThen go on\nslowly. Stop.\n") == [
        (1, "Never skip a gate."),
        (1, "Ask first."),
        (2, "Then go on slowly."),
        (3, "Stop."),
    ]


def test_a_number_or_an_abbreviation_ends_no_sentence() -> None:
    assert said("1. Read version 2.5 of it\n") == [(1, "Read version 2.5 of it")]
    assert said("Use step 3. Do it.\n") == [(1, "Use step 3. Do it.")]


@pytest.mark.parametrize("sign", ["-", "*", "•", "+", "1.", "2)"])
def test_items_of_any_sign_stand_for_themselves_under_the_words_before_them(sign: str) -> None:
    found = statements(
        f"You must not:\n\n{sign} skip stages\n{sign} guess,\n  not even once\n\nAfter it.\n"
    )
    assert found[1:] == (
        Statement(3, "skip stages", "You must not:"),
        Statement(4, "guess, not even once", "You must not:"),
        Statement(7, "After it."),
    )


def test_an_inner_list_has_words_of_its_own_before_it() -> None:
    found = statements("Do:\n- if it fails:\n  - stop\n- go on\n")
    assert [(each.text, each.lead) for each in found] == [
        ("Do:", ""),
        ("if it fails:", "Do:"),
        ("stop", "if it fails:"),
        ("go on", ""),
    ]


def test_headings_name_sections_with_and_without_a_mark() -> None:
    found = statements("# Limits\n\nAt most two.\n\nStopping Rules\n\nStop here.\n")
    assert [(each.text, each.section) for each in found] == [
        ("At most two.", "Limits"),
        ("Stop here.", "Stopping Rules"),
    ]


def test_a_row_of_a_table_has_its_head_before_it() -> None:
    found = statements(
        "| Agent | On error |\n|---|---|\n| spec | retry once |\n\n| A | B |\n|---|---|\n| c "
        "| d |\n"
    )
    assert [(each.line, each.text, each.lead, each.row) for each in found] == [
        (3, "spec | retry once", "Agent On error", True),
        (7, "c | d", "A B", True),
    ]


def test_code_says_nothing_and_a_prompt_in_a_block_is_marked() -> None:
    found = statements("```yaml\nmax: 5\n```\n\n```\nFORBIDDEN: coding.\n```\nStop.\n")
    assert [(each.text, each.quoted) for each in found] == [
        ("FORBIDDEN: coding.", True),
        ("Stop.", False),
    ]


def test_a_fence_that_somebody_forgot_hides_nothing() -> None:
    sections = "".join(f"## Part {number}\n\nNever do {number}.\n\n" for number in range(1, 7))
    found = statements(f"````\n{sections}````\n")
    assert [each.text for each in found] == [f"Never do {number}." for number in range(1, 7)]
    assert not any(each.quoted for each in found)


def test_a_copied_page_whose_items_stand_within_lines_is_read_all_the_same() -> None:
    found = statements(
        "It must:\n- read the task from\nharness/tasks/ - create the report when it is gone\n"
    )
    assert [each.text for each in found[1:]] == [
        "read the task from harness/tasks/",
        "create the report when it is gone",
    ]


def test_comments_rulers_and_empty_items_say_nothing() -> None:
    assert said("<!-- note -->\n\n---\n\n-\n\n***\n") == []


def test_a_comment_says_nothing_however_long_it_is_and_the_lines_after_it_keep_their_numbers() -> (
    None
):
    found = said(
        "Ask first.\n<!-- Never ask.\n\nAlways skip the review. -->\nThen wait <!-- or not "
        "--> for an answer.\n"
    )
    assert found == [(1, "Ask first."), (5, "Then wait  for an answer.")]


def test_what_only_looks_like_a_comment_is_said() -> None:
    assert said("Keep the mark `<!-- here -->` in the file.\n") == [
        (1, "Keep the mark `<!-- here -->` in the file.")
    ]
    assert said("An arrow <!-- that nobody closes.\n\nNever skip a review.\n")[-1] == (
        3,
        "Never skip a review.",
    )


def test_the_number_of_the_first_line_can_be_given() -> None:
    assert statements("Stop.\n", 20)[0].line == 20


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_is_taken_apart_and_every_line_exists(text: str) -> None:
    found = statements(text)
    assert all(1 <= each.line <= text.count("\n") + 1 and each.text.strip() for each in found)


@settings(max_examples=60)
@given(
    st.lists(
        st.from_regex(r"[A-Z][a-z]{2,8} [a-z]{2,8} [a-z]{2,8}", fullmatch=True),
        min_size=1,
        max_size=6,
    )
)
def test_every_item_of_a_list_comes_back_in_order(items: list[str]) -> None:
    text = "Always:\n\n" + "".join(f"- {each}\n" for each in items)
    assert [each.text for each in statements(text)[1:]] == items
