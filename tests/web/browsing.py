"""A real browser in front of a real server; tests that need it are skipped where there is none."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from bench.startup import copy_run
from tests.fakes.project import Project
from tests.web.conftest import Running, serve

from podium.engine.outcome import Ended

CHROMIUM = (
    os.environ.get("CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
    or ""
)
WAIT_MS = 30_000
"""Two cores are shared by all tests."""

try:
    from playwright.sync_api import Browser, Page, sync_playwright
except ImportError:  # pragma: no cover
    pytest.skip("playwright is not installed: pip install playwright", allow_module_level=True)
if not CHROMIUM:
    pytest.skip("there is no chromium here: apt-get install chromium", allow_module_level=True)


def environ(project: Project) -> dict[str, str]:
    """For the server, and for what it lets go on."""
    return {
        **project.environ,
        "PODIUM_USER": "Ada",
        "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
    }


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """For one test: pages that it left open would look for their server to the end of the last
    one.
    """
    yield chromium
    for each in chromium.contexts:
        each.close()


def started(project: Project, *args: Any, **options: Any) -> Ended:
    """A run until it rests; in a thread, because playwright has the loop of this one."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(project.run, *args, **options).result(120)


def served(project: Project) -> Iterator[Running]:
    yield from serve(project.root, environ(project))


def entered(chromium: Browser, running: Running, **more: Any) -> Page:
    """The page of a person who was let in by a link of their own."""
    made = chromium.new_context(**more)
    made.set_default_timeout(WAIT_MS)
    made.set_default_navigation_timeout(WAIT_MS)
    page = made.new_page()
    page.goto(running.served.link())
    assert "token" not in page.url
    return page


def troubles(page: Page) -> list[str]:
    """What the browser complains about, as it comes: errors of scripts, and what the policy
    forbade.
    """
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda said: found.append(said.text) if said.type == "error" else None)
    return found


def serious(page: Page) -> list[str]:
    """What axe finds that keeps people out."""
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(script)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    bad = [each for each in found["violations"] if each["impact"] in {"serious", "critical"}]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in bad
        for node in each["nodes"][:3]
    ]


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth"))


def copy_runs(source: Path, count: int) -> None:
    """The same run under other names."""
    for number in range(count):
        copy_run(source, f"R{number:04d}")
