"""Verified work arrives in the project once, whole, and never over a person's own."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from tests.crash.flows import Flow, Player, chain
from tests.fakes.disk import CrashingDisk, PowerCut
from tests.fakes.repository import git

from podium.core.contract import Contract, Output
from podium.core.effects import Stage
from podium.core.run import Run
from podium.core.workflow import Workflow, step
from podium.engine import landings
from podium.engine.scribe import Scribe
from podium.state.disk import StrPath

Make = Callable[..., Flow]
ONE = "docs/one.md"


@pytest.fixture(params=["at once", "too late"])
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Make:
    """What is written beside the loop is there at once, or not at all when the process dies."""
    late: list[Callable[[], None]] = []

    def do(_: Scribe, work: Callable[[], None]) -> None:
        if request.param == "at once":
            work()
        else:
            late.append(work)

    monkeypatch.setattr(Scribe, "do", do)
    monkeypatch.setattr(Scribe, "flush", lambda _: None)

    def made(workflow: type[Workflow], agent: Player | None = None) -> Flow:
        return Flow(tmp_path, workflow, agent or Player()).install(monkeypatch)

    return made


def dead_before_landing(flow: Flow) -> None:
    """The process dies when the end of the first step is recorded and nothing of it has arrived."""
    for cut in range(1, 1000):
        disk = CrashingDisk(cut)
        with pytest.raises(PowerCut):
            flow.go(disk) if cut == 1 else flow.start(disk) if not _journal(flow) else flow.resume(
                disk
            )
        flow.power_cut()
        if "step.finished" in _types(flow):
            return
        _clear(flow)
    raise AssertionError("the step never finished")


def _clear(flow: Flow) -> None:
    for name in (".podium", "docs"):
        shutil.rmtree(flow.project / name, ignore_errors=True)
    flow.agent.asked.clear()


def _journal(flow: Flow) -> bytes:
    path = flow.folder / "journal.jsonl"
    return path.read_bytes() if path.exists() else b""


def _types(flow: Flow) -> list[str]:
    return [json.loads(line)["type"] for line in _journal(flow).split(b"\n")[:-1]]


def test_work_that_was_recorded_and_did_not_arrive_arrives_on_resume_and_nobody_is_asked_again(
    make: Make,
) -> None:
    flow = make(chain("one", "two"))
    dead_before_landing(flow)
    assert not (flow.project / ONE).exists()
    assert flow.go().exit_code == 0
    assert (flow.project / ONE).read_text() == "one\n"
    assert flow.agent.asked == ["one", "two"]


def test_what_a_person_wrote_there_meanwhile_stays(make: Make) -> None:
    flow = make(chain("one", "two"))
    dead_before_landing(flow)
    (flow.project / "docs").mkdir(exist_ok=True)
    (flow.project / ONE).write_text("mine\n")
    flow.go()
    assert (flow.project / ONE).read_text() == "mine\n"


def test_a_damaged_copy_is_not_landed_and_the_step_is_done_again(make: Make) -> None:
    flow = make(chain("one", "two"))
    dead_before_landing(flow)
    for top in (flow.folder / "steps", flow.root / "state"):
        for path in top.rglob("*one.md"):
            path.write_text("something else\n")
    assert flow.go().exit_code == 0
    assert (flow.project / ONE).read_text() == "one/2\n"
    assert flow.agent.asked == ["one", "one/2", "two"]
    assert flow.keys("step.stale") == ["one"]


def test_work_that_arrived_is_not_done_again_because_its_copy_is_gone(make: Make) -> None:
    flow = make(chain("one", "two"))
    dead_before_landing(flow)
    (flow.project / "docs").mkdir(exist_ok=True)
    (flow.project / ONE).write_text(
        "one\n"
    )  # it was landed, and the disk was full when that was to be recorded
    for top in (flow.folder / "steps", flow.root / "state"):
        for path in top.rglob("*one.md"):
            path.unlink()
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "two"]
    assert not flow.events("step.stale")


def test_landing_twice_changes_nothing(make: Make) -> None:
    flow = make(chain("one", "two"))
    dead_before_landing(flow)
    flow.go()
    before = {path: path.read_bytes() for path in (flow.project / "docs").iterdir()}
    assert flow.resume().exit_code == 0
    assert {path: path.read_bytes() for path in (flow.project / "docs").iterdir()} == before


def test_a_finished_run_leaves_no_unfinished_file_in_the_project(make: Make) -> None:
    flow = make(chain("one", "two"))
    flow.start()
    assert sorted(path.name for path in (flow.project / "docs").iterdir()) == ["one.md", "two.md"]
    assert list(flow.project.rglob(".*.tmp-*")) == []


class Reviewed(Workflow):
    """A stage that sees the code and writes a document, then another one."""

    name = "flow"
    start = "one"

    @step(Stage("one", lambda _: Contract(role="one", outputs=(Output("out", ONE),), code="read")))
    def one(self, run: Run, outcome: Literal["ok"]) -> Literal["two"]:
        return "two"

    @step(Stage("two", lambda _: Contract(role="two", outputs=(Output("out", "docs/two.md"),))))
    def two(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


@pytest.mark.parametrize("top", [".", "project"])
def test_a_document_of_a_stage_that_sees_code_arrives_wherever_the_project_is_in_its_repository(
    make: Make, top: str
) -> None:
    flow = make(Reviewed)
    git(flow.root / top, "init", "-q", "-b", "main")
    git(flow.root / top, "add", "-A")
    git(flow.root / top, "commit", "-q", "-m", "A project")
    dead_before_landing(flow)
    assert flow.go().exit_code == 0
    assert flow.agent.asked == ["one", "two"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_file_work_that_breaks_does_not_keep_the_rest_from_being_written() -> None:
    scribe = Scribe()
    done: list[str] = []

    def breaks() -> None:
        raise ValueError("not a fault of the disk")

    def flush() -> None:
        with contextlib.suppress(ValueError):
            scribe.flush()

    scribe.do(breaks)
    scribe.do(lambda: done.append("after"))
    waiting = threading.Thread(target=flush, daemon=True)
    waiting.start()
    waiting.join(2)
    assert done == ["after"]
    assert not waiting.is_alive()


class Synced(CrashingDisk):
    """Knows which files were made durable before they had their names."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: dict[str, bool] = {}

    def save(self, path: StrPath, data: bytes, *, sync: bool = False, via: StrPath = "") -> None:
        self.saved[Path(path).name] = sync
        super().save(path, data, sync=sync, via=via)


@pytest.mark.parametrize(("dear_s", "synced"), [(-1.0, True), (3600.0, False)])
def test_dear_work_is_durable_in_the_project_before_the_journal_says_that_it_arrived(
    make: Make, monkeypatch: pytest.MonkeyPatch, dear_s: float, synced: bool
) -> None:
    """Else a power cut leaves an empty document that looks like a person's edit. Work of an
    instant is done again.
    """
    monkeypatch.setattr(landings, "DEAR_S", dear_s)
    flow, disk = make(chain("one")), Synced()
    flow.start(disk)
    assert disk.saved["one.md"] is synced


@pytest.mark.parametrize("left", [b"", b"\0" * 9])
def test_a_document_that_a_power_cut_emptied_is_no_persons_edit(make: Make, left: bytes) -> None:
    flow = make(chain("one", "two"))
    flow.start(until="one")
    (flow.project / ONE).write_bytes(left)
    shutil.rmtree(flow.folder / "steps", ignore_errors=True)
    flow.resume()
    assert flow.agent.asked == ["one", "one/2", "two"]
    assert (flow.project / ONE).read_bytes().strip(b"\0")
    assert flow.keys("step.stale") == ["one"]
