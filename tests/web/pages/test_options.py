"""A question taken apart."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.web.pages.options import question

GOVERNED = """\
Two readers disagree.

words (recommended): Count words
  + simple
  - misses signs
  files: a.py, b.py
signs: Count signs
  + exact

Recommended: words. Most people mean words."""


def test_options_have_their_text_their_pros_and_their_cons() -> None:
    found = question(GOVERNED, ["words", "signs"])
    words, signs = found.options
    assert found.lead == "Two readers disagree."
    assert (words.text, words.pros, words.cons, words.files, words.recommended) == (
        "Count words",
        ["simple"],
        ["misses signs"],
        "a.py, b.py",
        True,
    )
    assert (signs.text, signs.pros, signs.recommended) == ("Count signs", ["exact"], False)
    assert found.advice == "words. Most people mean words."


def test_the_short_form_of_other_workflows_is_read_too() -> None:
    found = question("Which way?\n  a: left\n  b: right\n  recommended: b", ["a", "b"])
    assert [(each.id, each.text, each.recommended) for each in found.options] == [
        ("a", "left", False),
        ("b", "right", True),
    ]
    assert found.lead == "Which way?"


def test_choices_without_words_are_still_choices() -> None:
    assert [each.id for each in question("Go?", ["yes", "no"]).options] == ["yes", "no"]


@settings(max_examples=60)
@given(
    st.text(alphabet="ab:+- ()\nrecomndf", max_size=120),
    st.lists(st.text(alphabet="abn ", max_size=4), max_size=4, unique=True),
)
def test_no_prompt_loses_a_choice(prompt: str, choices: list[str]) -> None:
    assert [each.id for each in question(prompt, choices).options] == choices
