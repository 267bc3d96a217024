"""A model file: what it says is taken, what is wrong with it is told with its line and the
nearest name.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.workflows import EveryKind, Sample

from podium.cli import catalog
from podium.core.errors import InputError
from podium.simulation.model import AgentModel, Model, Spread, StepModel
from podium.simulation.model_file import known_of, line_of, parse
from podium.simulation.model_text import written

KNOWN = known_of(EveryKind())
GOOD = """\
[agent]
seconds = 30
failures = { crash = 0.5 }

[role.build]
seconds = { median = 60, p90 = 90 }

[person]
seconds = 7

[begin.sample.remediations]
0 = 1
2 = 3

[step.research]
outcomes = { ok = 3, revise = 1 }
after = { known = { ok = 1 } }

[step."sample/qa"]
sets.remediations = { 1 = 2 }
words = { bad = 0.5 }
"""


def test_what_a_file_says_is_laid_over_what_was_there() -> None:
    base = Model(roles={"qa": AgentModel(seconds=Spread(1, 1))})
    model = parse(GOOD, "m.toml", KNOWN, base)
    assert model.agent.seconds == Spread(30, 30)
    assert model.agent.failures["crash"] == 0.5
    assert model.agent.failures["artifact"] == AgentModel().failures["artifact"]
    assert model.roles["build"].seconds == Spread(60, 90)
    assert model.roles["build"].failures["crash"] == 0.5, "a role begins as agents do"
    assert model.roles["qa"].seconds == Spread(1, 1)
    assert model.person == Spread(7, 7)
    assert model.begin == {"sample": {"remediations": {"0": 1, "2": 3}}}
    assert model.steps["research"] == StepModel({"ok": 3, "revise": 1}, {"known": {"ok": 1}})
    assert model.steps["sample/qa"].sets == {"remediations": {"1": 2}}
    assert model.steps["sample/qa"].words == {"bad": 0.5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[agnt]\n", "m.toml:1: agnt is not known (did you mean agent?)"),
        ("[agent]\nsecond = 1\n", "m.toml:2: agent.second is not known (did you mean seconds?)"),
        (
            "[agent]\n\nfailures = { crsh = 0.1 }\n",
            "m.toml:3: agent.failures.crsh is not known (did you mean crash?)",
        ),
        ("[role.bild]\n", "m.toml:1: role.bild is not known (did you mean build?)"),
        ("[step.reserch]\n", "m.toml:1: step.reserch is not known (did you mean research?)"),
        (
            "[step.research]\noutcomes = { revize = 1 }\n",
            "m.toml:2: step.research.outcomes.revize is not known (did you mean revise?)",
        ),
        (
            "[step.research.outcomes]\nok = 1\nrevise = -1\n",
            "m.toml:3: step.research.outcomes.revise is -1 (a number of 0 or more)",
        ),
        (
            "[step.research.outcomes]\nok = 'x'\n",
            "m.toml:2: step.research.outcomes.ok is 'x' (a number of 0 or more)",
        ),
        ("[step.research.outcomes]\nok = true\n", "m.toml:2: step.research.outcomes.ok is True"),
        ("[step.research.outcomes]\nok = inf\n", "m.toml:2: step.research.outcomes.ok is inf"),
        (
            "[step.research.outcomes]\nok = 0\n",
            "m.toml:1: step.research.outcomes contains nothing but 0",
        ),
        (
            "[agent]\nseconds = { median = 9, p90 = 3 }\n",
            "m.toml:2: agent.seconds is {'median': 9, 'p90': 3}",
        ),
        ("[agent]\nseconds = 'long'\n", "m.toml:2: agent.seconds is 'long'"),
        ("[agent]\nseconds = nan\n", "m.toml:2: agent.seconds is nan"),
        (
            "[agent]\nfailures = { crash = 0.7, timeout = 0.7 }\n",
            "m.toml:2: agent.failures adds up to ",
        ),
        ("[begin.smple.x]\n", "m.toml:1: begin.smple is not known (did you mean sample?)"),
        ("agent = 1\n", "m.toml:1: agent is 1 (a table)"),
        ("[agent\n", "m.toml: is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_the_way_out(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text, "m.toml", KNOWN)
    assert said in str(refused.value)


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(InputError) as refused:
        parse("[agent]\nsecond = 1\n[step.reserch]\n[person]\nseconds = -1\n", "m.toml", KNOWN)
    assert len(refused.value.faults) == 3


def test_what_a_workflow_does_not_have_is_left_out_where_the_file_is_not_a_persons() -> None:
    model = parse(
        "[step.gone]\noutcomes = { ok = 1 }\n[step.research]\noutcomes = { ok = 1, gone = 2 }\n",
        "m.toml",
        KNOWN,
        strict=False,
    )
    assert dict(model.steps) == {"research": StepModel({"ok": 1})}


@pytest.mark.parametrize("name", catalog.names())
def test_every_shipped_model_fits_its_workflow(name: str, tmp_path: Path) -> None:
    text = (files("podium.simulation") / "models" / f"{name}.toml").read_text()
    known = known_of(catalog.workflow(name, tmp_path))
    if name == "roadmap":
        known.steps["select"] = (*known.steps["select"], "limit")  # only where max_items is set
    assert parse(text, f"{name}.toml", known).steps


def test_what_is_written_is_read_as_the_same_model() -> None:
    model = parse(GOOD, "m.toml", KNOWN)
    assert parse(written(model, "two\nlines"), "again.toml", KNOWN) == model


_SHARES = st.floats(0.001, 1000).map(lambda each: float(f"{each:.6g}"))


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from(["ok", "revise"]), _SHARES, min_size=1),
    st.tuples(_SHARES, _SHARES).map(lambda both: Spread(min(both), max(both))),
)
def test_any_model_survives_being_written(outcomes: dict[str, float], seconds: Spread) -> None:
    known = known_of(Sample())
    model = Model(
        agent=AgentModel(seconds=seconds), steps={"qa": StepModel(outcomes, seconds=seconds)}
    )
    assert parse(written(model), "m.toml", known) == model


def test_a_line_is_found_by_the_longest_part_of_the_way_that_it_says() -> None:
    text = 'x = 1\n[step."a/b"]\noutcomes = { ok = 1 }\n[step."a/b".sets]\ny = { z = 1 }\n'
    assert line_of(text, ("step", "a/b", "outcomes", "ok")) == 3
    assert line_of(text, ("step", "a/b", "sets", "y", "z")) == 5
    assert line_of(text, ("step", "a/b", "gone")) == 2
    assert line_of(text, ("gone",)) == 0
