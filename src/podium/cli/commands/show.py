"""`podium show RUN [KEY]`: one step in full; for a cluster, wave or item its steps; without a
key, all steps.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from podium.cli import context
from podium.cli.terminal import Terminal, terminal
from podium.core.digest import digest
from podium.core.errors import UsageError
from podium.core.keys import names
from podium.core.nearest import nearest
from podium.core.records import StepRecord
from podium.state.run_folder import step_folder
from podium.views.board.board import Board
from podium.views.fitting import columns
from podium.views.groups.words import tasks_named
from podium.views.report.ledger import Ledger
from podium.views.show import ARTIFACT, Material, read_step, shown, shown_gate
from podium.views.step_list import WIDE, about, below, listed
from podium.views.style import Style
from podium.wiring import App


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="an id, a unique prefix, or @ for the latest")
    parser.add_argument(
        "key",
        metavar="KEY",
        nargs="?",
        default="",
        help=(
            "the step; `qa` means its last round; `ct/1` or `item/US-2` lists what is below it, a "
            "task or group its attempts"
        ),
    )
    parser.add_argument("--full", action="store_true", help="cut nothing, however long")


def run(args: Namespace) -> int:
    out = terminal(args)
    app = context.app(args)
    run = app.resolve(args.run)
    ledger = Ledger(app.events(run))
    steps = {record.key: record for record in ledger.steps}
    if not args.key:
        return _list(out, run, "", ledger.steps)
    if (record := steps.get(_last(steps, args.key))) is not None:
        return _step(args, out, app, run, record)
    if (gate := ledger.gates.get(_last(ledger.gates, args.key))) is not None:
        out.answer(
            {"run": run, "key": gate.key, "gate": asdict(gate)},
            shown_gate(gate, style=Style(out.color)).rstrip("\n"),
        )
        return 0
    if found := below(ledger.steps, args.key, app.workflow(run).steps):
        return _list(out, run, args.key, found, _title(app, run, args.key))
    work = _board(app, run).work
    if (named := tasks_named(work, args.key)) is not None:
        return _list(out, run, args.key, about(ledger.steps, named.tasks), named.title)
    tasks = {task.id.lower(): task.id for each in work.iterations.values() for task in each.tasks}
    match = nearest(args.key, [*steps, *ledger.gates, *tasks])
    match = tasks.get(match, match)
    hint = f"; did you mean {match}?" if match else f"; `podium show {run}` lists them"
    raise UsageError(f"run {run} has no step {args.key!r}{hint}")


def _board(app: App, run: str) -> Board:
    return Board(app.workflow(run).steps.values(), events=app.events(run))


def _title(app: App, run: str, key: str) -> str:
    """For a child run: what it is about and its state."""
    row = _board(app, run).tree.known_child(f"{run}/{key}")
    if row is None:
        return ""
    state = {"failed": "blocked", "running": "at work", "waiting": "waits for you"}.get(
        row.state, row.state
    )
    return " · ".join(
        each
        for each in (
            key,
            row.title,
            state,
            row.effort(),
            f"commit {row.commit[:10]}" if row.commit else "",
        )
        if each
    )


def _list(out: Terminal, run: str, key: str, records: Sequence[StepRecord], title: str = "") -> int:
    told = [
        {
            "key": each.key,
            "role": each.role,
            "state": each.state,
            "outcome": each.outcome,
            "verdict": each.verdict,
        }
        for each in records
    ]
    said = {"run": run, **({"key": key} if key else {}), "steps": told}
    width = columns(WIDE)
    out.answer(
        said, listed(records, style=Style(out.color), title=title, width=width) or "no step yet"
    )
    return 0


def _step(args: Namespace, out: Terminal, app: App, run: str, record: StepRecord) -> int:
    folder = step_folder(app.folder(run), record.key)
    material = _with_documents(app.project, record, read_step(folder))
    told = {
        "run": run,
        "key": record.key,
        **_parts(record, material),
        "step": asdict(record),
        "files": dict(material.texts),
    }
    text = shown(
        record,
        material,
        where=str(folder) if folder.is_dir() else "",
        style=Style(out.color),
        full=args.full,
    )
    out.answer(told, text.rstrip("\n"))
    return 0


def _parts(record: StepRecord, material: Material) -> dict[str, Any]:
    """The parts of a step, by name; null if there is none."""
    return {
        "brief": material.data("brief.json") or None,
        "prompt": material.texts.get("prompt.md"),
        "view": dict(record.inputs),
        "diff": material.texts.get("changes.patch"),
        "artifacts": dict(record.outputs),
        "verdict": material.data("verdict.json") or None,
        "evidence": list(record.evidence),
        "usage": dict(record.usage),
    }


def _with_documents(project: Path, record: StepRecord, material: Material) -> Material:
    """A check's documents are kept only in the project: they are shown as long as they are
    unchanged.
    """
    texts: dict[str, str] = {}
    for path, mark in record.outputs.items() if record.kind != "dispatch" else ():
        where = project / path
        if (
            where.is_file()
            and not where.is_symlink()
            and digest(data := where.read_bytes()) == mark
        ):
            texts[ARTIFACT + path.replace("/", "~")] = data.decode(errors="replace")
    return Material({**texts, **material.texts})


def _last(known: Iterable[str], spoken: str) -> str:
    """The key that is meant. Without a number it is the last round, even if the first round's
    key has no number.
    """
    fitting = [key for key in known if names(spoken, key)]
    exact = spoken.rpartition("/")[2].isdigit() and spoken in fitting
    return spoken if exact else fitting[-1] if fitting else ""
