"""A drawing shows what can happen, the same every time."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.fakes.workflows import EveryKind, Sample, stage

from podium.core.diagram import Edge, Graph, Node, graph, mermaid
from podium.core.effects import Gate
from podium.core.run import Run
from podium.core.workflow import Workflow, step


def test_a_graph_has_the_steps_in_the_order_told_and_the_lines_that_can_happen() -> None:
    assert graph(Sample()) == Graph(
        name="sample",
        start="planning",
        nodes=(
            Node("planning", "stage", "tech-lead"),
            Node("approve_build", "gate", "Build this plan?"),
            Node("build", "stage", "build"),
            Node("qa", "stage", "qa"),
            Node("done", "done"),
        ),
        edges=(
            Edge("planning", "approve_build", ("ok",)),
            Edge("approve_build", "planning", ("rejected",), back=True),
            Edge("approve_build", "build", ("approved",)),
            Edge("build", "qa", ("ok",)),
            Edge("qa", "build", ("revise",), back=True, bound=2),
            Edge("qa", "done", ("ok",)),
        ),
    )


def test_mermaid_shows_bounds_of_loops_and_a_class_for_each_kind() -> None:
    assert mermaid(Sample()).splitlines() == [
        "stateDiagram-v2",
        "  [*] --> planning",
        "  planning --> approve_build: ok",
        "  approve_build --> planning: rejected",
        "  approve_build --> build: approved",
        "  build --> qa: ok",
        "  qa --> build: revise (max 2)",
        "  qa --> [*]: ok",
        "  classDef stage fill:#e8f0fe,stroke:#3b6fd4,color:#12305f",
        "  class planning,build,qa stage",
        "  classDef gate fill:#fdf0d5,stroke:#b7791f,stroke-width:2px,color:#5f3b06",
        "  class approve_build gate",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "class check_input check",
        "class research cluster",
        "class approve gate",
        "state implement {",
    ],
)
def test_every_kind_looks_different(line: str) -> None:
    assert f"  {line}" in mermaid(EveryKind()).splitlines()


def test_the_same_workflow_gives_the_same_text() -> None:
    assert mermaid(EveryKind()) == mermaid(EveryKind())


def test_a_way_back_without_end_shows_no_bound() -> None:
    class Round(Workflow):
        start = "work"

        @step(stage("a"))
        def work(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["work", "done"]:
            return "done" if outcome == "ok" else "work"

    back = graph(Round()).edges[0]
    assert (back.back, back.bound, back.label) == (True, None, "revise")


def test_names_mermaid_would_misread_get_another_id() -> None:
    class Odd(Workflow):
        start = "state"

        @step(Gate("Say: yes; or #no?"))
        def state(self, run: Run, outcome: Literal["approved"]) -> Literal["done"]:
            return "done"

    text = mermaid(Odd())
    assert '  state "state" as s_state' in text
    assert "  [*] --> s_state" in text


def test_a_step_that_nothing_reaches_still_stands_in_the_drawing() -> None:
    class Attic(Sample):
        @step(stage("a"))
        def attic(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    drawn = graph(Attic())
    assert "attic" in {node.name for node in drawn.nodes}
    assert not any("attic" in {edge.source, edge.target} for edge in drawn.edges)


def test_child_runs_are_drawn_within_the_step_that_starts_them() -> None:
    lines = mermaid(EveryKind()).splitlines()
    inside = lines[lines.index("  state implement {") + 1 : lines.index("  }")]
    assert "    [*] --> implement_planning" in inside
    assert "    implement_qa --> implement_build: revise (max 2)" in inside
    assert next(
        node for node in graph(EveryKind()).nodes if node.name == "implement"
    ).inner == graph(Sample())


def test_every_step_that_a_run_can_begin_at_is_shown() -> None:
    class Short(Sample):
        def variants(self) -> list[Run]:
            return [self.first(), self.run_type(step="build", visits={"build": 1})]

    assert graph(Short()).starts == ("build",)
    assert "  [*] --> build" in mermaid(Short()).splitlines()
