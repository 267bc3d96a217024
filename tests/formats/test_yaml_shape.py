from __future__ import annotations

import pytest

from podium.formats.yaml_shape import (
    Anything,
    Either,
    Fields,
    Flag,
    Listing,
    Maybe,
    Named,
    Number,
    Shape,
    Text,
    faults,
)
from podium.formats.yaml_tree import parse


def told(text: str, shape: Shape) -> list[str]:
    return [str(each) for each in faults(parse(text, "x.yaml"), shape, "x.yaml")]


@pytest.mark.parametrize(
    ("value", "shape", "good"),
    [
        ("word", Text(), True),
        ('""', Text(), False),
        ('" "', Text(), False),
        ('""', Text(empty=True), True),
        ("5", Text(), False),
        ("A", Text(words=("A", "B")), True),
        ("a", Text(words=("A", "B")), False),
        ("A-1", Text(pattern="[A-Z]-[0-9]"), True),
        ("A-12", Text(pattern="[A-Z]-[0-9]"), False),
        ("3", Number(), True),
        ("-1", Number(), False),
        ("true", Number(), False),
        ("1.5", Number(), False),
        ("1.5", Number(whole=False), True),
        ("7", Number(most=5), False),
        ("true", Flag(), True),
        ("yes", Flag(), False),
        ("null", Maybe(Text()), True),
        ("5", Maybe(Text()), False),
        ("[a]", Listing(Text()), True),
        ("[]", Listing(Text(), least=1), False),
        ("[a, b]", Listing(Text(), most=1), False),
        ("a", Listing(Text()), False),
        ("a", Either(Listing(Text()), Text()), True),
        ("[1]", Either(Listing(Text()), Text()), False),
        ("{A: [x]}", Named(Listing(Text()), pattern="[A-Z]"), True),
        ("{a: [x]}", Named(Listing(Text()), pattern="[A-Z]"), False),
        ("[x]", Named(Anything()), False),
        ("{x: 1}", Fields({"x": Number()}), True),
        ("{x: 1, own: 2}", Fields({"x": Number()}), True),
        ("{}", Fields({}, {"x": Number()}), True),
        ("{x: a}", Fields({}, {"x": Number()}), False),
    ],
)
def test_a_value_fits_its_shape_or_not(value: str, shape: Shape, good: bool):
    assert (told(f"a: {value}", Fields({"a": shape})) == []) is good


def test_every_fault_names_its_line_its_field_and_the_way_out():
    shape = Fields(
        {
            "status": Text(words=("OPEN", "DONE")),
            "tasks": Listing(Fields({"id": Text(), "count": Number()})),
        }
    )
    assert told(
        "status: open\ntasks:\n  - id: A\n    count: many\n  - Id: B\n    count: 1\n", shape
    ) == [
        "x.yaml:1: status is 'open' (it must be one of OPEN, DONE)",
        "x.yaml:4: tasks[0].count is 'many' (it must be a whole number, 0 or more)",
        "x.yaml:5: tasks[1].id is missing (is 'Id' meant for it?)",
    ]


def test_a_misspelt_name_is_pointed_out():
    assert told("descripton: x\n", Fields({"description": Text()})) == [
        "x.yaml:1: description is missing (is 'descripton' meant for it?)"
    ]


def test_a_document_of_another_kind_says_so():
    assert told("- a\n", Fields()) == ["x.yaml:1: the document is a list (it must be a table)"]
    assert told("- a\n", Fields({"a": Text()})) == [
        "x.yaml:1: the document is a list (it must be a table with a)"
    ]
