"""Documents in the words of a workflow file: sections, fields, list, schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.documents import Document

PLAN = Document(
    "notes/risk-plan.md",
    sections=["Goal", "Risks"],
    fields={
        "Risk": ["low", "medium", "high"],
        "Score": {"fail": "< 65", "warn": "< 75", "pass": ">= 75"},
        "Owners": "keys",
    },
)
TASKS = Document(
    "tasks.yaml",
    list={
        "id": "key",
        "title": "text",
        "files": "paths",
        "needs": "keys",
        "worker": ["frontend", "backend"],
    },
)


def test_a_document_of_sections_and_fields() -> None:
    assert PLAN.example() == (
        "# Risk plan\n\nRisk: low  \nScore: 75  \nOwners: A1  \n\n## Goal\n\n…\n\n## Risks\n\n…\n"
    )
    assert PLAN.check(PLAN.example()) == ()
    reading = PLAN.read(
        "# Plan\n\n- **Risk:** Medium — because\nScore: 71\nOwners: ann, bob\n"
        "## 1. Goal\nDo it\n## Risks\nnone\n"
    )
    assert PLAN.words(reading.sound()) == {"Risk": "medium", "Score": "warn"}
    assert reading.value["Owners"] == ("ann", "bob")
    assert PLAN.domains() == {"Risk": ("low", "medium", "high"), "Score": ("fail", "warn", "pass")}


def test_its_faults_say_what_to_write() -> None:
    assert PLAN.check("# Plan\n\nRisk: hgh\n## Goal\n") == (
        "notes/risk-plan.md:1: 'Score' is missing (add a line 'Score: …')",
        "notes/risk-plan.md:1: 'Owners' is missing (add a line 'Owners: …')",
        "notes/risk-plan.md:1: 'Risks' is missing (write it under '## Risks')",
        (
            "notes/risk-plan.md:3: Risk is 'hgh' (expected one of low, medium, high; did you mean "
            "'high'?)"
        ),
        "notes/risk-plan.md:4: Goal is empty (expected a text that is not empty)",
    )


def test_a_list_has_entries_that_need_each_other() -> None:
    assert TASKS.check(TASKS.example()) == ()
    value: Any = TASKS.read(
        "- {id: a, title: x, files: [a.py, 'src/*'], needs: [], worker: backend}\n"
        "- {id: b, title: y, files: [], needs: [a], worker: frontend, more: 1}\n"
    ).sound()
    assert [(entry["id"], entry["needs"]) for entry in value] == [("a", ()), ("b", ("a",))]


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([{"id": "a b"}], "[0].id is 'a b' (expected a text like A1)"),
        ([{"files": ["../x"]}], "[0].files[0]: '../x' leads upwards"),
        ([{"files": ["/x"]}], "[0].files[0]: '/x' is absolute"),
        ([{"worker": "backed"}], "[0].worker is 'backed' (expected one of frontend, backend; did"),
        ([{"id": "a"}, {"id": "a"}], "the id a stands there twice (each its own)"),
        ([{"id": "a", "needs": ["a"]}], "a names itself in needs (take it out)"),
        (
            [{"id": "abc"}, {"needs": ["abd"]}],
            "x1 names abd, which is no entry (did you mean 'abc'?)",
        ),
        (
            [{"id": "a", "needs": ["b"]}, {"id": "b", "needs": ["a"]}],
            "entries wait for each other in a cycle: a waits for b waits for a (take one out)",
        ),
    ],
)
def test_what_is_wrong_with_a_list_is_said(entries: list[dict[str, Any]], fault: str) -> None:
    good = {"title": "x", "files": [], "needs": [], "worker": "frontend"}
    text = json.dumps([{"id": f"x{at}", **good, **entry} for at, entry in enumerate(entries)])
    (only,) = TASKS.check(text)
    assert only.startswith(f"tasks.yaml:1: {fault}")


SCHEMA = {
    "type": "object",
    "required": ["kind", "counts"],
    "additionalProperties": False,
    "properties": {
        "kind": {"enum": ["x", "y"]},
        "counts": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/count"}},
        "name": {"type": "string"},
    },
    "$defs": {"count": {"type": "integer", "minimum": 3}},
}


def test_a_document_with_a_json_schema() -> None:
    document = Document("x.json", schema=SCHEMA)
    assert json.loads(document.example()) == {"kind": "x", "counts": [3]}
    assert document.schema()["required"] == ["kind", "counts"]
    assert document.check('{"kind": "z",\n"counts": [3, "a"],\n"nam": 2}') == (
        "x.json:1: kind is 'z' (expected one of x, y)",
        "x.json:2: counts[1] is 'a' (expected integer)",
        "x.json:3: nam is not known (did you mean 'name'?)",
    )
    assert document.check('{"kind": "x"}') == ("x.json:1: counts is missing (write it)",)
    assert document.check("[]") == ("x.json:1: the document is an empty list (expected object)",)


@pytest.mark.parametrize(
    ("path", "words", "fault"),
    [
        ("a.md", {}, "not nothing"),
        ("a.yaml", {"list": {"id": "key"}, "sections": ["A"]}, "not list and sections and fields"),
        ("a.md", {"list": {"id": "key"}}, "is YAML or JSON"),
        ("a.md", {"fields": {"Risk": "txet"}}, "Risk: 'txet' is no kind of value; did you mean"),
        ("a.md", {"fields": {"Risk": []}}, "is no kind of value; write one of text, key"),
        ("a.md", {"fields": {"Risk": [1, 2]}}, "is no kind of value"),
        ("a.md", {"fields": {"A": {"x": "< 1"}}}, "no band holds 1"),
        ("a.md", {"fields": {"goal": "text"}, "sections": ["Goal"]}, "'goal' stands there twice"),
        ("a.json", {"schema": {"type": "objekt"}}, "is no JSON Schema"),
    ],
)
def test_a_wrong_declaration_is_refused(path: str, words: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Document(path, **words)
