"""A worker takes the run whose turn it is, and says what becomes of the one it was told of."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fleet.test_placement import do, make

from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line import placement
from podium.fleet.line.needs import Offer
from podium.fleet.line.placement import Terms
from podium.fleet.line.wants import NONE, Wants
from podium.fleet.orders import Result
from podium.fleet.placing import Placing, Taken

pytestmark = pytest.mark.fleet
Make = Callable[..., PostgresJournal]
W1, W2 = Offer("w1", 2), Offer("w2", 2)


def take(
    journal: PostgresJournal,
    offer: Offer,
    wanted: str,
    *,
    swap: bool = False,
    barred: tuple[str, ...] = (),
) -> Taken:
    async def taken() -> Taken:
        placing = Placing(journal, offer)
        await placing.announce()
        return await placing.take(wanted, swap=swap, barred=barred)

    return asyncio.run(taken())


def test_a_run_is_taken_once(postgres: Make) -> None:
    journal = postgres()
    make(journal, "a", NONE)
    assert take(journal, W1, "a") == Taken("a", Result.CONTINUE)
    assert take(journal, W2, "a") == Taken("", Result.BUSY)
    assert take(journal, W2, "nobody") == Taken("", Result.BUSY)


def test_a_wake_up_for_one_run_may_be_the_occasion_for_another_whose_turn_it_is(
    postgres: Make,
) -> None:
    journal = postgres()
    make(journal, "first", NONE)
    make(journal, "later", NONE, needs=("gpu",))
    offer = replace(W1, labels=("gpu",))
    assert take(journal, offer, "later", swap=True) == Taken("first", Result.CONTINUE, ("gpu",))
    assert take(journal, offer, "first", swap=True) == Taken("later", Result.CONTINUE)
    make(journal, "third", NONE)
    assert take(journal, offer, "third", barred=("third",)) == Taken("", Result.BUSY)


def test_a_run_for_another_worker_is_handed_on_and_one_that_waits_for_a_limit_is_not(
    postgres: Make,
) -> None:
    journal = postgres()
    claude = Wants(("claude",), (), ("claude",))
    make(journal, "a", claude)
    assert take(journal, W1, "a") == Taken("", Result.BUSY)
    do(journal, placement.offer, replace(W2, programs=("claude",)))
    assert take(journal, W1, "a") == Taken("", Result.ELSEWHERE)
    do(journal, placement.offer, replace(W2, programs=("claude",), sore=("a",)))
    assert take(journal, W1, "a") == Taken("", Result.BUSY)
    do(journal, placement.offer, replace(W2, programs=("claude",)))
    assert take(journal, replace(W1, limits={"agents": {"claude": 0}}), "a") == Taken(
        "", Result.BUSY
    )


def test_a_run_that_another_worker_had_last_is_handed_on_for_a_moment(postgres: Make) -> None:
    journal = postgres()
    make(journal, "a", NONE)
    journal.close(journal.open("a", "two", Terms("w2")))
    do(journal, placement.offer, W2)
    patient = replace(W1, stay_s=60.0)
    assert take(journal, patient, "a") == Taken("", Result.ELSEWHERE)
    do(journal, placement.withdraw, "w2")
    assert take(journal, patient, "a") == Taken("a", Result.CONTINUE)


def test_who_takes_two_at_once_counts_the_first_for_the_second(postgres: Make) -> None:
    journal = postgres()
    for run in ("a", "b"):
        make(journal, run, Wants(("claude",)))

    async def both() -> list[Taken]:
        placing = Placing(journal, replace(W1, at_once={"claude": 1}))
        await placing.announce()
        return list(await asyncio.gather(*(placing.take(run, swap=True) for run in ("a", "b"))))

    assert [each.run for each in asyncio.run(both())] == ["a", ""]


def test_a_worker_that_takes_no_more_is_gone_from_the_line(postgres: Make) -> None:
    journal = postgres()

    async def served() -> int:
        placing, stop = Placing(journal, W1), asyncio.Event()
        keeping = asyncio.create_task(placing.keep(stop, 30.0))
        while not (there := await asyncio.to_thread(lambda: len(journal.line().offers))):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        stop.set()
        await keeping
        return there

    assert asyncio.run(served()) == 1
    assert journal.line().offers == ()
