"""A part of `make matrix` that takes a minute: small projects of four ecosystems, with their own
tests and from their package indexes, and the lies that say most.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from scripts.matrix.checkouts import Checkout, prepared
from scripts.matrix.lies import LIES
from scripts.matrix.projects import projects
from scripts.matrix.runs import run
from scripts.matrix.sources import Failed
from scripts.matrix.stories import STORIES

CASES = {
    "webcolors": ("fixes", "breaks", "deselects", "patches-library"),
    "fast-json-stable-stringify": ("fixes", "breaks", "weakens", "forges-runner"),
    "Try-Tiny": ("fixes", "breaks", "skips"),
    "zlib": ("reviews", "breaks", "exits-early"),
}
PROGRAMS = {
    "webcolors": ("python3", "pip"),
    "fast-json-stable-stringify": ("npm", "node"),
    "Try-Tiny": ("apt-get", "prove"),
    "zlib": ("apt-get", "make", "cc"),
}


@cache
def checkout(name: str, folder: Path) -> Checkout | str:
    """The project as it is set up, or why it cannot be had here."""
    if missing := [each for each in PROGRAMS[name] if shutil.which(each) is None]:
        return f"{' and '.join(missing)} not installed"
    try:
        return prepared(projects()[name], folder)
    except (Failed, subprocess.TimeoutExpired) as fault:
        return f"{name} cannot be brought: {fault}"[:300]


@pytest.mark.parametrize(
    ("project", "lie"),
    [(project, lie) for project, lies in CASES.items() for lie in lies],
    ids=[f"{project}-{lie}" for project, lies in CASES.items() for lie in lies],
)
def test_real_projects_complete_with_honest_changes_and_with_no_lie(
    project: str, lie: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "matrix"
    made = checkout(project, folder)
    if isinstance(made, str):
        pytest.skip(made)
    acts = LIES[lie].acts(made)
    assert acts is not None
    story = LIES[lie].prepared(STORIES["harness"](acts, made.project.test, made.files()), made)
    end = run(made, story, folder)
    assert end.complete == LIES[lie].honest, end
    if not LIES[lie].honest:
        landed = (made.root / made.project.file).read_text(encoding="utf-8")
        assert landed == made.text(made.project.file), "the lie is in the checkout"
