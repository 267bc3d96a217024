"""How long the dashboard takes to show a list of many runs: the first look after a start, and the
next one.

python -m bench.ui [--runs N]

The first paint is measured in a real browser if there is one (chromium and playwright); otherwise
the page is timed over HTTP.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, sleep

import httpx
from bench.disk import work_folder
from bench.startup import copy_run, many_runs

from podium.web.serving import Served, Wanted

TARGET_S = 1.0
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def first_paint(link: str, address: str) -> tuple[float, float] | None:
    """Seconds from the request to the first paint, for the first look and the next; None without
    a browser.
    """
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415
    except ImportError:
        return None
    program = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    if not program:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto("about:blank")
        found = []
        for where in (link, address):
            page.goto(where)
            page.wait_for_function(f"() => ({PAINT})() !== null")
            found.append(float(page.evaluate(PAINT)) / 1e3)
        browser.close()
    return found[0], found[1]


def timed(ask: Callable[[], httpx.Response]) -> float:
    began = perf_counter()
    assert ask().status_code in {200, 303}
    return perf_counter() - began


def served(project: Path) -> tuple[Served, threading.Thread]:
    made = Served(Wanted(project, "bench"), dict(os.environ), lambda _link: None)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    while True:
        try:
            httpx.get(f"{made.address}static/none")
        except httpx.TransportError:
            sleep(0.01)
        else:
            return made, thread


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    args = parser.parse_args()
    with work_folder("ui") as folder:
        made = many_runs(folder, 1)
        for number in range(1, args.runs):
            copy_run(made / ".podium" / "runs" / "R000", f"R{number:04d}")
        server, thread = served(made)
        seen = first_paint(server.link(), server.address)
        with httpx.Client(base_url=server.address) as client:
            client.get(server.link())
            page = timed(lambda: client.get("/"))
            while not server.site.index.whole():
                sleep(0.05)
            warm = timed(lambda: client.get("/"))
        server.stop()
        thread.join()
    if seen is not None:
        print(
            f"ui        first paint, {args.runs} runs, first look {seen[0] * 1e3:6.0f} ms "
            f"(target {TARGET_S * 1e3:g})"
        )
        print(f"ui        first paint, {args.runs} runs, again      {seen[1] * 1e3:6.0f} ms")
    print(
        f"ui        the page over HTTP                 {page * 1e3:6.0f} ms, all read "
        f"{warm * 1e3:.0f} ms"
    )
    return int((seen[0] if seen is not None else page) > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
