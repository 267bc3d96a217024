"""Small file work is done while somebody else works, and what must not be lost comes first."""

from __future__ import annotations

import asyncio
from typing import NoReturn

import pytest

from podium.engine.scribe import AT_ONCE_S, Scribe

LONG_S = AT_ONCE_S * 10


async def _takes(seconds: float, answer: str = "done") -> str:
    await asyncio.sleep(seconds)
    return answer


def _fails(fault: Exception) -> NoReturn:
    raise fault


def test_who_takes_a_while_finds_everything_written_in_order_what_must_last_first() -> None:
    scribe, done = Scribe(), []
    scribe.do(lambda: done.append("a"))
    scribe.do(lambda: done.append("b"))
    assert asyncio.run(scribe.beside(_takes(LONG_S), lambda: done.append("first"))) == "done"
    assert done == ["first", "a", "b"]


def test_who_is_done_at_once_waits_for_nothing() -> None:
    scribe, done = Scribe(), []
    scribe.do(lambda: done.append("a"))
    assert asyncio.run(scribe.beside(_takes(0), lambda: done.append("first"))) == "done"
    assert done == []
    scribe.flush()
    assert done == ["a"]


def test_what_must_last_and_does_not_is_told_once_the_other_is_done() -> None:
    ended = []

    async def works() -> None:
        ended.append(await _takes(LONG_S))

    with pytest.raises(OSError, match="disk"):
        asyncio.run(Scribe().beside(works(), lambda: _fails(OSError("disk"))))
    assert ended == ["done"]


def test_it_is_told_also_where_the_other_runs_out_of_time() -> None:
    async def main() -> None:
        async with asyncio.timeout(LONG_S):
            await Scribe().beside(_takes(10), lambda: _fails(OSError("disk")))

    with pytest.raises(OSError, match="disk"):
        asyncio.run(main())


def test_one_file_that_cannot_be_written_keeps_no_other_from_it_and_is_told_in_the_end() -> None:
    scribe, done = Scribe(), []
    scribe.do(lambda: _fails(OSError("full")))
    scribe.do(lambda: done.append("b"))
    with pytest.raises(OSError, match="full"):
        scribe.flush()
    assert done == ["b"]
    scribe.flush()
