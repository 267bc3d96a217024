"""`podium ui` shows runs of the fleet as if they were here, and decides on them."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fleet.dashboards import GATE, dashboard, decide, page, post
from tests.fleet.fleets import CALM_S, until
from tests.fleet.test_openmetrics import read
from tests.fleet.workers import Site
from tests.web.conftest import Running

from podium.fleet import outlook
from podium.web.cards import FRESH_S
from podium.web.pages import links

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]


@pytest.fixture
def site(tmp_path: Path, database: str) -> Iterator[Site]:
    found = Site(tmp_path, database, CALM_S)
    yield found
    found.close()


@pytest.fixture
def running(site: Site) -> Iterator[Running]:
    with dashboard(site) as found:
        yield found


def parked(site: Site, running: Running, run: str = "R1") -> None:
    site.submitted(run, gates=True)
    assert site.drive(run) == "parked"
    # By the gate's address: its name is also that of the step, which the list may show before the
    # gate is open.
    until(lambda: links.gate(run, GATE) in page(running, "/"), "the gate in the list")


def test_a_run_of_the_fleet_is_listed_and_its_pages_are_there(site: Site, running: Running) -> None:
    site.submitted("R1")
    until(lambda: "/runs/R1" in page(running, "/"), "the run in the list")
    assert "in the queue" in page(running, "/")
    assert "it waits for a worker" in page(running, "/runs/R1")
    assert site.drive("R1") == "finished"
    # By the event: the word alone is also in the question of a gate that the diagram shows from the
    # beginning.
    until(lambda: "finished: complete" in page(running, "/runs/R1"), "its end")
    text = page(running, "/runs/R1")
    assert "every hash was computed again and holds" in text
    assert "Workers of the fleet drive this run" in text
    key = site.events("step.finished")[0]["key"]
    step = page(running, links.step("R1", key))
    assert "prompt.md" in step  # the files of the step came with the last parcel
    file = running.client.get(links.file("R1", f"steps/{key}/prompt.md"))
    assert file.status_code == 200
    assert file.content
    assert "R1" in page(running, "/runs/R1/report.html")
    assert not (site.project / ".podium" / "runs" / "R1").exists()


def test_a_run_has_its_page_from_the_moment_in_which_it_is_submitted(
    site: Site, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlook, "PAUSE_S", 600.0)
    time.sleep(1.0)  # the look that is under way is the last one for long
    assert running.client.get("/runs/R1").status_code == 404
    site.submitted("R1")
    assert running.client.get("/runs/R1").status_code == 200


def test_an_approval_in_the_browser_reaches_the_worker(site: Site, running: Running) -> None:
    parked(site, running)
    text = page(running, links.gate("R1", GATE))
    assert (
        "Implementation Plan" in text
    )  # the document as the worker left it, which this machine never had
    assert "continue the run at once" not in text
    answer = decide(running, "R1", "approve", note="as agreed")
    assert answer.status_code == 303, answer.text
    assert "A worker of the fleet continues" in page(running, "/runs/R1")
    assert "decided, not taken up yet" in page(running, links.gate("R1", GATE))
    assert site.drive("R1") == "parked"
    [decided] = site.events("gate.decided")
    assert (decided["decision"], decided["by"], decided["note"]) == ("approved", "Ada", "as agreed")


def test_a_rejection_sends_the_run_back_and_a_second_decision_is_told_who_was_first(
    site: Site, running: Running
) -> None:
    parked(site, running)
    assert decide(running, "R1", "reject", note="too long", to="specification").status_code == 303
    late = post(
        running,
        f"{links.gate('R1', GATE)}/approve",
        seen=json.dumps(site.events("gate.opened")[0]["subject"]),
        opened="",
    )
    assert late.status_code == 409
    assert "Somebody was first" in late.text
    assert site.drive("R1") == "parked"
    assert site.events("gate.decided")[0]["decision"] == "specification"
    assert (
        len(
            [
                each
                for each in site.events("step.finished")
                if each["key"].startswith("specification")
            ]
        )
        == 2
    )


def test_what_was_not_shown_is_not_approved(site: Site, running: Running) -> None:
    parked(site, running)
    subject = dict.fromkeys(site.events("gate.opened")[0]["subject"], "sha256:" + "0" * 64)
    refused = decide(running, "R1", "approve", seen=json.dumps(subject))
    assert refused.status_code == 409
    assert site.journal.inbox("R1") == {}


def test_a_run_is_cancelled_and_a_blocked_one_is_sent_on(site: Site, running: Running) -> None:
    parked(site, running)
    assert post(running, "/runs/R1/cancel", reason="no need").status_code == 303
    assert site.drive("R1") == "finished"
    assert site.status() == "cancelled"
    until(lambda: "cancelled" in page(running, "/runs/R1"), "the end on its page")
    site.submitted("R2", {"build": [{"fail": "crash"}, {"behave": "well"}]})
    assert site.drive("R2") == "parked"
    assert site.status("R2") == "blocked"
    until(
        lambda: "/runs/R2" in page(running, "/"), "the second run in the list"
    )  # no page of it before
    until(lambda: "What was changed" in page(running, "/runs/R2"), "the form")
    assert post(running, "/runs/R2/resume").status_code == 409
    assert post(running, "/runs/R2/resume", because="mended").status_code == 303
    site.drive("R2")
    assert [each for each in site.events("run.resumed", "R2") if each.get("reason") == "mended"]


def test_the_page_of_the_fleet_shows_workers_queue_and_figures(
    site: Site, running: Running
) -> None:
    assert "No worker is there" in page(running, "/fleet")
    site.submitted("R1")
    site.submitted("R2", needs=("tpu",))
    site.worker("w1", "--label", "gpu")
    until(lambda: site.status("R1") == "complete", "the end")
    until(
        lambda: "needs what no worker has" in page(running, "/fleet"),
        "the run that nobody can take",
    )
    text = page(running, "/fleet?window=15m")
    assert "<strong>w1</strong>" in text
    assert 'aria-label="Queue: 1 now' in text
    assert "/runs/R2" in text
    assert page(running, "/fleet?window=<script>") == page(running, "/fleet")
    found = read(running.client.get("/metrics").text)
    assert found['podium_fleet_queue_runs{workflow="harness"}'] == 1


def test_while_the_database_is_away_what_is_known_stays(
    site: Site, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    parked(site, running)
    fleet = running.served.site.fleet
    assert fleet is not None
    monkeypatch.setattr("podium.fleet.outlook.STALE_S", 0.0)
    fleet.truth.link.url = "postgresql://nobody@127.0.0.1:1/none"
    fleet.truth.link.patience_s = 0.0
    fleet.truth.link.close()
    until(lambda: "has not answered for" in page(running, "/"), "the word about it")
    assert GATE in page(running, "/")
    assert "waits for you" in page(running, "/runs/R1")
    assert decide(running, "R1", "approve").status_code == 400
    assert "not reachable" in page(running, "/fleet", 409)


def test_a_disk_that_failed_for_a_while_ends_no_dashboard(
    site: Site, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.submitted("R1")
    until(lambda: "/runs/R1" in page(running, "/"), "the run in the list")
    fleet = running.served.site.fleet
    assert fleet is not None
    monkeypatch.setattr("podium.fleet.outlook.STALE_S", 0.0)
    away = fleet.home.with_name("away")
    fleet.home.rename(away)
    fleet.home.write_text("no folder")
    until(
        lambda: "could not be written here (File exists) for" in page(running, "/"),
        "the word about it",
    )
    fleet.home.unlink()
    away.rename(fleet.home)
    assert site.drive("R1") == "finished"
    until(lambda: "finished: complete" in page(running, "/runs/R1"), "its end")


def test_a_run_that_was_told_something_just_before_the_database_went_away_is_not_called_damaged(
    site: Site, running: Running
) -> None:
    parked(site, running)
    fleet = running.served.site.fleet
    assert fleet is not None
    link, real = fleet.truth.link, fleet.truth.link.url
    message = f"{GATE}@{site.events('gate.opened')[0]['seq']}"
    site.journal.post("R1", message, {"decision": "approved", "by": "Ben"})
    fleet.look()  # it knows that there is a message; nobody has asked for it yet
    link.url, link.patience_s = "postgresql://nobody@127.0.0.1:1/none", 0.0
    link.close()
    time.sleep(2 * FRESH_S)  # the list knows of the message, too
    assert "waits for you" in page(running, "/runs/R1")
    assert links.gate("R1", GATE) in page(running, "/")
    link.url = real
    until(
        lambda: links.gate("R1", GATE) not in page(running, "/"),
        "the decision, when the database is back",
    )


def test_without_a_fleet_there_is_no_page_of_it(tmp_path: Path) -> None:
    from tests.fakes.project import Project  # noqa: PLC0415
    from tests.web.conftest import desk_of  # noqa: PLC0415

    desk = desk_of(Project.at(tmp_path))
    assert desk.client.get("/fleet").status_code == 404
    assert desk.client.get("/metrics").status_code == 404
    assert 'href="/fleet"' not in desk.client.get("/").text
