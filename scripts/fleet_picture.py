"""The picture of the fleet's page in docs/images: an invented hour of three workers, photographed
by a real browser.

python scripts/fleet_picture.py [--to FOLDER] [--chromium PROGRAM] [--dark]
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Route, sync_playwright

from podium.fleet.figures.counts import Census, Process, Queued, Turn, figures
from podium.web.pages import fleet
from podium.web.pages.frame import Frame

ROOT = Path(__file__).parent.parent
NOW = 1_800_000_000.0
WORKERS = (
    ("build-1", 2, ("claude", "gpu")),
    ("build-2", 2, ("claude",)),
    ("old-mac", 1, ("codex",)),
)


def census() -> Census:
    """Runs arrive in a wave, wait, and are worked off; one worker dies on the way."""
    chance = random.Random(11)
    died = NOW - 1300
    processes = [
        Process(
            name,
            f"{name}.example",
            4100 + at,
            labels,
            places,
            "0.1.0",
            NOW - 3300,
            died if name == "old-mac" else NOW - 2,
            silent=name == "old-mac",
        )
        for at, (name, places, labels) in enumerate(WORKERS)
    ]
    free = [
        (NOW - 3300 + chance.random() * 60, name)
        for name, places, _ in WORKERS
        for _ in range(places)
    ]
    arrivals = sorted(
        [NOW - 3300 + chance.random() * 3000 for _ in range(70)]
        + [NOW - 2100 + chance.random() * 300 for _ in range(25)]
    )
    turns: list[Turn] = []
    queue: list[Queued] = []
    for number, ready in enumerate(arrivals):
        begin, worker = min(free)
        opened = max(ready, begin) + chance.uniform(0.5, 3)
        workflow = chance.choice(("ticket", "ticket", "harness", "governed"))
        run = f"PROJ-{110 + number}-{chance.randrange(16**4):04x}"
        if opened > NOW:
            queue.append(Queued(run, workflow, ready))
            continue
        free.remove((begin, worker))
        closed = opened + chance.uniform(40, 260)
        lost = worker == "old-mac" and closed > died
        free.append((NOW * 2 if lost else closed, worker))
        result, status = (
            ("lost", "active")
            if lost
            else ("finished", "complete")
            if chance.random() < 0.55
            else ("parked", chance.choice(("waiting", "waiting", "blocked")))
        )
        ends = died if lost else None if closed > NOW else closed
        turns.append(
            Turn(
                run,
                worker,
                workflow,
                ready,
                opened,
                ends,
                result if ends else "",
                status if ends else "active",
                chance.randint(1, 5),
            )
        )
    return Census(NOW, 3600.0, processes, turns, queue)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "")
    parser.add_argument("--dark", action="store_true")
    args = parser.parse_args()
    text = fleet.page(Frame("", "Ada Lovelace", "textkit", fleet=True), figures(census()), "1h")
    static = ROOT / "src" / "podium" / "web" / "static"

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if (static / name).is_file():
            route.fulfill(path=static / name)
        elif name == "events":
            route.abort()
        else:
            route.fulfill(body=text, content_type="text/html")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=args.chromium or None, args=["--no-sandbox"]
        )
        page = browser.new_context(
            viewport={"width": 1180, "height": 1240}, color_scheme="dark" if args.dark else "light"
        ).new_page()
        page.route("**/*", answer)
        page.goto("http://podium.example/fleet")
        page.evaluate("document.querySelector('#link-state')?.remove()")
        path = args.to / ("ui-fleet-dark.png" if args.dark else "ui-fleet.png")
        page.screenshot(path=path, animations="disabled")
        print(f"{path.name}: {path.stat().st_size // 1024} KB")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
