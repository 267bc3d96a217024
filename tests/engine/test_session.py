"""A session: one owner, its state and journal in step, and nothing held when opening it fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.crash.flows import RUN, Flow, Player, chain, checked
from tests.fakes.disk import CrashingDisk

from podium.agents.protocol import Answer, Failure, Job
from podium.core import events
from podium.core.advance import entered
from podium.core.effects import Check
from podium.core.errors import Busy, InputError
from podium.core.workflow import Workflow
from podium.engine.outcome import Silent
from podium.engine.runs import open_session
from podium.engine.scribe import AT_ONCE_S
from podium.engine.session import Session
from podium.wiring_values import RunOptions

Make = Callable[..., Flow]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    def made(workflow: type[Workflow], agent: Player | None = None) -> Flow:
        return Flow(tmp_path, workflow, agent or Player()).install(monkeypatch)

    return made


def opened(flow: Flow) -> Session:
    app = flow.app()
    services, workflow = app._open(RUN, RunOptions())
    return open_session(services, workflow, RUN)[0]


def test_a_second_session_is_refused_and_names_the_first(make: Make) -> None:
    flow = make(chain("one", "two"))
    flow.start(until="one")
    first = opened(flow)
    with pytest.raises(Busy, match=f"drives run {RUN}"):
        flow.resume()
    first.services.journal.close(first.opened)
    assert flow.resume().exit_code == 0


def test_a_state_file_that_cannot_be_read_leaves_no_lock_behind(make: Make) -> None:
    """A process that lives on (a dashboard) must be able to open the run once it is mended."""
    flow = make(chain("one", "two"))
    flow.start(until="one")
    good = (flow.folder / "state.json").read_text()
    (flow.folder / "state.json").write_text("{")
    with pytest.raises(InputError):
        flow.resume()
    (flow.folder / "state.json").write_text(good)
    assert flow.resume().exit_code == 0


def test_what_is_pending_goes_out_with_the_next_append_and_only_once(make: Make) -> None:
    flow = make(chain("one", "two"))
    flow.start(until="one")
    session = opened(flow)
    before = session.opened.seq
    session.pending.append({"type": "document.saved", "path": "docs/x.md", "digest": "sha256:0"})
    session.append()
    session.append()
    assert session.opened.seq == before + 1
    assert session.history.documents["docs/x.md"] == "sha256:0"
    session.services.journal.close(session.opened)


def test_a_reload_of_an_unchanged_state_reads_nothing_and_one_of_an_edited_state_says_what_changed(
    make: Make,
) -> None:
    flow = make(chain("one", "two", "three"))
    flow.start(until="one")
    session = opened(flow)
    assert session.reload() == ()
    flow.edit_state(step="three")
    assert session.reload() == ("step: two -> three",)
    assert session.run.step == "three"
    session.services.journal.close(session.opened)


def test_a_state_that_lags_behind_the_journal_is_rolled_forward_and_is_no_edit(make: Make) -> None:
    flow = make(chain("one", "two", "three"))
    flow.start(until="one")
    old = (flow.folder / "state.json").read_text()
    flow.resume(until="two")
    (flow.folder / "state.json").write_text(old)
    session = opened(flow)
    assert session.run.step == "three"
    assert session.reload() == ()
    session.services.journal.close(session.opened)
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "two", "three"]


def test_a_digest_is_taken_again_when_the_file_changed(make: Make) -> None:
    flow = make(chain("one", "two"))
    flow.start(until="one")
    session = opened(flow)
    before = session.digest("docs/one.md")
    assert session.digest("docs/none.md") == "missing"
    (flow.project / "docs" / "one.md").write_text("another\n")
    assert session.digest("docs/one.md") != before
    session.services.journal.close(session.opened)


class Seen:
    """What an agent at its second step finds on disk."""

    def __init__(self, pause: float) -> None:
        self.flow: Flow
        self.pause = pause
        self.disk = CrashingDisk()
        self.steps: list[str] = []
        self.syncs: list[int] = []

    async def look(self, job: Job) -> None:
        self.syncs.append(self.disk.done.count("sync"))
        await asyncio.sleep(self.pause)
        self.syncs.append(self.disk.done.count("sync"))
        self.steps.append(self.flow.state()["step"])


def seen(make: Make, pause: float) -> Seen:
    """The run goes through: what its agent at `two` saw when it began and when it was done."""
    found = Seen(pause)
    found.flow = make(chain("one", "two", "three"), Player({"two": found.look}))
    assert found.flow.start(found.disk).exit_code == 0
    return found


def test_what_was_begun_is_durable_and_the_state_is_there_as_soon_as_an_agent_takes_a_moment(
    make: Make,
) -> None:
    found = seen(make, AT_ONCE_S * 10)
    assert found.syncs[1] == found.syncs[0] + 1
    assert found.steps == ["two"]
    assert found.flow.state()["step"] == "done"


def test_an_agent_that_takes_no_time_waits_for_neither(make: Make) -> None:
    found = seen(make, 0.0)
    assert found.syncs[1] == found.syncs[0]
    assert found.steps == ["one"]
    assert found.flow.state()["step"] == "done"


def test_the_state_is_there_as_soon_as_a_command_takes_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Check("all is well", kind="command", commands=("test",))
    flow = Flow(tmp_path, checked(look)).install(monkeypatch)
    see = flow.by_hand(f"cp .podium/runs/{RUN}/state.json seen.json")
    flow.set_commands(test=f"sleep {AT_ONCE_S * 20:g}; {see}")
    assert flow.start().exit_code == 0
    assert json.loads((flow.project / "seen.json").read_text())["step"] == "look"


def test_a_person_who_edits_the_state_before_it_is_written_is_obeyed(make: Make) -> None:
    flow = make(chain("one", "two", "three"))
    flow.start(until="one")
    session = opened(flow)
    session.going = True
    before = session.run
    after = entered(before, "three")
    session.commit(after, events.run_advanced(before, after, "ok"))
    flow.edit_state(note="mine")  # the file still has the state before
    session.services.scribe.flush()
    assert flow.state()["note"] == "mine"
    assert 'note: "" -> mine' in session.reload()
    assert (session.run.step, session.run.note) == (
        "two",
        "mine",
    )  # what they saw and wrote, all of it
    session.services.journal.close(session.opened)


def test_the_state_file_of_a_run_that_rests_is_up_to_date(make: Make) -> None:
    flow = make(chain("one", "two"))
    flow.start(until="one")
    assert (flow.state()["step"], flow.state()["seq"]) == ("two", len(flow.events()))


def test_a_rewind_leaves_the_state_where_it_went_and_an_edit_after_it_keeps_it(make: Make) -> None:
    flow = make(chain("one", "two", "three"))
    flow.start(until="two")
    flow.app().rewind(RUN, "one", restore_code=False, by="Ada")
    assert flow.state()["step"] == "one"
    flow.edit_state(note="look out")
    flow.agent.asked.clear()
    flow.resume()
    assert flow.agent.asked == ["one/2", "two/2", "three"]


class Deaf(Silent):
    """An observer that cannot write any more, such as one whose disk is full."""

    def event(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "run.advanced" and event["state"]["step"] == "three":
            raise OSError(28, "No space left on device")


def test_an_older_state_is_not_written_once_the_journal_has_a_newer_one(make: Make) -> None:
    """With the number of the newer it would look like a person's edit, and set the run back."""
    flow = make(chain("one", "two", "three"))
    app = flow.app()
    app.observer = Deaf()
    with pytest.raises(OSError, match="No space left"):
        app.start(
            "harness",
            [],
            RunOptions(agent="x", policy={"retry_backoff_s": 0.0, "step_timeout_s": 60.0}),
        )
    flow.power_cut()
    flow.agent.asked.clear()
    assert flow.resume().exit_code == 0
    assert flow.events("run.edited") == []
    assert flow.agent.asked == ["three"]


def test_the_state_is_there_while_an_agent_that_failed_at_once_is_waited_for(make: Make) -> None:
    flow = make(chain("one", "two"))
    flow.backoff_s = AT_ONCE_S * 40
    found: list[str] = []

    async def fail(job: Job) -> Answer | None:
        if job.attempt == 1:
            asyncio.get_running_loop().call_later(
                AT_ONCE_S * 20, lambda: found.append(flow.state()["step"])
            )
            return Answer(failure=Failure("rate_limit", "no"))
        return None

    flow.agent.at["two"] = fail
    assert flow.start().exit_code == 0
    assert found == ["two"]


def test_what_was_begun_is_durable_when_the_process_leaves_at_once(make: Make) -> None:
    disk, flow = CrashingDisk(), make(chain("one"))

    def leave(job: Job) -> None:
        raise RuntimeError("a fault of the agent's own code")

    flow.agent.at["one"] = leave
    with pytest.raises(RuntimeError):
        flow.start(disk)
    last = len(disk.done) - 1 - disk.done[::-1].index("append")
    assert "sync" in disk.done[last:]
