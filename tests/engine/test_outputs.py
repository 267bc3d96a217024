"""Outputs beyond one fixed file: optional ones, any number of them, all of them together,
compared with before.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest
from tests.engine.test_services import World

from podium.agents.protocol import Answer, Failure, Job
from podium.core.contract import ITSELF, Contract, Input, Output
from podium.core.effects import Report, Stage, believe
from podium.core.run import Run
from podium.core.verdict import Dialect, Judgement, Verdict
from podium.core.workflow import Workflow, step


def _whole(texts: Mapping[str, str]) -> tuple[str, ...]:
    plan = texts.get("docs/plan.md", "")
    return tuple(
        f"{path} is not in the plan"
        for path in texts
        if path.startswith("docs/tasks/") and path not in plan
    )


def _grown(text: str, before: str) -> tuple[str, ...]:
    return () if text.startswith(before) else ("existing text was changed",)


CONTRACT = Contract(
    "planner",
    (Input("log", "docs/log.md", required=False),),
    (
        Output("plan", "docs/plan.md"),
        Output("tasks", "docs/tasks/*.md", many=True, example="docs/tasks/1.md"),
        Output("log", "docs/log.md", template=ITSELF, optional=True, check=_grown),
    ),
    whole=_whole,
)
seen: list[Report] = []


def _judge(report: Report) -> Judgement:
    seen.append(report)
    return believe(report)


class Planning(Workflow):
    name = "planning"
    start = "plan"

    @step(Stage("planner", lambda _: CONTRACT, _judge))
    def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


@pytest.fixture
def world(tmp_path: Path) -> World:
    seen.clear()
    return World.at(tmp_path, Planning())


def writes(**files: str) -> object:
    def act(job: Job) -> Answer:
        for path, text in files.items():
            where = job.folder / path.replace("__", "/")
            where.parent.mkdir(parents=True, exist_ok=True)
            where.write_text(text)
        return Answer("written")

    return act


def doing(world: World, *acts: object) -> int:
    world.agent.acts = {"plan": list(acts)}  # type: ignore[assignment]
    return world.go().exit_code


PLAN = "docs/tasks/a.md docs/tasks/b.md"


def test_any_number_of_files_arrive_each_as_an_output_of_its_own(world: World) -> None:
    assert (
        doing(
            world, writes(**{"docs/plan.md": PLAN, "docs/tasks/a.md": "a", "docs/tasks/b.md": "b"})
        )
        == 0
    )
    assert (world.root / "docs/tasks/b.md").read_text() == "b"
    assert sorted(seen[-1].outputs) == ["docs/tasks/a.md", "docs/tasks/b.md", "plan"]
    assert list(world.events("step.finished")[0]["outputs"]) == [
        "docs/plan.md",
        "docs/tasks/a.md",
        "docs/tasks/b.md",
    ]


def test_of_many_there_must_be_one(world: World) -> None:
    assert doing(world, writes(**{"docs/plan.md": PLAN}), writes()) == 20
    assert [each["failure"] for each in world.events("artifact.rejected")] == ["missing", "missing"]


def test_a_file_beside_the_pattern_is_a_stray(world: World) -> None:
    good = {"docs/plan.md": PLAN, "docs/tasks/a.md": "a"}
    assert doing(world, writes(**good, **{"docs/tasks/a.txt": "x"}), writes(**good)) == 0
    assert [each["paths"] for each in world.events("contract.violated")] == [["docs/tasks/a.txt"]]


def test_faults_that_only_all_of_them_show_are_repaired_once(world: World) -> None:
    first = writes(**{"docs/plan.md": PLAN, "docs/tasks/c.md": "c"})
    mended = writes(**{"docs/plan.md": PLAN + " docs/tasks/c.md"})
    assert doing(world, first, mended) == 0
    (rejected,) = world.events("artifact.rejected")
    assert (rejected["path"], rejected["detail"]) == (
        "docs/plan.md",
        "docs/tasks/c.md is not in the plan",
    )


def test_an_optional_output_may_be_left_out_and_left_alone(world: World) -> None:
    (world.root / "docs").mkdir()
    (world.root / "docs/log.md").write_text("old\n")
    assert doing(world, writes(**{"docs/plan.md": PLAN, "docs/tasks/a.md": "a"})) == 0
    assert "docs/log.md" not in world.events("step.finished")[0]["outputs"]


def test_what_is_compared_with_before_sees_the_file_as_it_stood(world: World) -> None:
    (world.root / "docs").mkdir()
    (world.root / "docs/log.md").write_text("old\n")
    good = {"docs/plan.md": PLAN, "docs/tasks/a.md": "a"}
    changed = writes(**good, **{"docs/log.md": "new\n"})
    grown = writes(**{"docs/log.md": "old\nnew\n"})
    assert doing(world, changed, grown) == 0
    assert (world.root / "docs/log.md").read_text() == "old\nnew\n"
    assert world.events("artifact.rejected")[0]["detail"] == "existing text was changed"


# -- errors that are asked again


def _says(text: str) -> Verdict | None:
    return Verdict("fail", "ERROR", text) if text.startswith("ERROR") else Verdict("ok", "DONE")


def _again(limit: int, **more: int) -> type[Workflow]:
    contract = Contract("worker", dialect="words", retries={"error": limit, **more})

    class Working(Workflow):
        name = "working"
        start = "work"

        @step(Stage("worker", lambda _: contract))
        def work(self, run: Run, outcome: Literal["ok", "fail"]) -> Literal["done"]:
            return "done"

    return Working


def working(folder: Path, limit: int, *answers: Answer, **more: int) -> World:
    words = Dialect("words", lambda _: Verdict("ok", "DONE"), _says)
    world = World.at(folder, _again(limit, **more)(), dialects={"words": words})
    world.agent.acts = {"work": [lambda _, answer=answer: answer for answer in answers]}
    world.go()
    return world


ERROR, CRASH, DONE = Answer("ERROR: no"), Answer(failure=Failure("crash", "exit 1")), Answer("DONE")


@pytest.mark.parametrize("first", [ERROR, CRASH, Answer(failure=Failure("timeout", "slow"))])
def test_an_error_is_asked_once_more_whatever_kind_it_is(tmp_path: Path, first: Answer) -> None:
    world = working(tmp_path, 1, first, DONE)
    assert [each["outcome"] for each in world.events("step.finished")] == ["ok"]
    assert [each["classification"] for each in world.events("retry.scheduled")] == ["error"]


@pytest.mark.parametrize(
    ("first", "second"), [(ERROR, ERROR), (CRASH, ERROR), (ERROR, CRASH), (CRASH, CRASH)]
)
def test_never_more_than_once(tmp_path: Path, first: Answer, second: Answer) -> None:
    world = working(tmp_path, 1, first, second, DONE)
    assert [each["outcome"] for each in world.events("step.finished")] == ["fail"]
    assert len(world.agent.jobs) == 2


@pytest.mark.parametrize("first", [ERROR, CRASH])
def test_with_a_limit_of_none_it_is_believed_at_once(tmp_path: Path, first: Answer) -> None:
    world = working(tmp_path, 0, first, DONE)
    assert [each["outcome"] for each in world.events("step.finished")] == ["fail"]
    assert len(world.agent.jobs) == 1


class Ignored(Workflow):
    name = "ignored"
    start = "plan"

    @step(
        Stage(
            "planner",
            lambda _: Contract(
                "planner",
                outputs=(
                    Output("plan", "notes/plan.md", optional=True),
                    Output("tasks", "notes/tasks/*.md", many=True, optional=True),
                    Output("guide", "guide.md", optional=True),
                ),
                code="read",
                hidden=("notes/**",),
            ),
            _judge,
        )
    )
    def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def test_an_optional_output_that_git_ignores_counts_once_it_is_written(tmp_path: Path) -> None:
    seen.clear()
    world = World.at(tmp_path, Ignored())
    (world.root / ".gitignore").write_text("notes/\n")
    (world.root / "guide.md").write_text("as it was\n")
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=world.root, check=True)
    assert doing(world, writes(**{"notes/plan.md": "the plan", "notes/tasks/a.md": "a"})) == 0
    assert dict(seen[-1].outputs) == {"plan": "the plan", "notes/tasks/a.md": "a"}
    assert (world.root / "notes/plan.md").read_text() == "the plan"
    assert (world.root / "guide.md").read_text() == "as it was\n"


GARBAGE = Answer(failure=Failure("garbage", "no message"))
BUSY = Answer(failure=Failure("rate_limit", "busy"))


@pytest.mark.parametrize(
    ("first", "second"), [(GARBAGE, ERROR), (ERROR, GARBAGE), (GARBAGE, CRASH), (ERROR, CRASH)]
)
def test_a_limit_for_all_classes_together_cannot_be_stretched_by_failing_differently(
    tmp_path: Path, first: Answer, second: Answer
) -> None:
    world = working(tmp_path, 1, first, second, DONE, total=1)
    assert [each["outcome"] for each in world.events("step.finished")] == ["fail"]
    assert len(world.agent.jobs) == 2


def test_a_busy_service_uses_up_nothing_of_that_limit(tmp_path: Path) -> None:
    world = working(tmp_path, 1, BUSY, ERROR, DONE, total=1)
    assert [each["outcome"] for each in world.events("step.finished")] == ["ok"]
    assert [each["classification"] for each in world.events("retry.scheduled")] == [
        "rate_limit",
        "error",
    ]
