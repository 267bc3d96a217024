"""`podium init [WORKFLOW…]`: writes down what was found, and what a workflow needs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.agents.profiles.absence import ways
from podium.agents.profiles.catalog import discover
from podium.cli import catalog, checkup, context, detect, people, scaffold
from podium.cli.terminal import terminal
from podium.core.errors import InputError
from podium.settings.values import Settings
from podium.views.fitting import fitted
from podium.workflows.catalog import entry

FEW = 4
"""Up to this many files of one folder are listed one by one."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflows", metavar="WORKFLOW", nargs="*", help=f"any of: {', '.join(catalog.names())}"
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


def run(args: Namespace) -> int:
    out = terminal(args)
    people.people_only()  # it writes settings and roles
    project = context.project(args)
    workflows = list(dict.fromkeys(catalog.checked(each) for each in args.workflows))
    found = [(each.name, each.path) for each in discover()]
    guesses = detect.commands(project)
    before = _settings(args)
    done = scaffold.set_up(project, workflows, found, guesses, force=args.force)
    own = next(
        (
            each.split()[0]
            for each in done.kept
            if each.startswith(("podium.toml", "pyproject.toml"))
        ),
        "",
    )
    kept = (
        Kept(
            own, before.agent, {name: said for name, said in vars(before.commands).items() if said}
        )
        if own and before
        else Kept(own)
    )
    then = next_command(workflows)
    told: dict[str, Any] = {
        "project": str(project),
        "written": done.written,
        "kept": done.kept,
        "next": then,
    }
    told["agents"] = [{"name": name, "path": path} for name, path in found]
    told["commands"] = [vars(each) for each in guesses]
    out.answer(told, _text(project, done, found, guesses, then, kept))
    return 0


@dataclass(frozen=True)
class Kept:
    """What was set here before, in a file that stays."""

    file: str = ""
    agent: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)


def _settings(args: Namespace) -> Settings | None:
    """As they were; a file that cannot be read is the doctor's to complain about."""
    try:
        return context.settings(args)
    except InputError:
        return None


def next_command(workflows: list[str]) -> str:
    if not workflows:
        return "podium init harness"
    return " ".join(["podium run", workflows[0], entry(workflows[0]).example]).strip()


def _text(
    project: Path,
    done: scaffold.Written,
    agents: list[tuple[str, str]],
    guesses: list[detect.Guess],
    then: str,
    kept: Kept,
) -> str:
    listed = (
        ", ".join(name for name, _ in agents)
        or "none on PATH (`podium agents` says which are known)"
    )
    lines = [f"Project: {project}", f"Agents:  {listed}"]
    lines += [f"Agent:   {kept.agent}   (set in {kept.file})"] if kept.agent else []
    lines += [fitted(each, sys.stdout) for each in _commands(guesses, kept)]
    lines.append("")
    lines += [f"  written  {each}" for each in folded(done.written)]
    lines += [f"  kept     {each}" for each in folded(done.kept)]
    if done.kept and not done.written:
        lines.append("  everything already exists; --force overwrites it")
    if not agents and not kept.agent:
        lines += ["", "No agent program was found on PATH. What you can do:", *ways([])]
        then += " --agent human" if then.startswith("podium run") else ""
    first = (
        [f"First: {lack[0].mend}   ({lack[0].what})"]
        if (lack := [each for each in checkup.git(project) if each.mend])
        else []
    )
    return "\n".join([*lines, "", *first, f"Next: {then}"])


def _commands(guesses: Sequence[detect.Guess], kept: Kept) -> Iterator[str]:
    """What Podium will run, and why; what is set already is not guessed again, and a reason is
    given once.
    """
    known, told = {each.name: each for each in guesses}, ""
    for name in ("build", "test", "lint"):
        guess, label = known.get(name), f"{name.capitalize() + ':':<9}"
        if name in kept.commands:
            yield f"{label}{kept.commands[name]}   (set in {kept.file})"
        elif guess is not None:
            unsure = (
                f"a guess: set it in {kept.file}"
                if kept.file
                else "a guess: uncomment it in podium.toml"
            )
            why = [
                *([guess.why] if guess.why != told else ()),
                *(() if guess.sure and not kept.file else (f"{unsure} if it is right",)),
            ]
            told = guess.why
            yield f"{label}{guess.command}" + (f"   ({'; '.join(why)})" if why else "")
        elif name == "test":
            yield (
                f"{label}no command found; set test under [commands] in "
                f"{kept.file or 'podium.toml'}, or Podium cannot test what agents write"
            )


def folded(paths: Sequence[str]) -> list[str]:
    """Files one by one; many in one folder as that folder and a count, because a screen has 24
    lines.
    """
    by_top: dict[str, list[str]] = {}
    for path in paths:
        top, slash, rest = path.partition("/")
        by_top.setdefault(f"{top}{slash}", []).append(rest)
    found: list[str] = []
    for top, inside in by_top.items():
        if len(inside) <= FEW:
            found += [f"{top}{each}" for each in inside]
        else:
            folders = sorted({each.partition("/")[0] for each in inside if "/" in each})
            found.append(
                f"{top}  {len(inside)} files"
                + (f", most of them in {', '.join(folders)}" if folders else "")
            )
    return found
