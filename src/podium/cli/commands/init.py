"""`podium init [WORKFLOW…]`: writes down what was found, and what a workflow needs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from podium.agents.profiles.absence import ways
from podium.agents.profiles.catalog import discover
from podium.cli import catalog, checkup, context, detect, people, scaffold
from podium.cli.terminal import terminal
from podium.workflows.catalog import entry

FEW = 4
"""Up to this many files of one folder are listed one by one."""
UNSURE = "; a guess: uncomment it in podium.toml if it is right"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflows", metavar="WORKFLOW", nargs="*", help=f"any of: {', '.join(catalog.names())}"
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")


def run(args: Namespace) -> int:
    out = terminal(args)
    if args.force:
        people.people_only()  # it overwrites settings and roles
    project = context.project(args)
    workflows = list(dict.fromkeys(catalog.checked(each) for each in args.workflows))
    found = [(each.name, each.path) for each in discover()]
    guesses = detect.commands(project)
    done = scaffold.set_up(project, workflows, found, guesses, force=args.force)
    then = next_command(workflows)
    told: dict[str, Any] = {"project": str(project), "written": done.written, "kept": done.kept, "next": then}
    told["agents"] = [{"name": name, "path": path} for name, path in found]
    told["commands"] = [vars(each) for each in guesses]
    out.answer(told, _text(project, done, found, guesses, then))
    return 0


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
) -> str:
    lines = [f"Project: {project}"]
    lines.append(
        "Agents:  "
        + (", ".join(name for name, _ in agents) or "none on PATH (`podium agents` says which are known)")
    )
    lines += [f"{each.name.capitalize() + ':':<9}{each.command}   ({each.why}{'' if each.sure else UNSURE})" for each in guesses]
    if not any(each.name == "test" for each in guesses):
        lines.append("Test:    no command found; set test under [commands] in podium.toml, or Podium cannot test what agents write")
    lines.append("")
    lines += [f"  written  {each}" for each in folded(done.written)]
    lines += [f"  kept     {each}" for each in folded(done.kept)]
    if done.kept and not done.written:
        lines.append("  everything already exists; --force overwrites it")
    if not agents:
        lines += ["", "No agent program was found on PATH. What you can do:", *ways([])]
        then += " --agent human" if then.startswith("podium run") else ""
    first = [f"First: {lack[0].mend}   ({lack[0].what})"] if (lack := [each for each in checkup.git(project) if each.mend]) else []
    return "\n".join([*lines, "", *first, f"Next: {then}"])


def folded(paths: Sequence[str]) -> list[str]:
    """Files one by one; many in one folder as that folder and a count, because a screen has 24 lines."""
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
            found.append(f"{top}  {len(inside)} files" + (f", most of them in {', '.join(folders)}" if folders else ""))
    return found
