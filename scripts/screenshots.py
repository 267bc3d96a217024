"""The pictures of the dashboard in docs/images: scripted runs in a small project, photographed by a
real browser.

    python scripts/screenshots.py [--to FOLDER] [--chromium PROGRAM]

Needs playwright and chromium. The runs are those of `podium demo`; only their clock is invented, so
that they seem to take as long as real ones.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from podium.cli.demos import project as demo
from podium.web.serving import Served, Wanted
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

IMAGES = Path(__file__).parent.parent / "docs" / "images"
WHO = "Ada Lovelace"


@dataclass
class Clock:
    """A clock that runs as with real agents: up to 40 seconds between two readings, always the
    same ones.
    """

    now: datetime
    seed: int = 7
    most: float = 40.0
    steps: int = field(default=0)

    def __call__(self) -> datetime:
        self.steps += 1
        self.seed = (self.seed * 1103515245 + 12345) % 2**31
        self.now += timedelta(
            seconds=0.4 + (self.seed % 1000) / 1000 * (self.most if self.steps % 5 == 0 else 1.5)
        )
        return self.now


def app(folder: Path, clock: Callable[[], datetime]) -> App:
    return App(folder, parts=Parts(_environ(folder.parent), clock=clock, cwd=folder))


def _environ(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "PODIUM_USER": WHO}


def played(base: Path, workflow: str, ago: timedelta, *, gates: bool = False) -> Path:
    """A project with one run of a demo; with `gates` the run waits at its first gate."""
    folder = base / workflow / "textkit"
    folder.mkdir(parents=True)
    story = demo.make(folder, workflow, 0.0)
    clock = Clock(datetime.now(UTC) - ago)
    options = RunOptions(
        agent=f"scripted:{folder / demo.SCENARIO}",
        approve_all=not gates,
        policy=story.policy,
        by=WHO,
    )
    ended = app(folder, clock).start(workflow, story.inputs, options)
    for choice in story.answers:
        if not gates and ended.exit_code == 10:
            app(folder, clock).answer(ended.run, gate="", choice=choice, text="", note="", by=WHO)
            ended = app(folder, clock).resume(ended.run, RunOptions(approve_all=True, by=WHO))
    return folder


def taken_over(into: Path, source: Path) -> None:
    """Copy the runs of another project, as if they had been made here."""
    for run in (source / ".podium" / "runs").iterdir():
        if run.is_dir() and not (into / ".podium" / "runs" / run.name).exists():
            shutil.copytree(run, into / ".podium" / "runs" / run.name)


def stage(base: Path) -> tuple[Path, str]:
    """A project with runs in every state, and the run that waits for a decision about finished
    work.
    """
    main = played(base, "harness", timedelta(minutes=38), gates=True)
    clock = Clock(datetime.now(UTC) - timedelta(minutes=24), seed=3)
    facade = app(main, clock)
    run = facade.resolve("@")
    facade.approve(run, gate="", note="Plan is sound. Mind the empty text.", by=WHO)
    app(main, clock).resume(run, RunOptions())
    for workflow, ago in (
        ("roadmap", timedelta(hours=5)),
        ("feature", timedelta(hours=26)),
        ("ticket", timedelta(hours=50)),
        ("governed", timedelta(hours=75)),
    ):
        taken_over(main, played(base, workflow, ago))
    asking = played(base / "asking", "governed", timedelta(minutes=55), gates=True)
    taken_over(main, asking)
    return main, run


@contextmanager
def driving(base: Path) -> Iterator[str]:
    """A run that is being driven while the pictures are taken."""
    folder = base / "live" / "textkit"
    folder.mkdir(parents=True)
    story = demo.make(folder, "ticket", 6.0)
    words = [
        sys.executable,
        "-m",
        "podium",
        "run",
        "ticket",
        *story.inputs,
        "--agent",
        f"scripted:{folder / demo.SCENARIO}",
        "--yes-i-approve-all-gates",
    ]
    environ = _environ(base)
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield str(folder)
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def served(project: Path, base: Path) -> Iterator[Served]:
    made = Served(Wanted(project, WHO), _environ(base), lambda _link: None)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.stop()
        thread.join(10)


def look(browser: Browser, served_: Served, **how: Any) -> Page:
    page = browser.new_context(**how).new_page()
    page.goto(served_.link())
    return page


def shot(page: Page, to: Path, name: str, *, whole: bool = False) -> None:
    page.wait_for_timeout(700)
    path = to / f"ui-{name}.png"
    page.screenshot(path=path, full_page=whole, animations="disabled")
    print(f"{path.name}: {path.stat().st_size // 1024} KB")


DESK = {"width": 1180, "height": 760}
PHONE = {"width": 390, "height": 780}


def photograph(browser: Browser, site: Served, run: str, to: Path, *, whole: bool) -> None:
    base = site.address
    page = look(browser, site, viewport=DESK, color_scheme="light")
    shot(page, to, "runs")
    page.goto(f"{base}runs/{run}")
    shot(page, to, "run")
    gate = page.locator("a[href*='/gates/approve-completion']").first.get_attribute("href")
    page.goto(f"{base.rstrip('/')}{gate}")
    shot(page, to, "gate")
    if whole:
        shot(page, to, "gate-whole", whole=True)
        page.goto(f"{base}runs/{run}")
        shot(page, to, "run-whole", whole=True)
    page.goto(f"{base}runs/{run}/steps/build/2")
    page.emulate_media(color_scheme="dark")
    shot(page, to, "step-dark")
    phone = look(
        browser,
        site,
        viewport=PHONE,
        device_scale_factor=1.5,
        is_mobile=True,
        has_touch=True,
        color_scheme="light",
    )
    phone.goto(f"{base.rstrip('/')}{gate}")
    shot(phone, to, "phone")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=IMAGES)
    parser.add_argument("--chromium", default=shutil.which("chromium") or "")
    parser.add_argument(
        "--whole", action="store_true", help="two more, of pages in their full length, to look at"
    )
    args = parser.parse_args()
    args.to.mkdir(parents=True, exist_ok=True)
    base = Path(tempfile.mkdtemp(prefix="podium-pictures-"))
    try:
        project, run = stage(base)
        with driving(base) as live, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=args.chromium or None, args=["--no-sandbox"]
            )
            with served(project, base) as site:
                photograph(browser, site, run, args.to, whole=args.whole)
            with served(Path(live), base) as site:
                page = look(browser, site, viewport=DESK, color_scheme="dark")
                page.wait_for_timeout(9000)
                page.click(".run-title")
                shot(page, args.to, "live-dark")
            browser.close()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
