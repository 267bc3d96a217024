"""Every owner's time with a run is kept in the database's clock: when there was work, who took
it, how it ended.
"""

import time
from collections.abc import Callable

import pytest
from tests.fleet.silence import silent
from tests.state.journals import START

from podium.fleet.figures.census import census, totals
from podium.fleet.figures.counts import Census
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.journal.schema import STEPS, migrate
from podium.fleet.line import placement
from podium.fleet.line.needs import Offer

pytestmark = pytest.mark.fleet
Make = Callable[..., PostgresJournal]
DONE = {"type": "step.finished", "key": "build/1", "outputs": {}}
REQUEST = {"workflow": "harness", "needs": ["gpu"]}


def rest(status: str, **more: str) -> dict[str, object]:
    return {"type": "run.paused", "state": {"step": "build", "status": status}, **more}


def seen(journal: PostgresJournal) -> Census:
    return census(journal.link, journal.lease_s, 3600.0)


def test_a_turn_keeps_who_drove_which_workflow_for_how_long_and_how_it_ended(
    postgres: Make,
) -> None:
    journal = postgres(worker="w1")
    journal.create("r", [START], request=REQUEST)
    [queued] = seen(journal).queue
    assert (queued.run, queued.workflow, queued.needs) == ("r", "harness", ("gpu",))
    time.sleep(0.3)
    opened = journal.open("r", "w1 (ada@host)")
    now = seen(journal)
    [turn] = now.turns
    assert now.queue == []
    assert (turn.worker, turn.workflow, turn.closed, turn.result) == ("w1", "harness", None, "")
    assert 0.3 <= turn.waited < 5
    journal.append(opened, 1, [DONE, DONE])
    journal.append(opened, 3, [rest("waiting")])
    journal.close(opened, "parked")
    [turn] = seen(journal).turns
    assert turn.closed is not None
    assert (turn.steps, turn.result, turn.status) == (2, "parked", "waiting")
    assert seen(journal).queue == []
    [total] = totals(journal.link)
    assert (total.worker, total.workflow, total.result, total.turns, total.steps, total.ended) == (
        "w1",
        "harness",
        "parked",
        1,
        2,
        0,
    )


def test_the_queue_says_why_each_run_waits_as_the_line_does_and_which_no_worker_can_take(
    postgres: Make,
) -> None:
    journal = postgres()
    for run, need in (("able", "cores=2"), ("large", "cores=64")):
        journal.create(run, [START], request={"workflow": "harness", "needs": [need]})
    assert [each.why for each in seen(journal).queue] == ["no worker is running"] * 2
    journal.link.do(lambda connection: placement.offer(connection, Offer("w1", cores=4)))
    told = {each.run: (each.why, each.stranded) for each in seen(journal).queue}
    assert told["able"] == ("a worker is about to take it", False)
    assert told["large"][0].startswith("no worker has what it needs")
    assert told["large"][1]


def test_a_message_puts_a_parked_run_into_the_queue_from_its_moment_on(postgres: Make) -> None:
    journal = postgres()
    journal.create("r", [START], request=REQUEST)
    opened = journal.open("r", "w1")
    journal.append(opened, 1, [rest("waiting")])
    journal.close(opened, "parked")
    closed = seen(journal).turns[0].closed
    time.sleep(0.2)
    journal.post("r", "gate@1", {"decision": "approved"})
    [queued] = seen(journal).queue
    assert closed is not None
    assert queued.ready >= closed + 0.2
    time.sleep(0.2)
    journal.open("r", "w2")
    assert 0.2 <= seen(journal).turns[1].waited < 5


def test_a_silent_owners_turn_is_lost_and_the_wait_for_the_next_begins_when_its_lease_ends(
    postgres: Make,
) -> None:
    dead, new = postgres(worker="w1"), postgres(worker="w2")
    dead.create("r", [START], request=REQUEST)
    old = dead.open("r", "dead")
    silent(new)
    for table in ("podium_run", "podium_turn"):
        new.link.do(
            lambda connection, table=table: connection.execute(
                f"update {table} set opened = opened - interval '20 seconds'"
            )
        )
    now = seen(new)
    assert [(each.worker, each.result) for each in now.turns] == [("w1", "lost")]
    assert [each.run for each in now.queue] == ["r"]
    new.open("r", "new")
    dead.close(old, "finished")  # of the past: it changes nothing
    first, second = seen(new).turns
    assert first.result == "lost"
    assert first.closed is not None
    assert first.closed == pytest.approx(first.opened, abs=1)  # its last sign of life
    assert second.ready == pytest.approx(first.closed + new.lease_s, abs=0.001)
    assert {each.worker: each.result for each in totals(new.link)} == {"w1": "lost", "w2": ""}


def test_a_timer_that_is_over_queues_its_run_since_then(postgres: Make) -> None:
    journal = postgres()
    for run, until in (("late", "2999-01-01T00:00:00.000Z"), ("over", "2025-01-02T00:00:00.000Z")):
        journal.create(run, [START], request=REQUEST)
        opened = journal.open(run, "w1")
        journal.append(opened, 1, [rest("sleeping", until=until)])
        journal.close(opened, "parked")
    [queued] = seen(journal).queue
    assert queued.run == "over"
    assert queued.ready == pytest.approx(
        next(each.closed for each in seen(journal).turns if each.run == "over")
    )


def test_a_database_of_the_first_version_is_brought_up_and_its_runs_are_counted(
    postgres: Make, database: str
) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "create table podium_schema (version integer not null); insert into podium_schema "
            "values (1)"
        )
        connection.execute(STEPS[0])
        connection.execute("insert into podium_run (id, root, token) values ('old', 'old', 't')")
        with connection.transaction():
            migrate(connection)
    journal = postgres()
    [queued] = seen(journal).queue
    assert (queued.run, queued.workflow, queued.needs) == ("old", "", ())
    journal.open("old", "w1")
    assert seen(journal).turns[0].waited < 5
