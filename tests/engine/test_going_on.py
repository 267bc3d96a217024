"""Loops that go on instead of doing over: what stands, what a rewind brings back, what is
settled, who may stop where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from tests.engine.test_services import Fake, World

from podium.agents.protocol import Answer, Job
from podium.core.contract import Contract, Input, Output
from podium.core.effects import Check, Cluster, Member, Stage
from podium.core.errors import Halted
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step
from podium.engine import decisions

BATCHES = [["a", "b"], ["c"]]


@dataclass(kw_only=True)
class LineRun(Run):
    at: int = 0
    batch: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list, compare=False)
    restores: int = 0


def _part(name: str, _: Run) -> Contract:
    return Contract(
        role="writer",
        inputs=(Input("task", "task.md"),),
        outputs=(Output("out", f"out/{name}.md"),),
    )


def _members(run: Run) -> Sequence[Member]:
    assert isinstance(run, LineRun)
    return [Member(f"{name}/1", partial(_part, name)) for name in run.batch]


def _together(found: Mapping[str, Judgement]) -> Judgement:
    return Judgement("ok", sets={"seen": sorted(found)})


def _choose(
    run: Run, _texts: Mapping[str, str | None], _found: Sequence[Mapping[str, Any]]
) -> Judgement:
    assert isinstance(run, LineRun)
    made = [*run.made, *run.batch]
    if run.at >= len(BATCHES):
        return Judgement("ok", classification="over", sets={"made": made, "batch": []})
    return Judgement(
        "ok", classification="more", sets={"made": made, "batch": BATCHES[run.at], "at": run.at + 1}
    )


class Line(Workflow):
    """Batches of parts one after the other, a look at all of them, then the end."""

    name = "line"
    start = "choose"
    run_type = LineRun
    lasting: ClassVar[frozenset[str] | None] = frozenset({"restores"})
    hinders = ""

    @step(Check("the next batch", decide=_choose), loops=True, onward=True)
    def choose(self, run: LineRun, outcome: Literal["more", "over"]) -> Literal["work", "judge"]:
        return "work" if outcome == "more" else "judge"

    @step(Cluster(_members, _together, width=lambda run: 1), key=lambda run: "part", onward=True)
    def work(self, run: LineRun, outcome: Literal["ok"]) -> Literal["choose"]:
        return "choose"

    @step(
        Stage(
            "judge",
            lambda _: Contract(
                role="judge",
                inputs=(Input("c", "out/c.md", material=True),),
                outputs=(Output("verdict", "out/verdict.md"),),
            ),
        )
    )
    def judge(self, run: LineRun, outcome: Literal["ok"]) -> Literal["seal"]:
        return "seal"

    @step(Check("sealed", decide=lambda *_: Judgement("ok")), seals=True)
    def seal(self, run: LineRun, outcome: Literal["ok"]) -> Literal["close"]:
        return "close"

    @step(Stage("writer", partial(_part, "end")))
    def close(self, run: LineRun, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    def restored(self, run: Run) -> None:
        assert isinstance(run, LineRun)
        run.restores += 1

    def obstacle(self, run: Run, below: Callable[[str], Sequence[str]]) -> str:
        return "not beside those" if any("old" in each for each in below("out")) else ""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path, Line())


def until(world: World, key: str) -> None:
    world.changes["until"] = key
    assert world.go().exit_code == 0
    del world.changes["until"]


def asked(world: World) -> list[str]:
    return [job.brief.key for job in world.agent.jobs]


def test_what_was_done_before_stands_while_the_loop_goes_on(world: World) -> None:
    until(world, "judge")
    with world.session() as session:
        assert session.history.lineage == [
            "choose/1",
            "part/a/1",
            "part/b/1",
            "choose/2",
            "part/c/1",
            "choose/3",
            "judge",
        ]


def test_a_member_of_a_cluster_can_be_where_a_run_stops(world: World) -> None:
    until(world, "part/b/1")
    assert asked(world) == ["part/a/1", "part/b/1"]
    assert world.go().exit_code == 0
    assert asked(world)[2:] == ["part/c/1", "judge", "close"]


def test_a_rewind_brings_back_the_run_as_it_was_and_forgets_the_rest(world: World) -> None:
    until(world, "judge")
    with world.session() as session:
        assert (session.run.made, session.run.at) == (["a", "b", "c"], 2)  # type: ignore[attr-defined]
    stale = decisions.rewind(
        world.services, world.workflow, "r1", "part/b/1", restore_code=False, by="Ada"
    )
    assert stale == ["part/b/1", "choose/2", "part/c/1", "choose/3", "judge"]
    with world.session() as session:
        run = session.run
        assert isinstance(run, LineRun)
        assert (run.step, run.batch, run.made, run.at, run.restores) == (
            "work",
            ["a", "b"],
            [],
            1,
            1,
        )
        assert session.history.lineage == ["choose/1", "part/a/1"]
    before = len(asked(world))
    assert world.go().exit_code == 0
    assert asked(world)[before:] == ["part/b/1", "part/c/1", "judge/2", "close"]


def test_a_failed_member_after_the_rewound_one_is_asked_again_too(world: World) -> None:
    world.agent.acts["part/c/1"] = [
        lambda _: Answer("no"),
        lambda _: Answer("no"),
    ]  # its output is missing
    assert world.go().exit_code == 20  # there is nothing to judge
    decisions.rewind(world.services, world.workflow, "r1", "part/b/1", restore_code=False, by="Ada")
    before = len(asked(world))
    assert world.go().exit_code == 0
    assert "part/c/1" in asked(world)[before:]


def test_what_lies_before_a_seal_is_not_looked_at_any_more(world: World) -> None:
    until(world, "seal")
    world.write("out/c.md", "by hand")
    assert world.go().exit_code == 0
    assert asked(world).count("judge") == 1


def test_without_a_seal_after_it_an_edit_is_found(world: World) -> None:
    until(world, "judge")
    world.write("out/c.md", "by hand")
    assert world.go().exit_code == 0
    assert asked(world)[3:] == ["judge", "judge/2", "close"]


def test_a_run_whose_workflow_sees_an_obstacle_is_not_taken_up_and_not_changed(
    world: World,
) -> None:
    until(world, "choose")
    world.write("out/deep/old.md", "x")
    before = world.events()
    with pytest.raises(Halted, match="not beside those"):
        world.go()
    assert world.events() == before
    (world.root / "out/deep/old.md").unlink()
    assert world.go().exit_code == 0


@dataclass
class Watched(Fake):
    running: int = 0
    most: int = 0

    async def perform(self, job: Job) -> Answer:
        import asyncio  # noqa: PLC0415

        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.01)
        try:
            return await super().perform(job)
        finally:
            self.running -= 1


@pytest.mark.parametrize("width", [1, 2])
def test_how_many_work_at_once_may_depend_on_the_run(tmp_path: Path, width: int) -> None:
    from dataclasses import replace  # noqa: PLC0415

    workflow = Line()
    effect = workflow.steps["work"].effect
    assert isinstance(effect, Cluster)
    workflow.steps = {
        **workflow.steps,
        "work": replace(workflow.steps["work"], effect=replace(effect, width=lambda _: width)),
    }
    world = World.at(tmp_path, workflow, views=tmp_path / "views")
    world.agent = Watched()
    assert world.go().exit_code == 0
    assert world.agent.most == width
