"""Break one rule of the code at a time, in a copy, and check that the suite notices.

`scripts/mutations.toml` lists the breaks: a file, text that occurs in it once, its replacement, and
the tests that must then fail. A break that no test notices is a rule that nothing enforces. The
results are kept in `docs/mutations.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_name("mutations.toml")
COPIED = (
    "src",
    "tests",
    "scripts",
    "docs",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "Makefile",
    ".importlinter",
)
KEPT = ROOT / "docs" / "mutations.json"
LIMIT_S = 600
CAUGHT, SURVIVED, HUNG, STALE, UNTESTED = "caught", "SURVIVED", "HUNG", "STALE", "UNTESTED"
FAILED = 1
"""pytest's exit code when tests ran and some failed; any other code does not prove that the
break was noticed.
"""


@dataclass(frozen=True)
class Mutation:
    """One deliberate break of one rule."""

    rule: str
    """What no longer holds, in words."""
    file: str
    """Below src/podium."""
    old: str
    new: str
    tests: tuple[str, ...]
    """What must fail: arguments for pytest."""
    hangs: bool = False
    """The rule is that something ends, so a test that hangs has noticed its break too."""

    @property
    def source(self) -> str:
        return f"src/podium/{self.file}"

    @property
    def digest(self) -> str:
        """A digest of the break itself: a result belongs to this text, not to an earlier one."""
        return hashlib.sha256(f"{self.old}\0{self.new}".encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Trial:
    """The result of one run of pytest."""

    code: int | None
    """pytest's exit code; None if it did not end in time."""
    passed: int
    failed: tuple[str, ...]
    late: tuple[str, ...]
    """Tests that failed because they exceeded their time limit."""
    said: str


@dataclass(frozen=True)
class Result:
    """The result of one break."""

    result: str
    by: str
    """The test that failed; empty if none did."""
    said: str


def listed(path: Path = LIST) -> list[Mutation]:
    """Every break of the list, in its order."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Mutation(**{**each, "tests": tuple(each["tests"])}) for each in data["break"]]


def stale(mutation: Mutation, root: Path = ROOT) -> str:
    """Why the break cannot be made in this tree; empty if it can."""
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
    """A copy of the tree to break: nobody's working tree is touched."""
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
    # Compiled files are compared only by second and size, and a break may change neither.
    for compiled in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
        compiled.unlink()


def pytested(tests: Sequence[str], tree: Path, limit: float = LIMIT_S) -> Trial:
    """Run these tests in the copy, up to the first that fails."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "PYTHONDONTWRITE"))
    }
    with tempfile.TemporaryDirectory(prefix="podium-mutation-") as folder:
        told = Path(folder, "told.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:randomly",
            "--no-header",
            "--tb=no",
        ]
        command += [
            f"--junitxml={told}",
            "-o",
            "junit_family=xunit1",
            f"--basetemp={folder}/files",
            *tests,
        ]
        started = subprocess.Popen(
            command,
            cwd=tree,
            env={**kept, "PYTHONPATH": str(tree / "src")},
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            said, _ = started.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.communicate()
            return Trial(None, 0, (), (), f"no end within {limit:g} s")
        cases = list(ET.parse(told).iter("testcase")) if told.is_file() else []
    return _trial(started.returncode, cases, (said.strip().splitlines() or [""])[-1])


def _trial(code: int, cases: Iterable[ET.Element], said: str) -> Trial:
    failed: list[str] = []
    late: list[str] = []
    passed = 0
    for case in cases:
        name = f"{case.get('file')}::{case.get('name', '').partition('[')[0]}"
        failure = case.find("failure")
        if failure is not None:
            (late if "from pytest-timeout" in failure.get("message", "") else failed).append(name)
        # An error comes from the setup around a test, and a skipped test says nothing.
        elif not any(case.find(each) is not None for each in ("error", "skipped")):
            passed += 1
    return Trial(code, passed, tuple(failed), tuple(late), said)


def unfit(tests: Sequence[str], tree: Path) -> str:
    """Why these tests prove nothing in this copy, since they must pass while nothing is broken;
    empty if they pass.
    """
    trial = pytested(tests, tree)
    if trial.code == 0:
        return "" if trial.passed else f"none of its tests ran: {trial.said}"
    return (
        f"its tests do not hold without the break: {trial.said} "
        f"{' '.join(trial.failed + trial.late)}"
    ).rstrip()


def tried(mutation: Mutation, tree: Path, limit: float = LIMIT_S) -> Result:
    """The result of one break; `unfit` has already checked that its tests pass without it."""
    if why := stale(mutation, tree):
        return Result(STALE, "", why)
    with broken(mutation, tree):
        trial = pytested(mutation.tests, tree, limit)
    if trial.code == FAILED and trial.failed:
        return Result(CAUGHT, trial.failed[0], trial.said)
    if trial.code is None or trial.late:
        return Result(CAUGHT if mutation.hangs else HUNG, next(iter(trial.late), ""), trial.said)
    return Result(SURVIVED if trial.code == 0 else UNTESTED, "", trial.said)


def judged(mutations: Sequence[Mutation], tree: Path) -> Iterator[tuple[Mutation, Result, float]]:
    """Breaks with the same tests, in one copy: first the tests without any break, then with one
    after another.
    """
    began = time.monotonic()
    why = unfit(mutations[0].tests, tree)
    for mutation in mutations:
        found = (
            tried(mutation, tree) if not why or stale(mutation, tree) else Result(UNTESTED, "", why)
        )
        yield mutation, found, time.monotonic() - began
        began = time.monotonic()


def kept(path: Path = KEPT) -> list[dict[str, str]]:
    """Results of earlier runs."""
    return list(json.loads(path.read_text(encoding="utf-8"))["breaks"]) if path.is_file() else []


def keep(results: Mapping[Mutation, Result], path: Path = KEPT) -> None:
    """Save the results together with earlier ones that still apply to the list."""
    known = {(each["rule"], each["break"]): each for each in kept(path)}
    for mutation, found in results.items():
        row = {
            "file": mutation.file,
            "rule": mutation.rule,
            "break": mutation.digest,
            "result": found.result,
            "by": found.by,
        }
        known[mutation.rule, mutation.digest] = row
    rows = [known[each.rule, each.digest] for each in listed() if (each.rule, each.digest) in known]
    rows.sort(key=lambda each: (each["file"], each["rule"]))
    caught = sum(each["result"] == CAUGHT for each in rows)
    path.write_text(
        json.dumps({"caught": caught, "breaks": rows}, indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )


def untried(mutations: Sequence[Mutation]) -> list[Mutation]:
    """Breaks that are not known to be caught in their present form."""
    known = {(each["rule"], each["break"]) for each in kept() if each["result"] == CAUGHT}
    return [each for each in mutations if (each.rule, each.digest) not in known]


def drawn(root: Path = ROOT) -> int:
    """A seed that changes with each commit, so that samples do not try the same breaks for ever."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return int(asked.stdout, 16) if asked.returncode == 0 else int(time.time() // 86400)


def chosen(mutations: Sequence[Mutation], sample: int, seed: int, wanted: str) -> list[Mutation]:
    """The selected ones, in the order of the list."""
    found = [each for each in mutations if wanted in f"{each.rule} {each.file}"]
    if not sample or sample >= len(found):
        return found
    picked = random.Random(seed).sample(range(len(found)), sample)
    return [found[at] for at in sorted(picked)]


def main(words: Sequence[str] | None = None) -> int:
    told = _parser().parse_args(words)
    seed = drawn() if told.seed is None else told.seed
    mutations = chosen(
        untried(listed()) if told.untried else listed(), told.sample, seed, told.only
    )
    if not mutations:
        print(
            f"no break has {told.only!r} in its rule or file"
            if told.only
            else "every break of the list is known to be caught"
        )
        return 2 if told.only else 0
    if told.list:
        return _named(mutations)
    results = _all(mutations, told.jobs)
    caught = sum(each.result == CAUGHT for each in results.values())
    print(f"{caught} of {len(results)} breaks caught" + (f", seed {seed}" if told.sample else ""))
    return 0 if caught == len(results) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sample", type=int, default=0, metavar="N", help="only so many, drawn by the seed"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=None,
        metavar="S",
        help="as it comes: another one with each commit",
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="those whose rule or file has this in it"
    )
    parser.add_argument(
        "--untried",
        action="store_true",
        help="those that docs/mutations.json does not know as caught",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="so many copies side by side"
    )
    parser.add_argument(
        "--list", action="store_true", help="name them and whether they can be made; break nothing"
    )
    return parser


def _all(mutations: Sequence[Mutation], jobs: int) -> dict[Mutation, Result]:
    groups: dict[tuple[str, ...], list[Mutation]] = {}
    for each in mutations:
        groups.setdefault(each.tests, []).append(each)
    results: dict[Mutation, Result] = {}
    with ExitStack() as stack:
        trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for _ in range(jobs):
            trees.put(stack.enter_context(copied()))

        def work(group: Sequence[Mutation]) -> list[tuple[Mutation, Result, float]]:
            tree = trees.get()
            try:
                return list(judged(group, tree))
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(jobs) as pool:
            for done in as_completed([pool.submit(work, group) for group in groups.values()]):
                results.update(_told(done.result(), len(results)))
                # After each group, so that results survive if the rest is aborted.
                keep(results)
    return results


def _told(found: Iterable[tuple[Mutation, Result, float]], before: int) -> dict[Mutation, Result]:
    results = {}
    for number, (mutation, result, seconds) in enumerate(found, before + 1):
        print(
            f"{number:3} {result.result:8} {seconds:5.1f} s  {mutation.file}: {mutation.rule}",
            flush=True,
        )
        print(f"             {result.by if result.result == CAUGHT else result.said}", flush=True)
        results[mutation] = result
    return results


def _named(mutations: Sequence[Mutation]) -> int:
    reasons = [stale(each) for each in mutations]
    for mutation, why in zip(mutations, reasons, strict=True):
        print(
            f"{STALE if why else 'ready':8} {mutation.file}: {mutation.rule}"
            + (f" ({why})" if why else "")
        )
    return 1 if any(reasons) else 0


if __name__ == "__main__":
    sys.exit(main())
