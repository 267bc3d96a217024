"""`podium demo [WORKFLOW]`: a whole run on a small real project; no model, no key, no network."""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path

from podium.cli import catalog, context, driving, output_file
from podium.cli.demos import project
from podium.cli.terminal import Terminal, terminal
from podium.wiring_values import RunOptions

WAITS = 10
"""The exit code of a run that waits for a person."""
USUAL = ("ticket", "harness")
"""What is shown by default: the first that this version has."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflow",
        metavar="WORKFLOW",
        nargs="?",
        default="",
        help=f"one of: {', '.join(catalog.names())}",
    )
    parser.add_argument(
        "--keep",
        metavar="DIR",
        default="",
        help="make the project here instead of a temporary folder",
    )


def run(args: Namespace) -> int:
    out = terminal(args)
    workflow = catalog.checked(args.workflow) if args.workflow else _usual()
    folder = (
        Path(args.keep).resolve() if args.keep else Path(tempfile.mkdtemp(prefix="podium-demo-"))
    )
    with output_file.written_to(folder, "--keep") if args.keep else nullcontext():
        story = project.make(folder, workflow)
    project.leave(folder, story)
    begun = (
        (
            f"Somebody has begun to change {', '.join(story.unfinished)} there, and committed "
            "nothing yet.\n"
        )
        if story.unfinished
        else ""
    )
    out.remark(
        f"A small project is in {folder}\n{begun}A scripted agent plays every role; the demo "
        "decides at the gates.\n"
    )
    args.project, args.untold = str(folder), True
    options = RunOptions(
        agent=f"scripted:{folder / project.SCENARIO}",
        approve_all=True,
        policy=story.policy,
        by="the demo",
    )
    code = driving.start(args, out, workflow, story.inputs, options, asking=False)
    for choice in story.answers:
        code = _answered(args, out, choice) if code == WAITS else code
    if story.shows and (folder / story.shows).is_file():
        out.remark(
            f"\n{story.shows}:\n\n" + (folder / story.shows).read_text(encoding="utf-8").strip()
        )
    podium = _program()
    commands = [
        f"cd {folder}",
        *(each if each.startswith("git") else f"{podium} {each}" for each in story.look),
        "git status",
    ]
    out.remark(
        f"\nEverything is in {folder}. Look around:\n" + "\n".join(f"  {each}" for each in commands)
    )
    return code


def _answered(args: Namespace, out: Terminal, choice: str) -> int:
    """Answer the question that waits, and continue."""
    app = context.app(args)
    run = app.resolve("@")
    out.remark(f"\nThe demo answers as you would: podium answer {run} --choice {choice} --go\n")
    app.answer(run, gate="", choice=choice, text="", note="", by="the demo")
    return driving.resume(args, out, run, RunOptions(approve_all=True, by="the demo"), asking=False)


def _program() -> str:
    """How to start this program from another folder: by name only if that is on the PATH."""
    return "podium" if shutil.which("podium") else str(Path(sys.argv[0]).resolve())


def _usual() -> str:
    return next(each for each in USUAL if each in catalog.names())
