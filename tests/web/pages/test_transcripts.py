"""What an agent said and did."""

from __future__ import annotations

import json

from podium.web.pages.transcripts import FIRST, MOST, transcript


def test_words_stay_whole_and_deeds_are_short() -> None:
    lines = [
        {"kind": "write", "path": "a.py", "bytes": 3},
        {"kind": "text", "text": "one\ntwo", "ts": "2026-01-31T12:03:04.000Z"},
        {"type": "tool", "fields": {"name": "grep"}},
    ]
    (wrote, said, used), gone = transcript("\n".join(map(json.dumps, lines)))
    assert gone == 0
    assert (wrote.kind, wrote.text, wrote.spoken) == ("write", "writes a.py", False)
    assert (said.when, said.text, said.spoken) == ("12:03:04", "one\ntwo", True)
    assert used.text == "uses grep"


def test_a_long_transcript_keeps_its_beginning_and_its_end() -> None:
    found, gone = transcript(
        "\n".join(json.dumps({"kind": "text", "text": str(at)}) for at in range(1_000))
    )
    assert gone == 1_000 - MOST
    assert [each.text for each in found[:FIRST]] == [str(at) for at in range(FIRST)]
    assert found[-1].text == "999"


def test_what_is_no_json_is_shown_as_it_was_said() -> None:
    (broken, number), _ = transcript('{"kind": \x1b[2J\u202e\n42')
    assert "\u202e" not in broken.text
    assert number.text == "42"
