"""HTML of exports as text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.issue_html import text


def test_paragraphs_lists_headings_and_code_are_kept_apart() -> None:
    html = (
        "<h2>Goal</h2><p>A &lt;b&gt; c<br/>d</p><ul><li>one</li><li>two</li></ul><pre>x\n  "
        "y</pre><table><tr><td>1</td><td>2</td></tr></table>"
    )
    assert text(html) == "## Goal\n\nA <b> c\nd\n\n- one\n- two\n\n```\nx\ny\n```\n\n1 | 2 |"


def test_scripts_and_styles_say_nothing() -> None:
    assert text("<script>evil()</script><style>x</style>a<title>t</title>") == "a"


@settings(max_examples=100)
@given(st.text(alphabet="<>/ab&;pre li\"'=-!", max_size=60))
def test_whatever_is_broken_in_it_is_read(html: str) -> None:
    assert "\n\n\n" not in text(html)
