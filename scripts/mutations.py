"""Break one rule of the code at a time, in a copy, and see that the suite notices.

`scripts/mutations.toml` lists the breaks: a file, text that stands in it once, what to write instead, and the tests
that must fail then. A break that no test notices is a rule that nobody holds.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_name("mutations.toml")
COPIED = ("src", "tests", "scripts", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "Makefile", ".importlinter")
LIMIT_S = 300
CAUGHT, SURVIVED, STALE, UNTESTED = "caught", "SURVIVED", "STALE", "UNTESTED"
FAILED = 1
"""pytest's exit code where tests ran and some failed; any other is no proof that the break was noticed."""


@dataclass(frozen=True)
class Mutation:
    """One deliberate break of one rule."""

    rule: str
    """What does not hold any more, in words."""
    file: str
    """Below src/podium."""
    old: str
    new: str
    tests: tuple[str, ...]
    """What must fail: arguments of pytest."""

    @property
    def source(self) -> str:
        return f"src/podium/{self.file}"


def listed(path: Path = LIST) -> list[Mutation]:
    """Every break of the list, in its order."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Mutation(each["rule"], each["file"], each["old"], each["new"], tuple(each["tests"])) for each in data["break"]]


def stale(mutation: Mutation, root: Path = ROOT) -> str:
    """Why the break cannot be made in this tree; empty where it can."""
    place = root / mutation.source
    if not place.is_file():
        return f"there is no {mutation.source}"
    count = place.read_text(encoding="utf-8").count(mutation.old)
    if count != 1:
        return f"its text stands {count} times in {mutation.source}"
    missing = [each for each in mutation.tests if not (root / each.partition("::")[0]).exists()]
    return f"there is no {missing[0]}" if missing else ""


@contextmanager
def copied(root: Path = ROOT) -> Iterator[Path]:
    """A copy of the tree to break: nobody's working tree is ever touched."""
    with tempfile.TemporaryDirectory(prefix="podium-mutations-") as folder:
        for name in COPIED:
            source, target = root / name, Path(folder, name)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.is_file():
                shutil.copy2(source, target)
        yield Path(folder)


@contextmanager
def broken(mutation: Mutation, tree: Path) -> Iterator[None]:
    """The copy with this one rule broken."""
    place = tree / mutation.source
    whole = place.read_text(encoding="utf-8")
    try:
        _write(place, whole.replace(mutation.old, mutation.new))
        yield
    finally:
        _write(place, whole)


def _write(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")
    # Compiled files are told apart by second and size only, and a break may have neither of its own.
    for compiled in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
        compiled.unlink()


def tested(tests: Sequence[str], tree: Path) -> tuple[int, str]:
    """pytest's exit code over these tests in the copy, and its last words."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", "--no-header", "--tb=no", *tests]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONDONTWRITE"))}
    environment = {**kept, "PYTHONPATH": str(tree / "src")}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return FAILED, f"no end within {LIMIT_S} s"
    return done.returncode, (done.stdout.strip().splitlines() or [done.stderr.strip()])[-1]


def tried(mutation: Mutation, tree: Path) -> tuple[str, str]:
    """What became of one break, and what pytest said."""
    if why := stale(mutation, tree):
        return STALE, why
    with broken(mutation, tree):
        code, said = tested(mutation.tests, tree)
    if code == FAILED:
        return CAUGHT, said
    return (SURVIVED, said) if code == 0 else (UNTESTED, said)


def chosen(mutations: Sequence[Mutation], sample: int, seed: int, wanted: str) -> list[Mutation]:
    """Those that are meant, in the order of the list."""
    found = [each for each in mutations if wanted in f"{each.rule} {each.file}"]
    if not sample or sample >= len(found):
        return found
    picked = random.Random(seed).sample(range(len(found)), sample)
    return [found[at] for at in sorted(picked)]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only so many, drawn by the seed")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--only", default="", metavar="TEXT", help="those whose rule or file has this in it")
    parser.add_argument("--list", action="store_true", help="name them and whether they can be made; break nothing")
    told = parser.parse_args(words)
    mutations = chosen(listed(), told.sample, told.seed, told.only)
    if not mutations:
        print(f"no break has {told.only!r} in its rule or file")
        return 2
    if told.list:
        return _named(mutations)
    results: list[str] = []
    with copied() as tree:
        for number, mutation in enumerate(mutations, 1):
            began = time.monotonic()
            result, said = tried(mutation, tree)
            results.append(result)
            print(f"{number:3} {result:8} {time.monotonic() - began:5.1f} s  {mutation.file}: {mutation.rule}", flush=True)
            if result != CAUGHT:
                print(f"             {said}", flush=True)
    caught = results.count(CAUGHT)
    print(f"{caught} of {len(results)} breaks caught" + (f", seed {told.seed}" if told.sample else ""))
    return 0 if caught == len(results) else 1


def _named(mutations: Sequence[Mutation]) -> int:
    reasons = [stale(each) for each in mutations]
    for mutation, why in zip(mutations, reasons, strict=True):
        print(f"{STALE if why else 'ready':8} {mutation.file}: {mutation.rule}" + (f" ({why})" if why else ""))
    return 1 if any(reasons) else 0


if __name__ == "__main__":
    sys.exit(main())
