"""Markdown of agents: shown, never obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.web.pages.looking import Page

from podium.web.pages.markdown import MOST, leads, rendered


def test_headings_lists_tables_and_code_are_rendered() -> None:
    page = Page(rendered("# One\n\n- *a*\n\n| A |\n|:--|\n| 1 |\n\n```\n<x>\n```\n"))
    tags = [tag for tag, _ in page.tags]
    assert page.faults == []
    assert {"h3", "li", "em", "table", "th", "td", "pre", "code"} <= set(tags)
    assert "<x>" in page.text


def test_a_heading_stands_below_those_of_the_page() -> None:
    assert [tag for tag, _ in Page(rendered("# a\n\n## b\n\n###### c")).tags] == ["h3", "h4", "h6"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=x>b</b>",
        "<!-- x --><iframe>",
        "<svg/onload=alert(1)>",
    ],
)
def test_markup_of_an_agent_is_text(text: str) -> None:
    page = Page(rendered(text))
    assert {tag for tag, _ in page.tags} <= {"p"}
    assert text in page.text


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "/logout",
        "//evil.example",
        "x.md",
    ],
)
def test_a_link_that_could_act_here_is_no_link(address: str) -> None:
    page = Page(rendered(f"[here]({address}) and [there]: <{address}>"))
    assert not page.all("a")
    assert "here" in page.text


def test_a_link_that_leads_away_tells_nobody_where_it_came_from() -> None:
    (link,) = Page(rendered("[docs](https://example.org/a?b=1&c=2)")).all("a")
    assert link == {
        "href": "https://example.org/a?b=1&c=2",
        "rel": "noopener noreferrer nofollow",
        "target": "_blank",
    }


def test_a_link_within_a_link_text_does_not_break_the_page() -> None:
    page = Page(
        rendered(
            "[*a* [b](javascript:x)](https://example.org) [c](ftp://x) "
            "![p](https://evil.example/p.png)"
        )
    )
    assert page.faults == []


def test_a_picture_is_named_and_not_loaded() -> None:
    page = Page(rendered("![a cat](https://evil.example/track.png)"))
    assert not page.all("img")
    assert "picture: a cat (https://evil.example/track.png)" in page.text


def test_control_characters_are_shown() -> None:
    assert "\u202e" not in rendered("evil \u202e\x1b[2J text")


def test_a_text_too_long_to_read_is_shown_as_it_stands() -> None:
    page = Page(rendered("# x\n" * MOST))
    assert [tag for tag, _ in page.tags] == ["pre"]


def test_deep_nesting_costs_little() -> None:
    assert Page(rendered(">" * 20_000 + "x")).faults == []
    assert Page(rendered("[" * 20_000)).faults == []


@settings(max_examples=80)
@given(st.text(alphabet="[]()<>!`*_#|-:\n \"'&javscriptx/.~\u202e\x00", max_size=120))
def test_no_text_makes_a_tag_of_its_own(text: str) -> None:
    page = Page(rendered(text))
    assert page.faults == []
    for tag, attributes in page.tags:
        assert tag in {
            "p",
            "h3",
            "h4",
            "h5",
            "h6",
            "ul",
            "ol",
            "li",
            "em",
            "strong",
            "code",
            "pre",
            "blockquote",
            "hr",
            "br",
            "a",
            "span",
            "s",
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
        }
        assert not attributes.keys() - {
            "href",
            "rel",
            "target",
            "class",
            "title",
            "tabindex",
            "role",
            "aria-label",
            "scope",
            "start",
        }


@pytest.mark.parametrize(
    ("address", "may"),
    [
        ("https://a", True),
        ("HTTP://a", True),
        ("mailto:a@b", True),
        ("", False),
        (None, False),
        ("http:[", True),
        ("//[", False),
    ],
)
def test_where_links_may_lead(address: object, may: bool) -> None:
    assert leads(address) is may
