"""Whoever starts a run is told what of settings, roles and hooks is not as it was for the last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.project import Project

from podium.settings.rules_now import changes
from podium.views.lines import entry
from podium.wiring_values import RunOptions

TOML = '[commands]\ntest = "sh tests.sh"\n'
GATE = "policy.harness.require_approval_before_build"
OFF = "[policy.harness]\nrequire_approval_before_build = false\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """It had a run before."""
    made = Project.at(tmp_path)
    made.through()
    return made


def again(project: Project) -> list[str]:
    """What the next run is told."""
    project.run_id = project.app.start("feature", ["words"], _options(project)).run
    found = project.event("run.started", run=project.run_id).get("changed", [])
    assert isinstance(found, list)
    return found


def _options(project: Project) -> RunOptions:
    return RunOptions(agent=project.scenario(), run_id="next", until="setup")


def test_a_gate_that_was_switched_off_is_named_first_and_shown(project: Project) -> None:
    project.write("podium.toml", '[commands]\ntest = "true"\n' + OFF)
    told = again(project)
    assert told == [
        f"since run T001-0001: {GATE}: true -> false (switches a gate off)",
        "since run T001-0001: commands.test: 'sh tests.sh' -> 'true'",
    ]
    (started,) = project.events("run.started", run="next")
    assert any("switches a gate off" in line for line in entry(started))


def test_commands_that_are_gone_and_rooms_that_are_off_are_named(project: Project) -> None:
    project.write("podium.toml", '[isolation]\nconfine = "off"\n[policy.feature]\nproof = "none"\n')
    told = " ".join(again(project))
    assert "commands.test: 'sh tests.sh' -> '' (proves nothing any more)" in told
    assert "isolation.confine: 'auto' -> 'off' (agents are not confined)" in told
    assert "policy.feature.proof: 'required' -> 'none' (nothing has to be proven)" in told


def test_roles_and_hooks_are_named_too(project: Project) -> None:
    hook = project.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    project.write(".podium/roles/qa.md", "# anything goes\n")
    told = again(project)
    assert "since run T001-0001: .git/hooks/pre-commit was added" in told
    assert "since run T001-0001: .podium/roles/qa.md was added" in told


def test_a_run_under_the_same_rules_says_nothing(project: Project) -> None:
    assert again(project) == []
    assert "changed" not in json.dumps(project.events("run.started", run="next"))


def test_very_many_changes_are_counted() -> None:
    now = {"settings": {f"commands.c{each}": "x" for each in range(30)}}
    told = changes({"settings": {}}, now)
    assert (len(told), told[-1]) == (21, "and 10 more")
