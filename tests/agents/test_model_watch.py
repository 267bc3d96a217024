"""Work that is ended when its model is gone, and not before."""

from __future__ import annotations

import asyncio

import pytest
from tests.agents.jobs import run

from podium.agents import model_watch
from podium.agents.model_watch import while_model
from podium.agents.protocol import Failure, Model


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_watch, "_LOOK_S", 0.01)


async def work(seconds: float = 0.1) -> str:
    await asyncio.sleep(seconds)
    return "done"


def model(*said: Failure | None) -> Model:
    left = list(said)
    return Model(
        "openai", "http://x/v1", "t", trouble=lambda: left.pop(0) if len(left) > 1 else left[0]
    )


def test_work_without_a_gateway_and_with_a_good_model_comes_to_its_end() -> None:
    assert run(while_model(None, work())) == ("done", None)
    assert run(while_model(model(None), work())) == ("done", None)


@pytest.mark.parametrize(
    "gone",
    [
        Failure("rate_limit", "until tonight", 3600.0),
        Failure("not_dispatchable", "the key is not taken"),
    ],
)
def test_work_whose_model_is_gone_is_ended_with_the_reason(gone: Failure) -> None:
    assert run(while_model(model(None, gone), work(60))) == (None, gone)


@pytest.mark.parametrize(
    "busy", [Failure("rate_limit", "for a moment", 5.0), Failure("rate_limit", "who knows")]
)
def test_a_short_wait_is_the_agents_own(busy: Failure) -> None:
    assert run(while_model(model(busy), work())) == ("done", None)


def test_what_the_work_raises_is_raised_and_a_cancellation_reaches_it() -> None:
    ended = []

    async def broken() -> None:
        raise KeyError("x")

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    async def cancelled() -> None:
        task = asyncio.ensure_future(while_model(model(None), long()))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises(KeyError):
        run(while_model(model(None), broken()))
    with pytest.raises(asyncio.CancelledError):
        run(cancelled())
    assert ended == [True]
