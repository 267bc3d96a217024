"""Lines for no terminal."""

from __future__ import annotations

import io

import pytest

from podium.views.plain import plain_observer


def told(steps, events, **how):
    out = io.StringIO()
    with plain_observer("T001", steps, out, **how) as view:
        for event in events:
            view.event(event)
            view.activity(str(event.get("key")), "text", {"text": "chatter"})
    return out.getvalue()


def test_a_line_for_what_matters_and_last_words(steps, at_gate):
    lines = told(steps, at_gate).splitlines()
    assert lines[1] == "12:03:05 specification started (po-spec)"
    assert not [each for each in lines if "chatter" in each or "saved" in each]
    assert " next  podium approve T001-k3f9 --go" in lines


def test_there_are_no_control_characters(steps, attack):
    assert all(each.isprintable() for each in told(steps, attack).split("\n"))


def test_the_engines_advice_wins(steps, at_gate):
    out = io.StringIO()
    with plain_observer("", steps, out, past=at_gate) as view:
        view.conclude(("podium approve X",))
    assert "next  podium approve X" in out.getvalue()
    assert "--go" not in out.getvalue()


def test_an_interrupted_run_says_how_to_go_on(steps, at_second_build):
    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt), plain_observer("", steps, out, past=at_second_build):
        raise KeyboardInterrupt
    assert "Interrupted at build" in out.getvalue()
    assert "podium resume T001-k3f9" in out.getvalue()


def test_a_poor_encoding_and_a_closed_pipe_do_not_stop_the_run(steps, whole):
    raw = io.BytesIO()
    with plain_observer("", steps, io.TextIOWrapper(raw, "ascii")) as view:
        view.event({**whole[0], "input": ["größer ✓"]})
        assert b"gr??er ?" in raw.getvalue()

    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with plain_observer("", steps, Closed()) as view:
        for event in whole:
            view.event(event)
