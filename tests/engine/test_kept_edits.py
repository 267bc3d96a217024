"""An edit of a document that only some runs have, after the engine was killed: whatever a person
answers then, the run goes on or ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_unaudited import FLAG, Assassin, Killed
from tests.fakes.feature import FOLDER, REQUEST, FeatureProject
from tests.fakes.project import TASK, Project
from tests.fakes.roadmap import Road, item

from podium.cli.main import main
from podium.engine.unaudited import ASIDE
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

STATE_FILE = "harness/other-state.md"
PLAN = "plan/other.json"


@dataclass(frozen=True)
class Case:
    """A run, the document that is edited, and how."""

    workflow: str
    inputs: Sequence[str]
    make: Callable[[Path], Project]
    path: str
    edit: Callable[[Project], None]
    extra: Mapping[str, Any]


def _line_added(path: str) -> Callable[[Project], None]:
    return lambda project: project.write(path, project.text(path) + "\nA person's line.\n")


def _roadmap(base: Path) -> Project:
    road = Road.of(base, item("US-1"))
    road.write(PLAN, road.text("roadmap.json"))
    return road


def _item_renamed(project: Project) -> None:
    told = json.loads(project.text(PLAN))
    told["items"][0]["title"] = "A person's title"
    project.write(PLAN, json.dumps(told, indent=2) + "\n")


def _feature(path: str) -> Case:
    where = f"{FOLDER}/{path}"
    return Case("feature", [REQUEST], FeatureProject.at, where, _line_added(where), {})


CASES = {
    "feature-request": _feature("initial-request.md"),
    "feature-memory": _feature("memory.md"),
    "roadmap": Case("roadmap", [PLAN], _roadmap, PLAN, _item_renamed, {}),
    "harness": Case(
        "harness",
        [TASK],
        lambda base: Project.at(base, "plain"),
        STATE_FILE,
        lambda project: project.edit(STATE_FILE, FLAG, FLAG.replace("Yes", "No")),
        {"state": STATE_FILE},
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Case:
    for name in [each for each in os.environ if each.startswith(("PODIUM_", "GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return CASES[request.param]


@pytest.fixture
def project(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Its engine was killed in the first dispatch, then a person edited the document, and the run
    asks about it.
    """
    project = case.make(tmp_path)
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(json.dumps({"defaults": {"behave": "well"}}))
    parts = Parts(
        project.environ,
        clock=project.clock,
        token=lambda: "0001",
        cwd=project.root,
        agents=lambda _: Assassin(lambda: None),
    )
    options = RunOptions(
        agent=f"scripted:{scenario}", policy={"retry_backoff_s": 0.0}, extra=case.extra
    )
    with pytest.raises(Killed):
        App(project.root, parts=parts).start(case.workflow, case.inputs, options)
    (run,) = (each.name for each in (project.root / ".podium/runs").iterdir())
    project.run_id = run
    case.edit(project)
    assert podium(project, "resume", run) == 10
    (gate,) = project.app.summary(run).gates
    assert gate["kind"] == "drift"
    assert case.path in gate["prompt"]
    return project


def podium(project: Project, *words: str) -> int:
    return main([*words, "--project", str(project.root)])


def test_the_edit_that_a_person_keeps_is_back_and_the_run_goes_on(
    project: Project, case: Case
) -> None:
    before = project.text(case.path)
    assert podium(project, "answer", project.run_id, "--choice", "keep") == 0
    assert podium(project, "resume", project.run_id) in {0, 10, 20}
    assert project.text(case.path) != before
    assert len(project.done()) > 0
    assert not (project.folder / "guard" / ASIDE).exists()


@pytest.mark.parametrize("decided", ["", "keep", "restore"])
def test_a_run_that_asked_whose_edit_it_was_can_be_cancelled(
    project: Project, decided: str
) -> None:
    if decided:
        assert podium(project, "answer", project.run_id, "--choice", decided) == 0
    assert podium(project, "cancel", project.run_id) == 0
    assert podium(project, "resume", project.run_id) == 30


def test_a_person_who_cancels_is_told_what_had_changed(
    project: Project, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    podium(project, "cancel", project.run_id)
    assert f"{case.path} changed while nobody watched and were put back" in capsys.readouterr().err


@pytest.mark.parametrize("case", ["harness"], indirect=True)
@pytest.mark.parametrize(
    "index",
    [
        "[1]",
        "nonsense",
        json.dumps(
            [{"name": "../evil", "what": "changed", "mode": 0o644, "link": False, "file": "0"}]
        ),
        json.dumps(
            [{"name": "x.md", "what": "changed", "mode": 0o644, "link": False, "file": "../../x"}]
        ),
    ],
)
def test_an_index_that_nobody_here_wrote_places_nothing(project: Project, index: str) -> None:
    (project.folder / "guard" / ASIDE / "index.json").write_text(index)
    podium(project, "answer", project.run_id, "--choice", "keep")
    assert podium(project, "resume", project.run_id) in {0, 10}
    assert not (project.root.parent / "evil").exists()
    assert not (project.root / "x.md").exists()
