"""The run report: what happened, who decided, what proves it. The same journal gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.core import chain
from podium.core.digest import canonical
from podium.core.history import StepRecord
from podium.core.workflow import Step
from podium.views import figures
from podium.views.board import Board
from podium.views.ledger import Decision, Ledger
from podium.views.lines import log_line
from podium.views.markup import code, label, prose, table
from podium.views.row import OUTCOMES, Row
from podium.views.spent import AXES
from podium.views.text import Told, board_of

Events = Sequence[Mapping[str, Any]]


def markdown(
    events: Iterable[Mapping[str, Any]],
    summary: Told,
    steps: Iterable[Step] = (),
    environment: Mapping[str, str] | None = None,
) -> str:
    """`environment`: names and versions worth recording (from request.json)."""
    story = list(events)
    board, ledger = board_of(summary, story, steps), Ledger(story)
    parts = [
        [f"# {prose(summary.title or summary.run)}"],
        _summary(summary, board, sum(record.calls for record in ledger.steps)),
        _titled("Open decisions", _open(board)),
        _titled("Timeline", _timeline(ledger)),
        _titled("Stages", _stages(ledger)),
        _titled("Not run", _not_run(board)),
        _titled("Decisions", _decisions(ledger)),
        _titled("Evidence", _evidence(ledger)),
        _titled("Refused artifacts", _refused(ledger)),
        _titled("Quarantined", _quarantined(ledger)),
        _titled("Other events", _others(story)),
        _titled("Usage", _usage(board)),
        _titled("Environment", _environment(story, environment or {})),
        _titled("Journal", [chain_line(story)]),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _titled(title: str, body: Sequence[str]) -> list[str]:
    return [f"## {title}", "", *body] if body else []


def _summary(summary: Told, board: Board, dispatches: int) -> list[str]:
    outcome = board.outcome.replace("_", " ")
    status = f"{summary.status}{f' ({outcome})' if outcome and outcome != summary.status else ''}"
    rows = [
        ["Run", code(summary.run)],
        ["Workflow", prose(summary.workflow)],
        ["Status", prose(status)],
        ["Stands at", code(summary.step)],
        ["Reason", prose(summary.reason)],
        ["Started", f"{figures.day(summary.started)} UTC"],
        ["Last event", f"{figures.day(summary.updated)} UTC"],
        ["At work", figures.seconds(board.elapsed())],
        ["Dispatches", str(dispatches)],
        ["Counters", prose(", ".join(f"{k} {v}" for k, v in board.counters.items() if isinstance(v, int)))],
    ]
    return table(["", ""], [row for row in rows if row[1]])


def _open(board: Board) -> list[str]:
    lines = []
    for gate in board.gates.values():
        lines.append(f"- {code(gate.key)}: {prose(gate.prompt)}")
        lines += [f"  - {code(each)}" for each in board.commands(gate)]
    return lines


def _timeline(ledger: Ledger) -> list[str]:
    """A Mermaid gantt: a bar for each step, a milestone for each decision."""
    bars = [_bar(index, record, ledger.last) for index, record in enumerate(ledger.steps, 1)]
    gates = [_milestone(index, each) for index, each in enumerate(ledger.decisions, 1)]
    if not bars and not gates:
        return []
    lines = ["```mermaid", "gantt", "    dateFormat YYYY-MM-DDTHH:mm:ss.SSS", "    axisFormat %H:%M:%S"]
    lines += ["    section Steps", *bars] if bars else []
    lines += ["    section Decisions", *gates] if gates else []
    return [*lines, "```"]


def _bar(index: int, record: StepRecord, last: str) -> str:
    state = (
        "crit, " if OUTCOMES.get(record.outcome) == "failed" else "done, " if record.finished else "active, "
    )
    end = record.finished or last
    return f"    {label(record.key)} :{state}s{index}, {_when(record.started)}, {_when(end)}"


def _milestone(index: int, each: Decision) -> str:
    word = each.decision or "open"
    return f"    {label(f'{each.key} {word}')} :milestone, g{index}, {_when(each.decided or each.opened)}, 0s"


def _when(ts: str) -> str:
    return (
        label(ts, 40).replace("Z", "").replace(" ", ":")
        if figures.moment(ts) is not None
        else "1970-01-01T00:00:00.000"
    )


def _stages(ledger: Ledger) -> list[str]:
    rows = []
    for record in ledger.steps:
        took = figures.between(record.started, record.finished) if record.finished else None
        rows.append(
            [
                code(record.key),
                prose(record.role or record.kind, 60),
                prose(record.outcome or record.state),
                prose(record.verdict, 80),
                figures.seconds(took),
                str(len(record.tried) + 1),
                prose(record.reason),
                prose(", ".join(f"{k} {v}" for k, v in sorted(record.assurance.items())), 80),
            ]
        )
    return table(["Step", "Agent", "Outcome", "Verdict", "Duration", "Attempts", "Reason", "Held by"], rows)


def _not_run(board: Board) -> list[str]:
    rows: list[Row] = [
        row for row in board.rows.values() if row.state in {"pending", "skipped"} and not row.started
    ]
    return [", ".join(code(row.name) for row in rows)] if rows else []


def _decisions(ledger: Ledger) -> list[str]:
    rows = [
        [
            code(each.key),
            prose(each.decision or ("open again" if each.stale else "open")),
            prose(each.by, 80),
            f"{figures.day(each.decided)} UTC" if each.decided else figures.UNKNOWN,
            "<br>".join(
                f"{code(path)} {code(figures.digest(mark))}" for path, mark in sorted(each.subject.items())
            ),
            prose(each.note),
        ]
        for each in ledger.decisions
    ]
    return table(["Gate", "Decision", "By", "When", "What was decided on", "Note"], rows)


def _evidence(ledger: Ledger) -> list[str]:
    rows = []
    for record in ledger.steps:
        for each in record.evidence:
            before = each.get("baseline_exit")
            rows.append(
                [
                    code(record.key),
                    code(each.get("command", "")),
                    prose(each.get("exit", figures.UNKNOWN)),
                    figures.UNKNOWN if before is None else prose(before),
                    "<br>".join(prose(new, 160) for new in list(each.get("new_failures") or ())[:10])
                    or "none",
                    "passed" if each.get("passed") else "**failed**",
                ]
            )
    return table(["Step", "Command", "Exit", "Baseline exit", "New failures", "Held"], rows)


def _refused(ledger: Ledger) -> list[str]:
    rows = [
        [code(record.key), code(path), prose(failure, 40), prose(detail)]
        for record in ledger.steps
        for path, failure, detail in record.rejected
    ]
    return table(["Step", "Path", "Failure", "Detail"], rows)


def _quarantined(ledger: Ledger) -> list[str]:
    rows = [[code(record.key), code(path)] for record in ledger.steps for path in record.violated]
    return table(["Step", "Path"], rows)


_OTHERS = frozenset(
    {"run.resumed", "run.edited", "run.blocked", "run.cancelled", "step.interrupted", "step.stale", "gate.stale",
     "retry.scheduled", "retry.exhausted", "document.drifted", "budget.reached", "throttle.changed", "verdict.contradicted"}
)  # fmt: skip


def _others(story: Events) -> list[str]:
    """What broke the straight way."""
    return [f"- {prose(log_line(event))}" for event in story if event.get("type") in _OTHERS]


def _usage(board: Board) -> list[str]:
    names = dict(zip(AXES, ("Tokens in", "Tokens out", "Cost"), strict=True))
    spent = board.spent
    rows = [[names[axis], spent.words(axis), str(spent.silent[axis])] for axis in AXES]
    return table(["", "Total", "Dispatches that did not say"], rows) if spent.dispatches else []


def _environment(story: Events, environment: Mapping[str, str]) -> list[str]:
    versions = dict.fromkeys(str(event["version"]) for event in story if event.get("version"))
    rows = [["podium", prose(", ".join(versions))]] if versions else []
    return table(["", ""], [*rows, *([prose(k, 60), prose(v)] for k, v in sorted(environment.items()))])


def chain_line(story: Events) -> str:
    """Whether each journal's hashes hold, checked here and now."""
    journals: dict[str, list[Mapping[str, Any]]] = {}
    for event in story:
        journals.setdefault(str(event.get("run", "")), []).append(event)
    for run, own in sorted(journals.items()):
        ordered = sorted(own, key=lambda event: int(event.get("seq", 0)))
        _, broken = chain.verify(canonical(event).encode() for event in ordered)
        if broken is not None:
            return f"**The chain of {code(run)} is broken: line {broken.line} {prose(broken.what)}.**"
    last = story[-1].get("hash", "") if story else ""
    tail = f", last hash {code(str(last)[:16])}" if last else ""
    return f"{figures.plural(len(story), 'event')} in {figures.plural(len(journals), 'journal')}, every hash checked and unbroken{tail}."
