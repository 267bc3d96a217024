"""Which lines of a Markdown document are headings, which are words, which are neither."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.documents.fields import parse_field
from podium.documents.markdown import cells, is_ruler, scan, split_lines, take_apart

PIECES = st.sampled_from(
    [
        "",
        " ",
        "  ",
        "    ",
        "\t",
        "- ",
        "* ",
        "1. ",
        "12. ",
        "-",
        "> ",
        ">",
        "# ",
        "## ",
        "### t ##",
        "#",
        "===",
        "---",
        "***",
        "- - -",
        "=",
        "word",
        "two words",
        "```",
        "````",
        "~~~",
        "``` x",
        "<!--",
        "-->",
        "<!-- a -->",
        "<div>",
        "<pre>",
        "text  ",
        "\\",
        "é",
        "\x0b",
        "\xa0",
        "Key: v",
        "**Key:** v",
        "| a | b |",
        "|---|",
        "[x]",
        "\r",
        "\ufeff",
        "\x00",
        "&nbsp;",
    ]
)
DOCUMENTS = st.lists(st.lists(PIECES, max_size=4).map("".join), max_size=12).map("\n".join)


@pytest.mark.parametrize(
    "hidden",
    [
        "```\nsecret\n```",
        "~~~~\n~~~\nsecret\n~~~~",
        "    secret",
        "> secret",
        "> quoted\nsecret",
        "> ```\n> secret\n> ```",
        "<!--\nsecret\n-->",
        "<!-- secret -->",
        "text <!-- opens\nsecret\n--> closes",
        "<pre>\nsecret\n</pre>",
        "<script>\nsecret\n</script>",
        "- ```\n  secret\n  ```",
        "- > secret",
        "```\nsecret",
    ],
)
def test_code_quotes_and_comments_are_not_text(hidden: str) -> None:
    outline = scan(f"before\n\n{hidden}\n")
    shown = [line.raw for line in outline.whole().lines()]
    assert "before" in shown
    assert not any("secret" in row for row in shown)


@pytest.mark.parametrize(
    "text",
    [
        "- shown",
        "1. one\n   - shown",
        "- a\n\n    shown",
        "a <!-- never closed\nshown",
        "`<!--` then\nshown",
        "<details>\nshown\n</details>",
        "```\nx\n```\nshown",
    ],
)
def test_lists_shown_html_and_unclosed_comments_are_text(text: str) -> None:
    assert any("shown" in line.raw for line in scan(text).whole().lines())


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# A\n## B ##\n### C#", [(1, "A", 0), (2, "B", 1), (3, "C#", 2)]),
        ("two\nlines\n---\nbody", [(2, "two lines", 0)]),
        ("Title\n===", [(1, "Title", 0)]),
        ("#no\n####### no\n# ", [(1, "", 2)]),
        ("- # in a list\n> # in a quote\n", []),
        ("```\n# in code\n```\n# out", [(1, "out", 3)]),
        ("## Task\nTask ID: T1  \n**File:** x\n---\n## Next", [(2, "Task", 0), (2, "Next", 4)]),
        ("\ufeff# Title", [(1, "Title", 0)]),
        ("# Title\r\n\r\n## B\r## C", [(1, "Title", 0), (2, "B", 2), (2, "C", 3)]),
        ("# a   `b`  c", [(1, "a `b` c", 0)]),
    ],
)
def test_headings_are_those_of_the_document_itself(
    text: str, headings: list[tuple[int, str, int]]
) -> None:
    assert [(each.level, each.title, each.line) for each in scan(text).headings] == headings


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("```markdown\n# Title\n\nx\n```", "Title"),
        ("\n```\n# Title\n\n```sh\nmake\n```\n```\n\n", "Title"),
        ("~~~md\n# Title\n~~~", "Title"),
        ("```\n# a shell comment\n```\ntext\n```\nx\n```", ""),
        ("```sh\n# a shell comment\n```", ""),
        ("```\n# Title\n```\nafter", ""),
        ("```\nno heading\n```", ""),
    ],
)
def test_a_fence_around_the_whole_document_is_not_there(text: str, title: str) -> None:
    assert next((each.title for each in scan(text).headings), "") == title


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Acceptance Criteria", True),
        ("**acceptance   criteria:**", True),
        ("3. Acceptance Criteria", True),
        ("10.2) Acceptance Criteria", True),
        ("Acceptance-Criteria (of the task)", True),
        ("Acceptance Criteria: all", True),
        ("Other Acceptance Criteria", False),
    ],
)
def test_a_title_is_found_however_it_is_spelled(title: str, found: bool) -> None:
    assert bool(list(scan(f"## {title}\nx").sections("Acceptance Criteria"))) is found


def test_a_section_ends_at_the_next_heading_of_its_level_or_a_higher_one() -> None:
    outline = scan("# T\n\n## A\none\n### B\ntwo\n## C\nthree\n## A\nfour\n# D\n")
    assert [section.prose() for section in outline.sections("a")] == ["one\n### B\ntwo", "four"]
    assert [line.raw for line in outline.head().lines()] == []
    assert next(outline.sections("Z"), None) is None


def test_prose_keeps_code_and_drops_comments() -> None:
    outline = scan("## A\n\nx  \n\n```\n  y\n```\n<!-- mine -->\n\n")
    assert next(outline.sections("A")).prose() == "x\n\n```\n  y\n```"


@pytest.mark.parametrize(
    ("raw", "indent", "bullet", "box", "text"),
    [
        ("- a", 0, "-", "", "a"),
        ("  * [x] a ", 2, "*", "x", "a"),
        ("\t12) [ ] a", 4, "12)", " ", "a"),
        ("- [ ]", 0, "-", " ", ""),
        ("   a - b  ", 3, "", "", "a - b"),
        ("-a", 0, "", "", "-a"),
        ("", 0, "", "", ""),
    ],
)
def test_a_line_is_taken_apart(raw: str, indent: int, bullet: str, box: str, text: str) -> None:
    line = take_apart(raw)
    assert (line.indent, line.bullet, line.box, line.text) == (indent, bullet, box, text)


@pytest.mark.parametrize(
    ("line", "row", "ruler"),
    [
        ("| a | b |", ["a", "b"], False),
        ("  a|b  ", ["a", "b"], False),
        ("| a |  |", ["a", ""], False),
        (r"| a \| b | c |", ["a | b", "c"], False),
        ("|---|:-:|", ["---", ":-:"], True),
        ("| - | |", ["-", ""], True),
    ],
)
def test_a_row_has_its_cells_with_or_without_bars_around_it(
    line: str, row: list[str], ruler: bool
) -> None:
    assert cells(line) == row
    assert is_ruler(cells(line)) is ruler


# --- Key: value


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Key: value", "value"),
        ("Key: value  ", "value"),
        ("**Key:** value", "value"),
        ("**Key**: value", "value"),
        ("- **Key:** value", "value"),
        ("      - Key: value", "value"),
        ("- [x] Key: value", "value"),
        ("1. key: `value`", "value"),
        ("Key: **value**", "value"),
        ("Key: value <!-- one of a, b -->", "value"),
        ("Key: <!-- one of a, b -->", ""),
        ("Key:", ""),
        ("Key: a: b", "a: b"),
        ("**Key: value**", "value"),
        ("**Key: value** and more", "value"),
        ("- **Key: value **  <!-- one of a, b -->", "value"),
        ("__Key: value__", "value"),
        ("*Key: value*", "value"),
        ("**Key: `value`**", "value"),
        ("Key: say `a` and `b`", "say `a` and `b`"),
    ],
)
def test_a_field_is_read_with_or_without_emphasis_bullet_backquotes_and_comment(
    line: str, value: str
) -> None:
    field = parse_field(take_apart(line, 7))
    assert field is not None
    assert (field.key, field.value, field.line) == ("key", value, 7)
    again = parse_field(take_apart(line[: field.start] + " new " + line[field.end :]))
    assert again is not None
    assert again.value == "new"


@pytest.mark.parametrize(
    "line",
    [
        "https://example.org",
        "| a: b | c |",
        "# Key: value",
        "**Key: value",
        "`Key: value`",
        "x" * 81 + ": value",
        "no colon",
        "",
        "<a>: b",
    ],
)
def test_addresses_tables_headings_and_open_marks_are_no_field(line: str) -> None:
    assert parse_field(take_apart(line)) is None


# --- hostile texts


@given(st.text() | DOCUMENTS)
@settings(max_examples=300, deadline=None)
def test_no_text_makes_it_fail_and_every_line_has_a_kind(text: str) -> None:
    outline = scan(text)
    assert len(outline.kinds) == len(outline.lines)
    assert "".join(split_lines(text)) == text
    assert all(0 <= each.line < each.end <= len(outline.lines) for each in outline.headings)
    for line in outline.whole().lines():
        parse_field(line)


@pytest.mark.parametrize(
    "piece",
    [
        "- ",
        "> ",
        "#",
        "# a\n",
        "`",
        "<!--",
        "\t",
        "- - ",
        "a\n",
        "1. a\n",
        "*",
        "[",
        "| ",
        "> \n",
        "```\n",
        "<div>\n",
        "  - a\n",
        "Key: `",
        "\\",
        "&",
        "a <!-- \n",
        "---\n",
        "\r",
        "- a\n\n",
    ],
)
def test_hostile_documents_take_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        before = time.process_time()
        outline = scan(text)
        [parse_field(line) for line in outline.whole().lines()]
        return time.process_time() - before

    assert seconds(200_000) < 4 + 8 * seconds(50_000)


def test_nested_lists_and_quotes_take_linear_time() -> None:
    for row in ("{}- a\n", "{}> a\n", "{}1. a\n"):
        text = "".join(row.format("  " * depth) for depth in range(600))
        before = time.process_time()
        scan(text)
        assert time.process_time() - before < 4
