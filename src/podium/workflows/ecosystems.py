"""Build and test commands of a project, from the names and contents of its files, each with the
reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from podium.workflows.ecosystem_place import Found, Place
from podium.workflows.ecosystem_python import PYTHON_TEST
from podium.workflows.ecosystem_rules import AGGREGATES, CONTENTS, MARKERS, RULES

FALLBACK_PARALLEL = 2
MOST_TESTS = 50
_SKIPPED_WORDS = """
.git .podium prompts node_modules vendor .venv venv __pycache__ target dist build out .tox
.mypy_cache .pytest_cache .next coverage third_party
"""
SKIPPED = frozenset(_SKIPPED_WORDS.split())
"""Folders that hold no work of the project's authors."""
PROGRAMS = tuple(
    f"{home}/bin/{program}"
    for home in (".venv", "venv", "env")
    for program in ("python", "pytest", "tox", "nox", "ruff")
)
"""Programs of a virtual environment in the project, which say how its tests are run."""


@dataclass(frozen=True)
class Detected:
    """One project of the tree, and how it is built and tested."""

    directory: str
    """Where the commands run; empty for the root."""
    ecosystem: str
    build: str
    test: str
    why: tuple[str, ...]
    lint: str = ""


def wanted(files: Iterable[str]) -> tuple[str, ...]:
    """Paths whose contents `detect` reads, so that only these are opened; of the tests, a sample
    is enough.
    """
    own = sorted(filter(_is_own, files))
    tests = [path for path in own if PYTHON_TEST.search(path)][:MOST_TESTS]
    return tuple(sorted({*tests, *(path for path in own if path.rpartition("/")[2] in CONTENTS)}))


def detect(files: Iterable[str], contents: Mapping[str, str]) -> tuple[Detected, ...]:
    """Every project in the tree, the root first, then by path; a file that cannot be read is
    ignored.
    """
    own = sorted({path for path in files if _is_own(path)})
    folders = sorted({"", *(path.rpartition("/")[0] for path in own if _marks(path))})
    everything = frozenset(own)
    found: list[Detected] = []
    for folder in folders:
        here = _here(Place(folder, everything, contents))
        if here is not None and not _inside_aggregate(here, found):
            found.append(here)
    return tuple(found)


def nearest(found: Sequence[Detected], likely: Iterable[str]) -> Detected | None:
    """The project that most of the files belong to (a file belongs to the deepest project above
    it); else the first.
    """
    votes: Counter[str] = Counter()
    for path in likely:
        holding = [
            each.directory
            for each in found
            if not each.directory or path.startswith(f"{each.directory}/")
        ]
        if holding:
            votes[max(holding, key=len)] += 1
    if not votes:
        return found[0] if found else None
    best = min(votes, key=lambda directory: (-votes[directory], directory))
    return next(each for each in found if each.directory == best)


def parallelism(cores: int | None, limit: int | None = None) -> int:
    """How many tasks run side by side: one per core, 2 if the number of cores is unknown, never
    below 1.
    """
    found = cores if cores and cores > 0 else FALLBACK_PARALLEL
    return max(1, min(found, limit) if limit else found)


def _is_own(path: str) -> bool:
    return SKIPPED.isdisjoint(path.split("/")[:-1]) or path.endswith(PROGRAMS)


def _marks(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in MARKERS or name.endswith((".sln", ".slnx", ".csproj", ".fsproj"))


def _here(place: Place) -> Detected | None:
    """The first ecosystem with a test command wins, and no other one supplies the build command
    it may lack.
    """
    told: list[tuple[str, Found]] = []
    for name, rule in RULES.items():
        found = rule(place)
        if found is not None:
            told.append((name, found))
    if not told:
        return None
    name, best = next((each for each in told if each[1].test), told[0])
    others = tuple(
        f"also found: {each.test} ({other})" if each.test else f"also found: {other}"
        for other, each in told
        if other != name
    )
    return Detected(place.folder, name, best.build, best.test, (*best.why, *others), best.lint)


def _inside_aggregate(here: Detected, found: Sequence[Detected]) -> bool:
    """A module of a build that is started from its root is not a project of its own."""
    return here.ecosystem in AGGREGATES and any(
        above.ecosystem == here.ecosystem
        and (not above.directory or here.directory.startswith(f"{above.directory}/"))
        for above in found
    )
