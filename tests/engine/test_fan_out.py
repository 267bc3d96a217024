"""Clusters and child runs on the real engine: limits, keys, gates, and what a crash in the
middle leaves.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator

import pytest
from tests.crash.flows import (
    RUN,
    Decided,
    Flow,
    GatedItem,
    ItemFlow,
    Player,
    bare,
    clustered,
    fan,
    quick_folder,
)
from tests.fakes.disk import CrashingDisk, PowerCut, every_cut

from podium.agents.protocol import Answer, Failure, Job, Question
from podium.core.errors import UsageError
from podium.core.run import Status
from podium.core.workflow import Workflow

Make = Callable[..., Flow]
MEMBERS = ("build", "tests", "tasks")
DEVELOP = ["item/A/develop", "item/B/develop"]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    with quick_folder() as root:

        def made(workflow: type[Workflow], agent: Player | None = None, **more: object) -> Flow:
            return Flow(root, workflow, agent or Player(), **more).install(monkeypatch)  # type: ignore[arg-type]

        yield made


# -- child runs


def test_a_child_has_its_own_journal_state_and_steps_below_children(make: Make) -> None:
    flow = make(fan(ItemFlow, "A", "B"))
    assert flow.start().exit_code == 0
    for name in ("A", "B"):
        folder = flow.child(f"item/{name}")
        assert {"journal.jsonl", "state.json", "steps"} <= {each.name for each in folder.iterdir()}
        assert (folder / "steps" / "item" / name / "develop" / "brief.json").is_file()
        assert flow.state(f"item/{name}")["status"] == "complete"
        assert flow.state(f"item/{name}")["ident"] == name
    assert not (flow.child("item/A") / "lock").exists()


def test_keys_in_a_childs_own_journal_are_full_paths_from_the_root(make: Make) -> None:
    flow = make(fan(ItemFlow, "A"))
    flow.start()
    lines = [
        json.loads(line)
        for line in (flow.child("item/A") / "journal.jsonl").read_text().splitlines()
    ]
    assert {each["key"] for each in lines if "key" in each} == {
        "item/A/develop",
        "item/A/testing/1",
    }
    assert {each["run"] for each in lines} == {f"{RUN}/item/A"}
    assert [each["seq"] for each in lines] == list(range(1, len(lines) + 1))
    assert lines[0]["input"] == ["A"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_children_are_at_work_than_the_limit_says(make: Make, limit: int) -> None:
    flow = make(fan(ItemFlow, *"ABCDE", limit=limit), Player(pause=0.01))
    assert flow.start().exit_code == 0
    assert flow.agent.most == limit
    assert len(flow.agent.asked) == 12


def test_until_the_last_step_of_a_child_stops_the_parent_too(make: Make) -> None:
    flow = make(fan(ItemFlow, "A", limit=1))
    assert flow.start(until="item/A/testing/1").status is Status.ACTIVE
    assert flow.agent.asked == ["plan", "item/A/develop", "item/A/testing/1"]
    assert flow.resume().exit_code == 0
    assert flow.agent.asked[3:] == ["close"]


def test_until_a_child_stops_when_it_has_ended(make: Make) -> None:
    flow = make(fan(ItemFlow, "A", limit=1))
    assert flow.start(until="item/A").status is Status.ACTIVE
    assert flow.agent.asked == ["plan", "item/A/develop", "item/A/testing/1"]
    assert flow.resume().exit_code == 0
    assert flow.agent.asked[3:] == ["close"]


def test_decide_sees_every_childs_resting_run(make: Make) -> None:
    decide = Decided()
    flow = make(fan(ItemFlow, "A", "B", decide=decide))
    flow.start()
    (seen,) = decide.asked
    assert {name: (run.status, run.ident) for name, run in seen.items()} == {
        "A": (Status.COMPLETE, "A"),
        "B": (Status.COMPLETE, "B"),
    }


def test_a_blocked_child_does_not_stop_the_others_and_decide_blocks_the_parent(make: Make) -> None:
    decide = Decided()
    flow = make(fan(ItemFlow, "A", "B", decide=decide), Player({"item/A/develop": _refuse}))
    ended = flow.start()
    assert (ended.exit_code, ended.stop, ended.reason) == (20, "children", "not all are well")
    assert {name: run.status for name, run in decide.asked[0].items()} == {
        "A": Status.BLOCKED,
        "B": Status.COMPLETE,
    }
    assert "item/B/testing/1" in flow.agent.asked


def test_the_views_of_children_are_gone_when_the_run_has_ended(make: Make) -> None:
    flow = make(fan(ItemFlow, "A", "B"))
    flow.start()
    assert flow.views == []


def test_two_children_at_work_are_not_taken_for_each_others_intruders(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one child lands in a protected place while another is at work is the engine's own
    writing.
    """
    from podium.engine import guarding  # noqa: PLC0415

    monkeypatch.setattr(guarding, "PLACES", (*guarding.PLACES, "docs"))
    slow = Player({"item/B/develop": lambda _: _later(0.1)})
    flow = make(bare(ItemFlow, "A", "B"), slow)
    assert flow.start().exit_code == 0
    assert flow.keys("contract.violated") == []


def test_the_budget_counts_the_dispatches_of_children(make: Make) -> None:
    flow = make(fan(ItemFlow, "A", "B", "C", limit=1), budget={"dispatches": 4})
    assert flow.start().exit_code in {20, 21}
    assert len(flow.agent.asked) == 4


# -- a person in a child


def test_a_childs_gate_pauses_the_parent(make: Make) -> None:
    flow = make(fan(GatedItem, "A", "B"))
    ended = flow.start()
    assert (ended.exit_code, ended.status) == (10, Status.WAITING)
    assert sorted(gate["key"] for gate in flow.app().summary(RUN).gates) == [
        "item/A/agree",
        "item/B/agree",
    ]
    assert flow.agent.asked == ["plan", "item/A/develop/1", "item/B/develop/1"]
    assert sorted(ended.gates) == ["item/A/agree", "item/B/agree"]
    assert f"podium approve {RUN} --gate item/B/agree --go" in ended.advice
    left = flow.approve("item/A/agree")
    assert [gate["key"] for gate in left.gates] == ["item/B/agree"]


def test_a_decision_posted_at_the_root_wakes_the_right_child(make: Make) -> None:
    flow = make(fan(GatedItem, "A", "B"))
    flow.start()
    with pytest.raises(UsageError, match="several open gates"):
        flow.approve()
    flow.approve("item/B/agree")
    ended = flow.resume()
    assert ended.exit_code == 10
    assert flow.agent.asked[3:] == ["item/B/ship"]
    assert [each["run"] for each in flow.events("gate.decided")] == [f"{RUN}/item/B"]
    flow.approve()
    assert flow.resume().exit_code == 0
    assert flow.agent.asked[4:] == ["item/A/ship", "close"]


def test_resuming_without_a_decision_asks_nobody_and_waits_on(make: Make) -> None:
    flow = make(fan(GatedItem, "A"))
    flow.start()
    before = list(flow.agent.asked)
    assert (flow.resume().exit_code, flow.resume().exit_code) == (10, 10)
    assert flow.agent.asked == before


def test_a_childs_gate_is_decided_once(make: Make) -> None:
    flow = make(fan(GatedItem, "A"))
    flow.start()
    flow.approve()
    with pytest.raises(UsageError, match=r"already been decided|no open gate"):
        flow.approve()


def test_a_rejection_in_a_child_can_name_a_step_of_the_child(make: Make) -> None:
    flow = make(fan(GatedItem, "A"))
    flow.start()
    flow.app().reject(RUN, gate="", note="thin", to="develop", by="Ada")
    assert flow.resume().exit_code == 10
    assert flow.agent.asked[2:] == ["item/A/develop/2"]


def test_a_question_in_a_child_is_answered_at_the_root(make: Make) -> None:
    asks: list[Answer | None] = [
        Answer(text="?", question=Question("Which one?", (("a", "A"), ("b", "B"))))
    ]
    flow = make(
        fan(ItemFlow, "A"), Player({"item/A/develop": lambda _: asks.pop() if asks else None})
    )
    assert flow.start().exit_code == 10
    flow.app().answer(RUN, gate="", choice="b", text="", note="", by="Ada")
    assert flow.resume().exit_code == 0
    assert flow.keys("gate.decided") == ["item/A/develop/question-1"]


# -- crashes in the middle


def test_a_fan_out_cut_at_every_write_completes_and_repeats_only_what_was_under_way(
    make: Make,
) -> None:
    flow = make(fan(ItemFlow, "A", "B", limit=2))
    whole = _settled(flow)
    for disk in every_cut(lambda disk: _fresh(flow).start(disk)):
        done = {each["key"] for each in _events(flow) if each["type"] == "step.finished"}
        flow.agent.asked.clear()
        assert flow.go().exit_code == 0, disk.done
        assert not done & set(flow.agent.asked), disk.done
        assert _look(flow) == whole, disk.done


def test_a_fan_out_cut_twice_completes(make: Make) -> None:
    """The resumed run dies as well, at each write of its own, after a first death in the middle
    of the children.
    """
    flow = make(fan(ItemFlow, "A", "B", limit=2))
    whole = _settled(flow)
    _fresh(flow)
    counted = CrashingDisk()
    flow.start(counted)
    _fresh(flow)
    with pytest.raises(PowerCut):
        flow.start(CrashingDisk(len(counted.done) // 2))
    shutil.copytree(flow.project, flow.root / "kept")
    for _ in every_cut(lambda disk: _back(flow).go(disk)):
        assert flow.go().exit_code == 0
        assert _look(flow) == whole


def test_a_child_whose_last_line_was_torn_off_ends_whole(make: Make) -> None:
    """Its move to the end is durable, the word about the end is not."""
    flow = make(fan(ItemFlow, "A"))
    flow.start()
    lines = (flow.child("item/A") / "journal.jsonl").read_bytes().splitlines(keepends=True)
    assert [json.loads(line)["type"] for line in lines[-2:]] == ["run.advanced", "run.completed"]
    (flow.child("item/A") / "journal.jsonl").write_bytes(b"".join(lines[:-1]))
    own = (flow.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (flow.folder / "journal.jsonl").write_bytes(b"".join(own[:5]))
    (flow.folder / "state.json").unlink()
    assert flow.resume().exit_code == 0
    assert len(flow.events("run.completed")) == 2


def test_a_state_file_of_a_child_that_a_person_edited_is_obeyed_and_recorded(make: Make) -> None:
    flow = make(fan(GatedItem, "A"))
    flow.start()
    flow.edit_state("item/A", step="develop", status="active", reason="", stop="")
    assert flow.resume().exit_code == 10
    assert flow.agent.asked[2:] == ["item/A/develop/2"]
    assert [each["run"] for each in flow.events("run.edited")] == [f"{RUN}/item/A"]


# -- clusters


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_members_are_asked_at_once_up_to_the_limit(make: Make, limit: int) -> None:
    flow = make(clustered(*MEMBERS, limit=limit), Player(pause=0.01))
    assert flow.start().exit_code == 0
    assert flow.agent.most == limit
    assert sorted(flow.agent.asked) == ["close", *(f"review/1/{name}" for name in sorted(MEMBERS))]


def test_decide_gets_all_results(make: Make) -> None:
    decide = Decided()
    flow = make(clustered(*MEMBERS, decide=decide), Player({"review/1/tests": _refuse}))
    ended = flow.start()
    (seen,) = decide.asked
    assert {name: each.outcome for name, each in seen.items()} == {
        "build": "ok",
        "tests": "fail",
        "tasks": "ok",
    }
    assert (ended.exit_code, ended.reason) == (20, "not all are well")


def test_members_that_were_done_before_a_crash_are_reused(make: Make) -> None:
    decide = Decided()
    disk = CrashingDisk()

    def die(_: Job) -> Answer:
        disk.off = True
        raise PowerCut

    flow = make(clustered(*MEMBERS, limit=1, decide=decide), Player({"review/1/tests": die}))
    with pytest.raises(PowerCut):
        flow.start(disk)
    flow.agent.at.clear()
    assert flow.go().exit_code == 0
    assert flow.keys("step.reused") == ["review/1/build"]
    assert flow.keys("step.interrupted") == ["review/1/tests"]
    assert flow.agent.asked == [
        "review/1/build",
        "review/1/tests",
        "review/1/tests",
        "review/1/tasks",
        "close",
    ]
    assert set(decide.asked[0]) == set(MEMBERS)


def test_a_member_that_asks_lets_the_others_finish_and_is_asked_again_alone(make: Make) -> None:
    asks: list[Answer | None] = [Answer(text="?", question=Question("Which?", (("a", "A"),)))]
    flow = make(
        clustered(*MEMBERS), Player({"review/1/tests": lambda _: asks.pop() if asks else None})
    )
    ended = flow.start()
    assert (ended.exit_code, ended.gates) == (10, ("review/1/tests/question-1",))
    flow.app().answer(RUN, gate="", choice="a", text="", note="", by="Ada")
    flow.agent.asked.clear()
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["review/1/tests", "close"]


def test_a_cluster_cut_at_every_write_completes_and_repeats_only_what_was_under_way(
    make: Make,
) -> None:
    flow = make(clustered(*MEMBERS, limit=2))
    whole = _settled(flow)
    for disk in every_cut(lambda disk: _fresh(flow).start(disk)):
        done = {each["key"] for each in _events(flow) if each["type"] == "step.finished"}
        flow.agent.asked.clear()
        assert flow.go().exit_code == 0, disk.done
        assert not done & set(flow.agent.asked), disk.done
        assert _look(flow) == whole, disk.done


def test_what_one_member_changes_is_not_hidden_by_another_ones_retry(make: Make) -> None:
    """A member tampers and works on; another one starts anew meanwhile, and must not make that
    the protected content.
    """
    rules = "governance/rules.md"

    async def tamper(_: Job) -> None:
        await asyncio.sleep(0.1)
        (flow.project / rules).write_text("anything goes\n")
        await asyncio.sleep(0.4)

    crashes: list[Answer | None] = [Answer(failure=Failure("rate_limit", "slow down"))]
    agent = Player(
        {
            "review/1/build": tamper,
            "review/1/tests": lambda _: crashes.pop() if crashes else _later(0.6),
        }
    )
    flow = make(clustered("build", "tests"), agent, backoff_s=0.2)
    (flow.project / "governance").mkdir()
    (flow.project / rules).write_text("strict\n")
    flow.start()
    assert agent.asked.count("review/1/tests") >= 2
    assert (flow.project / rules).read_text() == "strict\n"


# -- what the tests above share


def _refuse(_: Job) -> Answer:
    return Answer(failure=Failure("not_dispatchable", "no"))


async def _later(seconds: float) -> None:
    await asyncio.sleep(seconds)


def _fresh(flow: Flow) -> Flow:
    for name in (".podium", "docs"):
        shutil.rmtree(flow.project / name, ignore_errors=True)
    shutil.rmtree(flow.root / "state", ignore_errors=True)
    flow.agent.asked.clear()
    return flow


def _back(flow: Flow) -> Flow:
    shutil.rmtree(flow.project)
    shutil.copytree(flow.root / "kept", flow.project)
    return flow


def _events(flow: Flow) -> list[dict[str, object]]:
    """All whole lines of all journals, whatever a cut left."""
    found = []
    for path in sorted(flow.folder.glob("**/journal.jsonl")):
        found += [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return found


def _look(flow: Flow) -> dict[str, object]:
    """Documents, where every run rests, which steps each journal says were finished, and how it
    ends.
    """
    seen: dict[str, object] = {
        path.name: path.read_text() for path in (flow.project / "docs").iterdir()
    }
    for path in sorted(flow.folder.glob("**/journal.jsonl")):
        events = [json.loads(line) for line in path.read_text().splitlines()]
        run = events[0]["run"]
        finished = sorted(each["key"] for each in events if each["type"] == "step.finished")
        seen[run] = (finished, sum(each["type"] == "run.completed" for each in events))
        state = json.loads((path.parent / "state.json").read_text())
        state.pop("seq")
        seen[f"{run} stands"] = state
    return seen


def _settled(flow: Flow) -> dict[str, object]:
    assert flow.start().exit_code == 0
    return _look(flow)
