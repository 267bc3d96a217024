"""Reading a text in place: all of it can be reached, and none of it is obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.views.conftest import HOSTILE

from podium.views import safe
from podium.views.look import plain
from podium.views.terminal.reader import Reader, Section, pieces


def shown(reader: Reader, width: int = 80, height: int = 24) -> list[str]:
    return plain(reader.page(width, height))


def test_paging_reaches_every_line_once():
    reader = Reader(
        "plan", [Section("plan.md", "\n".join(f"line {number}" for number in range(100)))]
    )
    seen: list[str] = []
    for _ in range(20):
        seen += [line for line in shown(reader)[1:-1] if line.startswith("line")]
        reader.press(" ")
    assert list(dict.fromkeys(seen)) == [f"line {number}" for number in range(100)]


def test_what_stands_far_to_the_right_cannot_hide():
    reader = Reader("plan", [Section("plan.md", "x" * 5000 + "EVIL")])
    reader.page(80, 24)
    reader.press("G")
    assert "EVIL" in "".join(shown(reader))


@pytest.mark.parametrize("size", [(20, 6), (80, 24), (200, 60)], ids=str)
def test_hostile_text_stays_within_the_screen(size):
    reader = Reader(HOSTILE, [Section(HOSTILE, HOSTILE), Section("b", "漢字" * 300)])
    for key in ("", "G", "n", "p", "up", "pgup", "home", "?"):
        reader.press(key)
        lines = shown(reader, *size)
        assert len(lines) == size[1] - 1
        assert all(line.isprintable() and safe.cells(line) <= size[0] for line in lines)


def test_files_are_jumped_to_and_a_patch_has_its_colours():
    reader = Reader(
        "both",
        [
            Section("a", "one\n" * 60),
            Section("b", "+new\n-old\n@@ 1 @@\n same" + "\n" * 3 + "x\n" * 40, "patch"),
        ],
    )
    reader.page(80, 24)
    reader.press("n")
    page = reader.page(80, 24)
    assert plain(page)[1].startswith("── b ─")
    assert [line[0][1] for line in page[2:6]] == ["good", "bad", "link", "plain"]
    reader.press("p")
    assert shown(reader)[1].startswith("── a ─")


def test_the_head_of_a_file_in_a_patch_is_dim_and_a_change_that_looks_like_one_is_not():
    patch = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- gone\n+++ new\n"
    page = Reader("x", [Section("x", patch, "patch")]).page(80, 24)
    assert [line[0][1] for line in page[2:9]] == [
        "strong",
        "dim",
        "dim",
        "dim",
        "link",
        "bad",
        "good",
    ]


def test_a_terminal_that_changes_its_width_stays_about_where_it_was():
    reader = Reader(
        "plan",
        [Section("plan.md", "\n".join(f"{number} " + "word " * 30 for number in range(100)))],
    )
    reader.page(160, 24)
    for _ in range(3):
        reader.press(" ")
    before = int(shown(reader, 160)[1].split()[0])
    after = next(
        int(line.split()[0]) for line in shown(reader, 60)[1:] if line.split()[0].isdecimal()
    )
    assert abs(before - after) <= 3


def test_an_empty_text_says_so_and_every_way_out_works():
    assert "empty" in shown(Reader("nothing", []))[0]
    assert [Reader("x", []).press(key) for key in ("q", "esc", "enter", "a")] == [
        False,
        False,
        False,
        True,
    ]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.integers(2, 30))
def test_pieces_are_the_text(text, width):
    harmless = safe.visible(text)
    assert "".join(pieces(harmless, width)) == harmless
    assert all(safe.cells(each) <= width for each in pieces(harmless, width))
