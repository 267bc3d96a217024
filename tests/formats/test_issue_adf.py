"""Documents of Jira Cloud as Markdown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.issue_adf import markdown


def node(type: str, *content: Any, **attrs: Any) -> dict[str, Any]:
    return {"type": type, "content": list(content), **({"attrs": attrs} if attrs else {})}


def text(words: str, *marks: str, href: str = "") -> dict[str, Any]:
    found: list[dict[str, Any]] = [{"type": each} for each in marks]
    if href:
        found.append({"type": "link", "attrs": {"href": href}})
    return {"type": "text", "text": words, "marks": found}


def p(*content: Any) -> dict[str, Any]:
    return node("paragraph", *content)


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (p(text("a"), text("b", "strong"), text("c", "code")), "a**b**`c`"),
        (p(text("see", href="https://x/y")), "[see](https://x/y)"),
        (node("heading", text("Goal"), level=2), "## Goal"),
        (
            node(
                "bulletList",
                node("listItem", p(text("a"))),
                node("listItem", p(text("b")), node("bulletList", node("listItem", p(text("c"))))),
            ),
            "- a\n- b\n\n  - c",
        ),
        (
            node(
                "orderedList",
                node("listItem", p(text("a"))),
                node("listItem", p(text("b"))),
                order=3,
            ),
            "3. a\n4. b",
        ),
        (
            node(
                "taskList",
                node("taskItem", text("a"), state="DONE"),
                node("taskItem", text("b"), state="TODO"),
            ),
            "- [x] a\n- [ ] b",
        ),
        (node("codeBlock", text("x = 1\n```"), language="python"), "````python\nx = 1\n```\n````"),
        (node("blockquote", p(text("a")), p(text("b"))), "> a\n>\n> b"),
        (node("panel", p(text("note")), panelType="info"), "> note"),
        (node("rule"), "---"),
        (
            node(
                "table",
                node(
                    "tableRow", node("tableHeader", p(text("A"))), node("tableHeader", p(text("B")))
                ),
                node("tableRow", node("tableCell", p(text("1|2")))),
            ),
            "| A | B |\n| --- | --- |\n| 1\\|2 |  |",
        ),
        (p(text("a"), {"type": "hardBreak"}, text("b")), "a\nb"),
        (
            p(
                {"type": "mention", "attrs": {"text": "@ada"}},
                {"type": "emoji", "attrs": {"shortName": ":x:"}},
                {"type": "inlineCard", "attrs": {"url": "u"}},
            ),
            "@ada:x:u",
        ),
        (node("mediaSingle", {"type": "media", "attrs": {"id": "1"}}), "[attachment]"),
        (node("expand", p(text("in")), title="More"), "**More**\n\nin"),
        (node("newThing", p(text("kept"))), "kept"),
    ],
)
def test_every_kind_of_node_is_readable(block: Any, shown: str) -> None:
    assert markdown(node("doc", block)) == shown


def test_a_description_that_is_a_text_stays_one() -> None:
    assert markdown("h2. wiki") == "h2. wiki"
    assert markdown(None) == markdown(5) == markdown([]) == ""


def test_a_document_that_is_far_too_deep_is_cut_and_harmless() -> None:
    deep: Any = p(text("bottom"))
    for _ in range(500):
        deep = node("blockquote", deep)
    assert "bottom" not in markdown(node("doc", deep))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "content", "attrs", "text", "marks", "level", "order", "state", "url"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(
    _JSON,
    st.sampled_from(
        [
            "doc",
            "table",
            "bulletList",
            "orderedList",
            "taskList",
            "codeBlock",
            "heading",
            "text",
            "expand",
        ]
    ),
)
def test_nothing_breaks_it(value: Any, kind: str) -> None:
    assert isinstance(markdown(value), str)
    assert isinstance(
        markdown({"type": kind, "content": [value], "attrs": value, "marks": value, "text": value}),
        str,
    )


@settings(max_examples=60)
@given(
    st.lists(st.text("abcxyz", min_size=1, max_size=8), min_size=1, max_size=6),
    st.sampled_from(["paragraph", "heading", "blockquote", "panel", "unknown"]),
)
def test_no_word_is_lost(words: list[str], kind: str) -> None:
    shown = markdown(node("doc", *(node(kind, p(text(each))) for each in words)))
    assert [line.strip("#> ") for line in shown.split("\n") if line.strip("#> ")] == words
