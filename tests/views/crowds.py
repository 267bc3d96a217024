"""Runs with very many agents at once: waves of tasks, items side by side, groups, and gates that
all wait.
"""

from __future__ import annotations

from tests.views import teams, tickets
from tests.views.conftest import RUN, Teller

from podium.core import events
from podium.views.board.board import Board

SAID = (
    "runs python -m pytest -q tests/unit/test_orders.py",
    "writes src/shop/orders.py",
    "reads docs/spec.md",
    "edits src/shop/stock.py",
)


def wave(agents: int, *, done: int = 0, failed: int = 0) -> Board:
    """One wave of a feature with so many tasks at work, and some that are over."""
    t = teams.to_waves()
    names = [f"{number:03}-task" for number in range(3, 3 + agents + done + failed)]
    for name in names:
        t.begin(f"wave/1/{name}", "wave", "implementer")
    for name in names[:done]:
        t.end(f"wave/1/{name}", "ok", "DONE", 1.0)
    for name in names[done : done + failed]:
        t.end(f"wave/1/{name}", "fail", "ERROR", 1.0, reason="2 tests fail")
    board = Board(teams.LINE, "Export of orders", t.events)
    for number, name in enumerate(names[done + failed :]):
        board.activity(f"wave/1/{name}", "text", {"text": SAID[number % 4]})
    return board


def items(agents: int, *, waiting: int = 0, title: str = "Story") -> Board:
    """So many items as child runs side by side; some of them ask a person."""
    story = teams.LoopStory(agents + waiting + 5)
    at = teams.LoopRun(step="item", left=5)
    story._tell(story.root, events.run_advanced(teams.LoopRun(step="select"), at, "picked"))
    for number in range(1, agents + waiting + 1):
        name = f"US-{number}"
        child = Teller(f"{RUN}/item/{name}")
        run = teams.OneRun(step="implement", title=f"{title} {name}")
        story._tell(child, events.run_started(run, "one", [], "1.0.0"))
        story._tell(
            child,
            events.step_started(
                f"item/{name}/implement/1", "implement", "dispatch", "implement", 1, {}
            ),
        )
        if number > agents:
            key = f"item/{name}/ask"
            prompt = f"{name}: which of the two ways?\n1. the short one\n2. the long one"
            story._tell(
                child,
                events.gate_opened(
                    key,
                    "implement",
                    "question",
                    prompt,
                    ["short", "long"],
                    {"docs/plan.md": "sha256:" + "ab" * 32},
                ),
            )
    board = Board(teams.LOOP, "roadmap.json", story.told)
    for number in range(1, agents + 1):
        board.activity(
            f"item/US-{number}/implement/1", "write", {"path": f"src/shop/part_{number}.py"}
        )
    return board


def group(agents: int) -> Board:
    """One group of a ticket with so many tasks side by side."""
    names = [f"TASK-{number}" for number in range(1, agents + 1)]
    story = tickets.TicketStory()
    story.plan([("A", "parallel", names), ("B", "sequential", ["LAST"])])
    story.develop(*names)
    board = Board(tickets.STEPS, "X-1 add words", story.told)
    for name in names:
        board.activity(story.key(name), "run", {"command": "make test"})
    return board
