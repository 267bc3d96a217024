"""Files on a page."""

from __future__ import annotations

from podium.web.pages.documents import LINES, document


def test_markdown_is_rendered_and_code_has_numbers() -> None:
    assert "<h3>Plan</h3>" in (document("a/PLAN.MD", "# Plan").html or "")
    code = document("a.py", "one\n\ttwo\n")
    assert code.html is None
    assert code.lines == ("one", "    two")


def test_a_file_of_many_lines_is_cut_and_says_so() -> None:
    found = document("big.txt", "x\n" * (LINES + 7))
    assert (len(found.lines), found.more) == (LINES, 7)


def test_a_file_of_one_endless_line_is_cut() -> None:
    (line,) = document("big.json", "x" * 5_000_000).lines
    assert len(line) <= 2_000
