"""Scripts as data: every member, and every fault at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.scripted_model.script import (
    Ending,
    Json,
    Read,
    Refusal,
    Run,
    Script,
    Step,
    Tokens,
    Tool,
    Write,
    filled,
)
from podium.agents.scripted_model.script_file import load, parse, script
from podium.core.errors import InputError


def test_every_kind_of_step_is_read(tmp_path: Path) -> None:
    file = tmp_path / "scripts.yaml"
    file.write_text("""
hello:
  - {say: hi, write: {path: "{cwd}/a", content: b}, usage: [9, 4]}
  - {read: a, fail: {status: 529, times: 2, retry_after: null}}
  - {run: date, cut: true, delay: 1, pace: 0.5}
  - {json: {a: 1}}
  - {tool: {name: Write, arguments: {x: 1}}}
  - {report: {status: done}}
  - {calls: [{run: a}, {ending: {name: ask}}]}
again: {loop: true, steps: [{say: on}]}
""")
    assert load(file) == {
        "hello": Script(
            (
                Step("hi", (Write("{cwd}/a", "b"),), Tokens(9, 4)),
                Step(acts=(Read("a"),), refuse=Refusal(529, 2, None)),
                Step(acts=(Run("date"),), cut=1, delay=1.0, pace=0.5),
                Step(acts=(Json({"a": 1}),)),
                Step(acts=(Tool("Write", {"x": 1}),)),
                Step(acts=(Ending("report", {"status": "done"}),)),
                Step(acts=(Run("a"), Ending("ask"))),
            )
        ),
        "again": Script((Step("on"),), loop=True),
    }


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"wirte": 1}, "did you mean 'write'?"),
        ({"write": {"path": "a"}}, "[0].write.content: must be text"),
        ({"fail": {"status": 200}}, "[0].fail.status: must be an HTTP status of an error"),
        ({"usage": [1]}, "must be [tokens in, tokens out]"),
        ({"delay": -1}, "[0].delay: must be a number, 0 or more"),
        ({"cut": "yes"}, "[0].cut: must be a whole number"),
        ({"calls": [{"calls": []}]}, "unknown member 'calls'"),
        ("say", "must be a mapping"),
    ],
)
def test_a_fault_is_told_with_its_place_and_the_way_out(step: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        script([step])
    assert said in str(caught.value)


def test_all_faults_are_told_at_once_and_a_file_that_is_none_is_one() -> None:
    with pytest.raises(InputError) as caught:
        parse({"a": [{"say": 1}, {"run": 2}], "b": [], "c": {"loop": 3, "steps": [{"say": "x"}]}})
    assert len(caught.value.faults) == 4
    with pytest.raises(InputError, match="cannot be read"):
        load(Path("/no/such/file"))


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["say", "write", "calls", "fail", "steps", "loop", "path"])
                | st.text(max_size=3),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
)
def test_whatever_comes_is_a_script_or_a_named_fault(data: Any) -> None:
    try:
        found = parse(data)
    except InputError:
        return
    assert all(each.steps for each in found.values())


def test_names_in_braces_are_filled_in_everywhere() -> None:
    acts = (Write("{cwd}/a", "{cwd}"), Tool("T", {"x": ["{cwd}", 1]}), Run("ls {cwd} {other}"))
    assert filled(Step("{cwd}", acts), {"cwd": "/w"}) == Step(
        "/w", (Write("/w/a", "/w"), Tool("T", {"x": ["/w", 1]}), Run("ls /w {other}"))
    )
