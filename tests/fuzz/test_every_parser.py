"""Whatever an agent or a person writes, a parser reads it or refuses it by name: no crash, no
hang, no loose reading.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.oracles import STRANGER, hidden, plain, strangers, twice
from tests.fuzz.parsers import ELSEWHERE, PARSERS, Parser
from tests.fuzz.samples import SHIPPED
from tests.fuzz.texts import FUZZED, GOOD, HUGE, SAMPLES, texts_for

from podium.core.errors import InputError

ROOT = Path(__file__).parents[2]
SOURCE = SHIPPED.parent
PATIENCE_S = 5.0
"""Of the processor, for a few kilobytes; all of them take milliseconds."""
FOLDERS = (
    "agents",
    "formats",
    "importing",
    "project",
    "proof",
    "settings",
    "simulation",
    "state",
    "verify",
    "workflows",
)
"""Where text of agents and people is read."""
READS = ("read", "parse", "scan", "from_data", "from_members", "reading", "entries", "load")
TEXT = {"str", "bytes", "Mapping[str, Any]", "Any", "str | None"}


def explained(refused: Exception) -> None:
    assert str(refused).strip(), "refused without a word"
    assert not isinstance(refused, InputError) or all(
        each.where and each.what for each in refused.faults
    )


def taken(parser: Parser, text: str) -> bool:
    """Whether the text is read, and without a fault."""
    try:
        return parser.clean(parser.read(text))
    except parser.refuses as refused:
        explained(refused)
        return False


@pytest.mark.parametrize("name", PARSERS)
def test_any_text_is_read_or_refused_by_name(name: str) -> None:
    parser = PARSERS[name]

    @FUZZED
    @given(texts_for(name), st.randoms(use_true_random=False))
    def any_text(text: str, chance: Random) -> None:
        began = time.process_time()
        try:
            found = parser.read(text)
        except parser.refuses as refused:
            explained(refused)
        else:
            assert parser.holds is None or parser.holds(text, found)
            assert repr(parser.read(text)) == repr(found), "read differently the second time"
            if parser.clean(found):
                nothing_is_slipped_in(name, text, chance)
        assert time.process_time() - began < PATIENCE_S

    any_text()


def nothing_is_slipped_in(name: str, text: str, chance: Random) -> None:
    """In one place of a text that was taken; the good ones are tried in all their places below."""
    parser = PARSERS[name]
    if (
        parser.data is not None
        and parser.keeps is None
        and (places := [*strangers(parser.data, text, parser.free)])
    ):
        place, changed = chance.choice(places)
        assert not taken(parser, changed), f"took a member that nobody defined at {place}"
    if (
        parser.prose is not None
        and text.strip()
        and text.lstrip()[0] not in "\ufeff{"
        and "```" not in text
        and "~~~" not in text
        and "<" not in text
    ):
        for changed in hidden(text, chance.choice(SAMPLES)):
            assert parser.prose(parser.read(changed)) == parser.prose(parser.read(text)), (
                "read what is in code or a comment"
            )


DATA = [name for name, each in PARSERS.items() if each.data is not None]
PROSE = [name for name, each in PARSERS.items() if each.prose is not None]


@pytest.mark.parametrize("name", GOOD)
def test_good_texts_are_read_without_a_fault(name: str) -> None:
    for text in GOOD[name]:
        assert taken(PARSERS[name], text), text


@pytest.mark.parametrize("name", DATA)
def test_a_member_that_nobody_defined_is_refused_or_kept(name: str) -> None:
    parser = PARSERS[name]
    for text in GOOD[name]:
        for place, changed in strangers(parser.data or "json", text, parser.free):
            if parser.keeps is not None:
                assert STRANGER in parser.keeps(changed), f"lost at {place}"
            else:
                assert not taken(parser, changed), f"taken at {place}"


@pytest.mark.parametrize(
    "name", [name for name, each in PARSERS.items() if each.keeps and each.data != "json"]
)
def test_words_of_a_person_stay_where_the_program_writes_on(name: str) -> None:
    parser, words, said = PARSERS[name], "# these words are mine\n", 0
    for text in GOOD[name]:
        lines = text.splitlines(keepends=True)
        for at in range(len(lines) + 1):
            changed = "".join(
                (*lines[:at], words if parser.data else f"\n{words[2:]}\n", *lines[at:])
            )
            if parser.keeps and taken(parser, changed):
                said += 1
                after = parser.keeps(changed)
                assert words[2:] in after, f"lost at line {at + 1}"
                assert after != changed, "nothing was written"
    assert said > 5


@pytest.mark.parametrize("name", [name for name in DATA if PARSERS[name].data in {"json", "yaml"}])
def test_a_member_that_is_there_twice_is_refused(name: str) -> None:
    parser = PARSERS[name]
    for text in GOOD[name]:
        assert taken(parser, plain(parser.data or "json", text) or ""), (
            "else it would be refused for its form"
        )
        for place, changed in twice(parser.data or "json", text):
            assert not taken(parser, changed), f"taken at {place or 'the top'}"


@pytest.mark.parametrize("name", [name for name in DATA if PARSERS[name].data == "json"])
def test_what_is_no_number_of_json_is_refused(name: str) -> None:
    parser = PARSERS[name]
    for word in ("NaN", "Infinity", "-Infinity"):
        for text in GOOD[name]:
            for changed in (
                text.replace(each, f": {word}", 1) for each in re.findall(r": \d+", text)
            ):
                assert not taken(parser, changed), changed


@pytest.mark.parametrize("name", GOOD)
def test_a_number_without_end_is_read_or_refused(name: str) -> None:
    for text in GOOD[name]:
        for found in itertools.islice(re.finditer(r"\d+", text), 12):
            for digits in HUGE:
                taken(PARSERS[name], f"{text[: found.start()]}{digits}{text[found.end() :]}")


@pytest.mark.parametrize("name", PROSE)
def test_what_stands_in_code_or_in_a_comment_is_not_read(name: str) -> None:
    parser = PARSERS[name]
    for text in GOOD.get(name, SAMPLES[:1]):
        found = parser.prose(parser.read(text)) if parser.prose else None
        for said in (*GOOD.get(name, ()), *SAMPLES[::5]):
            for changed in hidden(text, said):
                assert parser.prose is not None
                assert parser.prose(parser.read(changed)) == found, changed


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_says_what_makes_a_reading_a_right_one(name: str) -> None:
    parser = PARSERS[name]
    assert parser.holds or parser.data or parser.prose
    assert name in GOOD or not parser.data, "a format without a good text is only ever refused"


SIGNS = ("9", "a_", "#", "```\n", "> ", "- ", "| ", "[", "{", "a: ", "*", "<!--", "@@ ", "\\", '"')
MANY = 20_000 if "PODIUM_FUZZ" in os.environ else 1000


@pytest.mark.parametrize("name", PARSERS)
def test_one_sign_without_end_takes_no_time(name: str) -> None:
    parser = PARSERS[name]
    for sign in SIGNS:
        value = f"a {'=' if parser.data == 'toml' else ':'} {sign * MANY}"
        for text in (sign * MANY, value, f"a {sign}b\n" * (MANY // 4)):
            began = time.process_time()
            with contextlib.suppress(*parser.refuses):
                parser.read(text)
            assert time.process_time() - began < PATIENCE_S, sign


def parser_modules() -> Iterator[str]:
    """Modules with a public function that makes a value of a text."""
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*.py")):
            if any(_reads(node) for node in ast.parse(path.read_text()).body):
                yield ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def _reads(node: ast.stmt) -> bool:
    if (
        not isinstance(node, ast.FunctionDef)
        or not node.name.startswith(READS)
        or not node.args.args
    ):
        return False
    return any(
        each.annotation is not None and ast.unparse(each.annotation) in TEXT
        for each in node.args.args[:2]
    )


def test_every_parser_has_its_place_in_the_table() -> None:
    known = {each.module for each in PARSERS.values()} | {*ELSEWHERE}
    assert [each for each in parser_modules() if each not in known and each not in NO_PARSERS] == []


NO_PARSERS = {
    "agents.acts": "its `read` is a value: that a scenario asks for a file",
    "formats.agent_head": "reads for agent_file",
    "formats.field_lines": "reads one line for markdown_fields",
    "state.inside": "reads bytes, whatever they say",
    "workflows.governed.phase_reports": "reads what the schema of an executor, or of a reviewer, has let through",  # noqa: E501
    "workflows.governed.remembering": "reads what the parsers of the memory have read",
    "workflows.harness.qa": "its objects are tried in test_verdicts.py, its documents in the table",
}
"""Named like one, but they read what another parser has read."""


def test_what_is_tried_elsewhere_is_really_tried_there() -> None:
    for module, test in ELSEWHERE.items():
        assert (SOURCE / f"{module.replace('.', '/')}.py").is_file(), module
        assert "@given" in (ROOT / test).read_text(), test


def test_every_module_of_the_table_exists() -> None:
    for each in PARSERS.values():
        assert (SOURCE / f"{each.module.replace('.', '/')}.py").is_file(), each.module


def test_some_samples_are_read_by_each_parser() -> None:
    """Else fuzzing would only ever see refusals."""
    for name, parser in PARSERS.items():
        assert any(taken(parser, text) for text in (*GOOD.get(name, ()), *SAMPLES)), name
