from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium.core.rules import Rule, terms
from podium.importing.finding import find
from podium.importing.fixture import from_data, to_data
from podium.importing.report import Report, data, markdown, report, table
from podium.workflows.rule_catalog import CATALOGUES, every, rules

LOOP = Rule(
    "x.loop",
    "A review sends back twice.",
    "tests/a.py::test_l",
    ("review loop|again",),
    number=2,
    policy="max_loops",
)
OTHER = Rule("y.other", "Other.", "tests/a.py::test_o", ("approv build gate",))
TEXT = (
    "The review loop runs at most 5 times.\n\nNever use | tabs.\n\nPrefer `x.md` where you can.\n"
)
FOLDER = Path(__file__).parents[1] / "fixtures" / "import"


def made(text: str = TEXT) -> Report:
    return report(
        "a.md",
        find(text, terms([LOOP, OTHER])),
        [("x", (LOOP,)), ("y", (OTHER,)), ("", ())],
        ("a remark",),
    )


def test_a_document_is_held_against_the_workflow_it_is_closest_to() -> None:
    assert (
        made("The review loop may run at most 2 times, again.").workflow,
        made("Never build before the approval gate.").workflow,
    ) == ("x", "y")
    assert made("Never use tabs.").workflow == ""


def test_the_report_counts_what_is_held() -> None:
    found = data(made("The review loop may run again at most 2 times.\n\nNever use tabs.\n"))
    assert found["summary"] == {
        "found": 2,
        "enforceable": 2,
        "mapped": 1,
        "share": 0.5,
        "enforced": 1,
        "other_number": 0,
        "not_enforced": 1,
        "advisory": 0,
    }
    assert found["rules"][0]["rule"] == "x.loop"
    assert found["rules"][0]["test"] == "tests/a.py::test_l"
    json.dumps(found)


def test_a_table_has_one_line_a_rule_with_the_number_that_differs() -> None:
    lines = table(
        report("a.md", find(TEXT, terms([LOOP])), [("x", (LOOP,))], ("a remark",))
    ).splitlines()
    assert lines[0].startswith("a.md: ")
    assert lines[1] == "  note: a remark"
    assert "5; here 2, policy max_loops" in lines[2]
    assert "not enforced" in lines[3]


def test_markdown_shows_rules_that_hold_what_is_not_held_and_advice_and_no_text_becomes_structure() -> (  # noqa: E501
    None
):
    page = markdown(report("a.md", find(TEXT, terms([LOOP])), [("x", (LOOP,))]), "Report")
    assert "### x.loop" in page
    assert "Number: 2, policy `max_loops`." in page
    assert "## Not enforced" in page
    assert "“Never use tabs.”" in page
    assert markdown(made("Never use <b>x</b> # `y` [z](w).\n"), "R").count("<b>") == 0


def test_a_document_without_rules_says_so() -> None:
    assert "no enforceable rule found" in table(made("Hello.\n"))


def test_rules_without_their_document_are_matched_alike_and_hold_little_of_its_words() -> None:
    found = find(TEXT, terms([LOOP]))
    again = from_data(json.loads(json.dumps(to_data(found))))
    assert [each.topics for each in again] == [each.topics for each in found]
    assert [each.quote for each in again] == ["The review loop …", "Never …", "Prefer x.md …"]


@pytest.mark.parametrize("name", CATALOGUES)
def test_nine_of_ten_enforceable_rules_of_each_family_are_held(name: str) -> None:
    found = from_data(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["rules"])
    best = report(name, found, [(each, rules(each)) for each in CATALOGUES] + [("", rules(""))])
    assert best.workflow == name
    assert best.enforceable > 50
    assert best.share >= 0.9


@pytest.mark.parametrize("name", CATALOGUES)
def test_what_is_kept_of_a_document_of_others_is_short(name: str) -> None:
    kept = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["rules"]
    assert max(len(each["quote"].split()) for each in kept) <= 4
    known = terms(every())
    assert all(set(each["topics"]) | set(each["around"]) <= known for each in kept)
