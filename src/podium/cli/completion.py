"""What the shell may offer for the next word. Only reads, and fails silently."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import argcomplete

from podium.cli import table
from podium.cli.main import split
from podium.settings.project import find_project


def complete() -> int:
    """Answer the shell; argcomplete ends the process."""
    argcomplete.autocomplete(parser(_typed()))
    return 0


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser: complete for the command being typed, only the names of the others."""
    top = argparse.ArgumentParser(prog="podium", add_help=False)
    commands = top.add_subparsers()
    name, _ = split(words)
    for each, line in table.COMMANDS.items():
        sub = commands.add_parser(each, help=line)
        for option in ("--json", "--quiet", "--no-color"):
            sub.add_argument(option, action="store_true")
        sub.add_argument("--project")
        if each == name:
            import_module(table.module(each)).configure(sub)
            _teach(sub)
    return top


def _typed() -> list[str]:
    line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0") or 0) or None]
    try:
        return shlex.split(line)[1:]
    except ValueError:  # an open quote
        return line.split()[1:]


def _teach(sub: argparse.ArgumentParser) -> None:
    # argparse has no public access to a parser's options
    for action in sub._actions:  # noqa: SLF001
        if action.dest in SOURCES:
            completer: Any = SOURCES[action.dest]
            action.completer = completer  # type: ignore[attr-defined]


def _runs(**_: Any) -> list[str]:
    return ["@", *_run_ids(find_project(Path.cwd()))]


def _run_ids(project: Path) -> list[str]:
    from podium.state.run_folder import run_ids  # noqa: PLC0415

    return run_ids(project / ".podium" / "runs")


def _workflows(**_: Any) -> Sequence[str]:
    from podium.cli.catalog import names  # noqa: PLC0415

    return names()


def _gates(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    """The open gates of the run on the command line."""
    from podium.wiring import App  # noqa: PLC0415

    app = App(find_project(Path.cwd()))
    summary = app.summary(app.resolve(getattr(parsed_args, "run", None) or "@"))
    return [str(gate["key"]) for gate in summary.gates]


SOURCES: dict[str, Callable[..., Sequence[str]]] = {
    "run": _runs,
    "runs": _runs,
    "workflow": _workflows,
    "workflows": _workflows,
    "gate": _gates,
}
"""What can be offered for an option or argument, by its name."""
