"""What a declaration writes: a document, a change of a person's, an example, a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.documents import (
    Document,
    Either,
    Entries,
    Flag,
    Issue,
    Many,
    Maybe,
    Named,
    Number,
    Own,
    Prose,
    Text,
    Titled,
    Within,
    part,
    record,
)
from podium.documents.markdown_edit import BEGIN, END, people_words, put_field, put_items, put_notes
from podium.documents.text import one_line, says_nothing, unwrap


class Drawings(Own):
    """Blocks of code, which no declaration describes."""

    def read(self, passages: Sequence[Any], entry: Any, outline: Any) -> Any:
        lines = [outline.lines[n] for p in passages for n in range(p.start, p.end)]
        return [line for line in lines if line and not line.startswith("```")] or None

    def write(self, data: Any) -> Sequence[str]:
        return ["```mermaid", *data, "```"]


@record(title="Step {number} — {name}")
class Step:
    number: int = part(at=Titled(r"Step (?P<number>\d+) — (?P<name>.*)"))
    name: str = part(at=Titled(r"Step (?P<number>\d+) — (?P<name>.*)"))
    risk: Literal["low", "high"] = part("Risk", default="low")
    files: tuple[str, ...] = part("Files", default=())
    notes: str = part("Notes", value=Prose(empty=True), default="")


@record(title="Plan: {title}")
class Plan:
    title: str = part(at=Titled(r"Plan: (?P<title>.*)"))
    status: Literal["Ready", "Done"] = part("Status", at="head")
    owner: str = part("Owner", at=Within(("Task",)), default="")
    paths: Mapping[str, str] = part(at=Within(("Paths",)), factory=dict)
    approvals: Mapping[str, bool] = part(
        at="anywhere", value=Named(Flag(), prefix="Approve "), factory=dict
    )
    goal: str = part("Goal", at="section", value=Prose())
    stages: tuple[str, ...] = part("Stages", at="section", default=())
    score: int | None = part("Score", default=None)
    drawings: tuple[str, ...] = part("Drawings", value=Drawings(Many(Text())), default=())
    steps: tuple[Step, ...] = part(
        "Steps", default=(), entries=Entries(items=False, only=r"step \d+ — .*")
    )


PLAN = Document("plan.md", Plan, notes=("The goal is one sentence.",))
LINE = st.text(max_size=12).map(lambda text: unwrap(one_line(text)))
WORDS = st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,2}", fullmatch=True).filter(
    lambda text: not says_nothing(text)
)
STEPS = st.builds(
    Step,
    number=st.integers(0, 99),
    name=WORDS,
    risk=st.sampled_from(["low", "high"]),
    files=st.lists(WORDS, max_size=3).map(tuple),
    notes=st.sampled_from(["", "One.\n\nTwo.", "- a\n- b"]),
)
PLANS = st.builds(
    Plan,
    title=WORDS,
    status=st.sampled_from(["Ready", "Done"]),
    owner=WORDS,
    paths=st.dictionaries(WORDS, WORDS, max_size=2),
    approvals=st.dictionaries(WORDS, st.booleans(), max_size=2),
    goal=st.sampled_from(["One.", "One.\n\n- a\n- b\n\n```\ncode\n```"]),
    stages=st.lists(WORDS | st.sampled_from(["- dash", "# x", "[x] y", "``` x", "> q"])).map(tuple),
    score=st.none() | st.integers(0, 99),
    drawings=st.lists(WORDS, max_size=2).map(tuple),
    steps=st.lists(STEPS, max_size=2).map(tuple),
)


@given(PLANS)
@settings(max_examples=60, deadline=None)
def test_what_is_rendered_is_read_back(plan: Plan) -> None:
    assert PLAN.read(PLAN.render(plan)).sound() == plan


@given(PLANS, PLANS)
@settings(max_examples=60, deadline=None)
def test_what_is_changed_in_place_is_read_back_and_changing_again_changes_nothing(
    before: Plan, after: Plan
) -> None:
    text = PLAN.update(PLAN.render(before), after)
    value = PLAN.read(text).sound()
    assert (value.status, value.owner, value.goal) == (after.status, after.owner, after.goal)
    assert (value.stages or before.stages) == (after.stages or before.stages)
    assert PLAN.update(text, after) == text


def test_the_example_passes_and_says_no_more_than_it_must() -> None:
    assert PLAN.example() == "# Plan: …\n\nStatus: Ready  \n\n## Goal\n\n…\n"
    assert PLAN.check(PLAN.example()) == ()
    assert PLAN.check(PLAN.example({"goal": "x"})) == ()
    assert "## Goal\n\nx\n" in PLAN.example({"goal": "x"})


def test_the_prompt_names_every_part() -> None:
    assert PLAN.prompt() == (
        "Markdown with the parts: `title`, `Status`, `Goal`.",
        "`title`: a text that is not empty.",
        "`Status`: one of Ready, Done.",
        "`Owner` (may be left out): a text that is not empty.",
        "`paths` (may be left out): a table of names to values, each a text that is not empty.",
        (
            "`approvals` (may be left out): a table of names to values, each true or false "
            "(in Markdown Yes or No)."
        ),
        "`Goal`: a text that is not empty.",
        "`Stages` (may be left out): a list, each a text that is not empty.",
        "`Score` (may be left out): a whole number, 0 or more, or null.",
        "`Drawings` (may be left out): a list, each a text that is not empty.",
        (
            "`Steps` (may be left out): a heading or an item for each, with Risk (one of low, "
            "high); Files (a list, each a text that is not empty); Notes (a text)."
        ),
        "The goal is one sentence.",
    )


# --- YAML and JSON


@dataclass(frozen=True)
class Item:
    id: str
    done: bool = False


@record(alone="text")
class Demand:
    text: str
    tool: str = part(value=Text(empty=True), default="", about="the tool it names")


@record(closed=True)
class Work:
    items: tuple[Item, ...]
    count: int = part(value=Maybe(Number(most=9), 0), default=0, program=True)
    demands: tuple[Demand, ...] = part(default=())
    criteria: tuple[str, ...] = part(value=Many(Text(), least=1, alone=True))
    limits: Mapping[str, int] = part(
        value=Named(Number(), Text(pattern="[A-Z]", like="A")), factory=dict
    )
    strategy: Any = part(value=Either(Text(), Many(Text())), default="")


def unique(work: Work) -> Sequence[Issue]:
    ids = [item.id for item in work.items]
    return [
        Issue(("items", at, "id"), "stands there twice")
        for at, i in enumerate(ids)
        if i in ids[:at]
    ]


YAML = Document("work.yaml", Work, checks=[unique])
JSON = Document("work.json", Work, checks=[unique])
GOOD = """\
items:
  - id: A   # first
  - {id: B, done: true, more: 1}
count:
criteria: all of it
demands: [use it, {text: x, tool: y}]
"""


def test_data_becomes_a_record() -> None:
    reading = Document("work.yaml", Work.__mro__[0]).read(GOOD.replace(", more: 1", ""))
    assert reading.sound() == Work(
        items=(Item("A"), Item("B", done=True)),
        criteria=("all of it",),
        demands=(Demand(text="use it"), Demand(text="x", tool="y")),
    )


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("- a\n", ["1: the document is a list (expected a table with items, criteria)"]),
        ("", ["1: the document is empty (expected a table with items, criteria)"]),
        (
            "items: []\ncriterai: x\n",
            [
                "1: criteria is missing (is 'criterai' meant for it?)",
                "2: criterai is not known (did you mean 'criteria'?)",
            ],
        ),
        (
            "criteria: []\nitems:\n  - id: A\n  - id:\n    done: yes\n",
            [
                "1: criteria is empty (1 at least)",
                "4: items[1].id is empty (expected a text that is not empty)",
                "5: items[1].done is 'yes' (expected true or false (in Markdown Yes or No))",
            ],
        ),
        (
            "criteria: x\nitems:\n  - id: A\n  - id: A\ncount: 10\nlimits: {a: 1}\n",
            [
                "4: stands there twice",
                "5: count is 10 (expected a whole number from 0 to 9)",
                "6: limits.a: the name has the wrong form (expected a name like A)",
            ],
        ),
        ("criteria: &a x\n", ["1: anchors and aliases are not taken (write the value out)"]),
    ],
)
def test_every_fault_has_its_line_and_the_way_out(text: str, faults: list[str]) -> None:
    assert YAML.check(text) == tuple(f"work.yaml:{fault}" for fault in faults)


def test_a_text_that_is_no_json_is_one_fault() -> None:
    (fault,) = JSON.check('{"items": [],\n "items": []}')
    assert fault.startswith('work.json:2: is not JSON: the key "items" occurs twice')
    with pytest.raises(InputError):
        JSON.read("").sound()


def test_an_object_has_the_same_faults_without_lines() -> None:
    reading = YAML.read_object({"items": [{"id": 3}], "criteria": "x"})
    assert [str(fault) for fault in reading.faults] == [
        "the report: items[0].id is 3 (expected a text that is not empty)"
    ]


@given(
    st.builds(
        Work,
        items=st.lists(st.builds(Item, WORDS, st.booleans()), unique_by=lambda i: i.id).map(tuple),
        count=st.integers(0, 9),
        criteria=st.lists(WORDS, min_size=1).map(tuple),
        demands=st.lists(st.builds(Demand, text=WORDS, tool=WORDS | st.just(""))).map(tuple),
        limits=st.dictionaries(st.sampled_from("AB"), st.integers(0, 9)),
        strategy=WORDS,
    )
)
@settings(max_examples=40, deadline=None)
def test_data_that_is_rendered_is_read_back(work: Work) -> None:
    for document in (YAML, JSON):
        assert document.read(document.render(work)).sound() == work
        assert document.update(document.render(work), work) == document.render(work)


def test_an_update_leaves_what_it_does_not_name() -> None:
    changed = YAML.update(GOOD, {"items": [{"id": "A", "done": True}], "count": 2})
    assert changed == GOOD.replace(
        "- id: A   # first\n", "- id: A   # first\n    done: true\n"
    ).replace("count:\n", "count: 2\n")
    assert YAML.update(GOOD, {"items": []}) == GOOD


def test_a_file_that_cannot_be_changed_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match=r"work.yaml:1: is not a table"):
        YAML.update("- a\n", {"count": 1})


def test_an_excerpt_is_the_text_of_one_value() -> None:
    assert YAML.excerpt(GOOD, "items", 0) == "id: A\n"
    assert YAML.excerpt("items:\n  - id: A\n    done: true\n", "items", 0) == "id: A\ndone: true\n"
    assert YAML.excerpt(GOOD, "items", 7) == ""


def test_the_schema_is_what_agents_are_asked_for() -> None:
    schema = YAML.schema()
    assert schema["required"] == ["items", "criteria"]
    assert "count" not in schema["properties"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["demands"]["items"]["properties"]["tool"] == {
        "type": "string",
        "description": "the tool it names",
    }


# --- a person's Markdown changed in place

STATE = (
    "# State\r\n\r\n## Now\r\n\r\nStatus: Active  \r\n**Stage:** `Build`  \r\n- Reason:\r\n"
    "\r\n---\r\n\r\n## Notes\r\n\r\nStatus: a person's line\r\n"
)


@pytest.mark.parametrize(
    ("label", "new", "old_text", "new_text"),
    [
        ("Stage", "QA", "`Build`", "`QA`"),
        ("stage", "build", "", ""),
        ("Reason", "why", "Reason:", "Reason: why"),
        ("Status", "a\n## Notes\n<!-- b", "Active", "a ## Notes <! -- b"),
        ("New", "x", "- Reason:\r\n", "- Reason:  \r\nNew: x\r\n"),
    ],
)
def test_only_the_bytes_of_the_value_change(
    label: str, new: str, old_text: str, new_text: str
) -> None:
    expected = STATE.replace(old_text, new_text) if old_text else STATE
    assert put_field(STATE, "Now", label, new) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## A\n\nOne: 1\n\n---\n\n## B\n", "## A\n\nOne: 1  \nTwo: 2\n\n---\n\n## B\n"),
        ("## A\n", "## A\n\nTwo: 2\n"),
        ("## A\n\nMy words.\n", "## A\n\nTwo: 2\n\nMy words.\n"),
        ("# T\n", "# T\n\n## A\n\nTwo: 2\n"),
        ("```\nx\n", "## A\n\nTwo: 2\n\n```\nx\n"),
        ("## A\nOne: 1 <!-- x\n", "## A\nOne: 1 <!-- x  \nTwo: 2\n"),
        ("Two: <!-- a or b -->", "Two: <!-- a or b -->\n\n## A\n\nTwo: 2\n"),
        ("## A\nTwo: 1 <!-- a or b -->", "## A\nTwo: 2 <!-- a or b -->"),
        ("## A\nTwo: <!-- a or b -->", "## A\nTwo: 2 <!-- a or b -->"),
    ],
)
def test_a_new_field_joins_the_end_of_its_section(text: str, expected: str) -> None:
    assert put_field(text, "A", "Two", "2") == expected


@given(st.text(), st.text())
def test_any_value_is_read_back_and_no_other_line_changes(value: str, other: str) -> None:
    text = put_field(STATE, "Now", "Stage", value)
    assert put_field(text, "Now", "Stage", value) == text
    changed = put_field(text, "Now", "Reason", other)
    assert sum(a != b for a, b in zip(STATE.split("\r\n"), changed.split("\r\n"), strict=True)) <= 2


@pytest.mark.parametrize(
    ("text", "items", "expected"),
    [
        ("## A\n\n- None\n\n---\n", ["x", "y"], "## A\n\n- x\n- y\n\n---\n"),
        ("## A\n- x — by Ada\n\nWords.\n- y\n", ["y", "x"], "## A\n- y\n- x — by Ada\n\nWords.\n"),
        ("## A\n- `X`\n", ["x"], "## A\n- `X`\n"),
        ("## A\n- x\n", [], "## A\n- None\n"),
        ("## A\nWords.\n", ["x"], "## A\n\n- x\n\nWords.\n"),
        ("", ["x"], "## A\n\n- x\n"),
    ],
)
def test_items_that_are_still_true_stay_as_they_are(
    text: str, items: list[str], expected: str
) -> None:
    assert put_items(text, "A", items) == expected


def test_the_programs_lines_stand_between_two_comments_and_peoples_stay() -> None:
    text = put_notes("## Notes\n\nMine.\n", "Notes", ["one", "## two", "<!-- x"])
    assert text == f"## Notes\n\n{BEGIN}\n- one\n- \\## two\n- <! -- x\n{END}\n\nMine.\n"
    assert people_words(text, "Notes") == "Mine."
    assert people_words(put_notes(text, "Notes", []), "Notes") == "Mine."
    assert put_notes("x\n", "Notes", []) == "x\n"
    assert people_words("x\n", "Notes") == ""


@pytest.mark.parametrize("damage", [END, BEGIN, f"{BEGIN}\n{BEGIN}", f"{END}\n{BEGIN}\n{END}"])
def test_a_damaged_block_is_mended_once_and_no_words_are_lost(damage: str) -> None:
    text = f"## Notes\n\n{damage}\nMine.\n"
    changed = put_notes(text, "Notes", ["new"])
    assert changed.count("- new") == changed.count(BEGIN) == 1
    assert "Mine." in people_words(changed, "Notes")
    assert put_notes(changed, "Notes", ["new"]) == changed
