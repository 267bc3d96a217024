"""Real projects × lies × workflows, as a table.

    make matrix ARGS="--projects webcolors perl --lies breaks skips --workflows harness"

Without a choice everything that this machine has the programs for is run; that takes hours. The
results are kept in docs/matrix.json, and `scripts/docs.py` shows them in docs/proof.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from scripts.matrix import ROOT
from scripts.matrix.checkouts import prepared
from scripts.matrix.lies import LIES, chosen_lies
from scripts.matrix.projects import Project, chosen
from scripts.matrix.results import Case, Results
from scripts.matrix.runs import found_test, run
from scripts.matrix.stories import SOME, STORIES
from scripts.matrix.table import report

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "podium" / "matrix"
"""Not in this repository: pytest and npm also read settings of the folders above a project."""


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    cache = Path(options.cache).resolve()
    results = Results.read(Path(options.results))
    picked = [project for project in chosen(options.projects) if _possible(project)]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(partial(_project, options, cache, results), picked))
    print(report(results, {project.name for project in picked}))
    return int(bool(results.wrong({project.name for project in picked})))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make matrix",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--projects", nargs="*", default=[], metavar="NAME", help="names or kinds")
    parser.add_argument("--lies", nargs="*", default=[], metavar="NAME", help=", ".join(LIES))
    parser.add_argument(
        "--workflows", nargs="*", default=list(STORIES), choices=list(STORIES), metavar="NAME"
    )
    parser.add_argument("--jobs", type=int, default=1, help="projects at the same time")
    parser.add_argument("--cache", default=str(CACHE), help="where the projects are")
    parser.add_argument("--results", default=str(ROOT / "docs" / "matrix.json"))
    parser.add_argument("--again", action="store_true", help="also what was run before")
    return parser.parse_args(arguments)


def _possible(project: Project) -> bool:
    if project.missing:
        print(f"{project.name}: left out, no {' and no '.join(project.missing)} here")
    return not project.missing


def _project(options: argparse.Namespace, cache: Path, results: Results, project: Project) -> None:
    try:
        checkout = prepared(project, cache)
    except Exception as fault:  # noqa: BLE001  # one project that cannot be had is no reason to stop
        print(f"{project.name}: not set up: {fault}", flush=True)
        return
    results.found(project.name, found_test(checkout, cache))
    for lie in chosen_lies(options.lies):
        for workflow in options.workflows:
            case = Case(project.name, lie.name, workflow)
            told = workflow == "harness" or lie.name in SOME or lie.name in options.lies
            if (case in results and not options.again) or not told:
                continue
            acts = lie.acts(checkout)
            if acts is None:
                continue
            story = STORIES[workflow](acts, project.test, checkout.files())
            end = run(checkout, lie.prepared(story, checkout), cache)
            written = acts.get("write", {}).get(project.file)
            place = checkout.root / project.file
            landed = written is None or place.read_text(encoding="utf-8") == written
            results.add(case, end, honest=lie.honest, landed=landed)
            mark = "ok" if results.data["cases"]["/".join(case)]["right"] else "WRONG"
            print(
                f"{mark:5} {project.name} {lie.name} {workflow}: exit {end.exit}, {end.outcome}, "
                f"{end.seconds} s: {end.sentence[:160]}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
