"""`podium check` of a file that a person wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Podium

from podium.wiring import scaffold_text

OWN = """
from typing import Literal

from podium.core.contract import Contract
from podium.core.effects import Gate, Stage
from podium.core.run import Run
from podium.core.workflow import Workflow, step


class Mine(Workflow):
    name = "mine"
    start = "draft"

    @step(Stage("writer", lambda _: Contract("writer")))
    def draft(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["approve", "build"]:
        return "approve" if outcome == "ok" else %s

    @step(Gate("Go on?", choices=("approved", "draft")))
    def approve(self, run: Run, outcome: Literal["approved", "draft"]) -> Literal["build", "draft"]:
        return "build" if outcome == "approved" else "draft"

    @step(Stage("coder", lambda _: Contract("coder", code="write"), approved_by=lambda _: "approve"))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"
"""  # noqa: E501
BROKEN = OWN % '"build"'


def test_a_workflow_of_ones_own_is_checked_and_a_counter_example_told_and_drawn(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "mine.py").write_text(BROKEN)
    assert podium("check", "mine.py", "--svg", "mine.svg") == 20
    said = capsys.readouterr().out
    assert "BROKEN   approval bypassed: build can begin without approve approved" in said
    assert "    1. draft ends revise\n    2. build can begin without approve approved\n" in said
    assert "      draft --> build: 1. revise" in said
    assert "build writes code: BYPASSED approve" in said
    assert "no approval is bypassed" not in said
    assert "lit broken" in (project / "mine.svg").read_text()


def test_the_answer_for_programs_has_the_story_and_the_drawing(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "mine.py").write_text(BROKEN)
    assert podium("check", "mine.py:Mine", "--json") == 20
    told = json.loads(capsys.readouterr().out)
    (violation,) = told["violations"]
    assert (told["workflow"], told["states"] > 3, violation["name"]) == (
        "mine",
        True,
        "approval bypassed",
    )
    assert violation["path"] == [["draft", "revise"]]
    assert violation["story"][0] == "1. draft ends revise"
    assert violation["mermaid"].startswith("stateDiagram-v2")
    assert told["worst_case"]["dispatches"] > 0


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (None, "mine.py", "mine.py: there is no such file"),
        ("x = (\n", "mine.py", "mine.py:1: cannot be loaded: SyntaxError"),
        (
            "import os\n\nraise ValueError('no')\n",
            "mine.py",
            "mine.py:3: cannot be loaded: ValueError: no",
        ),
        ("x = 1\n", "mine.py", "mine.py: has no class that is a podium.Workflow"),
        (BROKEN, "mine.py:Mien", "mine.py: has no workflow class 'Mien' (did you mean Mine?)"),
        (
            BROKEN + "\nclass Other(Workflow):\n    start = 'x'\n",
            "mine.py",
            "mine.py: has several workflows: Mine, Other (name one: mine.py:Mine)",
        ),
        (
            BROKEN + "\nclass Other(Workflow):\n    start = 'x'\n",
            "mine.py:Other",
            "mine.py: Other has no steps",
        ),
        (
            BROKEN.replace('start = "draft"', 'start = "drft"'),
            "mine.py",
            "Mine starts at 'drft', which is none of its steps",
        ),
        (
            BROKEN.replace(
                '    start = "draft"', '    start = "draft"\n\n    def __init__(self, size): ...'
            ),
            "mine.py",
            "cannot be made without arguments",
        ),
    ],
)
def test_a_file_that_is_no_workflow_is_refused_with_its_place(
    podium: Podium,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    name: str,
    said: str,
) -> None:
    if text is not None:
        (project / "mine.py").write_text(text)
    assert podium("check", name) == 2
    assert said in capsys.readouterr().err


def test_a_stage_list_is_checked_as_the_harness_would_run_it(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "line.toml").write_text(scaffold_text("harness", "stages.toml"))
    assert podium("check", "line.toml", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["workflow"], told["worst_case"]["stage_runs"]) == ("harness", 9)
    (project / "line.toml").write_text("[[stage]]\nname = 'Spec'\n")
    assert podium("check", "line.toml") == 2
    assert "line.toml" in capsys.readouterr().err
