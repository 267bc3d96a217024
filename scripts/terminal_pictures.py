"""Pictures of the terminal for the documentation: real views on a real pseudo-terminal, keys
pressed like a person would.

    python scripts/terminal_pictures.py            writes docs/images/terminal-*.svg python
    scripts/terminal_pictures.py --check    writes nothing; exit 1 and one line for each that is out
    of date

The runs are real, with scripted agents; their events are replayed at the demo's pace instead of the
machine's, so that the same source makes the same bytes. `--play NAME` is what runs inside the
pseudo-terminal.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any
from unittest import mock

import pyte

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.pages.demo_runs import MOMENT, played, quiet_place  # noqa: E402
from scripts.pages.terminal_svg import CELL, EDGE, INK, LEADING  # noqa: E402
from scripts.pages.told import Told, braided, in_turn, paced, said  # noqa: E402

from podium.cli.attending import attended, listen  # noqa: E402 - scripts are no package on the path
from podium.cli.demos import project as demo_project  # noqa: E402
from podium.cli.demos import ticket as ticket_demo  # noqa: E402
from podium.cli.in_place import Person  # noqa: E402
from podium.cli.keyboard import Keyboard  # noqa: E402
from podium.cli.terminal import Terminal  # noqa: E402
from podium.views.board.board import Board  # noqa: E402
from podium.views.look import Line, Tone  # noqa: E402
from podium.views.terminal.live import LiveView  # noqa: E402
from podium.views.terminal.watching import LiveWatch  # noqa: E402
from podium.wiring_values import RunOptions  # noqa: E402

BAR = 34
"""The title bar of a window."""
PATIENCE_S = 120
STOCK = [
    "orders",
    "stock",
    "carts",
    "prices",
    "taxes",
    "refunds",
    "invoices",
    "coupons",
    "users",
    "teams",
    "roles",
    "sessions",
    "search",
    "index",
    "reviews",
    "ratings",
    "alerts",
    "mails",
    "exports",
    "imports",
    "reports",
    "audits",
    "rates",
    "returns",
    "labels",
    "parcels",
    "routes",
    "depots",
    "shifts",
    "clocks",
]
DID: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("run", {"command": "python -m pytest -q tests/unit"}),
    ("write", {"path": "src/shop/{name}.py"}),
    ("read", {"path": "docs/architecture.md"}),
    ("edit", {"path": "src/shop/{name}.py"}),
    ("write", {"path": "tests/unit/test_{name}.py"}),
    ("text", {"text": "The rounding is wrong for negative sums; adding a test first"}),
    ("run", {"command": "ruff check src/shop/{name}.py"}),
    ("tool", {"name": "grep", "tool": "search"}),
)


@dataclass(frozen=True)
class Picture:
    name: str
    play: str
    command: str
    title: str
    size: tuple[int, int]
    until: str
    keys: Sequence[tuple[str, str]] = ()
    """(what is pressed, what must then be visible)."""


PICTURES = (
    Picture(
        "live",
        "crowd",
        "podium run ticket SHOP-42",
        "Thirty agents at once",
        (104, 44),
        "of 31 tasks",
    ),
    Picture(
        "low",
        "crowd",
        "podium run ticket SHOP-42",
        "The same run on a terminal of 80 by 24",
        (80, 24),
        r"more running",
    ),
    Picture(
        "gate",
        "gate",
        "podium run harness harness/tasks/T001-sample.md",
        "A gate answered in place",
        (92, 24),
        "l later",
    ),
    Picture(
        "note",
        "gate",
        "podium run harness harness/tasks/T001-sample.md",
        "A rejection with a note",
        (92, 24),
        "l later",
        (
            ("r", "back to that step"),
            ("2", "note to design"),
            ("use the standard library only", "library only"),
        ),
    ),
    Picture(
        "diff",
        "done",
        "podium run harness harness/tasks/T001-sample.md",
        "The diff, before the task is accepted",
        (92, 30),
        "l later",
        (("d", "q  back"),),
    ),
    Picture(
        "watch", "watch", "podium watch", "Three runs of other processes", (104, 40), "l later"
    ),
)


# -- inside the pseudo-terminal


def play(name: str) -> None:
    """Show one view with its story until the process is killed."""
    with ExitStack() as stack:
        place = stack.enter_context(quiet_place()).parent
        {"crowd": crowd, "gate": gate, "done": gate, "watch": watch}[name](place, stack, name)
        while True:
            time.sleep(1)


def crowd(place: Path, stack: ExitStack, name: str) -> None:  # noqa: ARG001
    board, now = crowded(place)
    stack.enter_context(still(now))
    stack.enter_context(LiveView(board, sys.stdout, color=True))


def gate(place: Path, stack: ExitStack, name: str) -> None:
    folder, board, now = at_gate(place, 2 if name == "done" else 1)
    stack.enter_context(still(now))
    view = LiveView(board, sys.stdout, color=True)
    args = Namespace(project=str(folder))
    stack.enter_context(attended(args, Terminal(color=True), view))
    stack.enter_context(view)


def watch(place: Path, stack: ExitStack, name: str) -> None:  # noqa: ARG001
    many, now = crowded(place / "a")
    items = roadmap(place / "b")
    folder, waiting, _ = at_gate(place / "c", 1)
    stack.enter_context(still(now))
    view = LiveWatch(sys.stdout, color=True)
    person, keyboard = Person(Namespace(project=str(folder))), Keyboard(sys.stdin.fileno())
    view.desk = person.desk
    view.desk.several = True
    boards = (many, items, waiting)
    listen(
        view.screen,
        person,
        keyboard,
        lambda: [(waiting.run, each) for each in waiting.gates.values()],
    )
    for board in boards:
        view.begin(board)
    stack.callback(keyboard.give_back)
    stack.enter_context(view)


def still(now: float) -> Any:
    """Every view's clock stands still."""
    clock = mock.Mock(time=lambda: now)
    stack = ExitStack()
    stack.enter_context(mock.patch("podium.views.terminal.live.time", clock))
    stack.enter_context(mock.patch("podium.views.terminal.watching.time", clock))
    return stack


def crowded(place: Path) -> tuple[Board, float]:
    """A ticket with thirty tasks side by side: some are written, one failed, the others are at
    work.
    """
    folder = place / "shop"
    story = demo_project.make(folder, "ticket", 0.0)
    # Outside the project, so that the checkout is as it was committed.
    scenario = place / "thirty.yaml"
    scenario.write_text(json.dumps(many_tasks()), encoding="utf-8")
    app, watcher = played(folder)
    options = RunOptions(
        agent=f"scripted:{scenario}",
        approve_all=True,
        policy={**story.policy, "max_parallel_tasks": len(STOCK)},
        by="Ada",
    )
    run = app.start(
        "ticket",
        ["SHOP-42 move every service to exact money: no amount is a float any more"],
        options,
    ).run
    steps, title = list(app.workflow(run).steps.values()), app.summary(run).title
    told = paced(in_turn(braided([each for each in watcher.told if each[0] == "event"])), MOMENT)
    begun = [
        at
        for at, each in enumerate(told)
        if said(each)[0] == "step.started" and "/task/" in said(each)[1]
    ]
    found = [*told[: begun[0]], *spread([told[at] for at in begun[: len(STOCK)]])]
    ended = [
        each for each in told if said(each)[0] == "step.finished" and "/task/" in said(each)[1]
    ]
    found += spread(
        [each for each in ended if task_of(each) in {2, 5, 9, 11, 14, 20, 23, 27}], after=41.0
    )
    board = Board(steps, title)
    for kind, fields in found:
        (board.absorb if kind == "event" else board.activity)(*fields)
    at_work = {row.key for row in board.running()}
    for number, each in enumerate(STOCK):
        if f"iteration/0/task/TASK-{number + 1}/1" not in at_work:
            continue
        did, what = DID[(number * 5 + number // 8) % len(DID)]
        board.activity(
            f"iteration/0/task/TASK-{number + 1}/1",
            did,
            {name: str(said).format(name=each) for name, said in what.items()},
        )
    return board, datetime.fromisoformat(found[-1][1][0]["ts"]).timestamp() + 12.3


def many_tasks() -> dict[str, Any]:
    """The demo's scenario with a task for each part of a shop."""
    names = [f"TASK-{number}" for number in range(1, len(STOCK) + 1)]
    tasks = [
        {
            "id": ident,
            "description": f"exact money in {name}",
            "files_to_modify": [f"src/shop/{name}.py"],
            "test_files": [f"tests/unit/test_{name}.py"],
            "success_criteria": [f"no float in {name}"],
            "parallel_group": "A",
            "depends_on": [],
            "status": "PENDING",
        }
        for ident, name in zip(names, STOCK, strict=True)
    ]
    last = {
        **tasks[0],
        "id": "TASK-31",
        "parallel_group": "B",
        "depends_on": names,
        "files_to_modify": ["src/shop/money.py"],
        "test_files": [],
    }
    order = [
        {"group": "A", "strategy": "parallel", "tasks": names},
        {"group": "B", "strategy": "sequential", "tasks": ["TASK-31"]},
    ]
    plan = {
        "@plan": (
            "# Exact money\n\nEvery service counts in cents, in a file of its own with its tests; "
            "then one place that rounds.\n"
        ),
        "@tasks": {
            "template": "tasks",
            "tasks": [*tasks, last],
            "execution_order": order,
            "strategy": "thirty at once",
        },
    }
    used = {"usage": {"tokens_in": 41_000, "tokens_out": 5_200, "cost_usd": 0.21}}
    known = ticket_demo.scenario(0.0)
    written = {
        f"iteration/0/task/{ident}/1": [
            {
                "write": {f"src/shop/{name}.py": "x = 1\n"},
                "verdict": {"status": "SYNTAX_VALID", "evidence": "done"},
                "say": "done",
                **used,
            }
        ]
        for ident, name in zip(names, STOCK, strict=True)
    }
    written["iteration/0/task/TASK-20/1"] = [
        {
            "verdict": {
                "status": "ERROR",
                "evidence": "imports.py needs the format that TASK-19 makes",
            },
            "say": "stopped",
            **used,
        }
    ]
    return {
        **known,
        "agents": {
            **known["agents"],
            "planner": [{"write": plan, "say": "DONE: thirty tasks", **used}],
        },
        "keys": {"refresh": known["keys"]["refresh"], **written},
    }


def task_of(each: Told) -> int:
    return int(re.search(r"TASK-(\d+)", said(each)[1])[1])  # type: ignore[index]


def spread(told: Sequence[Told], after: float = 0.0) -> list[Told]:
    """The same events one after another, a little over a second apart, as many agents begin and
    end.
    """
    ordered = sorted(told, key=task_of)
    first = datetime.fromisoformat(ordered[0][1][0]["ts"]) + timedelta(seconds=after)
    return [
        (
            kind,
            (
                {
                    **fields[0],
                    "ts": (first + timedelta(seconds=1.3 * place)).strftime("%Y-%m-%dT%H:%M:%S.%f")[
                        :-3
                    ]
                    + "Z",
                },
            ),
        )
        for place, (kind, fields) in enumerate(ordered)
    ]


def roadmap(place: Path) -> Board:
    folder = place / "list"
    story = demo_project.make(folder, "roadmap", 0.0)
    app, watcher = played(folder)
    run = app.start(
        "roadmap",
        story.inputs,
        RunOptions(
            agent=f"scripted:{demo_project.SCENARIO}",
            approve_all=True,
            policy=story.policy,
            by="Ada",
        ),
    ).run
    told = paced(
        in_turn(
            braided([each for each in watcher.told if each[0] == "event" or each[1][1] == "write"])
        ),
        MOMENT,
    )
    last = next(
        at
        for at, each in enumerate(told)
        if said(each) == ("step.started", "item/US-3/implement/2")
    )
    board = Board(app.workflow(run).steps.values(), app.summary(run).title)
    for kind, fields in told[: last + 2]:
        (board.absorb if kind == "event" else board.activity)(*fields)
    return board


def at_gate(place: Path, number: int) -> tuple[Path, Board, float]:
    """The harness at its first or second gate."""
    folder = place / "project"
    inputs = demo_project.make(folder, "harness", 0.0).inputs
    app, watcher = played(folder)
    run = app.start(
        "harness", inputs, RunOptions(agent=f"scripted:{demo_project.SCENARIO}", by="Ada")
    ).run
    if number > 1:
        app.approve(run, gate="", note="", by="Ada")
        app.resume(run, RunOptions(by="Ada"))
    board = Board(app.workflow(run).steps.values(), app.summary(run).title)
    told = paced(watcher.told, MOMENT)
    for kind, fields in told:
        (board.absorb if kind == "event" else board.activity)(*fields)
    return folder, board, MOMENT.timestamp()


# -- outside of it


def taken(picture: Picture) -> str:
    """The picture as SVG."""
    own, child = pty.openpty()
    width, height = picture.size
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PODIUM_", "GIT_")) and name not in {"NO_COLOR", "COLUMNS", "LINES"}
    }
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__)), "--play", picture.play],
        stdin=child,
        stdout=child,
        stderr=child,
        cwd=ROOT,
        env={**env, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT / "src")},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    os.close(child)
    screen = pyte.Screen(width, height)
    stream = pyte.ByteStream(screen)
    try:
        see(own, screen, stream, picture.until)
        for keys, then in picture.keys:
            os.write(own, keys.encode())
            see(own, screen, stream, then)
    finally:
        process.kill()
        process.wait()
        os.close(own)
    return window(picture, shown(screen))


def see(own: int, screen: pyte.Screen, stream: pyte.ByteStream, pattern: str) -> None:
    """Read until the pattern is on the screen and no more output comes."""
    end = time.monotonic() + PATIENCE_S
    quiet = False
    while not (quiet and re.search(pattern, "\n".join(screen.display))):
        ready, _, _ = select.select([own], [], [], 0.6)
        quiet = not ready
        try:
            stream.feed(os.read(own, 65536) if ready else b"")
        except OSError:
            end = 0.0
        if time.monotonic() > end:
            raise SystemExit("no picture with " + repr(pattern) + ":\n" + "\n".join(screen.display))


def shown(screen: pyte.Screen) -> list[Line]:
    """The screen's lines as spans of one tone each, without empty lines at the end."""
    lines: list[list[tuple[str, Tone]]] = []
    for row in range(screen.lines):
        spans: list[tuple[str, Tone]] = []
        for column in range(screen.columns):
            char = screen.buffer[row][column]
            tone = tone_of(char.fg, bold=char.bold)
            if spans and (spans[-1][1] == tone or not char.data.strip()):
                spans[-1] = (spans[-1][0] + char.data, spans[-1][1])
            else:
                spans.append((char.data, tone))
        lines.append(spans)
    while lines and not "".join(text for text, _ in lines[-1]).strip():
        lines.pop()
    return lines  # type: ignore[return-value]


def tone_of(color: str, *, bold: bool) -> Tone:
    known: Mapping[str, Tone] = {
        "brightblack": "dim",
        "green": "good",
        "red": "bad",
        "cyan": "busy",
        "brown": "ask",
    }
    return known.get(color, "strong" if bold else "plain")


def window(picture: Picture, lines: Sequence[Line]) -> str:
    """A terminal window; every word is in its column whatever the reader's font is."""
    wide, high = round(picture.size[0] * CELL + 2 * EDGE), len(lines) * LEADING + 2 * EDGE + BAR
    body: list[str] = []
    for number, line in enumerate(lines):
        at, y = 0, BAR + EDGE + LEADING * number + 14
        for text, tone in line:
            # Words in separate columns are drawn separately, so that none is stretched over a gap.
            for word in re.finditer(r"\S+(?: \S+)*", text):
                weight = ' font-weight="bold"' if tone in {"strong", "bad", "ask"} else ""
                body.append(
                    f'<text x="{EDGE + (at + word.start()) * CELL:.1f}" y="{y}" '
                    f'fill="{INK[tone]}"{weight} '
                    f'textLength="{len(word[0]) * CELL:.1f}" '
                    f'lengthAdjust="spacingAndGlyphs">{escape(word[0])}</text>'
                )
            at += len(text)
    dots = "".join(
        f'<circle cx="{22 + 20 * place}" cy="17" r="6" fill="{color}"/>'
        for place, color in enumerate(("#f0766e", "#e9c46a", "#6fce8f"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" role="img">\n'
        f"<title>{escape(picture.title)}</title>\n"
        f'<rect width="{wide}" height="{high}" rx="10" fill="#12171e"/>\n'
        f'<path d="M0 {BAR}V10A10 10 0 0 1 10 0H{wide - 10}A10 10 0 0 1 {wide} 10V{BAR}Z" '
        f'fill="#1d2530"/>\n{dots}\n'
        "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans "
        'Mono\',monospace" font-size="14" xml:space="preserve">\n'
        f'<text x="{wide / 2:.0f}" y="22" fill="#7d8896" font-size="13" '
        f'text-anchor="middle">{escape(picture.command)}</text>\n'
        + "\n".join(body)
        + "\n</g>\n</svg>\n"
    )


def wanted() -> dict[str, Callable[[], str]]:
    return {
        f"docs/images/terminal-{each.name}.svg": (lambda picture=each: taken(picture))  # type: ignore[misc]
        for each in PICTURES
    }


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Pictures of the terminal for the documentation.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where a picture is out of date"
    )
    parser.add_argument("--play", metavar="NAME", help="what runs inside the pseudo-terminal")
    parser.add_argument("only", nargs="*", help="names of pictures; else all")
    args = parser.parse_args(argv)
    if args.play:
        play(args.play)
    stale = []
    for path, take in wanted().items():
        if args.only and not any(path.endswith(f"terminal-{each}.svg") for each in args.only):
            continue
        text, where = take(), ROOT / path
        if not where.is_file() or where.read_text(encoding="utf-8") != text:
            stale.append(path)
            if not args.check:
                where.write_text(text, encoding="utf-8")
            print(f"{path}: {'out of date' if args.check else 'written'}")
    return bool(stale) and args.check


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
