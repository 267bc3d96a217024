"""A plan of ten phases in four waves with a failure of every class, and agents that lie: as the
rules say, twice the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import Governed

from podium.agents.protocol import Answer, Job
from podium.agents.scripted import ScriptedAgent
from podium.views.board.board import Board
from podium.views.frame import frame
from podium.views.look import Look
from podium.views.report.report import markdown
from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.schema_store import GATE_EVENT, delegation

WELL = {"behave": "well"}
WAVES = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
PLAN = g.plan(*({"wave": wave} for wave in WAVES), complexity_tier="MEDIUM")
KEYS: dict[str, Any] = {
    "wave/1/phase/1/execute/1": [g.failed("transient")],
    "wave/1/phase/2/execute/1": [{"fail": "crash"}],
    "wave/1/phase/3/execute/1": [g.failed("model_unavailable")],
    "wave/2/phase/4/execute/1": [g.failed("fixable")],
    "wave/2/phase/5/execute/1": [g.failed("needs_replan")],
    "wave/2/phase/6/review/1": [g.reviewed("APPROVED", g.issue(file="src/part6.py"))],
    "wave/3/phase/7/execute/1": [{"fail": "empty"}, {"fail": "empty"}],
    "wave/3/phase/8/execute/1": [g.writes("src/part8.py", "broken\n")],
    "wave/3/phase/8/execute/2": [g.writes("src/part8.py", "MENDED = True\n")],
    "wave/4/phase/9/execute/1": [g.failed("escalate", "it needs a person")],
    "wave/4/phase/10/execute/1": [g.asks()],
}


def told(run: Governed) -> Any:
    """The whole story: a replan, a question, an escalation that a person sends on."""
    run.go({"planner": [PLAN]}, keys=KEYS)
    assert run.open_gates() == ["wave/4/phase/10/clarify/1"]
    run.answer(choice="memory")
    run.on()
    assert run.open_gates() == ["resolve-wave/1"]
    run.answer(choice="retry")
    return run.on()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Governed:
    run = Governed.of(tmp_path_factory.mktemp("large"))
    assert told(run).status == "complete"
    return run


def test_every_class_goes_its_way(whole: Governed) -> None:
    failures = {
        (each["phase"], each["classification"], each["action"])
        for each in whole.events("governed.failure")
    }
    assert failures == {
        (1, "transient", "retry"),
        (2, "transient", "retry"),
        (3, "model_unavailable", "retry_other_model"),
        (4, "fixable", "retry_with_hint"),
        (5, "needs_replan", "replan"),
        (6, "fixable", "retry_with_hint"),
        (7, "transient", "retry"),
        (8, "fixable", "retry_with_hint"),
        (9, "escalate", "escalate"),
    }


def test_no_wave_begins_before_the_one_before_it_is_complete(whole: Governed) -> None:
    wave = dict(enumerate(WAVES, 1))
    marked = sorted(whole.events("governed.todo"), key=lambda each: str(each["ts"]))
    begun = [wave[each["phase"]] for each in marked]
    assert begun == sorted(begun)
    assert sorted(each["title"] for each in whole.events("governed.todo")) == sorted(
        f"Phase {n} — Part {n}" for n in range(1, 11)
    )


def test_two_passing_failures_slow_the_waves_after_it(whole: Governed) -> None:
    (changed,) = whole.events("throttle.changed")
    assert (changed["from"], changed["to"]) == (10, 5)


def test_everything_that_was_emitted_is_valid(whole: Governed) -> None:
    assert [payload_faults(GATE_EVENT, each) for each in whole.gates()] == [()] * len(whole.gates())
    sent = whole.events("governed.delegation")
    assert [payload_faults(delegation(each["agent"]), each["payload"]) for each in sent] == [
        ()
    ] * len(sent)


def test_the_report_and_the_board_show_all_of_it(whole: Governed) -> None:
    app, steps = whole.app, whole.app.workflow(whole.run_id).steps.values()
    report = markdown(app.events(whole.run_id), app.summary(whole.run_id), steps)
    for words in ("wave/4/phase/10", "Part 10", "resolve-wave/1", "retry", "complete"):
        assert words in report
    board = Board(steps, "t")
    for event in sorted(whole.events(), key=lambda each: (each["ts"], each["seq"])):
        board.absorb(event)
        lines = frame(board, Look(width=80, now=None))
        assert all(
            sum(len(text) for text, _ in line) <= 80
            for line in lines
            if not any("podium" in text for text, _ in line)
        )
    assert board.status == "complete"


def plain(value: Any) -> Any:
    """Without times and ids."""
    if isinstance(value, dict):
        gone = {
            "ts",
            "hash",
            "prev",
            "run",
            "commit",
            "base",
            "seconds",
            "seq",
            "inherit",
            "opened",
            "assurance",
        }
        return {name: plain(each) for name, each in value.items() if name not in gone}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, str):
        return re.sub(r"sha256:[0-9a-f]{64}|\b[0-9a-f]{40}\b", "digest", value)
    return value


BY_TIME = {"document.saved", "proof.checked"}
"""A shared file is saved by whichever phase comes to it first, and whether the code is proven once
more depends on the order in which work side by side came together.
"""


def journals(run: Governed) -> Iterator[tuple[str, list[Any]]]:
    for file in sorted(run.folder.rglob("journal.jsonl")):
        events = [plain(json.loads(line)) for line in file.read_text().splitlines()]
        yield (
            file.relative_to(run.folder).as_posix(),
            [each for each in events if each["type"] not in BY_TIME],
        )


def test_the_same_input_twice_gives_the_same_journal(whole: Governed, tmp_path: Path) -> None:
    again = Governed.of(tmp_path)
    told(again)
    first, second = dict(journals(whole)), dict(journals(again))
    assert list(first) == list(second)
    for name, events in first.items():
        assert by_key(events) == by_key(second[name]), name


def by_key(events: list[Any]) -> dict[str, list[Any]]:
    """Which of two agents side by side ends first is a matter of time; what each of them does,
    and the run, is not.
    """
    found: dict[str, list[Any]] = {}
    for each in events:
        found.setdefault(str(each.get("key", "")), []).append(each)
    return found


# -- agents that lie

EXECUTE = "wave/1/phase/1/execute"
CRITICAL = g.reviewed("APPROVED", g.issue())


@pytest.mark.parametrize(
    ("calls", "classification"),
    [
        (g.writes("src/part1.py", "broken\n"), "fixable"),
        ({"fail": "empty"}, "transient"),
        (g.said("core-implementer", status="DONE"), "transient"),
        (g.said("core-implementer", confidence=7), "transient"),
        (g.said("core-implementer", phase_id=2), "transient"),
        (g.said("core-implementer", agent="CodeReviewer-subagent"), "transient"),
    ],
    ids=["build", "empty", "status", "confidence", "phase", "agent"],
)
def test_a_lie_is_caught_classified_and_never_advances(
    tmp_path: Path, calls: dict[str, Any], classification: str
) -> None:
    run = Governed.of(tmp_path)
    ended = run.go({"planner": [g.plan({})], "core-implementer": [calls]})
    assert ended.gates == ("resolve-wave/1",)
    assert {each["classification"] for each in run.events("governed.failure")} == {classification}
    assert run.events("governed.todo") == []
    assert not run.path("src/part1.py").exists()
    assert run.folder.joinpath("journal.jsonl").stat().st_size < 3_000_000


@pytest.mark.parametrize("where", ["text", "status", "file"])
def test_an_answer_of_five_megabytes_never_advances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    much = "x" * 5_000_000
    told = {
        "text": Answer(much),
        "status": Answer("done", {**good_answer("core-implementer"), "status": much}),
        "file": Answer(
            "done",
            {
                **good_answer("core-implementer"),
                "changes": [{"file": much, "action": much, "summary": "s"}],
            },
        ),
    }[where]
    real = ScriptedAgent.perform

    async def perform(self: ScriptedAgent, job: Job) -> Answer:
        return told if job.brief.role == "core-implementer" else await real(self, job)

    monkeypatch.setattr(ScriptedAgent, "perform", perform)
    run = Governed.of(tmp_path)
    assert run.go({"planner": [g.plan({})]}).gates == ("resolve-wave/1",)
    assert {each["classification"] for each in run.events("governed.failure")} == {"transient"}
    assert sum(file.stat().st_size for file in run.folder.rglob("journal.jsonl")) < 1_000_000
    assert run.path(g.SINK).stat().st_size < 1_000_000


def test_an_approval_with_a_confirmed_critical_issue_never_advances(tmp_path: Path) -> None:
    run = Governed.of(tmp_path)
    ended = run.go({"planner": [g.plan({})], "code-reviewer": [CRITICAL]})
    assert ended.gates == ("resolve-wave/1",)
    assert {each["classification"] for each in run.events("governed.failure")} == {"fixable"}
    assert run.events("verdict.contradicted")
    assert run.events("governed.todo") == []
