"""The timeline of a report: a Mermaid gantt with a bar for each step and a milestone for each
decision.
"""

from __future__ import annotations

from podium.core.records import StepRecord
from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.row import OUTCOMES
from podium.views.groups.state import inside
from podium.views.markup import label
from podium.views.report.ledger import Decision, Ledger
from podium.views.report.work import bars

MOST = 80
"""The most bars that can be read; in a longer run each item or phase is one bar."""


def timeline(board: Board, ledger: Ledger) -> list[str]:
    sections: dict[str, list[StepRecord]] = {}
    for section, record in bars(board, ledger):
        if (
            board.children()
            and record.kind != "dispatch"
            and section not in {child.name for child in board.children()}
        ):
            continue  # a glance between two items gets no bar
        if record.kind == "decision" and inside(board, record.step):
            continue  # nor does a group's next move
        sections.setdefault(section, []).append(record)
    if not sections and not ledger.decisions:
        return []
    lines = [
        "```mermaid",
        "gantt",
        "    dateFormat YYYY-MM-DDTHH:mm:ss.SSS",
        "    axisFormat %H:%M:%S",
    ]
    whole = sum(map(len, sections.values())) > MOST
    number = 0
    if whole:
        lines.append("    section Steps")
    for section, records in sections.items():
        if not whole:
            lines.append(f"    section {label(section)}")
        for first, last, name in (
            [(records[0], records[-1], section)]
            if whole
            else [(each, each, each.key) for each in records]
        ):
            number += 1
            lines.append(_bar(number, name, first, last, ledger.last))
    gates = [_milestone(index, each) for index, each in enumerate(ledger.decisions, 1)]
    lines += ["    section Decisions", *gates] if gates else []
    return [*lines, "```"]


def _bar(number: int, name: str, first: StepRecord, last: StepRecord, end: str) -> str:
    state = (
        "crit, "
        if OUTCOMES.get(last.outcome) == "failed"
        else "done, "
        if last.finished
        else "active, "
    )
    return (
        f"    {label(name)} :{state}s{number}, {_when(first.started)}, "
        f"{_when(last.finished or end)}"
    )


def _milestone(index: int, each: Decision) -> str:
    return (
        f"    {label(f'{each.key} {each.word}')} :milestone, g{index}, "
        f"{_when(each.decided or each.opened)}, 0s"
    )


def _when(ts: str) -> str:
    return (
        label(ts, 40).replace("Z", "").replace(" ", ":")
        if figures.moment(ts) is not None
        else "1970-01-01T00:00:00.000"
    )
