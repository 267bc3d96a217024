"""What every agent owes the engine, whatever it is made of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.agents.jobs import Stage, run, size, still_writing, until

from podium.agents.command import CommandAgent
from podium.agents.protocol import Agent
from podium.agents.scenario_file import parse
from podium.agents.scripted import ScriptedAgent

BEAT = (
    'setsid sh -c "while :; do echo x >> beat; sleep 0.02; done" & while [ ! -s beat ]; do sleep '
    "0.01; done"
)
DEEDS: Mapping[str, tuple[str, str]] = {
    "good": (
        "{write: {'@spec': 'text'}, verdict: {status: done}, say: 'DONE: ok'}",
        """mkdir -p docs; printf text > docs/spec.md; echo '{"status": "done"}' > "$PODIUM_VERDICT"; echo DONE: ok""",  # noqa: E501
    ),
    "wordless": ("{fail: empty}", "true"),
    "crash": ("{write: {a.txt: a}, fail: crash}", "echo a > a.txt; exit 1"),
    "hang": ("{write: {a.txt: a}, fail: hang}", "echo a > a.txt; sleep 600"),
    "garbage": ("{fail: garbage}", "printf '\\377\\000'"),
    "stray": (f"{{run: '{BEAT.replace(chr(39), chr(39) * 2)}', say: done}}", f"{BEAT}; echo done"),
    "endless": (f"{{run: '{BEAT}; sleep 600'}}", f"{BEAT}; sleep 600"),
}


def scripted(deed: str, root: Path) -> Agent:
    return ScriptedAgent(parse(f"defaults: {DEEDS[deed][0]}\n", "s.yaml"), root)


def command(deed: str, root: Path) -> Agent:
    return CommandAgent("command", ["sh", "-c", DEEDS[deed][1]])


Make = Callable[[str, Path], Agent]


@pytest.fixture(params=[scripted, command], ids=["scripted", "command"])
def make(request: pytest.FixtureRequest) -> Make:
    found: Make = request.param
    return found


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_it_has_a_name(make: Make, tmp_path: Path) -> None:
    assert make("good", tmp_path).name


def test_it_works_in_the_folder_and_reports_words_and_verdict(make: Make, stage: Stage) -> None:
    answer = run(make("good", stage.root).perform(stage.job()))
    assert answer.text.strip() == "DONE: ok"
    assert answer.verdict == {"status": "done"}
    assert answer.failure is None
    assert (stage.folder / "docs/spec.md").read_text() == "text"
    assert stage.said


def test_it_does_the_same_again_on_the_same_job(make: Make, stage: Stage) -> None:
    agent = make("good", stage.root)
    assert run(agent.perform(stage.job())) == run(agent.perform(stage.job()))


@pytest.mark.parametrize(
    ("deed", "kind"), [("wordless", "empty"), ("crash", "crash"), ("garbage", "garbage")]
)
def test_a_failure_is_a_value_with_a_detail(make: Make, stage: Stage, deed: str, kind: str) -> None:
    failure = run(make(deed, stage.root).perform(stage.job())).failure
    assert failure is not None
    assert failure.kind == kind
    assert failure.detail


def test_it_ends_when_its_time_is_over(make: Make, stage: Stage) -> None:
    failure = run(make("hang", stage.root).perform(stage.job(timeout_s=0.4))).failure
    assert failure is not None
    assert failure.kind == "timeout"
    assert (stage.folder / "a.txt").exists()


def test_nothing_it_started_goes_on_after_its_answer(make: Make, stage: Stage) -> None:
    answer = run(make("stray", stage.root).perform(stage.job()))
    assert answer.text.strip() == "done"
    assert size(stage.folder / "beat") > 0
    assert not still_writing(stage.folder / "beat")


@pytest.mark.parametrize("deed", ["hang", "endless"])
def test_a_cancellation_ends_it_with_all_it_started(make: Make, stage: Stage, deed: str) -> None:
    trace = stage.folder / {"hang": "a.txt", "endless": "beat"}[deed]

    async def cancel_it() -> None:
        work = asyncio.ensure_future(make(deed, stage.root).perform(stage.job()))
        await asyncio.to_thread(until, lambda: size(trace) > 0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    run(cancel_it())
    assert not still_writing(trace)
