from __future__ import annotations

import pytest

from podium.importing.kinds import kind_of
from podium.importing.statements import Statement

RULES = [
    ("limit", "Retry at most 2 times."),
    ("limit", "Max retries: 3 per item"),
    ("limit", "Dispatch ≤4 agents at once"),
    ("limit", "Attempt repair once"),
    ("limit", "The loop may repeat up to two times."),
    ("limit", "If `attempt >= 5`: stop"),
    ("forbidden", "Never skip a stage."),
    ("forbidden", "You must not write code."),
    ("forbidden", "Do NOT retry it."),
    ("forbidden", "Planning is FORBIDDEN."),
    ("forbidden", "No gate skipping."),
    ("forbidden", "No phase may be complete without evidence."),
    ("gate", "Wait for user approval."),
    ("gate", "Pause for approval before Build."),
    ("gate", "Ask the user when requirements conflict."),
    ("stop", "If it persists, halt the pipeline."),
    ("stop", "Stop when the roadmap is gone."),
    ("verdict", "Return status `DONE` or `ERROR`."),
    ("output", "Create `docs/plan.md`."),
    ("output", "Update the run report."),
    ("order", "Run the tests before the review."),
    ("order", "Build → Test → Review"),
    ("duty", "Every call must include the context."),
]
ADVICE = [
    "Prefer small changes.",
    "You should explain your reasons.",
    "Consider the reader.",
    "Use detailed thinking.",
]
NOTHING = [
    "You are the orchestrator.",
    "The report is the history of the task.",
    "Purpose and scope",
    "It does not exist yet.",
    "The following holds:",
]


@pytest.mark.parametrize(("kind", "text"), RULES)
def test_a_rule_has_a_kind_and_could_be_enforced(kind: str, text: str) -> None:
    assert kind_of(Statement(1, text)) == (kind, True)


@pytest.mark.parametrize("text", ADVICE)
def test_what_is_asked_softly_or_of_nothing_that_can_be_looked_at_is_advice(text: str) -> None:
    found = kind_of(Statement(1, text))
    assert found in {None, ("advice", False)}


@pytest.mark.parametrize("text", NOTHING)
def test_what_asks_for_nothing_is_no_rule(text: str) -> None:
    assert kind_of(Statement(1, text)) is None


def test_an_item_is_what_the_words_before_its_list_make_it() -> None:
    assert kind_of(Statement(1, "skip stages", "This role must not:")) == ("forbidden", True)
    assert kind_of(Statement(1, "the task is unclear", "Stop when:")) == ("stop", True)
    assert kind_of(Statement(1, "Task ID", "It must always keep these fields:")) == ("duty", True)
    assert kind_of(Statement(1, "Task ID", "It should record:")) is None


def test_a_weak_word_beside_a_firm_one_is_firm() -> None:
    assert kind_of(Statement(1, "It may repeat this up to 2 times.")) == ("limit", True)
    assert kind_of(Statement(1, "It may only go on after approval.")) == ("gate", True)


def test_in_a_block_that_is_not_the_documents_own_voice_only_hard_words_count() -> None:
    assert kind_of(Statement(1, "Create `x.md`.", quoted=True)) is None
    assert kind_of(Statement(1, "Coding is FORBIDDEN.", quoted=True)) == ("forbidden", True)
