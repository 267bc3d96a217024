"""A scenario is read whole or refused with the line of every fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agents.protocol import Question, Usage
from podium.agents.scenario import Call, Copy, Document, Scenario, Template
from podium.agents.scenario_file import load, parse
from podium.core.errors import InputError

WHOLE = """
agents:
  po-spec:
    - behave: well
      sleep: 0.5
      read: [harness/x.md, src/app.py]
      write:
        "@spec": "# Title\\n"
        src/app.py: |
          print(1)
        a.bin: {copy: data.bin}
        "@qa": {template: qa, result: Issues Found, criteria: {AC1: Fail}}
        plan.json: {a: [1, 2.5, true, null, 2024-01-02]}
        list.yaml: [1, two]
        "@plan": {tasks: []}
      append: {log.txt: more}
      delete: [old.py, gone]
      chmod: {run.sh: 755, b: "0644", c: 0o600}
      symlink: {link: ../target}
      run: [make, "make test"]
      verdict: {status: done, commands: [{command: make, exit: 0}]}
      usage: {tokens_in: 1200, tokens_out: 300, cost_usd: 0.01}
      say: "DONE: spec written"
      ask:
        prompt: Which?
        choices: [{id: a, description: The first}, {id: b}]
        recommended: a
  build:
    - {fail: rate_limit, retry_after: 30}
    - {run: make, ask: Why?, read: one.md}
defaults: {fail: hang}
keys:
  "build/2": [{fail: crash}]
"""


def test_every_field_is_read(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"\0")
    (tmp_path / "s.yaml").write_text(WHOLE)
    assert load(tmp_path / "s.yaml") == Scenario(
        agents={
            "po-spec": (
                Call(
                    behave_well=True,
                    sleep=0.5,
                    read=("harness/x.md", "src/app.py"),
                    write=(
                        ("@spec", "# Title\n"),
                        ("src/app.py", "print(1)\n"),
                        ("a.bin", Copy("data.bin")),
                        (
                            "@qa",
                            Template("qa", {"result": "Issues Found", "criteria": {"AC1": "Fail"}}),
                        ),
                        ("plan.json", Document({"a": [1, 2.5, True, None, "2024-01-02"]})),
                        ("list.yaml", Document([1, "two"])),
                        ("@plan", Document({"tasks": []})),
                    ),
                    append=(("log.txt", "more"),),
                    delete=("old.py", "gone"),
                    chmod=(("run.sh", 0o755), ("b", 0o644), ("c", 0o600)),
                    symlink=(("link", "../target"),),
                    run=("make", "make test"),
                    verdict={"status": "done", "commands": [{"command": "make", "exit": 0}]},
                    usage=Usage(1200, 300, 0.01),
                    say="DONE: spec written",
                    ask=Question("Which?", (("a", "The first"), ("b", "")), "a"),
                ),
            ),
            "build": (
                Call(fail="rate_limit", retry_after=30.0),
                Call(run=("make",), ask=Question("Why?"), read=("one.md",)),
            ),
        },
        keys={"build/2": (Call(fail="crash"),)},
        defaults=Call(fail="hang"),
    )


def test_values_are_plain_so_that_they_can_be_kept_as_json() -> None:
    call = parse("defaults:\n  verdict: {a: &x true, b: *x, c: 'q', d: 1, e: 1.5}\n", "s").defaults
    assert call.verdict is not None
    assert [type(value) for value in call.verdict.values()] == [bool, bool, str, int, float]


REQUEST = """\
defaults:
  ask:
    options:
      - {id: a, description: Keep the format, pros: [short], cons: [], affected_files: [src/app.py]}
      - {id: b, description: Write a new one}
    impact_analysis: Readers of old files are affected.
    recommended_option: a
    recommended_option_rationale: Nobody asked for another.
"""


def test_a_question_may_have_the_members_of_a_clarification_request() -> None:
    prompt = "Readers of old files are affected.\nNobody asked for another."
    assert parse(REQUEST, "s").defaults.ask == Question(
        prompt, (("a", "Keep the format"), ("b", "Write a new one")), "a"
    )
    asked = parse("defaults:\n  ask: {question: Which?, options: [a, b]}\n", "s").defaults.ask
    assert asked == Question("Which?", (("a", ""), ("b", "")))


def test_an_empty_file_behaves_well() -> None:
    assert parse("", "s") == Scenario()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("agent:\n  a: []\n", 1, "unknown field 'agent' (did you mean 'agents'?)"),
        (
            "agents:\n  build:\n    - say: x\n      wrte: {a: b}\n",
            4,
            "unknown field 'wrte' (did you mean 'write'?)",
        ),
        ("agents:\n  build:\n    - say: x\n    - say: [x]\n", 4, "say must be text, not a list"),
        ("agents:\n  build: {say: x}\n", 2, "must be a list of calls, not a mapping"),
        ("agents:\n  build: []\n", 2, "not an empty list"),
        ("agents:\n  build:\n    -\n", 3, "must be a mapping, not nothing"),
        ("agents: 5\n", 1, "agents must be a mapping, not 5"),
        ("- a\n", 1, "a scenario must be a mapping"),
        ("defaults:\n  fail: crsh\n", 2, "did you mean 'crash'?"),
        ("defaults:\n  behave: badly\n", 2, "behave must be well"),
        ("defaults:\n  say: hi\n  retry_after: 3\n", 3, "retry_after belongs to fail: rate_limit"),
        ("defaults:\n  sleep: -1\n", 2, "a number of seconds"),
        ("defaults:\n  sleep: .inf\n", 2, "a number of seconds"),
        ("defaults:\n  sleep: soon\n", 2, "a number of seconds"),
        ("defaults:\n  read: [1]\n", 2, "a list of texts"),
        ("defaults:\n  usage:\n    tokens: 5\n", 3, "unknown field 'tokens'"),
        ("defaults:\n  usage:\n    tokens_in: many\n", 3, "must be a number"),
        ("defaults:\n  chmod:\n    a: 899\n", 3, "a mode such as 755"),
        ("defaults:\n  append:\n    a: 5\n", 3, "must be text"),
        (
            "defaults:\n  write:\n    a.txt: {x: 1}\n",
            3,
            "text, {copy: FILE} or {template: NAME, …}",
        ),
        ("defaults:\n  write:\n    a.txt:\n", 3, "not nothing"),
        ("defaults:\n  write:\n    a.txt: {copy: b, mode: 5}\n", 3, "unknown field 'mode'"),
        ("defaults:\n  ask:\n    prompt: x\n    choice: []\n", 4, "did you mean 'choices'?"),
        ("defaults:\n  ask:\n    choices: [{id: a}]\n", 2, "ask needs a prompt"),
        (
            "defaults:\n  ask:\n    prompt: x\n    choices:\n      - {id: a, text: b}\n",
            5,
            "unknown field 'text'",
        ),
        (
            "defaults:\n  ask: {prompt: x, choices: [{id: a}], recommended: b}\n",
            2,
            "not one of the choices",
        ),
        ("defaults:\n  verdict: done\n", 2, "verdict must be a mapping"),
        ("agents: {}\nkeys: {}\nagents: {}\n", 3, "duplicate key"),
        ("defaults:\n  say: x\n  say: y\n", 3, "duplicate key"),
        ("defaults:\n  say: [\n", 3, "expected"),
        ("agents:\n  5: []\n", 2, "must be text"),
        ("defaults:\n  verdict: {a: !secret x}\n", 2, "plain data"),
    ],
)
def test_whatever_is_not_understood_is_refused_with_its_line(
    text: str, line: int, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "s.yaml")
    assert f"s.yaml:{line}: " in str(caught.value)
    assert said in str(caught.value)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse("defaults:\n  sya: x\nagents:\n  a:\n    - fail: no\n", "s")
    assert [fault.where for fault in caught.value.faults] == ["s:2", "s:5"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "s.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"s\.yaml: cannot be read"):
        load(path)


def test_a_file_to_copy_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("defaults:\n  write:\n    a: {copy: gone.txt}\n")
    with pytest.raises(InputError, match=r"s\.yaml:3: write a: there is no file 'gone\.txt'"):
        load(tmp_path / "s.yaml")


def test_a_sign_that_json_writes_as_two_halves_is_one_sign() -> None:
    text = json.dumps({"agents": {"review": [{"say": "🟢 Ship it, not \\ud83d\\udfe2"}]}})
    (call,) = parse(text, "s.json").agents["review"]
    assert call.say == "🟢 Ship it, not \\ud83d\\udfe2"


_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=8)
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9**9) | st.floats(0, 1e9) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
_CALLS = st.fixed_dictionaries(
    {},
    optional={
        "behave": st.just("well"),
        "say": _TEXTS,
        "sleep": st.floats(0, 9),
        "read": _TEXTS | st.lists(_TEXTS, max_size=2),
        "write": st.dictionaries(
            st.sampled_from(["a.md", "@plan", "b.json"]), _TEXTS | _DATA, max_size=2
        ),
        "chmod": st.dictionaries(_TEXTS, st.integers(0, 999), max_size=1),
        "verdict": st.dictionaries(_TEXTS, _DATA, max_size=2),
        "usage": st.dictionaries(
            st.sampled_from(["tokens_in", "cost_usd", "more"]), _DATA, max_size=2
        ),
        "ask": _TEXTS | _DATA,
        "fail": st.sampled_from(["crash", "rate_limit", "other"]),
        "retry_after": _DATA,
    },
)


@given(
    st.dictionaries(
        st.sampled_from(["agents", "keys"]),
        st.dictionaries(_TEXTS, st.lists(_CALLS, max_size=2), max_size=2),
    ),
    st.booleans(),
)
def test_json_is_read_as_the_yaml_that_it_is(data: Any, ascii_only: bool) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only)
    assert _said(text) == _said(f"--- {text}")  # with a mark that JSON does not have


def _said(text: str) -> Any:
    """The scenario, or what is wrong with it."""
    try:
        return parse(text, "s.json")
    except InputError as fault:
        return str(fault)


def test_a_name_that_stands_twice_in_json_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match=r"s\.json:2"):
        parse('{"agents": {},\n "agents": {}}', "s.json")


@pytest.mark.parametrize("deep", ["[" * 5000, "{ " * 5000, "- " * 1000])
def test_a_scenario_that_is_nested_without_end_is_refused(deep: str) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        parse(deep, "s.yaml")


def test_a_text_on_which_the_loader_itself_trips_is_refused() -> None:
    text = "# Plan\n\n> ## Waves\n\n### Wave 1\n\n- 01-words (implementer)\n"
    with pytest.raises(InputError, match="is not YAML"):
        parse(text, "s.yaml")
