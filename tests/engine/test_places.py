"""A place is held while an agent works; whoever looks at its work holds none."""

from __future__ import annotations

import asyncio

from podium.engine.places import Place


def test_taking_and_leaving_twice_changes_nothing() -> None:
    async def story() -> bool:
        room = asyncio.Semaphore(1)
        place = Place(room)
        place.leave()
        await place.take()
        await place.take()
        assert room.locked()
        place.leave()
        place.leave()
        await place.take()
        return room.locked()

    assert asyncio.run(story())


def test_who_has_left_lets_the_next_one_in_and_waits_for_its_turn_again() -> None:
    async def story() -> list[str]:
        room, said = asyncio.Semaphore(1), list[str]()
        first, second = Place(room), Place(room)
        await first.take()

        async def other() -> None:
            await second.take()
            said.append("second works")
            await asyncio.sleep(0)
            second.leave()

        waiting = asyncio.ensure_future(other())
        await asyncio.sleep(0)
        said.append("first works")
        first.leave()
        await first.take()
        said.append("first works again")
        await waiting
        return said

    assert asyncio.run(story()) == ["first works", "second works", "first works again"]
