"""Agents that write code side by side: their work goes in in order, merged where it can be,
refused where not.
"""

from __future__ import annotations

import asyncio
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.engine.test_services import Fake, World

from podium.agents.protocol import Answer, Job
from podium.core.contract import Contract
from podium.core.effects import Cluster, Member
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step

BASE = "one\ntwo\nthree\nfour\nfive\n"
Write = Callable[[Path], None]


def _contract(_: Run) -> Contract:
    return Contract(role="writer", code="write", proof_of_change="new")


def _decide(found: Mapping[str, Judgement]) -> Judgement:
    return Judgement(
        "ok",
        ", ".join(f"{name} {each.outcome}" for name, each in found.items()),
        sets={"seen": {name: [each.outcome, each.word] for name, each in found.items()}},
    )


@dataclass(kw_only=True)
class PairRun(Run):
    seen: dict[str, list[str]] = field(default_factory=dict)


class Pair(Workflow):
    name = "pair"
    start = "write"
    run_type = PairRun

    @step(
        Cluster(lambda _: [Member("a", _contract), Member("b", _contract)], _decide, in_order=True)
    )
    def write(self, run: PairRun, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


@dataclass
class Writers(Fake):
    """Each member changes the code its own way."""

    does: dict[str, Write] = field(default_factory=dict)
    asked_for: list[str] = field(default_factory=list)
    ready: Callable[[], object] = lambda: True
    """When the first one in order may end."""

    async def perform(self, job: Job) -> Answer:
        name = job.brief.key.rpartition("/")[2]
        self.asked_for.append(name)
        while name == "a" and not self.ready():  # noqa: ASYNC110 - it waits for a file
            await asyncio.sleep(0.01)
        self.does[name](job.folder)
        return Answer(text=f"changed by {name}")


def replaced(old: str, new: str) -> Write:
    def write(folder: Path) -> None:
        file = folder / "code.txt"
        file.write_text(file.read_text().replace(old, new))

    return write


def made(name: str, text: str) -> Write:
    return lambda folder: (folder / name).write_text(text) and None


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.at(tmp_path, Pair())
    (world.root / "code.txt").write_text(BASE)
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *words], cwd=world.root, check=True)
    return world


def run(world: World, a: Write, b: Write) -> list[str]:
    world.agent = Writers(does={"a": a, "b": b})
    assert world.go().exit_code == 0
    return world.agent.asked_for


def seen(world: World) -> Mapping[str, Sequence[str]]:
    with world.session() as session:
        assert isinstance(session.run, PairRun)
        return session.run.seen


def order_of_arrival(world: World) -> list[str]:
    return [each["path"] for each in world.events("document.saved")]


def test_the_work_goes_in_in_the_members_order_whoever_ends_first(world: World) -> None:
    world.agent = Writers(
        does={"a": made("a.txt", "a"), "b": made("b.txt", "b")},
        ready=lambda: world.events("step.finished"),
    )
    assert world.go().exit_code == 0
    finished = [each["key"] for each in world.events("step.finished")]
    assert finished == ["write/b", "write/a"]
    assert order_of_arrival(world) == ["a.txt", "b.txt"]


def test_changes_of_one_file_in_different_places_are_merged(world: World) -> None:
    run(world, replaced("one", "ONE"), replaced("five", "FIVE"))
    assert (world.root / "code.txt").read_text() == "ONE\ntwo\nthree\nfour\nFIVE\n"
    assert [each["key"] for each in world.events("step.merged")] == ["write/b"]
    assert {name: each[0] for name, each in seen(world).items()} == {"a": "ok", "b": "ok"}


def test_changes_of_the_same_lines_refuse_the_later_member_with_the_conflict(world: World) -> None:
    run(world, replaced("three", "A"), replaced("three", "B"))
    assert (world.root / "code.txt").read_text() == BASE.replace("three", "A")
    (conflict,) = world.events("step.conflicted")
    assert (conflict["key"], conflict["paths"]) == ("write/b", ["code.txt"])
    assert seen(world)["b"] == ["fail", "conflict"]


def test_the_refused_work_is_still_on_the_runs_branch(world: World) -> None:
    run(world, replaced("three", "A"), replaced("three", "B"))
    (record,) = [each for each in world.events("step.finished") if each["key"] == "write/b"]
    shown = subprocess.run(
        ["git", "show", f"{record['commit']}:code.txt"],
        cwd=world.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "B" in shown.stdout


def test_after_a_crash_before_the_landing_nobody_who_had_finished_is_asked_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from podium.engine import landings  # noqa: PLC0415

    real = landings.land_in_turn

    def dies(*_: Any) -> Any:
        raise RuntimeError("the power went")

    monkeypatch.setattr(landings, "land_in_turn", dies)
    world.agent = Writers(does={"a": replaced("one", "ONE"), "b": replaced("five", "FIVE")})
    with pytest.raises(RuntimeError):
        world.go()
    monkeypatch.setattr(landings, "land_in_turn", real)
    before = list(world.agent.asked_for)
    assert world.go().exit_code == 0
    assert world.agent.asked_for == before
    assert (world.root / "code.txt").read_text() == "ONE\ntwo\nthree\nfour\nFIVE\n"


@pytest.mark.parametrize("landed", [0, 1, 2])
def test_a_landing_that_was_cut_off_is_finished_and_changes_nothing_twice(
    world: World, monkeypatch: pytest.MonkeyPatch, landed: int
) -> None:
    from podium.engine import landings  # noqa: PLC0415

    real, calls = landings.land_in_turn, []

    def dies_later(*given: Any) -> Any:
        if len(calls) == landed:
            raise RuntimeError("the power went")
        calls.append(given[1])
        return real(*given)

    monkeypatch.setattr(landings, "land_in_turn", dies_later)
    world.agent = Writers(does={"a": replaced("three", "A"), "b": made("b.txt", "b")})
    if landed < 2:
        with pytest.raises(RuntimeError):
            world.go()
    monkeypatch.setattr(landings, "land_in_turn", real)
    assert world.go().exit_code == 0
    assert (world.root / "code.txt").read_text() == BASE.replace("three", "A")
    assert (world.root / "b.txt").read_text() == "b"
    assert {name: each[0] for name, each in seen(world).items()} == {"a": "ok", "b": "ok"}


def test_two_who_together_write_settings_that_neither_wrote_alone_are_a_clash(world: World) -> None:
    """Each leaves the table in a string; the quotes of one end the string of the other."""
    world.changes["commands"] = {"test": "test -f pyproject.toml"}
    lines = [f"k{number} = {number}" for number in range(40)]
    file = world.root / "pyproject.toml"
    file.write_text("\n".join(lines) + "\n")
    first, second = list(lines), list(lines)
    first[20] += "\ns = '''\n[tool.podium.notify]\ncommand = [\"sh\"]\nt = '''"
    second[5] += "\nv = '''"
    second[35] += "\n'''"
    run(
        world,
        made("pyproject.toml", "\n".join(first) + "\n"),
        made("pyproject.toml", "\n".join(second) + "\n"),
    )
    assert seen(world) == {"a": ["ok", ""], "b": ["fail", "conflict"]}
    assert "podium" not in tomllib.loads(file.read_text()).get("tool", {})


def test_what_stood_between_is_kept_where_a_person_lets_the_later_work_come_over_theirs(
    world: World,
) -> None:
    def clash(folder: Path) -> None:
        replaced("five", "B")(folder)
        made("b.txt", "b")(folder)
        (world.root / "b.txt").write_text("mine")

    world.agent = Writers(does={"a": replaced("one", "A"), "b": clash})
    ended = world.go()
    assert (ended.exit_code, ended.gates) == (10, ("write/b/drift-1",))
    assert (world.root / "code.txt").read_text() == BASE.replace("one", "A")
    with world.session() as session:
        (gate,) = session.history.open_gates()
        assert (gate.choices, set(gate.subject)) == (("take", "redo"), {"b.txt"})
    world.decide("take", gate=gate.key)
    assert world.go().exit_code == 0
    assert (world.root / "code.txt").read_text() == BASE.replace("one", "A").replace("five", "B")
    assert (world.root / "b.txt").read_text() == "b"
    assert sorted(world.agent.asked_for) == ["a", "b"]


def test_a_clash_with_a_person_who_wrote_over_what_a_neighbour_made_is_theirs_to_decide(
    world: World,
) -> None:
    def clash(folder: Path) -> None:
        replaced("three", "B")(folder)

    def first(folder: Path) -> None:
        replaced("three", "A")(folder)

    world.agent = Writers(does={"a": first, "b": clash})
    assert world.go().exit_code == 0  # between neighbours nobody is asked
    assert [each["key"] for each in world.events("step.conflicted")] == ["write/b"]
    assert world.events("gate.opened") == []
