from __future__ import annotations

import pytest

from podium.core.rules import Rule, terms
from podium.importing.finding import Found, find
from podium.importing.matching import Matched, closeness, match, match_all
from podium.workflows.rule_catalog import every, rules

LOOP = Rule(
    "x.loop",
    "L.",
    "tests/a.py::test_l",
    ("review loop|again", "send back"),
    number=2,
    policy="max_loops",
)
GATE = Rule("x.gate", "G.", "tests/a.py::test_g", ("approv build|gate",))
WIDE = Rule("engine.wide", "W.", "tests/a.py::test_w", ("approv build",))
KNOWN = (LOOP, GATE, WIDE)


def held(text: str, known: tuple[Rule, ...] = KNOWN) -> Matched:
    found = find(text, terms(known))
    assert len(found) == 1, found
    return match(found[0], known)


def test_a_rule_is_found_by_what_it_speaks_of_and_its_number() -> None:
    found = held("The review loop may run at most 2 times.")
    assert (found.rule, found.standing, found.confidence) == (LOOP, "enforced", "sure")


def test_another_number_is_told() -> None:
    found = held("The review loop may run at most 5 times.")
    assert (found.rule, found.standing) == (LOOP, "other number")


def test_a_rule_of_the_workflow_is_closer_than_one_of_the_engine() -> None:
    assert held("Never build without approval.").rule == GATE


def test_words_of_the_surroundings_help_but_are_not_enough() -> None:
    assert held("## Approval\n\nNever build at once.").rule == GATE
    assert held("## Approval gate\n\nNever hurry.").rule is None


def test_what_no_rule_speaks_of_is_not_enforced_or_advice() -> None:
    assert held("Never use tabs.").standing == "not enforced"
    assert held("You should prefer `x.md` for approval.").standing == "advisory"


def test_advice_that_a_rule_holds_all_the_same_is_told_as_held() -> None:
    found = held("You should wait for approval before the build.")
    assert (found.rule, found.found.enforceable) == (GATE, False)


def test_a_limit_is_not_led_to_a_rule_without_a_number_by_few_words() -> None:
    assert held("Ask for approval of at most 7 build steps.", (WIDE,)).rule is None


def test_how_close_a_document_is_counts_what_is_sure_and_the_workflows_own() -> None:
    found = find(
        "The review loop runs at most 2 times.\n\nNever build without approval.\n", terms(KNOWN)
    )
    assert closeness(match_all(found, KNOWN)) == 1
    assert closeness(match_all(found, (WIDE,))) == 0


STYLE = """\
# House style

- Never use tabs.
- Functions must have at most 50 lines.
- Always name tests as sentences.
- Do not log at import time.
- Sort imports before you commit.
- Strings must be in double quotes.
- Never catch a bare exception.
"""


@pytest.mark.parametrize("name", ["harness", "roadmap", "feature", "ticket", "governed"])
def test_a_page_about_something_else_is_about_no_workflow(name: str) -> None:
    matched = match_all(find(STYLE, terms(every())), rules(name))
    assert len(matched) == 7
    assert closeness(matched) == 0
    assert [each.found.quote for each in matched if each.rule is not None] == []


def test_a_found_rule_knows_its_place() -> None:
    found = find("---\n\n# Loops\n\nThe review loop may run at most 2 times.\n", terms(KNOWN), 10)
    assert found == (
        Found(14, "limit", True, (2.0,), ("loop", "review"), (), "The review loop may run at …"),
    )
