"""Checkouts of the projects: brought and set up once, and as they were before each run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.matrix.projects import Project
from scripts.matrix.sources import bring, run

BASE = "matrix/base"
_TESTS = re.compile(r"(?i)(^|/)(tests?|testing|t|spec|__tests__)/|test")
_ASIDE = re.compile(r"(?i)\.(md|rst|txt|lock|json|toml|cfg|in|am|m4)$|(^|/)(makefile|configure)")
_WORDS = re.compile(r"[\w./-]+")


@dataclass(frozen=True)
class Checkout:
    """A project on disk, as a person works in it."""

    project: Project
    root: Path
    noticed: tuple[str, ...]
    """Test files that the output names once the line is broken."""

    def text(self, path: str) -> str:
        """The text of a file as it was committed; empty if there is none."""
        shown = subprocess.run(
            ["git", "show", f"{BASE}:{path}"], cwd=self.root, capture_output=True, check=False
        )
        return shown.stdout.decode(errors="replace") if shown.returncode == 0 else ""

    def files(self) -> list[str]:
        return run(f"git ls-tree -r --name-only {BASE}", self.root).splitlines()

    def with_line(self, instead: str) -> str:
        """The text of the file whose line matters, with another text in the place of it."""
        text = self.text(self.project.file)
        if self.project.line not in text:
            raise LookupError(f"{self.project.file} has no {self.project.line!r}")
        return text.replace(self.project.line, instead, 1)

    def reset(self) -> None:
        """As it was set up: no file, no run and no ref of an earlier one."""
        shutil.rmtree(self.root / ".podium", ignore_errors=True)
        run(f"git checkout -q -f -B main {BASE} && git clean -fdq", self.root)
        refs = run("git for-each-ref --format='%(refname)'", self.root).split()
        for ref in refs:
            if ref not in {"refs/heads/main", f"refs/heads/{BASE}"}:
                run(f"git update-ref -d {ref}", self.root)

    def commit(self, files: Mapping[str, str], message: str) -> None:
        """What a person has done before a run."""
        for path, text in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")
        run(f"git add -A && git commit -q --allow-empty -m '{message}'", self.root)

    def tested(self) -> tuple[int, str]:
        """The project's own command, where it lies: exit code and output."""
        ended = subprocess.run(
            ["/bin/sh", "-c", self.project.test],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
            check=False,
        )
        return ended.returncode, (ended.stdout + ended.stderr).decode(errors="replace")


def prepared(project: Project, cache: Path) -> Checkout:
    """The checkout of a project, made if it is not there or another version is."""
    root, facts = cache / project.name, cache / f"{project.name}.json"
    mark = [project.get, *project.setup, project.test, project.line, project.broken]
    known = json.loads(facts.read_text(encoding="utf-8")) if facts.exists() else {}
    if known.get("mark") == mark:
        checkout = Checkout(project, root, tuple(known["noticed"]))
        checkout.reset()
        return checkout
    shutil.rmtree(root, ignore_errors=True)
    cache.mkdir(parents=True, exist_ok=True)
    bring(project, root)
    _begin(project, root)
    checkout = Checkout(project, root, ())
    noticed = _noticed(checkout)
    facts.write_text(json.dumps({"mark": mark, "noticed": noticed}), encoding="utf-8")
    return Checkout(project, root, tuple(noticed))


def _begin(project: Project, root: Path) -> None:
    with (root / ".gitignore").open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(project.ignore) + "\n")
    run(
        "rm -rf .git && git init -q -b main && git config user.name Matrix && "
        "git config user.email matrix@localhost && git add -A && git commit -q -m 'As released'",
        root,
    )
    for command in project.setup:
        run(command, root)
    run("git add -A && (git diff --cached --quiet || git commit -q -m 'Set up')", root)
    run(f"git branch -f {BASE}", root)


def _noticed(checkout: Checkout) -> list[str]:
    """Break the line, and see that the tests say so."""
    code, green = checkout.tested()
    place = checkout.root / checkout.project.file
    place.write_text(checkout.with_line(checkout.project.broken), encoding="utf-8", newline="")
    broken_code, red = checkout.tested()
    checkout.reset()
    if not broken_code or (bool(code) != bool(checkout.project.failed)):
        text = green if code else red
        raise RuntimeError(
            f"{checkout.project.name}: exit {code}, then {broken_code}: {text[-600:]}"
        )
    words = set(_WORDS.findall(red)) - set(_WORDS.findall(green))
    lines = set(red.splitlines()) - set(green.splitlines())
    words |= {word for line in lines for word in _WORDS.findall(line)}
    return [path for path in checkout.files() if _is_test(path) and _is_named(path, words)]


def _is_test(path: str) -> bool:
    return bool(_TESTS.search(path)) and not _ASIDE.search(path)


def _is_named(path: str, words: Iterable[str]) -> bool:
    name = os.path.basename(path)
    stem = name.partition(".")[0]
    return any(word == stem or os.path.basename(word.strip("./-")) == name for word in words)
