"""What a run's page and its report share: steps, artifacts, evidence, findings, decisions,
troubles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.records import StepRecord
from podium.views import figures
from podium.views.proving import proof_sentence, proof_state, proved
from podium.views.report.ledger import Decision, Ledger, commits
from podium.web.pages.words import state_of


@dataclass(frozen=True)
class StepLine:
    """One step in a table."""

    key: str
    whose: str
    state: str
    word: str
    """Its verdict, or else its outcome."""
    took: str
    started: str
    tries: int
    reason: str
    kind: str


def step_line(record: StepRecord) -> StepLine:
    took = figures.between(record.started, record.finished) if record.finished else None
    return StepLine(
        key=record.key,
        whose=record.role or record.kind,
        state=state_of(record),
        word=record.verdict or record.outcome or record.state,
        took=figures.seconds(took) if took is not None else "",
        started=record.started,
        tries=len(record.tried) + 1,
        reason=record.reason.strip().partition("\n")[0],
        kind=record.kind,
    )


@dataclass(frozen=True)
class Artifact:
    path: str
    digest: str
    key: str
    """The step that wrote this version."""
    whose: str
    versions: int
    when: str


def artifacts(ledger: Ledger) -> list[Artifact]:
    """The last version of every file that a step left, by path."""
    found: dict[str, list[StepRecord]] = {}
    for record in ledger.steps:
        if record.finished:
            for path in record.outputs:
                found.setdefault(path, []).append(record)
    lines = []
    for path in sorted(found):
        last = max(found[path], key=lambda each: (each.finished, each.key))
        digests = {each.outputs[path] for each in found[path]}
        lines.append(
            Artifact(
                path,
                last.outputs[path],
                last.key,
                last.role or last.kind,
                len(digests),
                last.finished,
            )
        )
    return lines


@dataclass(frozen=True)
class Ran:
    """One command that Podium ran itself."""

    key: str
    name: str
    command: str
    exit: str
    before: str
    news: tuple[str, ...]
    state: str
    word: str
    took: str


def evidence(records: Sequence[StepRecord]) -> list[Ran]:
    return [
        ran(record.key, each)
        for record in records
        for each in record.evidence
        if each.get("command")
    ]


def ran(key: str, each: Mapping[str, Any]) -> Ran:
    took, before = each.get("seconds"), each.get("before")
    states = {"passed": "done", "failed_before": "stale", "failed": "failed", "not_run": "failed"}
    done = "done" if each.get("exit") == 0 else "failed"
    news = each.get("new") or each.get("failing")
    return Ran(
        key=key,
        name=str(each.get("name", "")),
        command=str(each.get("command", "")),
        exit=figures.UNKNOWN if each.get("exit") is None else str(each["exit"]),
        before=f"{before.get('failed', 0)} failed" if isinstance(before, Mapping) else "",
        news=tuple(map(str, news[:20])) if isinstance(news, list | tuple) else (),
        state=states.get(proof_state(each), done),
        word=proof_sentence(each) or proved(each),
        took=figures.seconds(took) if isinstance(took, int | float) else "",
    )


@dataclass(frozen=True)
class Made:
    """A commit, and the files in it."""

    commit: str
    key: str
    paths: tuple[str, ...]
    branch: str
    apart: str = ""
    """The repository of that branch, if not the project's."""


def made(ledger: Ledger, run: str, apart: str = "") -> list[Made]:
    """Commits on the branch that is checked out, or else on the run's own branch."""
    here = [
        Made(commit, record.key, paths, "")
        for record in ledger.steps
        for commit, paths in commits(record)
    ]
    if here:
        return here
    return [
        Made(
            each.commit,
            each.key,
            tuple(path for path in each.outputs if path not in each.before),
            f"podium/{run}",
            apart,
        )
        for each in ledger.steps
        if each.commit and each.outcome != "fail"
    ]


@dataclass(frozen=True)
class Trouble:
    key: str
    what: str
    detail: str


def troubles(records: Sequence[StepRecord]) -> list[Trouble]:
    """What went wrong and was handled: refused artifacts, undone changes, failed attempts,
    conflicting work.
    """
    found = []
    for record in records:
        found += [
            Trouble(record.key, f"refused, {failure}", f"{path}: {detail}" if detail else path)
            for path, failure, detail in record.rejected
        ]
        found += [Trouble(record.key, "undone and kept aside", path) for path in record.violated]
        found += [
            Trouble(record.key, "clashed with another task", path) for path in record.conflicts
        ]
        found += [
            Trouble(record.key, f"try {at}: {each.classification}", "; ".join(each.detail))
            for at, each in enumerate(record.tried, 1)
        ]
    return found


@dataclass(frozen=True)
class Decided:
    key: str
    word: str
    state: str
    by: str
    note: str
    when: str
    waited: str
    subject: tuple[tuple[str, str], ...]


def decided(each: Decision) -> Decided:
    state = (
        "skipped"
        if each.void
        else "waiting"
        if not each.decision
        else "done"
        if each.decision in {"approved", "approve"}
        else "stale"
    )
    waited = figures.between(each.opened, each.decided) if each.decided else None
    return Decided(
        each.key,
        each.word,
        state,
        each.by,
        each.note,
        each.decided,
        figures.seconds(waited) if waited is not None else "",
        tuple(sorted((str(path), str(mark)) for path, mark in each.subject.items())),
    )


def held(records: Sequence[StepRecord]) -> list[str]:
    """How firmly the agents' contracts were enforced, each combination once."""
    said = [
        ", ".join(f"{name} {level}" for name, level in sorted(each.assurance.items()))
        for each in records
        if each.assurance
    ]
    return list(dict.fromkeys(said))


def definitions(records: Sequence[StepRecord]) -> list[tuple[str, str, str]]:
    """(role, where its definition came from, its digest) as used, each once."""
    found = {
        (each.role, str(each.definition.get("from", "")), str(each.definition.get("digest", "")))
        for each in records
        if each.definition
    }
    return sorted(found)
