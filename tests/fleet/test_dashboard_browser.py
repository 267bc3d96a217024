"""The dashboard over a fleet in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.fleet.dashboards import dashboard
from tests.fleet.workers import Site
from tests.web.browsing import browser, chromium, entered, serious, troubles
from tests.web.conftest import Running

pytestmark = [pytest.mark.fleet, pytest.mark.browser, pytest.mark.timeout(240)]
WAIT_MS = 60_000

__all__ = ["browser", "chromium"]


@pytest.fixture
def site(tmp_path: Path, database: str) -> Iterator[Site]:
    found = Site(tmp_path, database)
    yield found
    found.close()


@pytest.fixture
def running(site: Site) -> Iterator[Running]:
    with dashboard(site) as found:
        yield found


def opened(browser: Browser, running: Running, path: str = "", **more: object) -> Page:
    page = entered(browser, running, **more)
    page.goto(running.served.address + path)
    return page


def test_a_run_of_the_fleet_is_watched_live_and_approved_to_its_end(
    site: Site, running: Running, browser: Browser
) -> None:
    page = opened(browser, running)
    found = troubles(page)
    site.submitted("R1", gates=True)
    row = page.locator(".run-row", has_text="R1")
    expect(row.locator(".chip")).to_have_text("in the queue", timeout=WAIT_MS)
    site.worker("w1")
    row.get_by_role("link", name="Decide on approve-build").click(timeout=WAIT_MS)
    expect(page.locator("#subject")).to_contain_text("Implementation Plan")
    page.get_by_role("button", name="Approve as Ada").click()
    expect(page.locator(".notice")).to_contain_text("A worker of the fleet continues")
    page.locator("[data-gate]").click(timeout=WAIT_MS)  # the page hears of the next gate by itself
    expect(page.locator("h1")).to_be_visible()
    page.get_by_role("button", name="Approve as Ada").click()
    expect(page.locator(".hero .chip").first).to_have_text("complete", timeout=WAIT_MS)
    assert [each["by"] for each in site.events("gate.decided")] == ["Ada", "Ada"]
    assert found == []


def test_a_run_under_way_is_cancelled_from_the_browser_and_its_agents_end(
    site: Site, running: Running, browser: Browser
) -> None:
    site.submitted("R1", {"build": [{"behave": "well", "run": ["exec sleep 600"]}]})
    site.worker("w1")
    page = opened(browser, running, "runs/R1")
    expect(page.locator(".stats")).to_contain_text("worker w1", timeout=WAIT_MS)
    expect(page.locator(".tree")).to_contain_text("build", timeout=WAIT_MS)
    page.get_by_text("Cancel this run").click()
    page.get_by_label("Why").fill("no need")
    page.get_by_role("button", name="Cancel it for good").click()
    expect(page.locator(".hero .chip").first).to_have_text("cancelled", timeout=WAIT_MS)


def test_the_page_of_the_fleet_keeps_nobody_out_and_fits_its_window(
    site: Site, running: Running, browser: Browser
) -> None:
    site.submitted("R1", needs=("gpu",))
    site.submitted("R2", needs=("tpu",))
    site.worker("w1", "--label", "gpu", "--concurrency", "2")
    page = opened(browser, running, "fleet", color_scheme="light")
    found = troubles(page)
    expect(page.locator("#workers")).to_contain_text(
        "w1", timeout=WAIT_MS
    )  # it came while the page was open
    expect(page.locator("#queue")).to_contain_text("no worker has what it needs", timeout=WAIT_MS)
    expect(page.locator("#workflows")).to_contain_text("harness")
    assert page.locator(".plot svg path").count() == 7
    for_everybody(page)
    page.emulate_media(color_scheme="dark")
    for_everybody(page)
    page.set_viewport_size({"width": 390, "height": 844})
    for_everybody(page)
    page.get_by_role("link", name="15m").click()
    expect(page.locator(".filters [aria-current]")).to_have_text("15m")
    assert found == []


def for_everybody(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious(page) == []
