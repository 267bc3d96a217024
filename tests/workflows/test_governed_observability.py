from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.exchange.observability import EVENT_TYPES, event_type_of, sink_line
from podium.workflows.governed.roster import ROSTER

TRACE = "0d4e3c6a-8f7b-4b5e-9c1d-2a3b4c5d6e7f"
TS = "2026-01-02T03:04:05.678Z"


@given(
    st.dictionaries(
        st.text(max_size=5), st.one_of(st.text(max_size=9), st.integers(), st.none()), max_size=4
    )
)
@settings(max_examples=60, deadline=None)
def test_every_payload_is_one_line(payload: dict[str, Any]) -> None:
    line = sink_line(TRACE, TS, "Planner", None, "execution_report", payload)
    assert line.endswith("\n")
    assert len(line.split("\n")) == 2
    assert json.loads(line) == {
        "trace_id": TRACE,
        "ts": TS,
        "agent": "Planner",
        "phase": None,
        "event_type": "execution_report",
        "payload": payload,
    }


@pytest.mark.parametrize(
    ("trace_id", "ts", "event_type", "payload"),
    [
        ("x", TS, "verdict", {}),
        (TRACE.replace("-4b5e", "-1b5e"), TS, "verdict", {}),
        (TRACE.upper(), TS, "verdict", {}),
        (TRACE, "2026-01-02T03:04:05Z", "verdict", {}),
        (TRACE, "2026-01-02T03:04:05.678+00:00", "verdict", {}),
        (TRACE, TS, "gossip", {}),
        (TRACE, TS, "verdict", {"x": float("nan")}),
    ],
)
def test_a_line_that_nobody_could_read_is_not_written(
    trace_id: str, ts: str, event_type: str, payload: Any
) -> None:
    with pytest.raises(ValueError, match=r".+"):
        sink_line(trace_id, ts, "Planner", 1, event_type, payload)


def test_every_agents_answer_has_a_type() -> None:
    found = {each.role: event_type_of(each.role) for each in ROSTER}
    assert set(found.values()) == {
        "plan_audit",
        "verdict",
        "discovery",
        "research_findings",
        "execution_report",
    }
    assert set(found.values()) <= set(EVENT_TYPES)
    assert found["code-reviewer"] == "verdict"
