"""Whatever an agent or a person writes, a parser reads it or refuses it by name: no crash, no hang, no loose reading."""

from __future__ import annotations

import ast
import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from tests.fuzz.parsers import ELSEWHERE, PARSERS
from tests.fuzz.texts import FUZZED, SAMPLES, SHIPPED, TEXTS

from podium.core.errors import InputError

ROOT = Path(__file__).parents[2]
SOURCE = SHIPPED.parent
PATIENCE_S = 5.0
"""Of the processor, for a few kilobytes; all of them take milliseconds."""
READS = ("read", "parse", "scan", "from_data", "from_members", "reading", "entries", "load")
TEXT = {"str", "bytes", "Mapping[str, Any]", "Any", "str | None"}


def explained(refused: Exception) -> None:
    assert str(refused).strip(), "refused without a word"
    assert not isinstance(refused, InputError) or all(each.where and each.what for each in refused.faults)


@pytest.mark.parametrize("name", PARSERS)
def test_any_text_is_read_or_refused_by_name(name: str) -> None:
    parser = PARSERS[name]

    @FUZZED
    @given(TEXTS)
    def any_text(text: str) -> None:
        began = time.process_time()
        try:
            found = parser.read(text)
        except parser.refuses as refused:
            explained(refused)
        else:
            assert parser.holds(text, found)
            assert repr(parser.read(text)) == repr(found), "read differently the second time"
        assert time.process_time() - began < PATIENCE_S

    any_text()


SIGNS = ("#", "```\n", "> ", "- ", "| ", "[", "{", "a: ", "*", "<!--", "@@ ", "\\", '"')
MANY = 20_000 if "PODIUM_FUZZ" in os.environ else 2000


@pytest.mark.parametrize("name", PARSERS)
def test_one_sign_without_end_takes_no_time(name: str) -> None:
    parser = PARSERS[name]
    for sign in SIGNS:
        for text in (sign * MANY, f"a {sign}b\n" * (MANY // 4)):
            began = time.process_time()
            with contextlib.suppress(*parser.refuses):
                parser.read(text)
            assert time.process_time() - began < PATIENCE_S, sign


def parser_modules() -> Iterator[str]:
    """Modules of formats and workflows with a public function that makes a value of a text."""
    for folder in ("formats", "workflows"):
        for path in sorted((SOURCE / folder).rglob("*.py")):
            if any(_reads(node) for node in ast.parse(path.read_text()).body):
                yield ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def _reads(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef) or not node.name.startswith(READS) or not node.args.args:
        return False
    return any(each.annotation is not None and ast.unparse(each.annotation) in TEXT for each in node.args.args[:2])


def test_every_parser_has_its_place_in_the_table() -> None:
    known = {each.module for each in PARSERS.values()} | {*ELSEWHERE}
    assert [each for each in parser_modules() if each not in known and each not in NO_PARSERS] == []


NO_PARSERS = {
    "formats.agent_head", "workflows.governed.remembering", "workflows.harness.qa",
}  # fmt: skip
"""Named like one, but they read what another parser has read, or are tried with objects in test_verdicts.py."""


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
        read = 0
        for text in SAMPLES:
            try:
                parser.read(text)
            except parser.refuses:
                continue
            read += 1
        assert read or name in OWN, name


OWN = {"pointers of a parcel", "progress.yaml"}
"""Written by the program alone, and read in its own tests."""
