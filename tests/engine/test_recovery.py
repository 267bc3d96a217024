"""What a new owner finds and does: unfinished steps, sleeping and waiting runs, processes of a
dead dispatch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from tests.crash.flows import (
    RUN,
    Flow,
    GatedItem,
    ItemFlow,
    Player,
    chain,
    clustered,
    fan,
    quick_folder,
)
from tests.fakes.disk import CrashingDisk, PowerCut, every_cut

from podium.agents.environment import MARK
from podium.agents.protocol import Answer, Failure, Job
from podium.core.errors import UsageError
from podium.core.run import Status
from podium.core.workflow import Workflow
from podium.state.disk import Disk

Make = Callable[..., Flow]
STAGES = ("one", "two", "three")


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    with quick_folder() as root:

        def made(workflow: type[Workflow], agent: Player | None = None, **more: object) -> Flow:
            return Flow(root, workflow, agent or Player(), **more).install(monkeypatch)  # type: ignore[arg-type]

        yield made


def killed_in(flow: Flow, key: str) -> None:
    """The process dies while that step's agent is at work."""
    disk = CrashingDisk()

    def die(_: Job) -> Answer:
        disk.off = True
        raise PowerCut

    flow.agent.at[key] = die
    with pytest.raises(PowerCut):
        flow.start(disk)
    flow.power_cut()
    flow.agent.at.clear()


def test_the_dispatch_under_way_is_repeated_under_its_own_attempt_and_nothing_else_is(
    make: Make,
) -> None:
    flow = make(chain(*STAGES))
    killed_in(flow, "two")
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "two", "two", "three"]
    assert flow.keys("step.interrupted") == ["two"]
    assert flow.keys("step.reused") == ["one"]
    assert [each["attempt"] for each in flow.events("step.started") if each["key"] == "two"] == [
        1,
        1,
    ]


def test_a_recovery_that_is_cut_at_every_write_can_be_repeated(make: Make) -> None:
    flow = make(chain(*STAGES))
    killed_in(flow, "two")
    shutil.copytree(flow.project, flow.root / "kept")

    def again(disk: Disk) -> None:
        shutil.rmtree(flow.project)
        shutil.copytree(flow.root / "kept", flow.project)
        flow.power_cut()
        flow.resume(disk)

    for disk in every_cut(again):
        flow.power_cut()
        flow.agent.asked.clear()
        assert flow.resume().exit_code == 0, disk.done
        assert "one" not in flow.agent.asked
        assert sorted(path.name for path in (flow.project / "docs").iterdir()) == [
            f"{s}.md" for s in sorted(STAGES)
        ]
        finished = flow.keys("step.finished")
        assert sorted(finished) == sorted(STAGES)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="processes are found by /proc")
def test_a_process_of_the_dead_dispatch_is_ended_before_the_next_attempt(make: Make) -> None:
    flow = make(chain(*STAGES))
    left: list[subprocess.Popen[bytes]] = []

    def leave(job: Job) -> None:
        left.append(
            subprocess.Popen(["sleep", "1000"], env={**os.environ, MARK: job.environment[MARK]})
        )

    seen: list[int | None] = []
    disk = CrashingDisk()

    def die(job: Job) -> Answer:
        leave(job)
        disk.off = True
        raise PowerCut

    flow.agent.at["two"] = die
    with pytest.raises(PowerCut):
        flow.start(disk)
    flow.power_cut()
    flow.agent.at["two"] = lambda _: seen.append(left[0].poll())
    try:
        assert flow.resume().exit_code == 0
        assert seen == [-9]
    finally:
        left[0].kill()
        left[0].wait()


def test_a_process_of_another_project_with_the_same_run_id_is_left_alone(make: Make) -> None:
    flow = make(chain(*STAGES))
    killed_in(flow, "two")
    other = subprocess.Popen(["sleep", "1000"], env={**os.environ, MARK: f"/elsewhere//{RUN}/two"})
    try:
        flow.resume()
        time.sleep(0.05)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_sleeping_run_stays_asleep_until_its_time_and_then_goes_on(make: Make) -> None:
    limits: list[Answer | None] = [Answer(failure=Failure("rate_limit", "later", 600.0))]
    flow = make(chain(*STAGES), Player({"two": lambda _: limits.pop() if limits else None}))
    ended = flow.start()
    assert (ended.exit_code, ended.status) == (11, Status.SLEEPING)
    assert flow.resume().exit_code == 11
    assert flow.agent.asked == ["one", "two"]
    flow.clock.skip(601)
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "two", "two", "three"]


def test_a_clock_that_is_set_back_makes_a_sleep_begin_anew_and_neither_ends_it_nor_lets_it_last_for_ever(  # noqa: E501
    make: Make,
) -> None:
    limits: list[Answer | None] = [Answer(failure=Failure("rate_limit", "later", 600.0))]
    flow = make(chain("one"), Player({"one": lambda _: limits.pop() if limits else None}))
    flow.start()
    flow.clock.skip(-86_400)
    ended = flow.resume()
    assert ended.status is Status.SLEEPING
    assert 590 < (datetime.fromisoformat(ended.until) - flow.clock.now).total_seconds() <= 600
    assert flow.agent.asked == ["one"]
    before = len(flow.events("run.paused"))
    flow.clock.skip(300)
    assert flow.resume().status is Status.SLEEPING
    assert len(flow.events("run.paused")) == before
    flow.clock.skip(300)
    assert flow.resume().status is Status.COMPLETE


def test_a_sleeping_child_puts_its_parent_to_sleep(make: Make) -> None:
    limits: list[Answer | None] = [Answer(failure=Failure("rate_limit", "later", 600.0))]
    flow = make(
        fan(ItemFlow, "A", "B"),
        Player({"item/A/develop": lambda _: limits.pop() if limits else None}),
    )
    ended = flow.start()
    assert (ended.exit_code, ended.status) == (11, Status.SLEEPING)
    assert ended.until
    flow.clock.skip(601)
    assert flow.resume().exit_code == 0
    assert flow.agent.asked.count("item/B/develop") == 1


def test_a_blocked_run_goes_on_only_with_a_reason(make: Make) -> None:
    refused = [Answer(failure=Failure("not_dispatchable", "no"))]
    flow = make(chain(*STAGES), Player({"two": lambda _: refused.pop() if refused else None}))
    assert flow.start().exit_code == 20
    assert flow.resume().exit_code == 20
    assert flow.agent.asked == ["one", "two"]
    assert flow.resume(because="mended").exit_code == 0
    assert flow.agent.asked == ["one", "two", "two/2", "three"]


def test_children_that_were_done_are_not_done_again_when_a_blocked_fan_out_goes_on(
    make: Make,
) -> None:
    refused = [Answer(failure=Failure("not_dispatchable", "no"))]
    flow = make(
        fan(ItemFlow, "A", "B"),
        Player({"item/A/develop": lambda _: refused.pop() if refused else None}),
    )
    assert flow.start().exit_code == 20
    flow.agent.asked.clear()
    assert flow.resume(because="mended").exit_code == 0
    assert not [key for key in flow.agent.asked if "/B/" in key]


def test_a_member_killed_between_two_others_is_the_only_one_repeated(make: Make) -> None:
    flow = make(clustered("build", "tests", "tasks", limit=1))
    killed_in(flow, "review/1/tests")
    assert flow.resume().exit_code == 0
    assert flow.agent.asked.count("review/1/tests") == 2
    assert flow.agent.asked.count("review/1/build") == 1


def test_an_ended_run_is_not_driven_again(make: Make) -> None:
    flow = make(chain(*STAGES))
    flow.start()
    before = (flow.folder / "journal.jsonl").read_bytes()
    assert flow.resume().exit_code == 0
    assert (flow.folder / "journal.jsonl").read_bytes() == before


def test_a_cancelled_run_with_a_waiting_child_is_over(make: Make) -> None:
    flow = make(fan(GatedItem, "A"))
    flow.start()
    flow.app().cancel(RUN, "enough", "Ada")
    assert flow.resume().exit_code == 30
    with pytest.raises(UsageError):
        flow.approve()
    assert flow.views == []


def test_a_dispatch_of_a_child_that_nobody_audited_is_looked_at_as_well(make: Make) -> None:
    """A child's agent changes a protected file and takes the engine with it."""
    flow = make(fan(ItemFlow, "A"))
    rules = flow.project / "governance" / "rules.md"
    rules.parent.mkdir()
    rules.write_text("strict\n")
    disk = CrashingDisk()

    def die(_: Job) -> Answer:
        rules.write_text("anything goes\n")
        disk.off = True
        raise PowerCut

    flow.agent.at["item/A/develop"] = die
    with pytest.raises(PowerCut):
        flow.start(disk)
    flow.power_cut()
    flow.agent.at.clear()
    flow.resume()
    assert rules.read_text() == "strict\n"
