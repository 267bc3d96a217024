from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.protocol import Question, Usage
from podium.agents.scenario import Call, Copy, Document, Scenario, Template
from podium.agents.scenario_file import parse
from podium.agents.scenario_text import text

CALLS = [
    Call(),
    Call(behave_well=True, say=""),
    Call(
        sleep=0.5,
        read=("a", "b"),
        append=(("a", "x\n"),),
        delete=("b",),
        chmod=(("a", 0o755), ("b", 0o600)),
        symlink=(("c", "a"),),
        run=("true",),
    ),
    Call(
        write=(
            ("@spec", "# Title\n\ntext\n"),
            ("a.bin", Copy("x.files/1")),
            ("@qa", Template("qa", {"result": "Pass"})),
            ("d.json", Document({"a": [1]})),
        )
    ),
    Call(verdict={}, say="x"),
    Call(verdict={"status": "done", "files": [{"path": "a", "note": ""}]}, usage=Usage(1, 2, 0.5)),
    Call(ask=Question("Which?", (("a", "the first"), ("b", "")), "a")),
    Call(fail="rate_limit", retry_after=3.0),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_read_as_it_was_written(call: Call) -> None:
    scenario = Scenario(
        {"build": (call, Call(say="b"))},
        {"qa/2": (call,)},
        call if call != Call() else Call(say="c"),
    )
    assert parse(text(scenario), "s.yaml") == scenario


def test_remarks_stand_above_as_comments_of_one_line() -> None:
    found = text(Scenario({"a": (Call(say="x"),)}), ("one\ntwo", "three"))
    assert found.startswith("# one two\n# three\nagents:\n")
    assert parse(found, "s.yaml").agents["a"] == (Call(say="x"),)


def test_a_scenario_that_says_nothing_is_one_too() -> None:
    assert parse(text(Scenario()), "s.yaml") == Scenario()


_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
_PATH = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)
_JSON: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1e6, 1e6, allow_nan=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=120, deadline=None)
@given(
    st.dictionaries(_PATH, _TEXT, max_size=3),
    _TEXT,
    st.dictionaries(_TEXT, _JSON, min_size=1, max_size=3),
)
def test_whatever_an_agent_wrote_and_said_comes_back(
    files: dict[str, str], said: str, verdict: dict[str, Any]
) -> None:
    scenario = Scenario({"build": (Call(write=tuple(files.items()), say=said, verdict=verdict),)})
    assert parse(text(scenario), "s.yaml") == scenario
