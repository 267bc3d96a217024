"""A policy that wants every delegation to name its model gets the names that the settings have
for the agents.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import Governed

from podium.core.errors import InputError
from podium.wiring_values import RunOptions

FIXED = {"model_dispatch.default_mode": "deterministic", "retry_backoff_s": 0.0}


@pytest.fixture
def run(tmp_path: Path) -> Governed:
    made = Governed.of(tmp_path)
    file = tmp_path / "scenario.yaml"
    file.write_text(
        json.dumps(
            {
                "agents": {"planner": [g.plan({}, {}, {}, complexity_tier="SMALL")]},
                "defaults": {"behave": "well"},
            }
        )
    )
    table = f'backend = "scripted"\nscenario = "{file}"\n'
    made.write(
        "podium.toml",
        '[commands]\ntest = "sh tests.sh"\n'
        + "".join(f'[agents.{name}]\n{table}model = "model-{name}"\n' for name in ("one", "two"))
        + f"[agents.none]\n{table}",
    )
    return made


def start(run: Governed, **options: Any) -> str:
    ended = run.app.start(
        "governed", [g.REQUEST], RunOptions(policy=FIXED, approve_all=True, by="Ada", **options)
    )
    run.run_id = ended.run
    return ended.status


def named(run: Governed) -> dict[str, tuple[str, str]]:
    sent = {each["agent"]: each["payload"] for each in run.events("governed.delegation")}
    return {name: (each["runtime_model_mode"], each["model"]) for name, each in sent.items()}


def test_every_delegation_names_the_model_of_its_agent(run: Governed) -> None:
    assert start(run, agent="one", roles={"code-reviewer": "two"}) == "complete"
    assert named(run) == {
        "Planner": ("deterministic", "model-one"),
        "PlanAuditor-subagent": ("deterministic", "model-one"),
        "CoreImplementer-subagent": ("deterministic", "model-one"),
        "CodeReviewer-subagent": ("deterministic", "model-two"),
    }


def test_a_run_that_goes_on_with_another_agent_names_that_ones_model(run: Governed) -> None:
    start(run, agent="one", until="plan")
    assert run.on(agent="two").status == "complete"
    assert {
        name: model
        for name, (_, model) in named(run).items()
        if name in {"Planner", "CoreImplementer-subagent"}
    } == {
        "Planner": "model-one",
        "CoreImplementer-subagent": "model-two",
    }


def test_a_role_whose_agent_has_no_model_is_named_before_anything_begins(run: Governed) -> None:
    with pytest.raises(InputError) as refused:
        start(run, agent="one", roles={"code-reviewer": "none", "ui-implementer": "none"})
    (fault,) = refused.value.faults
    assert "the settings name none for ui-implementer, code-reviewer" in fault.what
    assert "set `model` of their agents" in fault.mend
    assert not run.path(".podium/runs").exists()
