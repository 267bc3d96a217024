"""The loop: checks with commands, a clean stop after a step, and people who edit the state
between steps.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import until as in_time
from tests.crash.flows import RUN, Flow, ItemFlow, Player, chain, checked, clustered, fan

from podium.core.effects import Check
from podium.core.errors import InputError
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow
from podium.wiring_values import RunOptions

Make = Callable[..., Flow]
STAGES = ("one", "two", "three")


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    def made(workflow: type[Workflow], agent: Player | None = None, **more: object) -> Flow:
        return Flow(tmp_path, workflow, agent or Player(), **more).install(monkeypatch)  # type: ignore[arg-type]

    return made


# -- checks


def by_evidence(
    _: Run, files: Mapping[str, str | None], found: Sequence[Mapping[str, Any]]
) -> Judgement:
    good = all(each["state"] == "passed" for each in found) and bool(files["docs/made.md"])
    return (
        Judgement("ok", classification="pass") if good else Judgement("ok", classification="revise")
    )


def test_the_exit_code_of_a_command_decides_a_check(make: Make) -> None:
    flow = make(
        checked(Check("builds", "command", commands=("test",))),
        commands={"test": "test -f docs/made.md"},
    )
    assert flow.start().exit_code == 0
    (said,) = [each for each in flow.events("step.finished") if each["key"] == "look/1"]
    assert [(each["command"], each["exit"]) for each in said["evidence"]] == [
        ("test -f docs/made.md", 0)
    ]
    assert flow.agent.asked == ["make/1", "close"]


def test_a_check_without_a_judge_that_fails_stops_where_no_route_is_for_it(make: Make) -> None:
    flow = make(
        checked(Check("builds", "command", commands=("test",))), commands={"test": "exit 3"}
    )
    ended = flow.start()
    assert (ended.exit_code, ended.step) == (20, "look")


def test_decide_gets_the_files_and_what_the_commands_said_and_may_send_back(make: Make) -> None:
    check = Check(
        "twice",
        "command",
        reads=lambda _: ("docs/made.md",),
        commands=("test", "lint"),
        decide=by_evidence,
    )
    flow = make(checked(check), commands={"test": "grep make/2 docs/made.md"})
    assert flow.start().exit_code == 0
    assert flow.agent.asked == ["make/1", "make/2", "close"]
    started = [each for each in flow.events("step.started") if each["kind"] == "command"]
    assert [each["key"] for each in started] == ["look/1", "look/2"]
    assert list(started[0]["inputs"]) == ["docs/made.md"]
    judged = [each["evidence"] for each in flow.events("step.finished") if each["key"] == "look/2"]
    assert [(each["name"], each["state"]) for each in judged[0]] == [("test", "passed")]


def test_a_check_that_was_recorded_is_not_run_again(make: Make) -> None:
    flow = make(checked(Check("counts", "command", commands=("test",))))
    flow.set_commands(test=flow.by_hand("echo x >> ../ran"))
    flow.start(until="look")
    # Before any step, as the check, and once more because it passed.
    assert (flow.root / "ran").read_text() == "x\n" * 3
    assert flow.resume().exit_code == 0
    assert (flow.root / "ran").read_text() == "x\n" * 3


def still_running(*words: str) -> list[int]:
    """The processes of this machine with this command line."""
    line = b"".join(os.fsencode(f"{word}\0") for word in words)
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [int(place.parent.name)] * (place.read_bytes() == line)
    return found


def test_a_command_that_hangs_is_ended_with_its_children(make: Make) -> None:
    child, itself = f"1000.{os.getpid()}", f"1001.{os.getpid()}"
    line = f"test ! -e docs/made.md || {{ sleep {child} & sleep {itself}; }}"
    flow = make(checked(Check("hangs", "command", commands=("test",))), commands={"test": line})
    policy = {"retry_backoff_s": 0.0, "step_timeout_s": 3.0}
    ended = flow.app().start("harness", [], RunOptions(agent="x", policy=policy))
    assert (ended.exit_code, ended.step) == (20, "look")
    (said,) = flow.events("step.finished")[-1]["evidence"]
    assert (said["state"], said["why"]) == ("not_run", "timed out after 3 s")
    assert in_time(lambda: not (still_running("sleep", child) or still_running("sleep", itself)))


# -- stop after a step


@pytest.mark.parametrize(("until", "asked"), [("one", 1), ("two", 2), ("three", 3)])
def test_until_stops_cleanly_after_the_step_and_the_run_goes_on(
    make: Make, until: str, asked: int
) -> None:
    flow = make(chain(*STAGES))
    ended = flow.start(until=until)
    assert ended.exit_code == 0
    assert flow.agent.asked == list(STAGES[:asked])
    assert ended.status is Status.ACTIVE
    assert flow.events("run.paused") == []
    assert flow.resume().status is Status.COMPLETE
    assert flow.agent.asked == list(STAGES)


def test_until_a_step_of_a_child_stops_cleanly_too(make: Make) -> None:
    flow = make(fan(ItemFlow, "A"))
    ended = flow.start(until="item/A/develop")
    assert flow.agent.asked == ["plan", "item/A/develop"]
    assert (ended.exit_code, ended.status) == (0, Status.ACTIVE)
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["plan", "item/A/develop", "item/A/testing/1", "close"]


def test_until_a_cluster_stops_after_all_of_it(make: Make) -> None:
    flow = make(clustered("build", "tests"))
    assert flow.start(until="review").status is Status.ACTIVE
    assert flow.agent.asked == ["review/1/build", "review/1/tests"]


# -- a person's hand


def test_an_edit_of_the_state_between_steps_is_recorded_and_obeyed(make: Make) -> None:
    flow = make(chain(*STAGES))
    flow.start(until="two")
    flow.edit_state(step="one")
    assert flow.resume().exit_code == 0
    # Whether a visit in which nothing was asked counts is not said here.
    assert [key.partition("/")[0] for key in flow.agent.asked] == ["one", "two", *STAGES]
    assert flow.agent.asked[2:4] == ["one/2", "two/2"]
    (edited,) = flow.events("run.edited")
    assert edited["changes"] == ["step: three -> one"]
    assert edited["path"] == f".podium/runs/{RUN}/state.json"
    assert [each["key"] for each in flow.events("step.stale")] == ["one", "two"]


def test_a_step_set_by_hand_while_the_run_is_driven_is_not_the_agents_to_set(make: Make) -> None:
    """Whoever writes the state during a dispatch is taken for the agent: it is put back, and the
    attempt is refused.
    """
    agent = Player()
    flow = make(chain(*STAGES), agent)
    agent.at = {"one": lambda _: flow.edit_state(step="three")}
    ended = flow.start()
    assert ended.status is Status.BLOCKED
    assert flow.events("contract.violated")[0]["paths"] == [f".podium/runs/{RUN}/state.json"]
    assert "three" not in agent.asked


def test_a_step_that_is_skipped_by_hand_is_not_run(make: Make) -> None:
    flow = make(chain(*STAGES))
    flow.start(until="one")
    flow.edit_state(step="three")
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "three"]


def test_a_step_that_does_not_exist_is_refused_with_the_nearest_names_and_nothing_is_asked(
    make: Make,
) -> None:
    flow = make(chain(*STAGES))
    flow.start(until="one")
    flow.edit_state(step="thre")
    with pytest.raises(InputError, match="did you mean 'three'"):
        flow.resume()
    assert flow.agent.asked == ["one"]
    flow.edit_state(step="three")
    assert flow.resume().exit_code == 0


def test_a_removed_state_file_is_rebuilt_from_the_journal(make: Make) -> None:
    flow = make(chain(*STAGES))
    flow.start(until="two")
    (flow.folder / "state.json").unlink()
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == list(STAGES)
    assert flow.events("run.edited") == []


def test_a_member_of_the_wrong_type_is_named_with_its_line(make: Make) -> None:
    flow = make(chain(*STAGES))
    flow.start(until="one")
    text = json.dumps({**flow.state(), "visits": "many"}, indent=1)
    (flow.folder / "state.json").write_text(text)
    with pytest.raises(InputError, match=r"state\.json:\d+.*visits"):
        flow.resume()
    assert flow.agent.asked == ["one"]
