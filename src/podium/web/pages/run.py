"""The page of one run: its state and what to do, its work as a tree and over time, and all the
evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from podium.core.workflow import Workflow
from podium.proof.delivery import Delivery
from podium.views.board import counters
from podium.views.board.board import Board
from podium.views.chained import checked
from podium.views.closing import sums
from podium.views.lines import important, log_line
from podium.views.report.ledger import Ledger, findings
from podium.views.standing import where
from podium.views.text import Told, board_of
from podium.web.pages import diagram, links, parts
from podium.web.pages.frame import Frame
from podium.web.pages.progress import by_role, left, progress, said
from podium.web.pages.rendering import render
from podium.web.pages.timeline import timeline
from podium.web.pages.tree import tree

Event = Mapping[str, Any]

STEPS, LOG, ROWS = 100, 60, 200
"""Steps and events on one page of their tables; rows of the other tables."""
TABLES = ("steps", "log")
ENDED = frozenset({"complete", "cancelled", "damaged"})


@dataclass(frozen=True)
class Slice:
    """One page of a long table."""

    rows: Sequence[Any]
    number: int
    pages: int
    total: int
    before: str
    after: str


def page(
    frame: Frame,
    summary: Told,
    events: Sequence[Event],
    workflow: Workflow | None,
    now: float,
    params: Mapping[str, str] | None = None,
) -> str:
    asked = params or {}
    board = board_of(summary, events, workflow.steps.values() if workflow is not None else ())
    ledger = Ledger(events)
    driven = summary.holder is not None
    moment = now if driven else None
    found = [(record.key, each) for record in ledger.steps for each in findings(record)]
    return render(
        "run.html",
        frame=frame,
        live=f"{links.run(summary.run)}/events",
        title=summary.title or summary.run,
        run=summary,
        head=head(summary, board, now if driven else None),
        tree=tree(board, moment),
        timeline=timeline(events, moment, board),
        diagram=diagram.drawn(workflow, events, summary.step) if workflow is not None else None,
        steps=_slice(ledger.steps[::-1], "steps", asked, STEPS, summary.run, parts.step_line),
        artifacts=_capped(parts.artifacts(ledger)),
        findings=_capped(found),
        decisions=[parts.decided(each) for each in ledger.decisions],
        evidence=_capped(parts.evidence(ledger.steps)[::-1]),
        commits=_capped(parts.made(ledger, summary.run)),
        troubles=_capped(parts.troubles(ledger.steps)[::-1]),
        used=by_role(ledger.steps),
        log=_slice(
            events[::-1],
            "log",
            asked,
            LOG,
            summary.run,
            lambda each: (log_line(each, 400), important(each)),
        ),
        chain=checked(events),
    )


@dataclass(frozen=True)
class Head:
    """The headline: what should be seen at a glance."""

    where: str
    reason: tuple[str, ...]
    came_to: tuple[str, ...]
    warnings: tuple[str, ...]
    counters: tuple[str, ...]
    driven: bool
    ended: bool
    needs_reason: bool
    can_resume: bool
    progress: Any
    left: str
    at_work: float | None
    cost: str
    tokens: str
    running: int
    gates: tuple[Mapping[str, Any], ...]
    delivery: Delivery


def head(summary: Told, board: Board, now: float | None) -> Head:
    status, driven = str(summary.status), summary.holder is not None
    # Why a run waited says nothing any more once everything is decided.
    why = "" if status == "waiting" and not summary.gates else summary.reason or board.reason
    reason = [line.strip() for line in why.splitlines() if line.strip()]
    return Head(
        where=where(board),
        reason=tuple(reason[:40]),
        came_to=tuple(sums(board)),
        warnings=(*board.changed, *counters.texts(board.counters, "warnings")),
        counters=tuple(counters.said(board.counters)),
        driven=driven,
        ended=status in ENDED,
        needs_reason=status == "blocked",
        can_resume=not driven and status not in ENDED and not summary.gates,
        progress=progress(board),
        left=left(board, now) if now is not None else "",
        at_work=board.elapsed(now),
        cost=said(board.spent, "cost_usd"),
        tokens=f"{said(board.spent, 'tokens_in')} in, {said(board.spent, 'tokens_out')} out",
        running=len(board.running()) if driven else 0,
        gates=tuple(summary.gates),
        delivery=board.delivery,
    )


def _capped(rows: Sequence[Any]) -> tuple[Sequence[Any], int]:
    """(rows for one page, how many more there are)."""
    return rows[:ROWS], max(0, len(rows) - ROWS)


def _slice(
    rows: Sequence[Any],
    name: str,
    asked: Mapping[str, str],
    most: int,
    run: str,
    line: Callable[[Any], Any],
) -> Slice:
    """The requested page of the table `name`; the other tables keep theirs."""
    pages = max(1, -(-len(rows) // most))
    known = {
        each: int(text)
        for each in TABLES
        if (text := str(asked.get(each, "")))[:7].isdecimal() and text.isascii() and len(text) < 7
    }
    number = min(pages, max(1, known.get(name, 1)))

    def address(at: int) -> str:
        return f"{links.run(run)}?{urlencode({**known, name: at})}#{name}"

    shown = [line(each) for each in rows[(number - 1) * most : number * most]]
    return Slice(shown, number, pages, len(rows), address(number - 1), address(number + 1))
