"""The line, the limits and the offers in a real PostgreSQL; workers that race are processes of
their own.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.fleet.fleets import ROOT, until
from tests.fleet.racing import LIMITS
from tests.fleet.silence import silent
from tests.state.journals import START

from podium.core.errors import Busy
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.journal.schema import STEPS
from podium.fleet.line import placement
from podium.fleet.line.line import judged
from podium.fleet.line.needs import Offer
from podium.fleet.line.placement import Full, Terms
from podium.fleet.line.wants import Wants, written

pytestmark = pytest.mark.fleet
Make = Callable[..., PostgresJournal]
ONE = Terms("w1", {"agents": {"claude": 1}})
CLAUDE = Wants(("claude",), ("anthropic",), ("claude",))


def make(
    journal: PostgresJournal,
    run: str,
    wants: Wants = CLAUDE,
    user: str = "anna",
    needs: tuple[str, ...] = (),
) -> None:
    assert journal.create(
        run, [START], request={"user": user, "wants": written(wants), "needs": list(needs)}
    )


def do(journal: PostgresJournal, work: Callable[..., Any], *args: Any) -> Any:
    return journal.link.do(lambda connection: work(connection, *args))


def test_racing_processes_never_pass_a_limit(postgres: Make, database: str) -> None:
    journal = postgres()
    for number in range(18):
        agents = (("claude",), ("claude", "codex"), ("mine",))[number % 3]
        make(journal, f"r{number}", Wants(agents, ("anthropic",)), f"user{number % 4}")
    words = [sys.executable, "-m", "tests.fleet.racing", database]
    racers = [
        subprocess.Popen([*words, f"w{number}", "60"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for number in range(6)
    ]
    told = [json.loads(each.communicate(timeout=100)[0]) for each in racers]
    assert sum(each["got"] for each in told) > 40
    assert sum(each["full"] for each in told) > 40
    # Each limit is reached, so that one that did not hold would have been passed.
    assert max(each["claude"] for each in told) == LIMITS["agents"]["claude"]
    assert max(each["anthropic"] for each in told) == LIMITS["providers"]["anthropic"]
    assert max(each["user"] for each in told) == LIMITS["users"]["default"]
    assert journal.line().under_way == ()


def test_a_limit_is_free_again_when_a_run_is_given_back_and_when_its_owner_is_dead(
    postgres: Make,
) -> None:
    first, second = postgres(beat_s=30), postgres(beat_s=30)
    for run in ("a", "b", "c"):
        make(first, run)
    opened = first.open("a", "one", ONE)
    with pytest.raises(Full, match=r"run b waits: agents.claude: 1 of 1 under way"):
        second.open("b", "two", ONE)
    first.close(opened)
    second.open("b", "two", ONE)
    first.beat_s = 0.2  # two never speaks: its lease is over after three tenths of a second
    until(lambda: not first.line().under_way, "the lease of b ends", 5)
    first.open("c", "one", ONE)
    with pytest.raises(Full):
        second.open("a", "two", ONE)


def test_a_lease_that_is_over_stays_so_because_its_place_may_be_anothers(postgres: Make) -> None:
    hung, other = postgres(), postgres()
    make(hung, "a")
    make(hung, "b")
    opened = hung.open("a", "one", ONE)
    assert hung.beat("a", opened.epoch)
    silent(other)
    assert not other.line().under_way
    other.open("b", "two", ONE)
    assert not hung.beat("a", opened.epoch)
    assert [each.run for each in postgres(beat_s=60).line().under_way if each.worker == "w1"] != []


def test_runs_that_rest_and_runs_that_were_opened_to_look_count_for_nothing(postgres: Make) -> None:
    journal, other = postgres(), postgres()
    make(journal, "a")
    make(journal, "b")
    opened = journal.open("a", "one", ONE)
    journal.append(
        opened, 1, [{"type": "run.paused", "state": {"status": "waiting"}, "gates": ["g"]}]
    )
    journal.close(opened)
    other.close(other.open("b", "two", ONE))
    journal.close(journal.open("b", "who looks"))


def test_a_refused_owner_leaves_nothing_behind(postgres: Make) -> None:
    journal, other = postgres(), postgres()
    make(journal, "a")
    make(journal, "b")
    journal.open("a", "one", ONE)
    with pytest.raises(Full):
        other.open("b", "two", ONE)
    assert other.holder("b") is None
    assert [each.run for each in other.line().waiting] == ["b"]
    opened = other.open("b", "two", Terms("w2"))
    assert (opened.epoch, opened.seq) == (1, 1)


def test_a_run_that_is_cancelled_waits_for_no_limit_and_no_agent(postgres: Make) -> None:
    journal = postgres()
    closed = Terms("w1", {"agents": {"claude": 0}, "users": {"default": 0}})
    make(journal, "a", needs=("gpu",))
    with pytest.raises(Full):
        journal.open("a", "one", closed)
    assert not do(journal, placement.call, "a", closed, 15.0)
    journal.post("a", "cancel", {"reason": "enough"})
    offer = Offer("w1", limits=closed.limits)
    assert judged(journal.line(), offer) == {"a": None}
    assert do(journal, placement.call, "a", closed, 15.0)
    journal.open("a", "one", closed)
    assert [each.wants.agents for each in journal.line().under_way] == [()]


def test_a_run_is_called_by_one_worker_and_not_beyond_a_limit(postgres: Make) -> None:
    journal = postgres()
    make(journal, "a")
    make(journal, "b")
    two = Terms("w2", ONE.limits)
    assert do(journal, placement.call, "a", ONE, 15.0)
    assert not do(journal, placement.call, "a", two, 15.0)
    assert not do(journal, placement.call, "b", two, 15.0)
    line = journal.line()
    assert [each.run for each in line.waiting] == ["b"]
    assert [(each.run, each.worker, each.wants.agents) for each in line.under_way] == [
        ("a", "w1", ("claude",))
    ]
    do(journal, placement.call_off, "a", "w2")
    assert not do(journal, placement.call, "b", two, 15.0)
    do(journal, placement.call_off, "a", "w1")
    assert do(journal, placement.call, "b", two, 15.0)
    opened = journal.open("b", "two", two)
    assert not do(journal, placement.call, "b", ONE, 15.0)
    journal.close(opened)
    assert do(journal, placement.call, "b", ONE, 15.0)


def test_a_run_counts_for_the_agent_that_is_usual_where_it_is_driven(postgres: Make) -> None:
    journal, other = postgres(), postgres()
    make(journal, "a", Wants(unset=True))
    make(journal, "b")
    usual = Terms("w1", ONE.limits, CLAUDE)
    opened = journal.open("a", "one", usual)
    with pytest.raises(Full):
        other.open("b", "two", ONE)
    journal.close(opened)
    assert journal.line().waiting[0].wants == Wants(unset=True)


def test_the_line_tells_whose_a_run_is_what_it_wants_and_who_had_it_last(postgres: Make) -> None:
    journal = postgres()
    make(journal, "a", CLAUDE, "anna", ("gpu",))
    make(journal, "b", Wants(("mine",)), "ben")
    journal.close(journal.open("a", "one", Terms("w7")))
    time.sleep(0.2)
    found = {each.run: each for each in journal.line().waiting}
    assert (found["a"].user, found["a"].wants, found["a"].needs, found["a"].last) == (
        "anna",
        CLAUDE,
        ("gpu",),
        "w7",
    )
    assert (found["b"].user, found["b"].last) == ("ben", "")
    assert found["b"].since < found["a"].since
    assert 0.2 <= found["a"].ready_s < 60
    assert set(journal.line().served) == {
        ("anna", key) for key in ("", "agents.claude", "providers.anthropic", "users.anna")
    }
    journal.post("b", "note", {})
    assert {each.run: each for each in journal.line().waiting}["b"].ready_s < found["b"].ready_s


def test_of_many_runs_that_are_alike_the_first_in_line_are_looked_at(
    postgres: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "ALIKE", 3)
    journal = postgres()
    for number in range(6):
        make(journal, f"r{number}")
    make(journal, "other", user="ben")
    assert sorted(each.run for each in journal.line().waiting) == ["other", "r0", "r1", "r2"]


def test_a_worker_is_there_as_long_as_it_speaks_and_until_it_takes_no_more(postgres: Make) -> None:
    journal = postgres(beat_s=30)
    offers = [
        Offer(
            "w1",
            4,
            ("gpu",),
            ("claude",),
            ("landlock",),
            8,
            {"claude": 1},
            {"users": {"default": 2}},
            CLAUDE,
            5.0,
            ("a",),
        ),
        Offer("w2"),
    ]
    for each in offers:
        do(journal, placement.offer, each)
    assert list(journal.line().offers) == offers
    do(journal, placement.withdraw, "w2")
    assert list(journal.line().offers) == offers[:1]
    journal.beat_s = 0.1
    until(lambda: not journal.line().offers, "its silence is noticed", 5)


def test_runs_of_an_older_podium_keep_their_needs(database: str) -> None:
    import psycopg  # noqa: PLC0415

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(STEPS[0])
        connection.execute("create table podium_schema (version integer not null)")
        connection.execute("insert into podium_schema values (1)")
        for run, request in (("a", '{"needs": ["gpu", "big"]}'), ("b", "{}"), ("c", "")):
            connection.execute(
                "insert into podium_run (id, root, token, request) values (%s, %s, 'x', %s)",
                (run, run, request),
            )
    journal = PostgresJournal(database, lambda: pytest.fail("nothing is written"))
    assert {each.run: each.needs for each in journal.line().waiting} == {
        "a": ("gpu", "big"),
        "b": (),
        "c": (),
    }
    journal.link.close()


def test_an_owner_that_lives_is_busy_whatever_the_limits_say(postgres: Make) -> None:
    journal, other = postgres(), postgres()
    make(journal, "a")
    journal.open("a", "one", ONE)
    with pytest.raises(Busy, match="drives run a"):
        other.open("a", "two", Terms("w2", {"agents": {"claude": 5}}))
