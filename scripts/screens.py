"""Pictures of the dashboard and of the report for the documentation, taken in a headless Chromium from runs of the demo.

`python scripts/screens.py` writes docs/images/ui-*.png. They are not compared by anything: times and letters differ
from machine to machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from podium.core.digest import digest
from podium.state.run_folder import RunFolder, load_request
from podium.views import figures
from podium.web.pages import gate, report, run, runs
from podium.web.pages.frame import Frame
from podium.wiring import App, Summary

IMAGES = Path(__file__).parent.parent / "docs" / "images"
DEMOS = ("feature", "ticket", "governed", "roadmap")
ADDRESS = "http://podium.example"
FRAME = Frame("", "marta", "textkit")


@dataclass(frozen=True)
class Story:
    """A run of the demo, whole or as it was at one event."""

    app: App
    summary: Summary
    events: list[Any]
    now: float

    def at(self, number: int, **members: Any) -> Story:
        told = self.events[:number]
        when = str(told[-1]["ts"])
        return Story(self.app, replace(self.summary, updated=when, advice=(), **members), told, (figures.moment(when) or 0.0) + 2)

    def entry(self) -> runs.Entry:
        return runs.entry(self.summary, self.events, self.app.workflow(self.summary.run).steps.values())

    def page(self) -> str:
        return run.page(FRAME, self.summary, self.events, self.app.workflow(self.summary.run), self.now)


def played(name: str, folder: Path) -> Story:
    root = folder / name
    subprocess.run([sys.executable, "-m", "podium", "demo", name, "--keep", str(root), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    app = App(root)
    summary = app.summary(app.resolve("@"))
    return Story(app, summary, list(app.events(summary.run)), (figures.moment(summary.updated) or 0.0) + 60)


def waiting(story: Story, which: int) -> tuple[Story, str]:
    """The run as it waited at one of its gates, and the gate's key."""
    at = [place for place, each in enumerate(story.events) if each["type"] == "gate.opened"][which]
    opened = story.events[at]
    shown = {**opened, "opened": opened["ts"]}
    return story.at(at + 1, status="waiting", step=opened["step"], gates=(shown,)), opened["key"]


def working(story: Story) -> Story:
    """The run in the middle of its work."""
    starts = [place for place, each in enumerate(story.events) if each["type"] == "step.started" and each["kind"] == "dispatch"]
    at = starts[len(starts) * 2 // 3]
    root = [each for each in story.events[: at + 1] if each["run"] == story.summary.run and "state" in each]
    return story.at(at + 1, status="active", step=root[-1]["state"]["step"], holder={"pid": 4711, "host": "studio", "since": ""})


def decision(story: Story, key: str) -> str:
    found = []
    for path, mark in gate.subjects(story.events, key).items():
        place = gate.previous(story.events, key).get(path)
        copy = RunFolder(story.app.project, place[0]).steps(place[1]) / f"artifact~{path.replace('/', '~')}" if place else None
        text = (story.app.project / path).read_text()
        own = digest(text.encode()) == mark
        found.append(gate.Subject(path, mark, text, copy.read_text() if copy and own else None, len(text)))
    return gate.page(FRAME, story.summary, story.events, story.app.workflow(story.summary.run), key, found, story.now)


def pages(folder: Path) -> dict[str, tuple[str, int, int, Literal["light", "dark"]]]:
    """Name to (page, width, height, light or dark)."""
    known = {name: played(name, folder) for name in DEMOS}
    asks, key = waiting(known["governed"], 1)
    busy = working(known["feature"])
    listed = [asks.entry(), busy.entry(), working(known["ticket"]).entry(), known["roadmap"].entry(), known["governed"].entry()]
    entries = [replace(each, run=f"{each.run}{number}") for number, each in enumerate(listed)]
    whole = known["feature"]
    request = load_request(RunFolder(whole.app.project, whole.summary.run))
    return {
        "ui-runs": (runs.page(FRAME, entries, runs.Query(), busy.now), 1280, 720, "light"),
        "ui-run": (busy.page(), 1280, 1500, "dark"),
        "ui-gate": (decision(asks, key), 1280, 1000, "light"),
        "ui-phone": (busy.page(), 390, 844, "dark"),
        "report": (report.html(whole.events, whole.summary, whole.app.workflow(whole.summary.run), request), 1280, 1300, "light"),
    }


def answer(text: str) -> Callable[[Any], None]:
    def answered(route: Any) -> None:
        name = route.request.url.removeprefix(f"{ADDRESS}/")
        kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
        if name.startswith("static/"):
            route.fulfill(body=files("podium.web").joinpath(name).read_text(), content_type=kinds[name.rpartition(".")[2]])
        elif name:
            route.fulfill(body=": nothing new\n\n", content_type="text/event-stream")
        else:
            route.fulfill(body=text, content_type="text/html; charset=utf-8")

    return answered


def main() -> int:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # only here, and only for who takes pictures

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (text, width, height, scheme) in pages(Path(folder)).items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
            context.route("**/*", answer(text))
            page = context.new_page()
            page.goto(f"{ADDRESS}/")
            page.evaluate("document.querySelector('#link-state')?.remove()")
            page.screenshot(path=IMAGES / f"{name}.png")
            print(f"docs/images/{name}.png")
            context.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
