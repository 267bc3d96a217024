from __future__ import annotations

import pytest

from podium.workflows.ticket.request.words import (
    WIDER,
    content_words,
    item,
    sentences,
    vague_words,
    work_type,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fix the login", "fix"),
        ("two bugs in it", "fix"),
        ("a defect", "fix"),
        ("Add a button", "feature"),
        ("implement it", "feature"),
        ("Create fixtures", "feature"),
        ("refactor the parser", "chore"),
        ("clean up the tests", "chore"),
        ("update to fix a bug", "chore"),
        ("prefix the names", ""),
        ("the address book", ""),
        ("an error in the page", ""),
    ],
)
def test_the_first_keyword_names_the_type_of_work(text: str, kind: str):
    assert work_type(text) == kind


def test_only_the_interpreter_takes_wider_words_as_a_hint():
    assert work_type("an error in the page", WIDER) == "fix"
    assert work_type("a new page", WIDER) == "feature"


def test_vague_words_are_whole_words():
    assert vague_words("Maybe something, somewhat") == ("something", "maybe")


def test_content_leaves_out_small_words_and_types():
    assert content_words("Please fix the login and the login page 42") == ["login", "page"]


def test_sentences_stay_as_written():
    assert sentences("Use v1.2 of it. Then stop!\n- one\n- two; three") == [
        "Use v1.2 of it.",
        "Then stop!",
        "- one",
        "- two",
        "three",
    ]


@pytest.mark.parametrize(
    ("line", "said"), [("- a", "a"), ("2) b", "b"), ("* [x] c", "c"), ("d", None), ("-e", None)]
)
def test_a_list_item_says_what_follows_its_mark(line: str, said: str | None):
    assert item(line) == said
