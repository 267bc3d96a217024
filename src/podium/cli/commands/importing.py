"""`podium import FILE…`: which rules of an agent definition or a prose orchestrator Podium
enforces, and how.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from podium.cli.terminal import terminal
from podium.core.errors import Fault, InputError, UsageError
from podium.core.rules import terms
from podium.formats import agent_file, agent_head
from podium.importing import report as reports
from podium.importing.finding import find
from podium.importing.report import Report
from podium.views.safe import visible
from podium.workflows.rule_catalog import CATALOGUES, every, rules

_PLACES = (".github/agents", ".claude/agents", ".podium/roles")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="an agent definition, a prose orchestrator, or a folder that holds agent definitions",
    )
    parser.add_argument(
        "--workflow",
        metavar="NAME",
        default="",
        help=f"the workflow to compare with; default: the closest of {', '.join(CATALOGUES)}",
    )
    parser.add_argument("--markdown", action="store_true", help="print the report as Markdown")


def run(args: Namespace) -> int:
    if args.workflow and args.workflow not in CATALOGUES:
        raise UsageError(f"--workflow {args.workflow}: one of {', '.join(CATALOGUES)}")
    made: list[Report] = []
    faults: list[Fault] = []
    for path in _files(args.files, faults):
        try:
            made.append(_report(path, args.workflow))
        except InputError as error:
            faults += error.faults
    out = terminal(args)
    if made:
        shown = [
            reports.markdown(each, each.where) if args.markdown else reports.table(each)
            for each in made
        ]
        out.answer(
            {"files": [reports.data(each) for each in made]},
            "\n".join(map(visible, "\n\n".join(shown).split("\n"))),
        )
    if faults:
        raise InputError(faults)
    return 0


def _report(path: str, workflow: str) -> Report:
    text, first, remarks = _read(path)
    names = (workflow,) if workflow else CATALOGUES
    catalogues = [(name, rules(name)) for name in names] + ([] if workflow else [("", rules(""))])
    return reports.report(path, find(text, terms(every()), first), catalogues, remarks)


def _read(path: str) -> tuple[str, int, tuple[str, ...]]:
    """The prose of a file, the number of its first line, and what its head says."""
    try:
        with open(path, "rb") as file:
            data = file.read(agent_file.LARGEST + 1)
    except OSError as fault:
        raise InputError(Fault(path, f"cannot be read: {fault.strerror}")) from None
    read = agent_file.parse(data, path)
    whole = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    parts = agent_head.split(whole)
    body = parts[1] if parts else whole
    remarks = [str(each) for each in read.warnings]
    if read.tools is not None:
        can = ", ".join(read.abilities) or "nothing"
        remarks.append(
            f"its tools let it {can}; a step is limited by its contract (engine.scope), "
            "whatever the list says"
        )
    return body, whole.count("\n") - body.count("\n") + 1, tuple(remarks)


def _files(given: list[str], faults: list[Fault]) -> Iterator[str]:
    """The files themselves, and the agent definitions in folders."""
    for path in dict.fromkeys(given):
        if os.path.isdir(path):
            found = sorted(_definitions(Path(path)))
            if not found:
                faults.append(
                    Fault(
                        path,
                        "holds no agent definitions",
                        f"name a file, or a folder with {', '.join(_PLACES)} in it",
                    )
                )
            yield from found
        elif os.path.isfile(path):
            yield path
        else:
            faults.append(Fault(path, "there is no such file"))


def _definitions(folder: Path) -> set[str]:
    """Definitions in their usual places below a folder; all Markdown files if the folder is such
    a place itself.
    """
    inside = folder.resolve().as_posix()
    if any(inside.endswith(f"/{place}") for place in _PLACES):
        return {os.fspath(each) for each in folder.glob("*.md") if each.is_file()}
    found = {each for place in _PLACES for each in (folder / place).glob("**/*.md")} | set(
        folder.glob("*.agent.md")
    )
    return {os.fspath(each) for each in found if each.is_file()}
