"""Sentences at a terminal break between words; columns stay columns."""

from __future__ import annotations

import io

import pytest

from podium.cli import table
from podium.views.fitting import broken, fitted


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("short", ["short"]),
        ("one two three four five six", ["one two three four", "five six"]),
        ("  ok  one two three four", ["  ok  one two three", "      four"]),
        ("    -> mend it with care", ["    -> mend it with", "       care"]),
        ("- a point with many words", ["- a point with many", "  words"]),
        ("npm install -g x  installs it", ["npm install -g x", "  installs it"]),
        (
            "see /a/path/that/is/too/long/to/fit here",
            ["see", "/a/path/that/is/too/long/to/fit", "here"],
        ),
    ],
)
def test_a_line_goes_on_where_its_sentence_began(line: str, shown: list[str]) -> None:
    assert broken(line, 20) == shown


def test_only_a_terminal_gets_broken_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert fitted("word " * 20, io.StringIO()) == "word " * 20
    assert max(map(len, fitted(("word " * 20).strip(), Tty()).split("\n"))) <= 40


@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_the_first_screen_fits_on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    lines = fitted(table.welcome(), Tty()).split("\n")
    assert len(lines) < 20
    assert max(map(len, lines)) <= int(width)
    assert all(name in " ".join(lines) for name in table.COMMANDS)


def test_every_command_has_one_line_at_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = fitted(table.overview(), Tty()).split("\n")
    assert all(
        any(line.startswith(f"  {name} ") and line.endswith(told) for line in shown)
        for name, told in table.COMMANDS.items()
    )
