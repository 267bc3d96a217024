"""Proof: the project's own commands, run by the engine in a view of exactly the code that would
land, and compared with the code before the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from podium.engine.commands import Output, execute
from podium.engine.git.snapshot import Checkpoint
from podium.engine.session import Session
from podium.engine.step_files import StepFiles
from podium.engine.views.code_view import CodeView
from podium.engine.waivers import waived
from podium.project.kinds import kind_of
from podium.proof.evidence import Evidence, Execution, decide, to_json
from podium.proof.report import read_report
from podium.proof.secrecy import masked
from podium.state.disk import ensure_folder
from podium.state.regular import read_regular
from podium.state.removal import remove_all
from podium.state.run_folder import RunFolder

INSTALL = "install"
"""The command that fetches dependencies."""
PREFLIGHT = "preflight"
"""The gate at which a person decided about tests that failed before the run."""
BASELINE = "baseline"
"""The folder of a run with what its commands printed before any step."""
LONGEST = 5_000_000
"""Characters of an output that are kept for people."""
TAIL = 1500
"""Characters of an output that stay with its evidence."""
SHORT_S = 30.0
"""A command that takes longer is not repeated without need, and doubtful code not for longer."""
DOUBTFUL = 9
"""How often it is repeated if its code may do something else each time."""


class Proven(NamedTuple):
    """What one command proves, and everything it printed."""

    evidence: Evidence
    text: str
    with_old_tests: Evidence | None = None
    """What it proved with the tests from before the step, if that is worse."""


@dataclass(frozen=True)
class Subject:
    """What is to be proven."""

    landing: Checkpoint
    """The code as it would be."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Path to text of what else lands."""
    old_tests: Mapping[str, bytes | None] = field(default_factory=dict)
    """Tests and their machinery that a step changed, as they were; None = they were not there."""
    touched: frozenset[str] = frozenset()
    """Files that steps changed."""
    compared: bool = True
    """Whether what failed before the run may still fail."""
    doubtful: bool = False
    """Whether the code may do something else each time it runs."""


async def prove(
    session: Session, key: str, subject: Subject, commands: Sequence[tuple[str, str]], home: Path
) -> tuple[Proven, ...]:
    """Run commands (name, line) one after the other in one view, which is made in `home`."""
    if not commands:
        return ()
    workspace = session.services.workspace()
    scratch = Path(f"{home}-scratch")
    code = workspace.open_view(home, subject.landing, hidden=(".podium/**",))
    try:
        for path, text in subject.documents.items():
            code.bring(code.outward(path), text.encode())
        if (failed := await _installed(session, key, subject, code, scratch)) is not None:
            return (failed,)
        return tuple(
            [
                _waived(session, key, name, command)
                or await _one(session, key, subject, name, command, code, scratch)
                for name, command in commands
            ]
        )
    finally:
        workspace.close_view(code)
        remove_all(scratch)


async def _installed(
    session: Session, key: str, subject: Subject, code: CodeView, scratch: Path
) -> Proven | None:
    """Dependencies that a step named: only then are the checkout's not the ones that are needed.
    What went wrong, or nothing.
    """
    line = session.services.commands.get(INSTALL, "")
    named = any(kind_of(path) in {"manifest", "lock"} for path in subject.touched)
    if not line or not named:
        return None
    output = await execute(session, key, INSTALL, line, code, scratch)
    keep_output(session, key, INSTALL, output)
    if output.execution.exit == 0:
        return None
    evidence = decide(output.execution)
    return Proven(replace(evidence, state="not_run", why=f"exit {evidence.exit}"), output.text)


def _waived(session: Session, key: str, name: str, command: str) -> Proven | None:
    """A command that a person goes on without is not run."""
    by = waived(session, key, name)
    if not by:
        return None
    return Proven(Evidence(name, command, None, "not_run", why=f"waived by {by}"), "")


async def _one(
    session: Session,
    key: str,
    subject: Subject,
    name: str,
    command: str,
    code: CodeView,
    scratch: Path,
) -> Proven:
    output = _landing(session, subject, await execute(session, key, name, command, code, scratch))
    keep_output(session, key, name, output)
    baseline = await _compared(session, key, subject, output.execution)
    evidence = _strictly(session, decide(output.execution, baseline, subject.touched))
    evidence = _as_ever(session, subject, evidence)
    times = _times(session, subject, output.execution)
    if evidence.state not in {"passed", "failed_before"} or not times:
        return Proven(evidence, output.text)
    _put_old_tests(code, subject.old_tests)
    for _ in range(times):
        again = await execute(session, key, name, command, code, scratch)
        again = _landing(session, subject, again)
        second = decide(again.execution, baseline, (*subject.touched, *subject.old_tests))
        if second.state in {"passed", "failed_before"} or _only_new(subject, second):
            continue
        keep_output(session, key, f"{name}-again", again)
        if subject.old_tests:
            return Proven(evidence, output.text, second)
        _as_ever(session, subject, second)
        why = f"passed, and when it was run again: {second.why or second.state}"
        return Proven(replace(second, why=why), again.text)
    return Proven(evidence, output.text)


async def _compared(
    session: Session, key: str, subject: Subject, now: Execution
) -> Execution | None:
    """What the command did before the run, as far as it counts. One that is not compared is only
    asked what it makes anew whenever it runs.
    """
    products = bool(now.changed) and not _bad(now)
    if not subject.compared and not products:
        return None
    needed = _bad(now) or products
    known = await before(session, key, now.name, now.command, needed=needed)
    return known if subject.compared or (known and not _bad(known)) else None


def _landing(session: Session, subject: Subject, output: Output) -> Output:
    """Of the files that a command changed only those that could land: what lies in the checkout
    without git keeping it, and no step touched, is the person's product.
    """
    changed = output.execution.changed
    aside = session.services.workspace().untracked(changed) - subject.touched
    kept = tuple(path for path in changed if path not in aside)
    return Output(replace(output.execution, changed=kept), output.text)


def _as_ever(session: Session, subject: Subject, evidence: Evidence) -> Evidence:
    """What failed once on the same code does not pass because it is tried again; only a person who
    sends the run on may have changed something around it.
    """
    failures = session.top.failures
    about = (evidence.name, evidence.command, subject.landing.tree)
    if evidence.state == "failed":
        failures[about] = evidence.why
    elif evidence.state == "passed" and about in failures:
        why = f"passed, and on the same code before: {failures[about]}"
        return replace(evidence, state="failed", why=why)
    return evidence


def _strictly(session: Session, evidence: Evidence) -> Evidence:
    """With `before = "green"` what failed before the run has to pass, too."""
    if evidence.state != "failed_before" or strict(session) != "green":
        return evidence
    return replace(evidence, state="failed", why="failed before the run, and has to pass now")


def strict(session: Session) -> str:
    """What applies to tests that failed before the run: `same`, `green`, or `ask`."""
    gate = session.top.history.gates.get(PREFLIGHT)
    if gate is not None and gate.decision in {"same", "green"}:
        return gate.decision
    return session.services.before


def _put_old_tests(code: CodeView, old_tests: Mapping[str, bytes | None]) -> None:
    """The tests as they were before the step, on the code as it is after it."""
    for path, data in old_tests.items():
        if data is None:
            code.remove(code.outward(path))
        else:
            code.write(code.outward(path), data)


def _only_new(subject: Subject, second: Evidence) -> bool:
    """Whether all tests of the project are new ones, so that without them there is none."""
    return bool(subject.old_tests) and second.state == "not_run" and "no tests" in second.why


def _bad(execution: Execution) -> bool:
    failed = execution.report.count.failed if execution.report.count else 0
    return execution.exit != 0 or bool(failed)


def _times(session: Session, subject: Subject, execution: Execution) -> int:
    """How often a command that passed runs again: with the tests from before, and often enough to
    see what happens only sometimes.
    """
    least = int(bool(subject.old_tests))
    if session.services.repeat < 2 or execution.seconds >= SHORT_S:
        return least
    if subject.doubtful:
        fitting = int(SHORT_S / max(execution.seconds, 0.1))
        return max(session.services.repeat - 1, min(DOUBTFUL, fitting))
    return max(least, session.services.repeat - 1)


# -- the code before the run


async def before(
    session: Session, key: str, name: str, command: str, *, needed: bool
) -> Execution | None:
    """The same command on the code before the run: as it was remembered; if it was not and is
    `needed`, it runs now.
    """
    known = recall(session, name, command)
    if known is not None or not needed:
        return known
    workspace = session.services.workspace()
    baseline = session.top.history.baseline
    base = str(baseline["base"]) if baseline else session.history.first_base()
    if not base:
        return None
    home = session.services.views / f"{session.opened.run.replace('/', '+')}+{BASELINE}"
    scratch = Path(f"{home}-scratch")
    code = workspace.open_view(home, workspace.checkpoint_of(base), hidden=(".podium/**",))
    try:
        output = await execute(session, key, f"{name}-baseline", command, code, scratch)
    finally:
        workspace.close_view(code)
        remove_all(scratch)
    output = Output(replace(output.execution, name=name), output.text)
    remember(session, output)
    return output.execution


def _place(session: Session, name: str) -> Path:
    safe = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)
    return RunFolder(session.services.project, session.folder.root_id).path / BASELINE / safe


def remember(session: Session, output: Output) -> None:
    """Keep what a command did before any step, for all comparisons."""
    place, execution = _place(session, output.execution.name), output.execution
    ensure_folder(place.parent)
    facts = {
        "command": execution.command,
        "exit": execution.exit,
        "seconds": round(execution.seconds, 3),
        "where": execution.where,
        "fault": execution.fault,
        "timed_out_after": execution.timed_out_after,
        "cut_after": execution.cut_after,
        "changed": list(execution.changed),
        "folder": os.fspath(session.services.project),
    }
    text = session.services.redact(output.text)
    place.with_suffix(".txt").write_text(text, encoding="utf-8", errors="backslashreplace")
    place.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")


def recall(session: Session, name: str, command: str) -> Execution | None:
    """What was remembered of this command; None if nothing was, or another command had the name."""
    place = _place(session, name)
    data, text = read_regular(place.with_suffix(".json")), read_regular(place.with_suffix(".txt"))
    if data is None or text is None:
        return None
    try:
        facts: dict[str, Any] = json.loads(data)
        folder = facts.pop("folder")
        changed = tuple(facts.pop("changed"))
        if facts["command"] != command:
            return None
        report = read_report(text.decode(errors="replace"), folder)
        return Execution(name=name, report=report, changed=changed, **facts)
    except (ValueError, KeyError, TypeError):
        return None


def keep_output(session: Session, key: str, name: str, output: Output) -> None:
    """What the command printed, for people; of a very long output its beginning and its end."""
    text = output.text
    if len(text) > LONGEST:
        half = LONGEST // 2
        cut = f"\n\n… {len(text) - LONGEST:,} characters are left out here …\n\n"
        text = text[:half] + cut + text[-half:]
    StepFiles(session, key, 0).evidence(name, text)


# -- as the journal has it


def recorded(
    session: Session, key: str, proven: Sequence[Proven], tree: str
) -> tuple[Mapping[str, Any], ...]:
    """Evidence with the tree that it is about, and the end of what a command printed that does not
    speak for it.
    """
    return tuple(_record(session, key, item, tree) for item in proven)


def _record(session: Session, key: str, proven: Proven, tree: str) -> Mapping[str, Any]:
    evidence, text, _ = proven
    record = {**to_json(evidence), "tree": tree}
    if evidence.state != "passed" and text:
        record["output"] = session.services.redact(last_lines(text))
    if by := waived(session, key, evidence.name):
        record["waived"] = by
    return masked(record, session.services.hidden)


def last_lines(text: str) -> str:
    """The end of a command's output, from the start of a line."""
    text = text.strip()
    kept = text[-TAIL:]
    return kept if len(text) <= TAIL else kept.partition("\n")[2] or kept
