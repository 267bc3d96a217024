"""The demos as the terminal shows them, each at an instructive moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from scripts.pages.demo_runs import MOMENT, played, quiet_place
from scripts.pages.terminal_svg import svg
from scripts.pages.told import Told, braided, in_turn, paced, said

from podium.cli.demos import project as demo_project
from podium.views.board.board import Board
from podium.views.frame import frame
from podium.views.look import Look
from podium.wiring_values import RunOptions

MOMENTS: Mapping[str, tuple[str, str, int]] = {
    "roadmap": ("step.started", "item/US-3/implement/2", 2),
    "feature": ("step.finished", "wave/1/01-rows", 1),
    "ticket": ("step.finished", "iteration/0/task/TASK-1/2", 1),
    "governed": ("step.started", "wave/1/phase/2/execute/2", 2),
}
"""Demos with many agents: type and key of the event that is the moment, and how many entries
from there on are shown.
"""


def of_team(name: str) -> str:
    """A demo with many agents, at its moment."""
    with quiet_place() as folder:
        story = demo_project.make(folder, name, 0.0)
        demo_project.leave(folder, story)
        app, watcher = played(folder)
        options = RunOptions(
            agent=f"scripted:{demo_project.SCENARIO}",
            approve_all=True,
            policy=story.policy,
            by="Ada",
        )
        run = app.start(name, story.inputs, options).run
        for choice in story.answers:
            app.answer(run, gate="", choice=choice, text="", note="", by="Ada")
            app.resume(run, RunOptions(approve_all=True, by="Ada"))
        steps, title = app.workflow(run).steps.values(), app.summary(run).title
    # An agent's last words come when it ends; while it works, its files tell more.
    working = [each for each in watcher.told if each[0] == "event" or each[1][1] == "write"]
    told = paced(in_turn(braided(working)), MOMENT)
    kind, key, more = MOMENTS[name]
    last = next(at for at, each in enumerate(told) if said(each) == (kind, key))
    return drawn(title, steps, told[: last + more])


@lru_cache
def of_harness() -> Mapping[str, str]:
    """The demo at its gate, and live while Build fixes what QA found."""
    with quiet_place() as folder:
        inputs = demo_project.make(folder, "harness", 0.0).inputs
        app, watcher = played(folder)
        options = RunOptions(agent=f"scripted:{demo_project.SCENARIO}", by="Ada")
        waits = app.start("harness", inputs, options)
        at_gate = len(watcher.told)
        app.approve(waits.run, gate="", note="", by="Ada")
        app.resume(waits.run, RunOptions(by="Ada"))
        steps, title = app.workflow(waits.run).steps.values(), app.summary(waits.run).title
    told = paced(watcher.told, MOMENT)
    second = next(at for at, each in enumerate(told) if said(each) == ("step.started", "build/2"))
    found = {"gate": told[:at_gate], "live": told[: second + 2]}
    return {name: drawn(title, steps, upto) for name, upto in found.items()}


def drawn(title: str, steps: Any, told: Sequence[Told]) -> str:
    board = Board(steps, title)
    for kind, fields in told:
        (board.absorb if kind == "event" else board.activity)(*fields)
    last = [fields[0] for kind, fields in told if kind == "event"][-1]
    now = datetime.fromisoformat(last["ts"]).timestamp() + 0.25
    running = board.status in {"", "active"}
    lines = frame(board, Look(width=84, now=now if running else None, moving=running))
    return svg(
        title, [line for line in lines if "podium answer" not in "".join(text for text, _ in line)]
    )
