"""Work that changed tests, or what decides how they run: kept out of the project until a person has
seen how.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from podium.core import events
from podium.core.records import GateRecord, StepRecord
from podium.core.verdict import Judgement
from podium.engine import drift, gates, landings, net_changes, proof_record
from podium.engine.attempts import carrying
from podium.engine.attempts import view as views
from podium.engine.gates import Rest
from podium.engine.landings import Work
from podium.engine.session import Session
from podium.engine.step_files import StepFiles
from podium.project.findings import Finding

APPROVED, REDO = "approved", "redo"
SHOWN = 120
"""Lines of differences in a question; the step's files have all of them."""


def tell(session: Session, key: str, found: Sequence[Finding], *, held: bool) -> None:
    """Keep in the journal what a step did to tests; `held`: it waits for a person."""
    session.pending.append(events.tests_weakened(key, [_as_data(item) for item in found], held))


def _as_data(finding: Finding) -> dict[str, Any]:
    data = {"path": finding.path, "how": finding.how, "lines": list(finding.lines)}
    return data if finding.blocks else {**data, "notice": True}


# -- holding


def hold(
    session: Session,
    work: Work,
    found: Sequence[Finding],
    evidence: Sequence[proof_record.Record] = (),
) -> Rest:
    """Keep the work of a step that was just settled out of the project, and ask."""
    files = StepFiles(session, work.key, 0)
    for path, text in work.texts.items():
        files.keep(path, text)  # now, because the view in which it was made is removed
    blocking = {item.path for item in found if item.blocks}
    session.pending.append(events.step_held(work.key, sorted(blocking)))
    number = 1 + sum(key.startswith(f"{work.key}/weakened-") for key in session.history.gates)
    gate = f"{work.key}/weakened-{number}"
    step = session.history.steps[work.key].step
    prompt = question(work.key, found)
    gates.opened(
        session,
        gate,
        step,
        "high_risk",
        prompt,
        [APPROVED, REDO],
        {},
        evidence=[proof_record.short(record) for record in evidence if record.get("state")],
        changes=_changes(session, work),
    )
    if work.view is not None:
        session.services.scribe.do(partial(views.close_view, session, work.view))
    return Rest(prompt.splitlines()[0], "gate", (gate,))


def _changes(session: Session, work: Work) -> dict[str, Any]:
    """What the step did to the code."""
    if not work.commit or not work.base:
        return {}
    workspace = session.services.workspace()
    before, after = workspace.checkpoint_of(work.base), workspace.checkpoint_of(work.commit)
    return net_changes.of_work(session, before, after)


def question(key: str, found: Sequence[Finding]) -> str:
    lines = [f"{key} changed how this project is tested. Nothing of it is in your checkout yet."]
    left = SHOWN
    for finding in sorted(found, key=_weight):
        lines.append(f"  {finding.path}: {finding.how}")
        shown = finding.lines[: max(0, left)]
        lines += [f"      {line}" for line in shown]
        left -= len(shown)
        if len(shown) < len(finding.lines):
            lines.append(
                f"      … {len(finding.lines) - len(shown)} more lines: podium show @ {key}"
            )
    lines.append(f"{APPROVED}: the change is right; its work goes into your checkout")
    lines.append(f"{REDO}: the step runs again, with your note")
    return "\n".join(lines)


def _weight(finding: Finding) -> tuple[bool, bool]:
    """The strongest sign first, notices last."""
    return (not finding.blocks, finding.how != "old tests fail")


def decided(session: Session, key: str) -> Judgement | Rest | None:
    """What became of a step's held work; None if there is none, or if the step is to be done
    again.
    """
    record = session.history.steps.get(key)
    gate = _gate(session, record) if record is not None and record.held else None
    if record is None or gate is None:
        return None
    gates.decide(session, gate)
    if gate.open:
        return Rest(f"{gate.prompt.splitlines()[0]} Waiting for a person.", "gate", (gate.key,))
    if gate.decision != APPROVED:
        carrying.forget(session, key)
        reason = f"{gate.by} did not accept how it changed the tests"
        session.append(events.step_stale(key, [f"{reason}: {gate.note}" if gate.note else reason]))
        return None
    return _take(session, record)


def _gate(session: Session, record: StepRecord) -> GateRecord | None:
    asked = [
        gate
        for gate in session.history.gates.values()
        if gate.key.startswith(f"{record.key}/weakened-") and gate.opening > record.ending
    ]
    later = [
        gate
        for gate in session.history.gates.values()
        if gate.key.startswith(f"{record.key}/drift-") and gate.opening > record.ending
    ]
    return asked[-1] if asked and not later else None


def _take(session: Session, record: StepRecord) -> Judgement | Rest:
    """Land it as it was made; what a person changed meanwhile in its files is asked about."""
    texts: dict[str, str] = {}
    for path in record.before:
        data = landings.kept(session, record.key, path, record.outputs[path])
        if data is not None:
            texts[path] = data.decode()
    others = landings.in_the_way(session, record.commit, record.base)
    others += tuple(
        path
        for path, was in record.before.items()
        if session.digest(path) not in {was, record.outputs[path]}
    )
    if others:
        return drift.hold_again(session, record.key, others)
    session.append(
        events.step_merged(
            record.key, record.commit, record.base, record.outputs, before=record.before
        )
    )
    session.landing = Work(record.key, record.outputs, texts, record.commit, record.base)
    return landings.judgement_of(record)
