"""The parts of a report about work: items, waves, clusters, findings, steps, evidence, commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podium.core.effects import Cluster
from podium.core.records import StepRecord
from podium.core.workflow import Step
from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.row import OUTCOMES, Row
from podium.views.board.rows import judge_of
from podium.views.groups.state import inside
from podium.views.markup import code, prose, table
from podium.views.proving import proof_sentence, proof_state, proved
from podium.views.report.ledger import Ledger, commits, findings

MANY = 30
"""Up to this many rows of one kind are all listed; of more, only those that need a look."""
_RESULT = {
    "running": "at work",
    "failed": "**blocked**",
    "waiting": "waits for a person",
    "skipped": "cancelled",
}


def items(board: Board) -> list[str]:
    """One line per item: how it ended, how often it was tried, and the path it took."""
    rows = [
        [
            code(row.name),
            prose(row.title, 120),
            _RESULT.get(row.state, row.state),
            f"{max(1, row.attempt)} of {row.attempts}" if row.attempts else str(max(1, row.round)),
            figures.seconds(row.seconds()),
            code(row.commit[:10]),
            _way(row),
        ]
        for row in board.children()
    ]
    return table(["Item", "Title", "Result", "Attempts", "Time", "Commit", "Way"], rows)


def _way(row: Row) -> str:
    """Every step of an item in order; what did not pass stands out with its word."""
    said = []
    for each in row.children.values():
        word = prose(each.verdict.partition(":")[0], 40)
        said.append(
            f"{prose(each.name, 40)} **{word or each.state}**"
            if each.state == "failed"
            else prose(each.name, 40)
        )
    return ", ".join(said)


def waves(board: Board) -> list[str]:
    """The tasks of every wave, including the waves of fixes."""
    if board.work.now is not None:
        return []  # a run with groups has its own tables
    rows = []
    for visit in (
        each
        for row in board.rows.values()
        for each in row.children.values()
        if each.kind == "visit"
    ):
        for task in visit.children.values():
            result = "**failed**" if task.state == "failed" else task.state
            remark = task.last if task.state == "failed" or "merged" in task.last else ""
            rows.append(
                [
                    code(visit.name),
                    code(task.name),
                    prose(task.role, 40),
                    result,
                    figures.seconds(task.seconds()),
                    prose(remark),
                ]
            )
    return table(["Wave", "Task", "Agent", "Result", "Time", "Remark"], rows)


def clusters(board: Board, ledger: Ledger) -> list[str]:
    """Every round of parallel agents, and the verdict on their results."""
    found: dict[str, list[StepRecord]] = {}
    for record in ledger.steps:
        step = board.steps.get(record.step)
        if step is not None and isinstance(step.effect, Cluster) and step.key is None:
            found.setdefault(record.key.rpartition("/")[0], []).append(record)
    checks = {record.key: record for record in ledger.steps}
    rows = []
    for visit, members in found.items():
        judged = checks.get(judge_of(board.steps, members[0].step, visit))
        words = ", ".join(
            f"{prose(each.key.rpartition('/')[2], 60)} {_word(each)}{_worst(each)}"
            for each in members
        )
        document = "<br>".join(code(path) for path in judged.outputs) if judged is not None else ""
        verdict = (
            _word(judged) + (f": {prose(judged.reason, 200)}" if judged.reason else "")
            if judged is not None
            else ""
        )
        rows.append([code(visit), words, verdict, document])
    return table(["Round", "Members", "Verdict", "Document"], rows)


def _word(record: StepRecord) -> str:
    word = prose(record.verdict.partition(":")[0] or record.outcome or record.state, 40)
    return f"**{word}**" if OUTCOMES.get(record.outcome) == "failed" else word


def _worst(record: StepRecord) -> str:
    """The severity that a member named itself."""
    seen = record.sets.get("seen")
    data = seen.get("data") if isinstance(seen, Mapping) else None
    said = str(data.get("severity") or "") if isinstance(data, Mapping) else ""
    return f" ({prose(said, 20)})" if said not in {"", "None"} else ""


def found(ledger: Ledger) -> list[str]:
    """What was found wrong, and by whom. What has been fixed since stays in the list."""
    rows = [
        [code(each.key), prose(each.severity, 20), prose(each.where, 120), prose(each.what)]
        for record in ledger.steps
        for each in findings(record)
    ]
    if rows and not any(row[1] or row[2] for row in rows):
        return table(["Step", "What"], [[row[0], row[3]] for row in rows])
    return table(["Step", "Severity", "Where", "What"], rows)


def steps(board: Board, ledger: Ledger) -> list[str]:
    """What other tables do not show: single steps, and steps that needed more than one attempt."""
    items = bool(board.children())
    told = {row.key for child in board.children() for row in child.walk()}
    shown = []
    for record in ledger.steps:
        step = board.steps.get(record.step)
        passed = OUTCOMES.get(record.outcome) == "done" and not (record.tried or record.rejected)
        grouped = inside(board, record.step)
        member = (
            step is not None
            and isinstance(step.effect, Cluster)
            and (grouped or board.work.now is None)
        )
        glance = (items and record.kind != "dispatch") or (grouped and record.kind == "decision")
        if not passed or not (record.key in told or member or glance):
            shown.append(record)
    shown = [each for each in shown if each.key not in told or each.tried or each.rejected]
    return table(
        ["Step", "Agent", "Outcome", "Verdict", "Duration", "Attempts", "Reason"],
        [_step(each) for each in shown],
    )


def _step(record: StepRecord) -> list[str]:
    took = figures.between(record.started, record.finished) if record.finished else None
    return [
        code(record.key),
        prose(record.role or record.kind, 60),
        prose(record.outcome or record.state),
        prose(record.verdict.partition(":")[0], 80),
        figures.seconds(took),
        str(len(record.tried) + 1),
        prose(_news(record)),
    ]


def _news(record: StepRecord) -> str:
    """The part of the reason that the verdict has not said."""
    first = record.reason.partition("\n")[0]
    return (
        ""
        if first.casefold() in record.verdict.casefold()
        and len(first) <= len(record.verdict.partition(":")[0])
        else first
    )


def held(ledger: Ledger) -> str:
    """How firmly the agents' contracts were enforced."""
    words = dict.fromkeys(
        ", ".join(f"{name} {level}" for name, level in sorted(each.assurance.items()))
        for each in ledger.steps
        if each.assurance
    )
    return "; ".join(words)


def not_run(board: Board) -> list[str]:
    rows = [
        row
        for name, row in board.rows.items()
        if row.state in {"pending", "skipped"}
        and not row.started
        and row.kind != "check"
        and not _unasked(board, name)
    ]
    return [", ".join(code(row.name) for row in rows)] if rows else []


def _unasked(board: Board, name: str) -> bool:
    """Whether nobody misses a step that did not run: it is rare, or groups show what it does."""
    return inside(board, name) or (name in board.steps and board.steps[name].rare)


def evidence(ledger: Ledger) -> list[str]:
    """The commands that Podium ran itself; of many, only those that did not pass."""
    ran = [
        (record, each) for record in ledger.steps for each in record.evidence if each.get("command")
    ]
    shown = [(record, each) for record, each in ran if len(ran) <= MANY or proved(each) != "passed"]
    rows = []
    for record, each in shown:
        code_of = each.get("exit")
        sentence = proof_sentence(each) or proved(each)
        rows.append(
            [
                code(record.key),
                code(each.get("command", "")),
                figures.UNKNOWN if code_of is None else prose(code_of),
                f"**{prose(sentence, 300)}**"
                if proof_state(each) in {"failed", "not_run"}
                else prose(sentence, 300),
            ]
        )
    lines = table(["Step", "Command", "Exit", "Proof"], rows)
    return (
        [*lines, *([""] if lines else []), f"{len(ran) - len(shown)} more commands passed."]
        if len(shown) < len(ran)
        else lines
    )


def made(board: Board, ledger: Ledger, apart: str = "") -> list[str]:
    """Commits on the checked-out branch, or else on the run's own branch, in this repository or
    in `apart`.
    """
    here = [
        [code(commit[:10]), code(record.key), _paths(paths)]
        for record in ledger.steps
        for commit, paths in commits(record)
    ]
    if here:
        return table(["Commit", "Step", "Files"], here)
    rows = [
        [
            code(record.commit[:10]),
            code(record.key),
            _paths([path for path in record.outputs if path not in record.before]),
        ]
        for record in ledger.steps
        if record.commit and record.outcome != "fail"
    ]
    of = f" of {code(apart)}, since the project is not a git repository" if apart else ""
    return (
        [
            f"On the branch {code(f'podium/{board.run}')}{of}:",
            "",
            *table(["Commit", "Step", "Files"], rows),
        ]
        if rows
        else []
    )


def _paths(paths: tuple[str, ...] | list[str]) -> str:
    shown = "<br>".join(code(path) for path in paths[:8])
    return shown + (f"<br>… {len(paths) - 8} more" if len(paths) > 8 else "")


def phase_of(board: Board, record: StepRecord) -> str:
    """The section of the timeline that a step belongs to."""
    step: Step | None = board.steps.get(record.step)
    return step.phase if step is not None and step.phase else "Steps"


def refused(ledger: Ledger) -> list[str]:
    rows = [
        [code(record.key), code(path), prose(failure, 40), prose(detail)]
        for record in ledger.steps
        for path, failure, detail in record.rejected
    ]
    return table(["Step", "Path", "Failure", "Detail"], rows)


def quarantined(ledger: Ledger) -> list[str]:
    rows = [[code(record.key), code(path)] for record in ledger.steps for path in record.violated]
    return table(["Step", "Path"], rows)


def bars(board: Board, ledger: Ledger) -> Iterator[tuple[str, StepRecord]]:
    """(section, step) of the timeline; the steps of an item are together."""
    homes = {row.key: child for child in board.children() for row in child.walk() if row.key}
    for record in ledger.steps:
        child = homes.get(record.key)
        yield (child.name if child is not None else phase_of(board, record)), record
