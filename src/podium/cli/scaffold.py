"""The files that `podium init` gives a project, and what became of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from podium.cli.detect import Guess
from podium.core.errors import UsageError
from podium.settings.project import project_file
from podium.state.disk import Disk
from podium.state.run_folder import prepare
from podium.workflows.catalog import entry


@dataclass
class Written:
    """What was done, in order; paths are relative to the project root."""

    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def set_up(
    project: Path,
    workflows: list[str],
    agents: list[tuple[str, str]],
    guesses: list[Guess],
    *,
    force: bool,
) -> Written:
    done = Written()
    own = project_file(project)
    if own is not None and own.name == "pyproject.toml":
        done.kept.append("pyproject.toml [tool.podium]")
    else:
        write(project, "podium.toml", toml(agents, guesses, workflows), done, force=force)
    for each in workflows:
        copy(each, project, done, force=force)
    prepare(project, Disk())
    return done


def copy(workflow: str, project: Path, done: Written, *, force: bool) -> None:
    """Copy the workflow's scaffold into a project."""
    known = entry(workflow)
    source = files("podium.workflows") / workflow / "scaffold"
    for path, file in _walk(source) if source.is_dir() else ():
        if place := known.placed(path):
            write(project, place, file.read_text(encoding="utf-8"), done, force=force)
    for folder in known.folders:
        if not any((project / folder).glob("*")):
            write(project, f"{folder}/.gitkeep", "", done, force=force)


def write(project: Path, path: str, text: str, done: Written, *, force: bool) -> None:
    """Never overwrites unless forced, and never writes through a link to somewhere else."""
    target = project / path
    if not target.parent.resolve().is_relative_to(project.resolve()) or target.is_symlink():
        raise UsageError(f"{path} leads out of the project by a link; nothing is written there")
    same = target.is_file() and target.read_bytes() == text.encode()
    if target.exists() and (same or not force):
        done.kept.append(path)
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    done.written.append(path)


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda item: item.name):
        if each.is_dir() and each.name != "__pycache__":
            yield from _walk(each, f"{prefix}{each.name}/")
        elif not each.is_dir():
            yield f"{prefix}{each.name}", each


def toml(
    agents: Sequence[tuple[str, str]], guesses: Sequence[Guess], workflows: Sequence[str]
) -> str:
    """podium.toml with what was found and why."""
    lines = [
        (
            "# Settings of Podium for this project. Every key is optional; `podium doctor` checks "
            "them."
        ),
        (
            "# Precedence: command line > environment PODIUM_* > this file > the user's own file "
            "> built in."
        ),
        "",
        *_agent(agents),
        "",
        (
            "# Podium runs these itself, at the root of the project, and believes only their exit "
            "codes."
        ),
        "[commands]",
        *_commands(guesses),
    ]
    for name in workflows:
        if said := entry(name).settings:
            lines += ["", f"[policy.{name}]", *said]
    lines += [
        "",
        "# [budget]",
        (
            "# dispatches = 40     # also: tokens, cost_usd, wall_clock_s; step_tokens … for each "
            "step, day_tokens … for a day"
        ),
        "",
    ]
    return "\n".join(lines)


def _agent(agents: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not agents:
        yield "# No agent program was found on PATH. `podium agents` lists those that Podium knows."
        yield '# agent = "claude"'
        return
    yield (
        "# The agent for all roles. Found on PATH: "
        f"{', '.join(f'{name} ({path})' for name, path in agents)}."
    )
    yield f"agent = {_quoted(agents[0][0])}"


def _commands(guesses: Sequence[Guess]) -> Iterator[str]:
    known = {guess.name: guess for guess in guesses}
    for name in ("build", "test", "lint"):
        guess = known.get(name)
        if guess is None:
            yield f'# {name} = ""   # nothing found that says how'
        else:
            comment = "" if guess.sure else "# "
            yield f"# found: {guess.why}" + (
                "" if guess.sure else "; not sure, so take the # away if it is right"
            )
            yield f"{comment}{name} = {_quoted(guess.command)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
