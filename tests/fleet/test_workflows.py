"""Workflows on the fleet end as they do alone: the same steps, the same decisions, the same files.

`harness` does so in test_driver.py, event by event.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.repository import git
from tests.fleet.comparing import to_the_end
from tests.fleet.fleets import CALM_S, Fleet

from podium.cli.demos import project as demo
from podium.core.history import History
from podium.fleet.orders import Result
from podium.fleet.submitting import Submitting
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]
WORKFLOWS = ("roadmap", "ticket", "feature", "governed")


@pytest.fixture
def fleet(tmp_path: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(tmp_path, database, CALM_S)
    yield found
    found.close()


def choice(gate: Any, answers: list[str]) -> str:
    if gate.kind in {"question", "drift"}:
        return answers.pop(0) if answers else (gate.choices[0] if gate.choices else "answered")
    return "approved"


def alone(fleet: Fleet, folder: Path, workflow: str) -> App:
    story = demo.make(folder, workflow, 0)
    app = App(folder, parts=Parts(fleet.environ, cwd=folder))
    options = RunOptions(
        agent=f"scripted:{folder / demo.SCENARIO}",
        policy={**story.policy, "retry_backoff_s": 0.0},
        run_id="R1",
    )
    ended = app.start(workflow, story.inputs, options)
    to_the_end(app, ended, story.answers)
    return app


def on_the_fleet(fleet: Fleet, folder: Path, workflow: str) -> None:
    story = demo.make(folder, workflow, 0)
    app = Submitting(folder, parts=Parts(fleet.environ, cwd=folder))
    options = RunOptions(
        agent=f"scripted:{folder / demo.SCENARIO}",
        policy={**story.policy, "retry_backoff_s": 0.0},
        run_id="R1",
    )
    app.submit(workflow, story.inputs, options, fleet.journal, str(fleet.remote))
    answers = list(story.answers)
    for turn in range(20):
        result = fleet.drive(worker=f"w{turn % 2}")
        if result is not Result.PARKED:
            break
        for run in fleet.journal.family("R1"):
            for gate in History(fleet.journal.read(run)).open_gates():
                told = {
                    "decision": choice(gate, answers),
                    "by": "Ada",
                    "note": "",
                    "subject": dict(gate.subject),
                }
                fleet.journal.post("R1", f"{gate.key}@{gate.opening}", told)
    assert result is Result.FINISHED, fleet.events()[-3:]


def told(events: list[Any]) -> list[tuple[str, str, str]]:
    """What happened, in an order that side by side work does not change; a document that tells
    the time is saved when it passes.
    """
    left_out = {"run.resumed", "document.saved"}
    return sorted(
        (each["type"], each.get("key", ""), each.get("outcome", ""))
        for each in events
        if each["type"] not in left_out
    )


def saved(events: list[Any]) -> set[str]:
    return {each["path"] for each in events if each["type"] == "document.saved"}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_workflow_ends_on_the_fleet_as_it_does_alone(fleet: Fleet, workflow: str) -> None:
    app = alone(fleet, fleet.base / "one", workflow)
    on_the_fleet(fleet, fleet.base / "two", workflow)
    here_and_there = (fleet.events(), list(app.events("R1")))
    assert told(here_and_there[0]) == told(here_and_there[1])
    assert saved(here_and_there[0]) == saved(here_and_there[1])
    names = set(git(fleet.remote, "ls-tree", "-r", "--name-only", "podium/R1").splitlines())
    here = {
        path
        for path in git(
            app.project, "ls-files", "--cached", "--others", "--exclude-standard"
        ).splitlines()
        if (app.project / path).is_file()
    }
    # Documents that git ignores are on the branch, too: else nobody could read them before
    # approving.
    assert names == here | {
        path for path in saved(here_and_there[1]) if (app.project / path).is_file()
    }
    code = [path for path in sorted(names) if path.startswith(("textkit/", "tests/"))]
    assert {path: fleet.show(path) for path in code} == {
        path: (app.project / path).read_text() for path in code
    }
