"""The run report: what happened, who decided, what proves it. The same journal gives the same
bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.core.workflow import Step
from podium.views import figures
from podium.views.board import counters
from podium.views.board.board import Board
from podium.views.board.spent import AXES
from podium.views.chained import checked
from podium.views.closing import sums
from podium.views.groups.words import progress_words
from podium.views.lines import log_line
from podium.views.look import standing_word
from podium.views.markup import code, prose, table
from podium.views.report import delivered
from podium.views.report import groups as report_groups
from podium.views.report import work as report_work
from podium.views.report.ledger import Ledger
from podium.views.report.timeline import timeline
from podium.views.standing import where
from podium.views.text import Told, board_of

Events = Sequence[Mapping[str, Any]]


def markdown(
    events: Iterable[Mapping[str, Any]],
    summary: Told,
    steps: Iterable[Step] = (),
    environment: Mapping[str, str] | None = None,
    apart: str = "",
) -> str:
    """`environment`: names and versions to record; `apart`: the repository of the run's branch,
    if separate.
    """
    story = list(events)
    board, ledger = board_of(summary, story, steps), Ledger(story)
    delivery = board.delivery
    parts = [
        [f"# {prose(summary.title or summary.run)}"],
        delivered.proof(delivery),
        _titled("Weakened tests", delivered.weakened(delivery)),
        _titled("Code", delivered.changes(delivery)),
        _titled("Run", _summary(summary, board, ledger)),
        _titled("Reason", _reason(board)),
        _titled("Open decisions", _open(board)),
        _titled(
            "Warnings",
            [
                f"- {prose(each)}"
                for each in (*board.changed, *counters.texts(board.counters, "warnings"))
            ],
        ),
        _titled("Iterations", report_groups.iterations(board)),
        _titled("Groups", report_groups.groups(board)),
        _titled("Tasks", report_groups.tasks(board, ledger)),
        _titled("Rejections", report_groups.rejections(board)),
        _titled("Items", report_work.items(board)),
        _titled("Waves", report_work.waves(board)),
        _titled("Clusters", report_work.clusters(board, ledger)),
        _titled("Findings", report_work.found(ledger)),
        _titled("Timeline", timeline(board, ledger)),
        _titled("Steps", report_work.steps(board, ledger)),
        _titled("Not run", report_work.not_run(board)),
        _titled("Decisions", _decisions(ledger)),
        _titled("Evidence", report_work.evidence(ledger)),
        _titled("Commits", report_work.made(board, ledger, apart)),
        _titled("Refused artifacts", report_work.refused(ledger)),
        _titled("Quarantined", report_work.quarantined(ledger)),
        _titled("Other events", _others(story)),
        _titled("Usage", _usage(board)),
        _titled("Environment", _environment(story, environment or {})),
        _titled("Journal", [chain_line(story)]),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _titled(title: str, body: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *body] if body else []


def _summary(summary: Told, board: Board, ledger: Ledger) -> list[str]:
    status = str(summary.status)
    word = "stopped" if status == "active" and summary.holder is None else status
    if status == "complete":
        word = standing_word(status, asks=False, outcome=str(summary.outcome))[0]
    rows = [
        ["Run", code(summary.run)],
        ["Workflow", prose(summary.workflow)],
        ["Status", prose(word)],
        ["Step", prose(where(board))],
        ["Reason", prose(summary.reason.partition("\n")[0])],
        ["Result", prose(", ".join(sums(board)))],
        ["Started", f"{figures.day(summary.started)} UTC"],
        ["Last event", f"{figures.day(summary.updated)} UTC"],
        ["Working time", figures.seconds(board.elapsed())],
        ["Dispatches", str(sum(record.calls for record in ledger.steps))],
        ["Contracts held by", prose(report_work.held(ledger))],
        ["Progress", prose(progress_words(board.work))],
        ["Branch", code(board.counters.get("branch", "")) if board.work.now else ""],
        ["Counters", prose(", ".join(counters.said(board.counters)))],
    ]
    return table(["", ""], [row for row in rows if row[1]])


def _reason(board: Board) -> list[str]:
    """A reason of several lines in full; a single line is already in the summary."""
    lines = [line for line in board.reason.splitlines() if line.strip()]
    return (
        [f"- {prose(line.strip().removeprefix('- '))}" for line in lines] if len(lines) > 1 else []
    )


def _open(board: Board) -> list[str]:
    lines = []
    for gate in board.gates.values():
        first, *more = [line for line in gate.prompt.splitlines() if line.strip()] or [""]
        lines.append(f"- {code(gate.key)}: {prose(first)}")
        lines += [f"  - {prose(text, 2000)}" for text, _ in gate.delivery.proof]
        lines += [f"  - {prose(gate.delivery.summary)}"] if gate.delivery.files else []
        lines += [f"  - {prose(each.strip())}" for each in more]
        lines += [f"  - {code(each)}" for each in board.commands(gate)]
    return lines


def _decisions(ledger: Ledger) -> list[str]:
    rows = [
        [
            code(each.key),
            prose(each.word),
            prose(each.by, 80),
            f"{figures.day(each.decided)} UTC" if each.decided else figures.UNKNOWN,
            "<br>".join(
                f"{code(path)} {code(figures.digest(mark))}"
                for path, mark in sorted(each.subject.items())
            ),
            prose(each.note),
        ]
        for each in ledger.decisions
    ]
    return table(["Gate", "Decision", "By", "When", "What was decided on", "Note"], rows)


OTHERS = frozenset(
    {
        "run.resumed",
        "run.edited",
        "run.blocked",
        "run.cancelled",
        "step.interrupted",
        "step.stale",
        "step.merged",
        "step.conflicted",
        "step.held",
        "gate.stale",
        "retry.scheduled",
        "retry.exhausted",
        "document.drifted",
        "budget.reached",
        "throttle.changed",
        "verdict.contradicted",
    }
)


def _others(story: Events) -> list[str]:
    """Events that interrupted the normal course."""
    return [f"- {prose(log_line(event))}" for event in story if event.get("type") in OTHERS]


def _usage(board: Board) -> list[str]:
    names = dict(zip(AXES, ("Tokens in", "Tokens out", "Cost"), strict=True))
    spent = board.spent
    rows = [[names[axis], spent.words(axis), str(spent.silent[axis])] for axis in AXES]
    return table(["", "Total", "Dispatches without a figure"], rows) if spent.dispatches else []


def _environment(story: Events, environment: Mapping[str, str]) -> list[str]:
    versions = dict.fromkeys(str(event["version"]) for event in story if event.get("version"))
    rows = [["podium", prose(", ".join(versions))]] if versions else []
    return table(
        ["", ""], [*rows, *([prose(k, 60), prose(v)] for k, v in sorted(environment.items()))]
    )


def chain_line(story: Events) -> str:
    """Whether each journal's hashes are right, checked now."""
    found = checked(story)
    if found.broken:
        return (
            f"**The chain of {code(found.broken)} is broken: line {found.line} "
            f"{prose(found.what)}.**"
        )
    tail = f", last hash {code(found.last[:16])}" if found.last else ""
    return (
        f"{figures.plural(found.events, 'event')} in {figures.plural(found.journals, 'journal')}, "
        f"every hash checked and unbroken{tail}."
    )
