"""Workers of this and of a newer Podium on one database, each from an installation of its own."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.project import QA
from tests.fleet import sleepers
from tests.fleet.fleets import until
from tests.fleet.installs import KIND, Install
from tests.fleet.workers import Site

from podium.core.errors import UsageError

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]


@pytest.fixture
def site(in_memory: Path, database: str) -> Iterator[Site]:
    found = Site(in_memory, database)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


@pytest.fixture
def newer(tmp_path: Path) -> Install:
    return Install(tmp_path / "newer")


def log(site: Site, name: str) -> str:
    return (site.base / f"{name}.log").read_text()


def complete(site: Site, run: str) -> None:
    until(lambda: site.status(run) == "complete", f"{run} ends\n{site.logs()}", 100)
    assert set(Counter(each["key"] for each in site.events("step.finished", run)).values()) == {1}
    until(lambda: site.journal.holder(run) is None, "it is given back")
    assert "Pass" in site.show(QA, run)


def test_a_newer_worker_goes_on_with_a_run_and_the_old_one_then_leaves_it_to_others(
    site: Site, newer: Install
) -> None:
    """By an event that the old one does not know; tests of the driver show that a higher number
    is enough.
    """
    newer = newer.with_new_event()
    asleep = sleepers.of(site, times=2)
    site.submitted("R1", asleep.agents)
    old = site.worker("old")
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    new = site.worker("new", told=newer.environment)
    until(lambda: "told by" in log(site, "new"), "the newer worker is there")
    old.kill()
    until(lambda: asleep.begun() == 2, f"the newer one takes over\n{site.logs()}", 60)
    site.worker("old")
    until(lambda: log(site, "old").count("told by") == 2, "the old worker is there again")
    new.kill()
    before = len(site.events(run="R1"))
    until(lambda: "refused" in log(site, "old"), f"the old one refuses\n{site.logs()}", 60)
    assert f"{KIND!r}, which this Podium does not know" in log(site, "old")
    site.submitted("R2")
    complete(site, "R2")
    assert (len(site.events(run="R1")), asleep.begun()) == (before, 2)
    site.worker("new", told=newer.environment)
    complete(site, "R1")
    assert asleep.orphans() == ""


def test_tables_with_something_that_may_be_overlooked_are_for_workers_of_both_versions(
    site: Site, newer: Install
) -> None:
    newer.with_new_table(additive=True)
    asleep = sleepers.of(site)
    site.submitted("R1", asleep.agents)
    new = site.worker("new", told=newer.environment)
    until(asleep.begun, f"the build begins\n{site.logs()}", 90)
    assert site.journal.link.do(
        lambda connection: connection.execute("select to_regclass('podium_scale')").fetchone()[0]
    )
    site.worker("old")
    until(lambda: "told by" in log(site, "old"), "the old worker is there")
    new.kill()
    complete(site, "R1")


def test_tables_with_a_new_rule_shut_the_old_workers_out_and_say_so(
    site: Site, newer: Install
) -> None:
    newer.with_new_table(additive=False)
    old = site.worker("old")
    until(lambda: "told by" in log(site, "old"), "the old worker is there")
    site.submitted("R1", {"build": [{"behave": "well", "sleep": 1}]}, needs=("later",))
    new = site.worker("new", "--label", "later", told=newer.environment)
    complete(site, "R1")
    new.kill()
    refused = subprocess.run(
        [sys.executable, "-m", "podium", "worker", "--name", "late"],
        cwd=site.project,
        env=site.environment(),
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert refused.returncode == 2
    assert "use the Podium that made it, or a newer one" in refused.stderr
    with pytest.raises(UsageError, match="or a newer one"):
        site.submitted("R2")
    told = subprocess.run(
        [
            sys.executable,
            "-m",
            "podium",
            "submit",
            "harness",
            "harness/tasks/T001-sample.md",
            "--run-id",
            "R2",
            "--agent",
            site.scenario(),
            "--set",
            "retry_backoff_s=0",
            "--set",
            "require_approval_before_build=false",
            "--set",
            "require_approval_before_complete=false",
        ],
        cwd=site.project,
        env={**site.environment(), **newer.environment},
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert told.returncode == 0, told.stderr
    until(lambda: "or a newer one" in log(site, "old"), f"the old one refuses\n{site.logs()}", 60)
    assert (old.poll(), len(site.events(run="R2"))) == (None, 1)
    site.worker("new", told=newer.environment)
    complete(site, "R2")
