"""A journal that was changed in any way is found out at the line where it was changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.chain import FIRST, Break, seal, unseal, verify


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"ts": "2026-01-02T03:04:05.678Z", "run": "r1", "type": kind, **more}


def journal(*events: dict[str, Any]) -> list[bytes]:
    lines, prev = [], FIRST
    for seq, each in enumerate(events, 1):
        sealed, line = seal(each, seq, prev)
        lines.append(line)
        prev = sealed["hash"]
    return lines


LINES = journal(
    event("run.started", workflow="harness"),
    event("step.started", key="spec"),
    event("run.completed"),
)


def test_a_line_is_one_canonical_object_with_its_place_in_the_chain() -> None:
    body, line = seal(event("run.started"), 1, FIRST)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == body
    assert (body["seq"], body["prev"]) == (1, "0" * 64)


def test_sealing_leaves_the_event_alone() -> None:
    given_event = event("run.started")
    seal(given_event, 1, FIRST)
    assert given_event == event("run.started")


@pytest.mark.parametrize(
    "inner", [{"hash": "", "z": 1}, {"z": [{"hash": "", "y": ""}]}, {"a": '"hash":"",'}]
)
@pytest.mark.parametrize("member", ["about", "zeal"])
def test_members_that_look_like_the_hash_do_not_disturb_it(
    member: str, inner: dict[str, Any]
) -> None:
    body, line = seal(event("run.started", **{member: inner}), 1, FIRST)
    assert unseal(line, 1, FIRST) == body == json.loads(line)
    assert body[member] == inner


def test_a_whole_journal_gives_its_events_back() -> None:
    events, broken = verify(LINES)
    assert broken is None
    assert [each["type"] for each in events] == ["run.started", "step.started", "run.completed"]
    assert verify([]) == ([], None)


def test_each_line_names_the_hash_before_it() -> None:
    events, _ = verify(LINES)
    assert [each["prev"] for each in events] == [FIRST, events[0]["hash"], events[1]["hash"]]


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        ([LINES[0], LINES[2]], 2, "has seq 3, expected 2"),
        ([LINES[1]], 1, "has seq 2, expected 1"),
        ([LINES[0], LINES[0]], 2, "has seq 1, expected 2"),
        ([LINES[0].replace(b"harness", b"roadmap")], 1, "was changed after it was written"),
        ([LINES[0], journal(event("x"), event("y"))[1]], 2, "does not follow the line before it"),
        ([b"{torn"], 1, "is not JSON"),
        ([b"\xff\xfe"], 1, "is not JSON"),
        ([b""], 1, "is not JSON"),
        ([b"[" * 100_000], 1, "is not JSON"),
        ([b"[1]"], 1, "is not an event"),
        ([b'{"seq": 1}'], 1, "is not an event"),
        ([LINES[0].replace(b'"harness"', b"NaN")], 1, "was changed after it was written"),
        ([LINES[0].replace(b'"harness"', b'"\\ud800"')], 1, "was changed after it was written"),
    ],
)
def test_a_break_names_the_line_and_what_is_wrong(lines: list[bytes], line: int, what: str) -> None:
    events, broken = verify(lines)
    assert broken == Break(line, what)
    assert len(events) == line - 1


@given(st.sampled_from(range(len(LINES))), st.data())
def test_no_changed_value_goes_unseen(number: int, data: st.DataObject) -> None:
    body = json.loads(LINES[number])
    member = data.draw(st.sampled_from(sorted(body)))
    body[member] = data.draw(
        (st.text(max_size=5) | st.integers()).filter(lambda value: value != body[member])
    )
    changed = [*LINES[:number], json.dumps(body).encode(), *LINES[number + 1 :]]
    _, broken = verify(changed)
    assert broken is not None
    assert broken.line == number + 1


def test_a_member_taken_out_or_put_in_is_seen() -> None:
    body = json.loads(LINES[0])
    assert isinstance(unseal(json.dumps({**body, "more": 1}).encode(), 1, FIRST), Break)
    del body["workflow"]
    assert isinstance(unseal(json.dumps(body).encode(), 1, FIRST), Break)
