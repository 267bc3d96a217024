"""Tests inside of code: `#[cfg(test)]`, doctests, examples in documentation comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from podium.project.blocks import compare
from podium.project.signs import language_of
from podium.project.source_lines import Line, source_lines, style_of

_OPENS: dict[str, str] = {
    "rust": r"^#\[\s*cfg\s*\(.*\btest\b.*\)\s*\]|^(pub\s+)?mod\s+tests?\s*\{",
    "js": r"^if\s*\(\s*import\.meta\.vitest",
    "c": r"^(TEST_CASE|SCENARIO|DOCTEST_TEST_CASE|BOOST_AUTO_TEST_CASE|TEST)\s*\(|^unittest\b",
}
_FORMS = {language: re.compile(text) for language, text in _OPENS.items()}
_DOC_COMMENT = re.compile(r"^\s*//[/!]\s?(.*)$")
_FENCE = re.compile(r"^```\s*(.*)$")
_NOT_RUN = re.compile(r"\b(ignore|no_run|compile_fail|text|should_panic)\b")
_ZIG = re.compile(r"^test\s+(\"|\w+\s*\{|\{)")


def inside(path: str, text: str) -> bool:
    """Whether a file of code has tests of its own."""
    return bool(_blocks(path, text) or list(_examples(path, text)))


def numbers(path: str, text: str) -> frozenset[int]:
    """The numbers of the lines that are tests."""
    return frozenset(line.number for line in _blocks(path, text))


def changed(path: str, old: str, new: str) -> tuple[str, ...]:
    """What of the tests in a file of code is gone or changed; more of them is nothing."""
    comparison = compare(_blocks(path, old), _blocks(path, new))
    before, after = Counter(_examples(path, old)), Counter(_examples(path, new))
    gone = [example for example in dict.fromkeys(_examples(path, old)) if (before - after)[example]]
    return (*comparison.changed, *(f"-{line}" for example in gone for line in example))


def built_for_tests(path: str, added: Sequence[Line], text: str) -> tuple[Line, ...]:
    """Code of its own for tests: `#[cfg(test)]` on something other than a module of tests."""
    if language_of(path) != "rust":
        return ()
    lines = source_lines(text, style_of(path))
    after = {line.number: lines[at + 1].text for at, line in enumerate(lines[:-1])}
    form = re.compile(r"^#\[\s*cfg\s*\(\s*(test\b|not\s*\(\s*test|any\(.*\btest\b|all\(.*\btest\b)")
    item = re.compile(r"^(pub(\(\w+\))?\s+)?(mod|use|extern)\b|^#\[(path|macro_use|allow|rustfmt)")
    return tuple(
        line
        for line in added
        if form.match(line.text) and not item.match(after.get(line.number, "mod"))
    )


def _blocks(path: str, text: str) -> list[Line]:
    """The lines of blocks that hold tests, each with what opens it."""
    language = language_of(path)
    form = _ZIG if path.endswith(".zig") else _FORMS.get(language)
    if form is None:
        return []
    lines = source_lines(text, style_of(path))
    tests: list[Line] = []
    at = 0
    while at < len(lines):
        if lines[at].inside or not form.match(lines[at].text):
            at += 1
            continue
        end = _end(lines, at)
        tests += lines[at:end]
        at = end
    return tests


def _end(lines: Sequence[Line], start: int) -> int:
    """Where the block ends: at its last bracket, or after one item without any."""
    depth, at = 0, start
    while at < len(lines):
        code = "" if lines[at].inside else lines[at].code
        attribute = code.startswith("#[") and depth == 0
        depth += 0 if attribute else code.count("{") - code.count("}")
        at += 1
        if depth <= 0 and not attribute and ("}" in code or code.endswith(";")):
            break
    return at


def _examples(path: str, text: str) -> Iterator[tuple[str, ...]]:
    """Examples in documentation: doctests of Python and Elixir, code in comments of Rust."""
    language = language_of(path)
    if language == "python" and ">>>" in text:
        yield from _prompts(text, ">>>", "...")
    elif language == "elixir" and "iex>" in text:
        yield from _prompts(text, "iex>", "...>")
    elif language == "rust" and "```" in text:
        yield from _fenced(text)


def _prompts(text: str, prompt: str, more: str) -> Iterator[tuple[str, ...]]:
    """Each prompt with the answer that it must have."""
    example: list[str] = []
    for raw in [*text.split("\n"), ""]:
        line = raw.strip()
        if line.startswith(prompt) or not line or line in {'"""', "'''"}:
            if example:
                yield tuple(example)
            example = [line] if line.startswith(prompt) else []
        elif example:
            example.append(line.removesuffix('"""') if not line.startswith(more) else line)


def _fenced(text: str) -> Iterator[tuple[str, ...]]:
    example: list[str] | None = None
    for raw in text.split("\n"):
        comment = _DOC_COMMENT.match(raw)
        if comment is None:
            example = None
        elif fence := _FENCE.match(comment[1].strip()):
            if example is not None:
                yield tuple(example)
                example = None
            else:
                example = [] if not _NOT_RUN.search(fence[1]) else None
        elif example is not None:
            example.append(comment[1].strip())
