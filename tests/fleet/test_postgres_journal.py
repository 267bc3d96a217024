"""What is PostgreSQL's own: leases, fences, lost answers, crashes, and tables of another
version.
"""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.fleet.lossy_line import LossyLine
from tests.fleet.silence import silent
from tests.state.journals import START, ticking

from podium.core.errors import Busy, ChainBroken, Fenced, Halted, UsageError
from podium.fleet.acquaintance import refuse_unknown
from podium.fleet.figures.census import totals
from podium.fleet.journal.link import Unreachable
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.journal.schema import VERSION, floor
from podium.fleet.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.fleet
NOTE = {"type": "phase.entered", "phase": "build"}
Make = Callable[..., PostgresJournal]


@pytest.fixture
def line(database: str) -> Iterator[LossyLine]:
    found = LossyLine(database)
    yield found
    found.close()


def rest(status: str, **more: Any) -> dict[str, Any]:
    return {"type": "run.paused", "state": {"step": "build", "status": status}, **more}


def test_an_owner_that_is_silent_for_its_lease_is_taken_over_and_fenced(postgres: Make) -> None:
    dead, new = postgres(), postgres()
    dead.create("r", [START])
    old = dead.open("r", "dead")
    with pytest.raises(Busy):
        new.open("r", "new")
    silent(new)
    assert new.holder("r") is None
    opened = new.open("r", "new")
    assert opened.epoch == old.epoch + 1
    for act in (lambda: dead.append(old, 1, [NOTE]), lambda: dead.create("r/child", [START])):
        with pytest.raises(Fenced, match="opened anew by new"):
            act()
    assert dead.beat("r", old.epoch) is False
    dead.close(old)  # what the old one gives back is not the new one's
    assert new.holder("r") is not None
    assert len(new.append(opened, 1, [NOTE])) == 1


def test_an_owner_that_beats_stays(postgres: Make) -> None:
    one, two = postgres(), postgres()
    one.create("r", [START])
    opened = one.open("r", "one")
    for _ in range(4):
        silent(one, 0.5)
        assert one.beat("r", opened.epoch) is True
    with pytest.raises(Busy):
        two.open("r", "two")


@pytest.mark.parametrize("what", ["append", "create", "post"])
def test_an_answer_lost_after_the_commit_is_no_failure_and_nothing_is_done_twice(
    line: LossyLine, postgres: Make, what: str
) -> None:
    j = PostgresJournal(line.url, ticking(), patience_s=20)
    j.create("r", [START])
    opened = j.open("r", "me")
    acts: dict[str, Callable[[], Any]] = {
        "append": lambda: j.append(opened, 1, [NOTE, NOTE]),
        "create": lambda: j.create("q", [START]),
        "post": lambda: j.post("r", "gate@1", {"n": 1}),
    }
    line.armed = True
    assert acts[what]()
    assert line.cut == 1
    other = postgres()
    assert len(other.read("r")) == (3 if what == "append" else 1)
    assert list(other.runs()) == (["q", "r"] if what == "create" else ["r"])
    assert len(other.inbox("r")) == (1 if what == "post" else 0)
    j.link.close()


def test_an_answer_lost_after_a_run_was_opened_leaves_it_open_here_and_to_nobody_else(
    line: LossyLine, postgres: Make
) -> None:
    j, other = PostgresJournal(line.url, ticking(), patience_s=20, worker="w1"), postgres()
    j.create("r", [START])
    line.awaited = b"update podium_run set epoch"
    opened = j.open("r", "me")
    assert (line.cut, opened.epoch) == (1, 1)
    with pytest.raises(Busy):
        other.open("r", "me")
    assert len(j.append(opened, 1, [NOTE])) == 1
    j.close(opened, "finished")
    assert [(each.worker, each.result, each.turns) for each in totals(other.link)] == [
        ("w1", "finished", 1)
    ]
    j.link.close()


def test_a_lease_that_ran_out_while_its_answer_was_lost_is_taken_anew(
    line: LossyLine, postgres: Make
) -> None:
    j = PostgresJournal(line.url, ticking(), patience_s=20, beat_s=0.05)
    j.create("r", [START])
    line.awaited = b"update podium_run set epoch"
    assert (
        j.open("r", "me").epoch == 2
    )  # a pause lies between two attempts, and it is longer than this lease
    assert postgres().read("r") == j.read("r")
    j.link.close()


def test_a_crash_of_the_server_between_two_appends_is_not_noticed(
    server: PostgresServer, postgres: Make
) -> None:
    j = postgres(patience_s=60)
    j.create("r", [START])
    opened = j.open("r", "me")
    j.append(opened, 1, [NOTE])
    server.stop("immediate")
    server.start()
    j.append(opened, 2, [NOTE])
    assert [each["seq"] for each in postgres().read("r")] == [1, 2, 3]


def test_a_database_that_stays_away_is_told(database: str) -> None:
    with pytest.raises(Unreachable, match="not reachable"):
        PostgresJournal(
            database.replace("127.0.0.1", "127.0.0.2").replace(database.rpartition(":")[2], "1/x"),
            ticking(),
            patience_s=0,
        )


def test_tables_of_a_newer_podium_are_refused_unless_it_said_that_older_ones_may_go_on(
    postgres: Make,
) -> None:
    j = postgres()
    j.link.do(
        lambda connection: connection.execute(
            "update podium_schema set version = %s", (VERSION + 2,)
        )
    )
    assert postgres().create("r", [START])
    j.link.do(
        lambda connection: connection.execute("update podium_schema set floor = %s", (VERSION + 1,))
    )
    with pytest.raises(
        UsageError,
        match=(
            f"version {VERSION + 2}, which Podium must know from {VERSION + 1} on; this one knows "
            f"{VERSION}"
        ),
    ):
        postgres()


@pytest.mark.parametrize(
    ("steps", "additive", "found"),
    [(1, set(), 1), (3, set(), 3), (3, {3}, 2), (4, {2, 4}, 3), (3, {2, 3}, 1)],
)
def test_the_oldest_podium_that_may_go_on_knows_every_step_that_is_not_named_harmless(
    steps: int, additive: set[int], found: int
) -> None:
    assert floor(steps, frozenset(additive)) == found


def test_an_owner_that_hangs_inside_a_transaction_does_not_keep_the_run(postgres: Make) -> None:
    hung, new = postgres(), postgres()
    hung.create("r", [START])
    opened = hung.open("r", "hung")
    silent(new)
    inside, over = threading.Event(), threading.Event()

    def stuck(connection: Any) -> None:
        hung._guard(connection, "r", opened.epoch)
        inside.set()
        over.wait(60)

    def hang() -> None:
        with pytest.raises(Unreachable):
            hung.link.do(stuck)

    hung.link.patience_s = 0
    thread = threading.Thread(target=hang)
    thread.start()
    assert inside.wait(60)
    began = time.monotonic()
    assert new.open("r", "new").epoch == 2
    assert time.monotonic() - began > 1  # it was locked
    over.set()
    thread.join()
    with pytest.raises(Fenced):
        hung.append(opened, 1, [NOTE])


def test_a_changed_line_is_found(postgres: Make) -> None:
    j = postgres()
    j.create("r", [START, NOTE])
    j.link.do(
        lambda connection: connection.execute(
            "update podium_event set line = replace(line, 'T001', 'T002') where seq = 1"
        )
    )
    with pytest.raises(
        ChainBroken, match="podium_event of run r:1: was changed after it was written"
    ):
        j.open("r", "me")


def test_the_runs_with_work_are_those_that_somebody_could_drive_on(postgres: Make) -> None:
    j = postgres()
    past, future = "2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"
    rests = {
        "active": [],
        "driven": [],
        "done": [rest("complete")],
        "waits": [rest("waiting", gates=["g"])],
        "told": [rest("waiting", gates=["g"])],
        "slept": [rest("sleeping", until=past)],
        "sleeps": [rest("sleeping", until=future)],
        "blocked": [rest("blocked")],
    }
    for run, told in rests.items():
        j.create(run, [START])
        opened = j.open(run, "me")
        if told:
            j.append(opened, 1, told)
        if run != "driven":
            j.close(opened)
    assert j.with_work() == ["active", "slept"]
    j.post("told", "g@2", {})
    assert j.with_work() == ["active", "slept", "told"]
    j.close(j.open("told", "who looked"))
    assert j.with_work() == ["active", "slept"]


def test_a_run_whose_owner_died_or_failed_before_it_read_the_message_has_work(
    postgres: Make,
) -> None:
    j = postgres()
    j.create("r", [START])
    opened = j.open("r", "me")
    j.append(opened, 1, [rest("waiting")])
    j.close(opened)
    j.post("r", "g@1", {})
    j.abandon(j.open("r", "who failed"))
    assert (j.with_work(), j.holder("r")) == (["r"], None)
    postgres().open("r", "who dies")
    assert j.with_work() == []
    silent(j)
    assert j.with_work() == ["r"]
    j.close(j.open("r", "who did it"))
    assert j.with_work() == []


def test_the_end_of_a_lease_that_nobody_renewed_is_foreseen(postgres: Make) -> None:
    j = postgres(beat_s=2.0)
    j.create("r", [START])
    opened = j.open("r", "me")
    assert j.next_lease_s() is None
    j.link.do(
        lambda connection: connection.execute(
            "update podium_run set seen = seen - interval '2 seconds'"
        )
    )
    left = j.next_lease_s()
    assert left is not None
    assert 0 < left <= 1
    assert j.beat("r", opened.epoch)
    assert j.next_lease_s() is None


def test_a_parcel_and_a_request_stay_with_the_run(postgres: Make) -> None:
    j = postgres()
    j.create("r", [START], request={"workflow": "harness"}, parcel="abc")
    opened = j.open("r", "me")
    assert (j.request("r"), j.parcel("r")) == ({"workflow": "harness"}, "abc")
    j.append(opened, 1, [NOTE])
    assert j.parcel("r") == "abc"
    j.append(opened, 2, [NOTE], parcel="def")
    j.create("r/child", [START])
    assert (j.parcel("r"), j.family("r")) == ("def", ["r", "r/child"])


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"type": "step.paid"}, "the type 'step.paid', which this Podium does not know"),
        ({"type": "run.resumed", "version": "0.2.0"}, "driven by Podium 0.2.0"),
    ],
)
def test_a_journal_that_says_more_than_is_known_here_is_not_driven(
    event: dict[str, Any], said: str
) -> None:
    known = [
        {**START, "run": "r", "seq": 1, "version": "0.1.0"},
        {"type": "harness.note", "seq": 2},
    ]
    refuse_unknown(known, "0.1.7")
    with pytest.raises(Halted, match=said):
        refuse_unknown([*known, {**event, "seq": 3}], "0.1.7")
