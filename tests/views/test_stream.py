"""The JSON stream is the journal."""

from __future__ import annotations

import io

from podium.core import chain
from podium.views.stream import StreamView


def test_the_lines_are_the_journals_own_and_their_chain_holds(whole):
    raw = io.BytesIO()
    with StreamView(io.TextIOWrapper(raw, "ascii")) as view:
        for event in whole:
            view.event(event)
            view.activity("key", "text", {})
        view.conclude(("ignored",))
        assert chain.verify(raw.getvalue().splitlines()) == (whole, None)


def test_a_stream_of_text_will_do(whole):
    out = io.StringIO()
    StreamView(out).event(whole[0])
    assert chain.verify([out.getvalue().encode()]) == (whole[:1], None)
