"""The scripts that test commands run through a `package.json` or a Makefile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from podium.project.makefile import recipe_lines
from podium.project.manifests import script_lines
from podium.project.programs import scripts

_BESIDE = re.compile(
    r"(?i)^((scripts?|tools?|ci|hack|dev|build|build-aux|etc|misc|support|contrib|utils?)/.+|"
    r"([^/]*[._-])?(tests?|check|run|verify|spec|ci|lint|suite|all)([._-][^/]*)?)$"
)
"""Where scripts lie that run tests. A command may also run the program that it tests: that is code,
and no machinery.
"""


def called(commands: Iterable[str], text: Callable[[str], str | None]) -> frozenset[str]:
    """Paths of scripts that the commands run, by themselves or through files at the top."""
    commands = tuple(commands)
    lines = script_lines(text("package.json") or "", commands)
    for name in ("Makefile", "makefile", "GNUmakefile"):
        lines += recipe_lines(text(name) or "", commands)
    beside = {path for line in lines for path in scripts(line) if _BESIDE.match(path)}
    return frozenset(beside.union(*map(scripts, commands)))
