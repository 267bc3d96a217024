"""Small projects of real ecosystems, with real packages in folders that git ignores, and each of
the five workflows over them with one step that writes code.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.fakes import feature as f
from tests.fakes import governed as g
from tests.fakes import roadmap as r
from tests.fakes import ticket as t
from tests.fakes.project import NO_GATES, TASK, Project
from tests.fakes.repository import begin, git

from podium.cli.scaffold import Written, copy
from podium.engine.outcome import Ended
from podium.proof.sentences import line_of
from podium.wiring_values import RunOptions

Call = Mapping[str, Any]
WORKFLOWS = ("harness", "feature", "ticket", "roadmap", "governed")
GOOD, BROKEN = "a + b", "a - b"
TESTS = (
    "const {test} = require('node:test');\nconst {same} = require('kit');\n"
    "const sum = require('../sum.js');\n"
    "test('adds', () => same(sum(1, 2), 3));\ntest('adds zero', () => same(sum(1, 0), 1));\n"
)

# -- what the package indexes have, fetched once


@cache
def _kept() -> Path:
    """A folder for what is fetched, which all workers of a test run share."""
    mark = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    folder = Path(tempfile.gettempdir()) / f"podium-packages-{mark}"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def _alone(name: str) -> Iterator[Path]:
    """A folder that one process at a time makes."""
    with open(_kept() / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _kept() / name


def _fetched(name: str, make: Callable[[Path], None]) -> Path:
    with _alone(name) as folder:
        if not folder.exists():
            half = Path(f"{folder}.half")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir()
            make(half)
            half.rename(folder)
        return folder


def run(folder: Path, *words: str) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"


def _wheels(folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check")
    run(folder, *pip, "pytest", "setuptools", "wheel")


def _mocha(folder: Path) -> None:
    (folder / "package.json").write_text('{"private": true}')
    run(folder, *_NPM, "--save-dev", "mocha@11")


_NPM = ("npm", "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts")


# -- projects


def node(root: Path, **more: str) -> None:
    """Tested by a program of an installed package, which git ignores."""
    kit = root.parent / "kit"
    write(
        kit,
        {
            "package.json": json.dumps(
                {"name": "kit", "version": "1.0.0", "bin": {"kit-test": "run.js"}}
            ),
            "run.js": (
                "#!/usr/bin/env node\n"
                "const {spawnSync} = require('child_process');\n"
                "const done = spawnSync(process.execPath, ['--test', ...process.argv.slice(2)],"
                " {stdio: 'inherit'});\n"
                "process.exit(done.status);\n"
            ),
            "index.js": "exports.same = require('assert').strictEqual;\n",
        },
    )
    run(kit, "npm", "pack", "--silent", "--pack-destination", str(root.parent))
    package = {"name": "sum", "version": "1.0.0", "scripts": {"test": "kit-test"}}
    files = {
        "package.json": json.dumps(package, indent=2) + "\n",
        "sum.js": f"module.exports = (a, b) => {GOOD};\n",
        "test/sum.test.js": TESTS,
        ".gitignore": "node_modules/\n",
    }
    write(root, {**files, **more})
    run(root, *_NPM, "--save-dev", f"{root.parent}/kit-1.0.0.tgz")


def mocha(root: Path, **more: str) -> None:
    shutil.copytree(
        _fetched("mocha", _mocha) / "node_modules", root / "node_modules", symlinks=True
    )
    package = {"name": "sum", "version": "1.0.0", "scripts": {"test": "mocha"}}
    files = {
        "package.json": json.dumps(package, indent=2) + "\n",
        "sum.js": f"module.exports = (a, b) => {GOOD};\n",
        ".gitignore": "node_modules/\n",
    }
    write(root, {**files, **more})


def python(root: Path, *, editable: bool = False, **more: str) -> None:
    """Tested by pytest in a virtual environment of its own, which git ignores."""
    files = {
        "src/sums/__init__.py": f"def add(a, b):\n    return {GOOD}\n",
        "tests/test_sums.py": (
            "from sums import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\n"
            "def test_adds_zero():\n    assert add(1, 0) == 1\n"
        ),
        "pyproject.toml": (
            '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n'
            '[project]\nname = "sums"\nversion = "1.0"\n'
            + ("" if editable else '\n[tool.pytest.ini_options]\npythonpath = ["src"]\n')
        ),
        ".gitignore": ".venv/\n__pycache__/\n.pytest_cache/\n*.egg-info/\n",
    }
    write(root, {**files, **more})
    wheels = _fetched("wheels", _wheels)
    run(root, sys.executable, "-m", "venv", "--without-pip", ".venv")
    pip = (sys.executable, "-m", "pip", "--python", f"{root}/.venv/bin/python", "install", "-q")
    pip = (*pip, "--disable-pip-version-check", "--no-index", "--find-links", str(wheels))
    run(root, *pip, "pytest", "setuptools", "wheel")
    if editable:
        run(root, *pip, "--no-build-isolation", "--no-deps", "-e", ".")


def write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


# -- a workflow over one


class Real(Project):
    """A project of a real ecosystem and the one run in it."""

    @classmethod
    def of(
        cls, folder: Path, make: Callable[..., None], commands: Mapping[str, str], **more: Any
    ) -> Real:
        root, home = folder / "project", folder / "home"
        root.mkdir()
        home.mkdir(exist_ok=True)
        make(root, **more)
        lines = [f"{name} = {json.dumps(line)}" for name, line in commands.items()]
        write(root, {"podium.toml": "\n".join(["[commands]", *lines, ""])})
        copy("harness", root, Written(), force=False)
        items = {"items": [r.item("US-1", verification=[])]}
        write(root, {r.FILE: json.dumps(items, indent=2) + "\n"})
        begin(root, "repository")
        git(root, "config", "user.name", "Ada")
        git(root, "config", "user.email", "ada@localhost")
        return cls(root, home, run_id="")

    def does(
        self, workflow: str, call: Call, *, policy: Mapping[str, Any] | None = None, **options: Any
    ) -> Ended:
        """A run in which one step that writes code does this; everybody else behaves well."""
        told = {"say": "DONE: built it, all tests pass", **call}
        scenario, inputs = getattr(self, f"_{workflow}")(told)
        rules = {"retry_backoff_s": 0.0, **(NO_GATES if workflow == "harness" else {})}
        file = self.root.parent / "scenario.yaml"
        file.write_text(json.dumps({"defaults": f.WELL, **scenario}))
        approve = {"approve_all": True, "by": "Ada"} if workflow == "governed" else {}
        asked = RunOptions(
            agent=f"scripted:{file}", policy={**rules, **(policy or {})}, **{**approve, **options}
        )
        ended = self.app.start(workflow, inputs, asked)
        self.run_id = ended.run
        return ended

    def _harness(self, call: Call) -> tuple[dict[str, Any], list[str]]:
        return {"agents": {"build": [call]}}, [TASK]

    def _feature(self, call: Call) -> tuple[dict[str, Any], list[str]]:
        files = [*call.get("write", {}), *call.get("delete", [])]
        planned = f.planner({"01-a": []}, t01_a=f.task("01-a", files=files or ["sum.js"]))
        return {"agents": {"planner": [planned], "implementer": [call]}}, [f.REQUEST]

    def _ticket(self, call: Call) -> tuple[dict[str, Any], list[str]]:
        files = [*call.get("write", {}), *call.get("delete", [])]
        planned = t.planned(t.task(1, *files))
        return {"agents": {"planner": [planned], "developer": [call], "task-executor": [call]}}, [
            t.WORDS
        ]

    def _roadmap(self, call: Call) -> tuple[dict[str, Any], list[str]]:
        files = [{"path": path, "note": "as asked"} for path in call.get("write", {})]
        verdict = {"status": "success", "files": files}
        return {"agents": {"implement": [{"verdict": verdict, **call}]}}, []

    def _governed(self, call: Call) -> tuple[dict[str, Any], list[str]]:
        paths = [*call.get("write", {}), *call.get("delete", [])]
        files = [{"path": path, "action": "modify", "reason": "as asked"} for path in paths]
        executor = {"verdict": g.good_answer("core-implementer"), **call}
        planner = g.plan({"files": files} if files else {})
        return {"agents": {"planner": [planner], "core-implementer": [executor]}}, [g.REQUEST]

    # -- looking

    def outcome(self) -> str:
        return str(self.app.summary(self.run_id).outcome)

    def end(self) -> Mapping[str, Any]:
        return self.event("run.completed", run=self.run_id)

    def told(self, ended: Ended) -> str:
        """All that a person is told at the end: the reason, and the questions that are open."""
        gates = self.app.summary(self.run_id).gates
        return "\n".join([ended.reason, ended.closing, *(str(gate["prompt"]) for gate in gates)])


__all__ = ["Real", "line_of"]
