"""The project's commands as `podium doctor` sees them: run once in a view, as a run would do it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from podium.cli.finding import Finding
from podium.core.errors import PodiumError
from podium.engine.commands import Output
from podium.engine.trial import Tried
from podium.proof.evidence import preflight
from podium.proof.sentences import sentence
from podium.settings.values import Settings

LINES = 12
"""Of an output, from its end."""


def commands(project: Path, settings: Settings) -> Iterator[Finding]:
    """The commands that are set, and for the others what would be used and why."""
    from podium.cli import detect  # noqa: PLC0415  # reads the tree; only doctor and init need it

    known = {name for name, line in vars(settings.commands).items() if line}
    for guess in detect.commands(project):
        if guess.name not in known and guess.name != "lint":
            what = f"{guess.name} is not set; found: {guess.command} ({guess.why})"
            yield Finding("commands", "ok", what, f"[commands] {guess.name} in podium.toml")
    if known:
        yield from _tried(project)
    if "test" not in known:
        yield Finding(
            "commands",
            "warn",
            "no test command: nothing that agents write is proven",
            '[commands] test = "…" in podium.toml',
        )


def _tried(project: Path) -> Iterator[Finding]:
    from podium.wiring import App  # noqa: PLC0415  # tests put another in its place

    try:
        yield from map(_finding, App(project).try_commands())
    except (PodiumError, OSError) as fault:
        yield Finding("commands", "fail", f"they could not be run: {fault}")


def _finding(tried: Tried) -> Finding:
    evidence = preflight(tried.view.execution)
    told = f"{sentence(evidence)} (`{evidence.command}`, {evidence.seconds:.1f} s)"
    if evidence.state == "passed":
        return Finding("commands", "ok", told)
    if tried.checkout is not None and tried.is_fault_of_the_view:
        return Finding(
            "commands",
            "fail",
            f"`{evidence.command}` passes in your checkout and not in a view, where agents and "
            f"proof run it.\n{_printed('In a view', tried.view)}\n"
            f"{_printed('In your checkout', tried.checkout)}",
            "name the files it needs that git ignores in [view] bring; folders outside the "
            "project in [isolation] readable or writable",
        )
    if evidence.state == "not_run":
        mend = f"correct [commands] {evidence.name} in podium.toml, or install what it needs"
        return Finding("commands", "fail", f"{told}\n{_printed('It printed', tried.view)}", mend)
    mend = "[proof] before says whether what fails already may still fail after a run"
    return Finding("commands", "warn", f"{told}, in your checkout too", mend)


def _printed(where: str, output: Output) -> str:
    lines = [line for line in output.text.strip().splitlines() if line.strip()]
    shown = "\n".join(f"          {line}" for line in lines[-LINES:])
    return f"        {where}:\n{shown}" if lines else f"        {where}: nothing"
