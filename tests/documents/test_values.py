"""What each kind of value may be, in data and in words."""

from __future__ import annotations

from typing import Any

import pytest

from podium.documents import (
    Anything,
    Bands,
    Document,
    Either,
    Flag,
    Grade,
    Issue,
    Many,
    Maybe,
    Named,
    Number,
    Part,
    Record,
    Schema,
    Table,
    Text,
    Value,
    Word,
)
from podium.documents.marks import mark_in
from podium.documents.text import bare, headword, one_line, says_nothing, spellings

BANDS = Bands(bands={"fail": "< 65", "warn": "< 75", "pass": ">= 75"})
FIELD = Record((Part("x", "x", Number()),))
OPTIONAL = Record((Part("x", "x", Number(), otherwise=int),))


@pytest.mark.parametrize(
    ("value", "good", "bad"),
    [
        (Text(), ["word"], ["", " ", 5, None, True, [], {}]),
        (Text(empty=True), ["", "x"], [None]),
        (Text(one_line=True), ["a b"], [" a", "a\nb", "a\u2028b"]),
        (Text(pattern="[A-Z]-[0-9]", like="A-1"), ["A-1"], ["A-12", "a-1"]),
        (Text(refuse=lambda text: "is taken" if text == "x" else ""), ["y"], ["x"]),
        (Word(("A", "B")), ["A"], ["a", "", None, 1]),
        (Number(), [0, 3, 10**400], [-1, True, 1.5, "3", None]),
        (Number(whole=False), [1.5, 2], [float("nan"), float("inf"), False]),
        (Number(least=None, most=5), [-7, 5], [6]),
        (Flag(), [True, False], [1, "yes", None]),
        (Anything(), [None, [], "x"], []),
        (BANDS, [64, 64.9, 75], ["64", None, True]),
        (Maybe(Text()), [None, "x"], [5, ""]),
        (Many(Text()), [[], ["a"], ("a",)], ["a", ["a", 1], None]),
        (Many(Text(), least=1, most=2), [["a"]], [[], ["a", "b", "c"]]),
        (Many(Text(), alone=True), ["a", ["a"]], [None, 5, {}]),
        (Either(Many(Text()), Text()), ["a", ["a"]], [[1], 5, {}]),
        (Either(Table(FIELD), Many(Table(FIELD))), [{"x": 1}, [{"x": 1}]], [{}, [{}], 5]),
        (Named(Many(Text()), Text(pattern="[A-Z]", like="A")), [{"A": ["x"]}, {}], [{"a": ["x"]}]),
        (
            Named(Number(), closed=("a", "b")),
            [{"a": 1, "b": 2}],
            [{"a": 1}, {"a": 1, "b": 2, "c": 3}],
        ),
        (Table(FIELD), [{"x": 1}, {"x": 1, "own": 2}], [{}, {"x": "a"}, [], None]),
        (Table(OPTIONAL), [{}, {"x": 1}], [{"x": "a"}]),
        (
            Schema({"type": "object", "required": ["a"], "properties": {"a": {"minimum": 3}}}),
            [{"a": 3}],
            [{}, {"a": 1}, []],
        ),
    ],
)
def test_a_value_fits_its_kind_or_not(value: Value, good: list[Any], bad: list[Any]) -> None:
    for data in good:
        assert value.fits(data)
        assert list(value.check(data, ())) == []
        assert value.plain(value.build(data)) == (
            list(data) if isinstance(data, tuple) else data
        ) or (isinstance(value, Many | Table | Named))
    for data in bad:
        assert not value.fits(data)
        assert list(value.check(data, ())) != []
    assert value.fits(value.example())
    value.build(value.example())
    value.blank()
    assert isinstance(value.schema(), dict)


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        (Text(), "**`x`**", "x"),
        (Text(none=("none",)), "None", ""),
        (Number(), "12 of 40", 12),
        (Number(), "**3**", 3),
        (Number(whole=False), "0.9 (high)", 0.9),
        (Number(), "1234567890123", "1234567890123"),
        (Flag(), "Yes, it does", True),
        (Flag(), "**no** — not yet", False),
        (Flag(), "perhaps", "perhaps"),
        (Many(Text()), "a, b", ["a", "b"]),
        (Many(Text(), split=""), "a, b", ["a, b"]),
        (Many(Text()), "None", []),
        (Maybe(Number()), "3", 3),
        (Word(("Pass", "Fail")), "pass.", "Pass"),
        (Word(("Pass", "Fail")), "❌ Fail — two", "Fail"),
        (Word(("Pass", "Fail")), "Passing", "Passing"),
        (Word(("Pass", "Fail"), begins=True), "Passing with a gap", "Pass"),
        (Word(("Pass", "Fail"), begins=True), "Pass / Fail", "Pass / Fail"),
        (Word(("Pass", "Fail"), {"ok": "Pass"}), "OK", "Pass"),
        (Word(("Pass", "Fail"), unknown="Fail"), "whatever", "Fail"),
        (Word(("None", "Low"), begins=True), "None of the tests pass", "None"),
        (Word(("None", "Low")), "None of the tests pass", "None of the tests pass"),
        (Word(("Back to Build",)), "back-to-build", "Back to Build"),
    ],
)
def test_words_mean_data(value: Value, text: str, data: Any) -> None:
    assert value.from_text(text) == data


@pytest.mark.parametrize(
    ("number", "word"), [(0, "fail"), (64.9, "fail"), (65, "warn"), (75, "pass"), (1e9, "pass")]
)
def test_a_number_falls_into_the_first_band_that_holds_it(number: float, word: str) -> None:
    assert BANDS.build(number) == Grade(number, word)


@pytest.mark.parametrize(
    ("bands", "words"),
    [
        ({}, "need a word"),
        ({"fail": "less"}, "is no band"),
        ({"fail": "< 65", "pass": "> 65"}, "no band holds 65"),
        ({"fail": "< 65"}, "no band holds 65"),
    ],
)
def test_bands_leave_no_gap(bands: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Bands(bands=bands)


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("None", True),
        ("**N/A**", True),
        ("- — ", True),
        ("No issues found.", True),
        ("There were no open blocking issues at this time.", True),
        ("(none)", True),
        ("No security vulnerabilities were identified", True),
        ("None of the tests pass", False),
        ("No tests", False),
        ("Nothing works", False),
        ("No issues found, but one risk", False),
        ("none " * 200, False),
    ],
)
def test_nothing_is_only_what_says_nothing_else(text: str, nothing: bool) -> None:
    assert says_nothing(text) is nothing


@pytest.mark.parametrize(
    ("text", "head", "rest"),
    [
        ("Pass — with gaps", "Pass", "with gaps"),
        ("**Pass** (two gaps)", "Pass", "two gaps"),
        ("✅ Pass", "Pass", ""),
        ("back-to-back", "back-to-back", ""),
        ("_Pass_. Words", "Pass", "Words"),
        ("snake_case_word", "snake_case_word", ""),
        ("Pass <!-- or Fail -->", "Pass", ""),
    ],
)
def test_a_headword_ends_at_a_dash_a_bracket_or_a_stop(text: str, head: str, rest: str) -> None:
    assert headword(text) == (head, rest)
    assert bare(bare(text)) == bare(text)


def test_a_text_on_one_line_opens_no_comment() -> None:
    assert one_line(" a\r\nb\u2028c <!-- d\x00") == "a b c <! -- d"


def test_a_title_has_several_spellings() -> None:
    assert spellings("## 3.1 Scope (in): all") >= {"## 3.1 scope (in): all"}
    assert "scope" in spellings("3.1 **Scope** (in)")
    assert "scope" in spellings("Scope: all of it")


SCALE = Word(("None", "Low", "High"), {"critical": "High"})


@pytest.mark.parametrize(
    ("title", "words", "rest"),
    [
        ("[Severity: High] it fails", ("High",), "it fails"),
        ("[High] it fails", ("High",), "it fails"),
        ("[High](link) it fails", (), "[High](link) it fails"),
        ("High: it fails", ("High",), "it fails"),
        ("Finding 2: High — it fails", ("High",), "it fails"),
        ("2. Critical - it fails", ("Critical",), "it fails"),
        ("High/Low: both", ("High", "Low"), "both"),
        ("it fails (High)", ("High",), "it fails"),
        ("it fails (Severity: High)", ("High",), "it fails"),
        ("High", ("High",), ""),
        ("High issues (3)", ("High",), ""),
        ("High: none", ("High",), ""),
        ("Highly unusual", (), "Highly unusual"),
        ("it fails — High", (), "it fails — High"),
        ("None of the tests pass", (), "None of the tests pass"),
    ],
)
def test_a_title_states_a_word(title: str, words: tuple[str, ...], rest: str) -> None:
    mark = mark_in(title, SCALE, "Severity")
    assert (mark.words, mark.rest) == (words, rest)


@pytest.mark.parametrize(
    ("title", "words"),
    [("it works — High", ("High",)), ("AC1: High / Low", ()), ("it works: high.", ("high",))],
)
def test_a_title_may_end_with_its_word(title: str, words: tuple[str, ...]) -> None:
    assert mark_in(title, SCALE, "Severity", tail=True).words == words


def test_an_item_with_a_fault_keeps_the_places_of_the_others() -> None:
    def named(values: Any) -> Any:
        return (Issue((at,), f"{at} is {value['x']}") for at, value in enumerate(values))

    document = Document("x.json", dict, root=Many(Table(FIELD)), checks=(named,))
    faults = document.check('[\n3,\n{"x": 5}\n]')
    assert [fault.split(" (")[0] for fault in faults] == ["x.json:2: [0] is 3", "x.json:3: 1 is 5"]
