"""A worker that says it is there stops saying so when it is over."""

import asyncio
from typing import Any

import pytest

from podium.fleet.presence import Presence


class Heard(Presence):
    """Without a database: what it would have been told."""

    def __init__(self) -> None:
        super().__init__("postgresql://nobody@127.0.0.1:1/none", "w1", (), 1, 30.0)
        self.told: list[Any] = []

    def _say(self, query: str, facts: dict[str, Any]) -> None:
        self.told.append(facts["draining"])


@pytest.mark.parametrize("moments", range(8))
def test_a_worker_told_to_stop_is_over_however_soon_its_last_run_is(moments: int) -> None:
    """Between the wish to stop and the end there may be any number of turns of the loop, also
    none.
    """

    async def lived() -> bool:
        presence, stop = Heard(), asyncio.Event()
        keeping = asyncio.create_task(presence.keep(stop))
        while not presence.told:  # noqa: ASYNC110  # a thread says it
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        stop.set()
        for _ in range(moments):
            await asyncio.sleep(0)
        keeping.cancel()
        await asyncio.wait([keeping], timeout=2)
        ended = keeping.done()
        while not keeping.done():  # a test that fails must end, too
            keeping.cancel()
            await asyncio.sleep(0.01)
        return ended

    assert asyncio.run(lived())


def test_a_worker_that_stops_says_so_while_it_brings_its_runs_to_the_end_of_their_steps() -> None:
    async def said() -> list[Any]:
        presence, stop = Heard(), asyncio.Event()
        keeping = asyncio.create_task(presence.keep(stop))
        while len(presence.told) < 2:
            if presence.told:
                stop.set()
            await asyncio.sleep(0.01)
        keeping.cancel()
        await asyncio.wait([keeping])
        return presence.told

    assert asyncio.run(said()) == [False, True]
