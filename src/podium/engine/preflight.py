"""Before the first dispatch: the project's commands run once, while nothing depends on them.

What they prove then is what every later run of them is compared with. What is wrong with them is
asked or said while it costs nothing: a test command that cannot run, tests that fail already, a
command that works in the checkout and not in a view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.core import events
from podium.core.effects import Check, Cluster, FanOut, Stage
from podium.core.records import GateRecord
from podium.core.workflow import Step
from podium.engine import gates
from podium.engine.commands import execute, execute_in_checkout
from podium.engine.gates import Rest
from podium.engine.landed import checkpoint
from podium.engine.proof import PREFLIGHT, Proven, keep_output, recorded, remember, strict
from podium.engine.session import Session
from podium.proof.evidence import preflight as proven_before
from podium.proof.sentences import line_of
from podium.state.removal import remove_all

KEY = PREFLIGHT
AGAIN, UNPROVEN, SAME, GREEN = "again", "unproven", "same", "green"
Record = Mapping[str, Any]


def names(session: Session) -> list[tuple[str, str]]:
    """The commands that this workflow runs as proof, as far as they are configured."""
    wanted = session.workflow.proven_by(session.run)
    return [(name, line) for name in wanted if (line := session.services.commands.get(name, ""))]


async def perform(session: Session, step: Step) -> Rest | str | None:
    """Run them if that has not been done, and ask what has to be asked. Why the run cannot go on,
    as text; None if it can.
    """
    if session.prefix or not names(session) or not _concerned(session, step):
        return None
    if why := await _examined(session):
        return why
    return _asked(session, step)


def _concerned(session: Session, step: Step) -> bool:
    """Whether the step dispatches an agent, or runs commands itself."""
    effect = step.effect
    if isinstance(effect, Check):
        return bool(effect.commands or effect.runs(session.run))
    return isinstance(effect, Stage | Cluster | FanOut)


async def _examined(session: Session) -> str:
    """Run the commands, unless they were run before and nobody said "again"; what keeps the run
    from beginning.
    """
    known, gate = session.history.baseline, session.history.gates.get(KEY)
    if known is not None and not _again(known, gate, names(session)):
        return ""
    point = checkpoint(session, KEY)
    home = session.services.views / f"{session.opened.run}+{KEY}"
    scratch = Path(f"{home}-scratch")
    workspace = session.services.workspace()
    code = workspace.open_view(home, point, hidden=(".podium/**",))
    proven: list[Proven] = []
    try:
        for name, line in names(session):
            output = await execute(session, KEY, name, line, code, scratch)
            remember(session, output)
            keep_output(session, KEY, name, output)
            proven.append(Proven(proven_before(output.execution), output.text))
    finally:
        workspace.close_view(code)
        remove_all(scratch)
    fault = await _fault_of_the_view(session, proven)
    if not fault:
        records = recorded(session, KEY, proven, point.tree)
        session.append(events.proof_baseline(point.commit, records))
    return fault


def _again(known: Record, gate: GateRecord | None, commands: Sequence[tuple[str, str]]) -> bool:
    """Whether the commands must run again: a person said so, or they are other ones now."""
    if gate is not None and gate.decision == AGAIN and gate.deciding > known["seq"]:
        return True
    before = {(record["name"], record["command"]) for record in known["evidence"]}
    return not before.issuperset(commands)


async def _fault_of_the_view(session: Session, proven: Sequence[Proven]) -> str:
    """A command that passes in the checkout and not in a view: the environment is at fault, and no
    agent could make it pass.
    """
    for evidence, text, _ in proven:
        if evidence.state == "passed":
            continue
        output = await execute_in_checkout(session, KEY, evidence.name, evidence.command)
        there = proven_before(output.execution)
        if there.state != "passed":
            continue
        keep_output(session, KEY, f"{evidence.name}-checkout", output)
        return (
            f"`{evidence.command}` passes in your checkout and not in a view, where agents and "
            f"proof run it. In the view: {_end(text)} If it needs files that git ignores, name "
            "them in [view] bring; folders outside the project, in [isolation] readable or "
            "writable; `podium doctor` shows both outputs"
        )
    return ""


def _end(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    last = " / ".join(lines[-3:]) or "it printed nothing"
    return last if last.endswith(".") else f"{last}."


# -- what is asked


def _asked(session: Session, step: Step) -> Rest | None:
    known, gate = session.history.baseline, session.history.gates.get(KEY)
    assert known is not None
    open_ones = [record for record in known["evidence"] if not _waived(session, record)]
    unclear = [record for record in open_ones if record["state"] == "not_run"]
    red = [record for record in open_ones if record["state"] == "failed"]
    if not unclear and not (red and strict(session) == "ask"):
        return None
    if gate is None or gate.opening < known["seq"] or _taken(session, gate):
        prompt, choices = _question(unclear, red)
        gate = gates.opened(session, KEY, step.name, "question", prompt, choices, {})
    gates.decide(session, gate)
    if gate.open:
        return Rest(f"{gate.prompt} Waiting for a person.", "question", (KEY,))
    if gate.decision == UNPROVEN:
        commands = [str(record["name"]) for record in unclear or red]
        session.append(events.proof_waived("", commands, gate.by, gate.note))
        return _asked(session, step)
    return None


def _taken(session: Session, gate: GateRecord) -> bool:
    """Whether the answer has been acted upon, so that what is left is another question."""
    given = [event["seq"] for event in session.history.waivers if not event["key"]]
    return gate.decision == UNPROVEN and any(number > gate.deciding for number in given)


def _waived(session: Session, record: Record) -> bool:
    return str(record["name"]) in session.history.waived


def _question(unclear: Sequence[Record], red: Sequence[Record]) -> tuple[str, list[str]]:
    """What a person is asked, and the choices. What fails without a name can never be "the same"
    at the end.
    """
    lines = "\n".join(f"  {line_of(record)} (`{record['command']}`)" for record in unclear or red)
    means = {
        SAME: "exactly these may still fail at the end",
        GREEN: "they must pass at the end",
        AGAIN: "you have fixed it, run it once more",
        UNPROVEN: "go on without this proof. The run then ends as complete, unproven",
    }
    if unclear:
        choices = [AGAIN, UNPROVEN]
    elif all(record["failing"] for record in red):
        choices = [SAME, GREEN, AGAIN]
    else:
        choices = [GREEN, AGAIN, UNPROVEN]
    said = "; ".join(f"{choice}: {means[choice]}" for choice in choices)
    return f"Before anything was changed:\n{lines}\n{said}.", choices
