"""Runs the engine's own commands after a step, and the same commands on the code before it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.agents.environment import MARK
from podium.core.contract import Contract
from podium.engine.attempts import view as views
from podium.engine.attempts.loose import set_aside
from podium.engine.attempts.records import StepFiles
from podium.engine.session import Session
from podium.engine.surveying import looked_at
from podium.verify.baseline import Ran, evidence
from podium.verify.commands import run_command


async def gather(
    session: Session, key: str, view: views.View, contract: Contract, files: StepFiles, said: Mapping[str, Any]
) -> tuple[Mapping[str, Any], ...]:
    """`said`: the agent's report, from which commands may be guessed."""
    configured = {name: line for name, line in session.services.commands.items() if line}
    if not contract.evidence or (contract.survey is None and not any(configured.get(name) for name in contract.evidence)):
        return ()
    with set_aside(view):
        # After the work, because the step itself may have made the file that says how the project is built.
        seen = looked_at(views.work_folder(view), contract.survey) if contract.survey else {}
        known = {**contract.guessed(said, seen), **configured}
        wanted = [(name, known[name]) for name in contract.evidence if known.get(name)]
        return tuple([await _one(session, key, view, name, command, files) for name, command in wanted])


async def _one(
    session: Session, key: str, view: views.View, name: str, command: str, files: StepFiles
) -> Mapping[str, Any]:
    now = await _run(session, key, name, command, views.work_folder(view))
    files.evidence(name, now.output)
    # Only a failure needs the baseline: a command that passes has broken nothing.
    before = await _baseline(session, key, view, name, command, files) if now.exit_code else None
    return evidence(now, before)


async def _run(session: Session, key: str, name: str, command: str, folder: Path) -> Ran:
    services = session.services
    services.observer.activity(key, "command", {"name": name, "command": command})
    supervise = services.supervisor(session.opened.inherit)
    marked = {**services.environment, MARK: session.marker(key)}
    return await session.beside(run_command(name, command, folder, marked, supervise, services.timeout_s))


async def _baseline(
    session: Session, key: str, view: views.View, name: str, command: str, files: StepFiles
) -> Ran | None:
    """The same command on the code as it was before this run changed any of it."""
    if view.code is None:
        return None
    workspace = session.services.workspace()
    point = workspace.checkpoint_of(session.history.first_base() or view.code.checkpoint.commit)
    folder = views.beside(view.folder, "baseline")
    before = workspace.open_view(folder, point, hidden=(), only=())
    try:
        ran = await _run(session, key, f"{name}-baseline", command, before.project)
    finally:
        workspace.close_view(before)
    files.evidence(f"{name}-baseline", ran.output)
    return ran
