"""Checks: what the engine finds out, writes and commits itself, and what it says about it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import pytest
from tests.engine.test_services import World
from tests.fakes.project import by_hand

from podium.core.effects import Check, Commit
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step
from podium.proof.evidence import holds

Evidence = Sequence[Mapping[str, Any]]


@dataclass(kw_only=True)
class CheckRun(Run):
    lines: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)
    loops: int = 0


def _decide(run: Run, texts: Mapping[str, str | None], found: Evidence) -> Judgement:
    assert isinstance(run, CheckRun)
    passed = all(map(holds, found))
    return Judgement(
        "ok" if passed else "fail",
        "pass" if passed else "fail",
        classification="pass" if passed else "fail",
        sets={"seen": [dict(each) for each in found]},
        writes={"notes/seen.txt": f"{len(found)} looked at\n"},
        facts=({"type": "looking.looked", "text": "looked\ntwice"},),
    )


class Looking(Workflow):
    name = "looking"
    start = "look"
    run_type = CheckRun

    @step(
        Check(
            "what is so",
            kind="command",
            runs=lambda run: run.lines if isinstance(run, CheckRun) else (),
            commit=lambda run: (
                Commit("Found: it", tuple(run.paths), "why")
                if isinstance(run, CheckRun) and run.paths
                else None
            ),
            decide=_decide,
        ),
        loops=True,
    )
    def look(self, run: CheckRun, outcome: Literal["pass", "fail"]) -> Literal["done"]:
        return "done"


class Reviewed(Looking):
    """Its lines may be words for a reviewer."""

    look_step = Looking.steps["look"]
    steps: ClassVar = {
        "look": replace(look_step, effect=replace(cast(Check, look_step.effect), words=True))
    }


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path, Looking())


def go(world: World, **members: Any) -> list[dict[str, Any]]:
    world.create(**members)
    assert world.go().exit_code == 0
    with world.session() as session:
        assert isinstance(session.run, CheckRun)
        return session.run.seen


def test_command_lines_of_the_run_are_run_and_their_exit_codes_are_evidence(world: World) -> None:
    found = go(world, lines=["true", "exit 3"])
    assert [(each["command"], each["exit"], each["state"]) for each in found] == [
        ("true", 0, "passed"),
        ("exit 3", 3, "failed"),
    ]
    assert world.events("step.finished")[0]["outcome"] == "fail"


def test_that_it_began_is_known_before_a_command_is_run(world: World) -> None:
    """Who finds it begun and not ended knows that the command may have done something."""
    go(world, lines=[by_hand(world.root, "cp .podium/runs/r1/journal.jsonl seen.jsonl")])
    assert '"type":"step.started"' in (world.root / "seen.jsonl").read_text()


def test_a_decision_begins_and_ends_in_one_write(tmp_path: Path) -> None:
    """Nothing happens in between that anybody would have to look for: one sync, and on a fleet
    one push, is enough.
    """
    seen: list[str] = []

    class Deciding(Workflow):
        name = "deciding"
        start = "decide"

        @step(Check("what follows", decide=lambda *_: (seen.append(written()), Judgement("ok"))[1]))
        def decide(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    world = World.at(tmp_path, Deciding())

    def written() -> str:
        return (world.root / ".podium" / "runs" / "r1" / "journal.jsonl").read_text()

    world.create()
    assert world.go().exit_code == 0
    assert ["step.started" in each for each in seen] == [False]
    types = [each["type"] for each in world.events()]
    assert types[types.index("step.started") :][:3] == [
        "step.started",
        "step.finished",
        "run.advanced",
    ]


WORDS = ["Everything must look nice", "Login/logout works as before"]


@pytest.mark.parametrize("line", WORDS)
def test_a_line_that_names_no_program_is_left_to_reviewers_where_lines_may_be_words(
    tmp_path: Path, line: str
) -> None:
    (found,) = go(World.at(tmp_path, Reviewed()), lines=[line, "true"])
    assert (found["command"], found["state"]) == ("true", "passed")


@pytest.mark.parametrize("line", WORDS)
def test_everywhere_else_it_is_a_command_and_nobody_but_a_person_goes_on_without_it(
    world: World, line: str
) -> None:
    world.create(lines=[line])
    ended = world.go()
    assert (ended.exit_code, ended.gates) == (10, ("look/1/proof-1",))
    assert f"`{line}` DID NOT RUN: {line.split(maxsplit=1)[0]}: not found" in ended.reason
    world.decide("unproven", gate="look/1/proof-1")
    assert world.go().outcome == "complete_unproven"
    (found,) = world.events("step.finished")[0]["evidence"]
    assert (found["state"], found["waived"]) == ("not_run", "Ada")


@pytest.mark.parametrize(
    "line",
    ["./nope.sh", "../nope", "/no/such/program --all", "scripts/nope.sh", "CI=1 ./nope.sh -q"],
)
def test_a_path_that_leads_nowhere_is_a_command_that_did_not_run(tmp_path: Path, line: str) -> None:
    world = World.at(tmp_path, Reviewed())
    world.create(lines=[line])
    ended = world.go()
    assert (ended.exit_code, ended.gates) == (10, ("look/1/proof-1",))
    (program,) = [word for word in line.split() if "/" in word]
    assert f"`{line}` DID NOT RUN: {program}: not found" in ended.reason
    assert world.events("step.finished") == []


def test_a_command_that_did_not_run_does_so_once_a_person_has_mended_it(world: World) -> None:
    world.create(lines=["./later.sh"])
    assert world.go().gates == ("look/1/proof-1",)
    world.write("later.sh", "exit 3\n")
    (world.root / "later.sh").chmod(0o755)
    world.decide("again", gate="look/1/proof-1")
    assert world.go().exit_code == 0
    (found,) = world.events("step.finished")[0]["evidence"]
    assert (found["state"], found["exit"]) == ("failed", 3)


def test_the_output_of_a_command_is_kept_beside_the_step(world: World) -> None:
    go(world, lines=["echo hello"])
    kept = (
        world.root
        / ".podium"
        / "runs"
        / "r1"
        / "steps"
        / "look"
        / "1"
        / "evidence"
        / "verification-1.txt"
    )
    assert "hello" in kept.read_text()


def test_a_commit_of_the_run_is_made_and_is_evidence(world: World) -> None:
    for words in (["init", "-q"], ["config", "user.name", "a"], ["config", "user.email", "a@b"]):
        subprocess.run(["git", *words], cwd=world.root, check=True)
    (found,) = go(world, paths=["task.md"])
    told = subprocess.run(
        ["git", "log", "-1", "--pretty=%H%n%B"],
        cwd=world.root,
        capture_output=True,
        text=True,
        check=True,
    )
    commit, subject, *body = told.stdout.strip().splitlines()
    assert (found["name"], found["commit"], subject) == ("commit", commit, "Found: it")
    assert body == ["", "why", "", "Podium-Run: r1", "Podium-Step: look/1"]


def test_a_document_of_a_check_is_recorded_by_digest_and_written(world: World) -> None:
    go(world)
    assert (world.root / "notes" / "seen.txt").read_text() == "0 looked at\n"
    assert list(world.events("step.finished")[0]["outputs"]) == ["notes/seen.txt"]


def test_a_document_that_a_crash_kept_from_being_written_is_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from podium.engine import landings  # noqa: PLC0415

    real = landings.land_now
    monkeypatch.setattr(
        landings, "land_now", lambda _: (_ for _ in ()).throw(RuntimeError("the power went"))
    )
    world.create()
    with pytest.raises(RuntimeError):
        world.go()
    monkeypatch.setattr(landings, "land_now", real)
    assert world.go().exit_code == 0
    assert (world.root / "notes" / "seen.txt").read_text() == "0 looked at\n"


def test_facts_of_the_workflows_own_go_into_the_journal_with_the_step(world: World) -> None:
    go(world)
    kinds = [each["type"] for each in world.events()]
    assert (
        kinds.index("step.finished") < kinds.index("looking.looked") < kinds.index("run.completed")
    )


def test_a_failed_command_shows_the_end_of_what_it_printed(world: World) -> None:
    loud = "i=0; while [ $i -lt 400 ]; do echo line $i of many; i=$((i+1)); done; exit 2"
    (found,) = go(world, lines=[loud])
    assert found["output"].startswith("line ")
    assert found["output"].endswith("line 399 of many")
    assert len(found["output"]) <= 1500
    assert world.events("step.finished")[0]["evidence"][0]["output"] == found["output"]


def test_a_command_that_passes_leaves_no_output_in_the_journal(world: World) -> None:
    (found,) = go(world, lines=["echo quiet"])
    assert "output" not in found


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_what_a_tear_left_of_a_steps_facts_is_told_once_and_the_rest_after_it(
    world: World, kept: int
) -> None:
    """The end of a check and the facts it tells are one write; a crash may keep any number of
    its lines.
    """
    go(world, lines=["true"])
    journal = world.root / ".podium" / "runs" / "r1" / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    ends = [
        n for n, line in enumerate(lines) if '"step.finished"' in line or '"looking.looked"' in line
    ]
    journal.write_text("".join(lines[: [ends[0], ends[0] + 1, ends[1] + 1][kept]]))
    (world.root / ".podium" / "runs" / "r1" / "state.json").unlink()
    assert world.go().exit_code == 0
    assert len(world.events("looking.looked")) == 1
    assert (world.root / "notes" / "seen.txt").read_text() == "1 looked at\n"
