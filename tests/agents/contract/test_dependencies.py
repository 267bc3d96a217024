"""Real agents in a view find what the project has installed: they run its tests without installing
anything, in their room and without a network.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agents.contract.casting import Cast
from tests.agents.contract.drivers import HEADLESS, Driver
from tests.agents.contract.test_runs import World, world
from tests.fakes.repository import git

from podium.core.run import Status

pytestmark = [
    pytest.mark.agents,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed"),
]
WHO = ("claude-headless", "codex-headless", "gemini-headless", "opencode-headless")
WORK = """
defaults: {behave: well, verdict: {status: done, summary: all is there}}
agents:
  build:
    - behave: well
      verdict: {status: done, summary: tested}
      run: ["npm test >work/npm.txt 2>&1; .venv/bin/pytest -q >work/pytest.txt 2>&1; pwd >work/where.txt"]
"""  # noqa: E501
PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")


def install(project: Path) -> None:
    """A package with a runner in `node_modules`, and pytest in a `.venv`; git ignores both."""
    (project / ".gitignore").write_text("node_modules/\n.venv/\n*.log\nbuild/\n__pycache__/\n")
    runner = project / "node_modules/checker/bin.js"
    runner.parent.mkdir(parents=True)
    runner.write_text(
        "#!/usr/bin/env node\nconst sum = require('adder')\n"
        "console.log(sum(1, 2) === 3 ? '1 passing' : '1 failing')\n"
    )
    runner.chmod(0o755)
    (project / "node_modules/.bin").mkdir()
    (project / "node_modules/.bin/checker").symlink_to("../checker/bin.js")
    (project / "node_modules/adder").mkdir()
    (project / "node_modules/adder/index.js").write_text("module.exports = (a, b) => a + b\n")
    (project / "package.json").write_text(json.dumps({"scripts": {"test": "checker"}}))
    (project / "test_it.py").write_text("def test_it():\n    assert 1 + 2 == 3\n")
    environment = project / ".venv"
    subprocess.run(
        [Path(sys.base_prefix) / "bin/python3", "-m", "venv", "--without-pip", environment],
        check=True,
    )
    [packages] = environment.glob("lib/python*/site-packages")
    for name in PYTEST:
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        origin = Path(found.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, packages / name)
        else:
            shutil.copy(origin, packages)
    script = environment / "bin/pytest"
    script.write_text(
        f"#!{environment}/bin/python\nimport pytest\nraise SystemExit(pytest.main())\n"
    )
    script.chmod(0o755)


@pytest.mark.parametrize(
    "driver", [pytest.param(each, id=each.name) for each in HEADLESS if each.name in WHO]
)
def test_the_projects_tests_run_in_an_agents_sandbox(driver: Driver, tmp_path: Path) -> None:
    with world(tmp_path, Cast(driver.name, {"build": driver}), WORK) as here:
        root = here.project.root
        install(root)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "as the person left it")
        before = listing(root)
        ended = here.run()
        assert (ended.status, ended.reason) == (Status.COMPLETE, ""), ended
        assert "1 passing" in here.project.text("work/npm.txt")
        assert "1 passed" in here.project.text("work/pytest.txt")
        assert here.project.text("work/where.txt").strip() == str(root)
        assert listing(root) == before
        held(here)


def listing(root: Path) -> set[Path]:
    return {path for name in ("node_modules", ".venv") for path in (root / name).rglob("*")}


def held(here: World) -> None:
    """The agent was in a room from which it could reach nobody but its model."""
    assurance = here.project.event("step.finished", key="build/1")["assurance"]
    assert (assurance["by"], assurance["network"]) == ("bubblewrap", "model")
