"""One run, driven for a fleet by processes that may die: real PostgreSQL, real git, the scripted
agent.
"""

import random
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.project import PLAN, QA, STATE
from tests.fakes.repository import git
from tests.fleet import sleepers
from tests.fleet.fleets import CALM_S, Fleet, until
from tests.fleet.lossy_line import LossyLine
from tests.fleet.processes import descendants, tell
from tests.fleet.silence import silent

from podium.cli.demos import project as demo
from podium.core.history import History
from podium.engine.runs import CANCEL
from podium.fleet import driver
from podium.fleet.orders import Order, Result
from podium.fleet.submitting import Submitting
from podium.wiring import Parts
from podium.wiring_values import RunOptions

pytestmark = pytest.mark.fleet


@pytest.fixture
def fleet(in_memory: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(in_memory, database)
    yield found
    found.close()


def test_a_run_on_the_fleet_ends_as_it_would_have_alone(fleet: Fleet) -> None:
    fleet.beat_s = CALM_S
    fleet.submit()
    assert fleet.drive() is Result.FINISHED
    alone = fleet.alone()
    assert [each["type"] for each in fleet.events()] == [
        each["type"] for each in alone.events("R1")
    ]
    for path in (STATE, PLAN, QA, "src/app.py"):
        assert fleet.show(path) == (alone.project / path).read_text()
    names = set(git(fleet.remote, "ls-tree", "-r", "--name-only", "podium/R1").splitlines())
    assert names == set(
        git(alone.project, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    )
    assert fleet.journal.holder("R1") is None
    assert fleet.journal.with_work() == []


def once_each(fleet: Fleet) -> None:
    """Every step has exactly one end, and the chain holds."""
    finished = Counter(each["key"] for each in fleet.events("step.finished"))
    assert set(finished.values()) == {1}
    assert len(fleet.events("run.completed")) == 1


def test_a_driver_killed_in_a_step_is_followed_by_one_that_repeats_this_step_only(
    fleet: Fleet,
) -> None:
    asleep = sleepers.of(fleet)
    fleet.submit(asleep.agents)
    first = fleet.driver(worker="w1")
    until(asleep.begun, "the build begins")
    first.kill()
    until(lambda: not asleep.alive(), "the agent is gone", 10)
    second = fleet.drive(worker="w2")
    if (
        second is Result.BUSY
    ):  # the lease is not over, unless this machine took longer to start a process
        until(lambda: fleet.journal.with_work() == ["R1"], "the lease ends", 30)
        second = fleet.drive(worker="w2")
    assert second is Result.FINISHED
    assert asleep.begun() == 2
    assert [each["key"] for each in fleet.events("step.interrupted")] == ["build/1"]
    once_each(fleet)


def test_an_owner_of_the_past_that_wakes_up_writes_nothing_and_ends(fleet: Fleet) -> None:
    asleep = sleepers.of(fleet, 3)
    fleet.submit(asleep.agents)
    zombie = fleet.driver(worker="w1")
    until(asleep.begun, "the build begins")
    processes = [zombie.pid, *descendants(zombie.pid)]
    tell(processes, signal.SIGSTOP)
    until(lambda: fleet.journal.with_work() == ["R1"], "the lease ends", 10)
    assert fleet.drive(worker="w2") is Result.FINISHED
    before = fleet.events()
    tell(processes, signal.SIGCONT)
    assert zombie.wait(timeout=20) in {41, -signal.SIGKILL}  # by itself, or by its leash
    assert fleet.events() == before
    once_each(fleet)


def test_a_driver_that_hangs_is_ended_with_its_agent_before_another_may_begin(fleet: Fleet) -> None:
    asleep = sleepers.of(fleet)
    fleet.submit(asleep.agents)
    hung = fleet.driver(worker="w1")
    until(asleep.begun, "the build begins")
    hung.send_signal(signal.SIGSTOP)
    until(lambda: fleet.journal.with_work() == ["R1"], "the lease ends", 10)
    assert not asleep.alive()
    assert hung.wait(timeout=5) == -signal.SIGKILL


def test_a_gate_ends_the_work_and_a_decision_from_anywhere_goes_on(fleet: Fleet) -> None:
    fleet.beat_s = CALM_S
    fleet.submit(gates=True)
    assert fleet.drive() is Result.PARKED
    assert fleet.journal.with_work() == []
    gate = fleet.events("gate.opened")[-1]
    told = {"decision": "approved", "by": "Ada", "note": "", "subject": gate["subject"]}
    key = f"{gate['key']}@{gate['seq']}"
    assert [fleet.journal.post("R1", key, told), fleet.journal.post("R1", key, told)] == [
        True,
        False,
    ]
    assert fleet.journal.with_work() == ["R1"]
    assert fleet.drive(worker="w2") is Result.PARKED
    assert len(fleet.events("gate.opened")) == 2
    assert [each["decision"] for each in fleet.events("gate.decided")] == ["approved"]


def test_a_driver_told_to_stop_before_it_read_an_approval_leaves_it_to_the_next(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.beat_s = CALM_S
    fleet.submit(gates=True)
    assert fleet.drive() is Result.PARKED
    gate = fleet.events("gate.opened")[-1]
    fleet.journal.post(
        "R1",
        f"{gate['key']}@{gate['seq']}",
        {"decision": "approved", "by": "Ada", "note": "", "subject": gate["subject"]},
    )
    asked = threading.Event()
    asked.set()
    monkeypatch.setattr(driver, "ASKED", asked)
    for name, value in fleet.environ.items():
        monkeypatch.setenv(name, value)
    told = Order("R1", fleet.database, fleet.address, str(fleet.base / "w2"), "w2", CALM_S)
    assert driver.drive(told) is Result.CONTINUE
    assert fleet.journal.with_work() == ["R1"]
    assert fleet.drive(worker="w3") is Result.PARKED
    assert [each["decision"] for each in fleet.events("gate.decided")] == ["approved"]


def test_workers_may_know_the_remote_by_other_addresses(fleet: Fleet) -> None:
    asleep = sleepers.of(fleet)
    fleet.submit(asleep.agents)
    first = fleet.driver(worker="w1")
    until(asleep.begun, "the build begins")
    first.kill()
    until(lambda: fleet.journal.with_work() == ["R1"], "the lease ends", 30)
    elsewhere = fleet.base / "mounted.git"
    elsewhere.symlink_to(fleet.remote)
    assert fleet.driver(worker="w2", remote=str(elsewhere)).wait(timeout=110) == 0
    assert not fleet.events("gate.opened")
    once_each(fleet)


def test_a_ticket_killed_in_its_tasks_asks_nobody_about_files_that_nobody_changed(
    fleet: Fleet,
) -> None:
    folder = fleet.base / "ticket"
    story = demo.make(folder, "ticket", 2)
    app = Submitting(folder, parts=Parts(fleet.environ, cwd=folder))
    options = RunOptions(
        agent=f"scripted:{folder / demo.SCENARIO}", policy=dict(story.policy), run_id="R1"
    )
    app.submit("ticket", story.inputs, options, fleet.journal, fleet.address)

    def in_a_task() -> bool:
        return any("/task/" in each["key"] for each in fleet.events("step.started"))

    while not in_a_task():
        started = fleet.driver(worker="w1")
        until(
            lambda started=started: in_a_task() or started.poll() is not None,
            "a task begins, or a gate opens",
            100,
        )
        for gate in History(fleet.journal.read("R1")).open_gates():
            fleet.journal.post(
                "R1",
                f"{gate.key}@{gate.opening}",
                {"decision": "approved", "by": "Ada", "note": "", "subject": dict(gate.subject)},
            )
    started.kill()
    until(lambda: fleet.journal.with_work() == ["R1"], "the lease ends", 30)
    fleet.driver(worker="w2")
    until(
        lambda: any("/task/" in each["key"] for each in fleet.events("step.finished")),
        "a task ends",
        100,
    )
    assert fleet.events("step.interrupted")
    assert not fleet.events("contract.violated")


def test_a_cancel_from_another_machine_ends_the_agent_within_seconds(fleet: Fleet) -> None:
    asleep = sleepers.of(fleet)
    fleet.submit(asleep.agents)
    started = fleet.driver()
    until(asleep.begun, "the build begins")
    fleet.journal.post("R1", "cancel", {"reason": "not needed", "by": "Ada"})
    assert started.wait(timeout=20) == 0
    assert not asleep.alive()
    assert len(fleet.events("run.cancelled")) == 1


def test_a_driver_whose_worker_dies_dies_with_it(fleet: Fleet) -> None:
    asleep = sleepers.of(fleet)
    fleet.submit(asleep.agents)
    started = fleet.driver()
    until(asleep.begun, "the build begins")
    assert started.stdin is not None
    started.stdin.close()
    started.wait(timeout=10)
    until(lambda: not asleep.alive(), "the agent is gone", 10)


@pytest.mark.timeout(240)
def test_a_run_killed_again_and_again_between_remote_database_and_disk_ends_as_it_would_have_alone(
    fleet: Fleet,
) -> None:
    fleet.beat_s = CALM_S
    chance = random.Random(1)
    fleet.journal.beat_s = 0.05  # who is killed here is dead: nobody need wait for a lease
    fleet.submit()
    kills = 0
    while True:
        started = fleet.driver(
            worker=f"w{kills}", die_at=chance.randint(1, 40) if kills < 12 else 10_000
        )
        code = started.wait(timeout=60)
        if code != -signal.SIGKILL:
            break
        kills += 1
        fleet.journal.close(fleet.journal.open("R1", "who looks"))
    assert code == 0
    assert kills > 5
    once_each(fleet)
    alone = fleet.alone()
    assert [each["key"] for each in fleet.events("step.finished")] == [
        each["key"] for each in alone.events("R1") if each["type"] == "step.finished"
    ]
    started = Counter(each["key"] for each in fleet.events("step.started"))
    assert sum(started.values()) <= len(started) + kills
    for path in (STATE, PLAN, QA, "src/app.py"):
        assert fleet.show(path) == (alone.project / path).read_text()


@pytest.mark.parametrize("last", ["run.completed", "run.cancelled"])
def test_what_an_owner_that_died_after_the_last_event_left_undone_is_done_by_the_next(
    fleet: Fleet, last: str
) -> None:
    """Documents are written and shown after the event that speaks of them, also after the last
    one.
    """
    fleet.beat_s = fleet.journal.beat_s = CALM_S
    fleet.submit(gates=last == "run.cancelled")
    if last == "run.cancelled":
        assert fleet.drive() is Result.PARKED
        fleet.journal.post("R1", CANCEL, {"reason": "no need", "by": "Ada"})
    dead = fleet.driver(die_after=last)
    assert dead.wait(timeout=110) == -signal.SIGKILL
    assert fleet.events()[-1]["type"] == last
    assert fleet.journal.with_work() == []
    silent(fleet.journal)
    assert fleet.journal.with_work() == ["R1"]
    assert fleet.drive(worker="w2") is Result.FINISHED
    assert fleet.journal.with_work() == []
    assert len(fleet.events(last)) == 1
    assert {"run.completed": "Current Status: Complete", "run.cancelled": "The run was cancelled."}[
        last
    ] in fleet.show(STATE)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "step.paid", "key": "build"},
        {"type": "run.resumed", "reason": "", "version": "99.0.0"},
    ],
)
def test_a_run_that_a_newer_podium_drove_is_left_to_others(
    fleet: Fleet, event: dict[str, str]
) -> None:
    fleet.submit()
    opened = fleet.journal.open("R1", "a newer worker")
    fleet.journal.append(opened, 1, [event])
    fleet.journal.close(opened)
    assert fleet.drive() is Result.REFUSED
    assert len(fleet.events()) == 2
    assert fleet.journal.holder("R1") is None


def test_a_worker_cut_off_from_the_database_ends_its_agent_before_another_may_begin(
    fleet: Fleet,
) -> None:
    asleep = sleepers.of(fleet)
    fleet.submit(asleep.agents)
    line = LossyLine(fleet.database)
    cut_off = fleet.driver(worker="w1", database=line.url)
    until(asleep.begun, "the build begins")
    line.light.clear()
    until(lambda: fleet.journal.with_work() == ["R1"], "the lease ends", 30)
    assert not asleep.alive()
    assert cut_off.wait(timeout=5) == 41
    assert fleet.drive(worker="w2") is Result.FINISHED
    before = fleet.events()
    line.light.set()
    line.close()
    once_each(fleet)
    assert fleet.events() == before


def test_a_run_goes_step_by_step_from_worker_to_worker(fleet: Fleet) -> None:
    fleet.beat_s = CALM_S
    fleet.submit()
    turns = [fleet.drive(worker="w0", steps=1)]
    while turns[-1] is Result.CONTINUE:
        turns.append(fleet.drive(worker=f"w{len(turns) % 3}", steps=1))
    assert turns[-1] is Result.FINISHED
    assert len(turns) >= 5
    once_each(fleet)
    assert not fleet.events("step.interrupted")
