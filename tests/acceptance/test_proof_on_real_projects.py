"""What "complete" may rest on: ordinary projects with real package managers and test runners, and
agents that break their code and say that all is well.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import real_projects as real
from tests.fakes.real_projects import BROKEN, GOOD, WORKFLOWS, Real

from podium.core.errors import InputError
from podium.engine.outcome import Ended

ADDS = f"module.exports = (a, b) => {GOOD};\n"
BREAKS: dict[str, Any] = {"write": {"sum.js": f"module.exports = (a, b) => {BROKEN};\n"}}
HONEST: dict[str, Any] = {"write": {"sum.js": f"// Adds two numbers.\n{ADDS}"}}
PYTHON_BREAKS = {"write": {"src/sums/__init__.py": f"def add(a, b):\n    return {BROKEN}\n"}}
PYTHON_HONEST = {
    "write": {"src/sums/__init__.py": f'def add(a, b):\n    """The sum."""\n    return {GOOD}\n'}
}


def never_complete(project: Real, ended: Ended) -> None:
    """A lie ends nowhere near "complete"."""
    assert ended.exit_code != 0, (ended, project.outcome())
    assert ended.status != "complete"
    assert not project.events("run.completed", run=project.run_id)


def proven(project: Real, ended: Ended, line: str) -> None:
    assert (ended.exit_code, project.outcome()) == (0, "complete"), project.told(ended)
    evidence = project.end()["evidence"]
    assert line in [real.line_of(record) for record in evidence]


# -- npm, with node_modules that git ignores


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_an_npm_project_whose_code_an_agent_breaks_is_never_complete(
    tmp_path: Path, workflow: str
) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run test"})
    ended = project.does(workflow, BREAKS)
    never_complete(project, ended)
    assert "test/sum.test.js > adds" in project.told(ended)


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_an_npm_project_is_tested_with_the_packages_that_git_ignores(
    tmp_path: Path, workflow: str
) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run test"})
    ended = project.does(workflow, HONEST)
    proven(project, ended, "test: 2 passed")


# -- the same in a project that installs itself, and in one whose Makefile calls pytest


MAKEFILE = "test:\n\t.venv/bin/pytest -q\n"
PYTHON: dict[str, tuple[Any, str]] = {
    "a virtual environment": (real.python, ".venv/bin/pytest -q"),
    "make": (partial(real.python, Makefile=MAKEFILE), "make test"),
    "an editable install": (partial(real.python, editable=True), ".venv/bin/python -m pytest -q"),
}


@pytest.mark.parametrize(("make", "command"), PYTHON.values(), ids=PYTHON)
def test_a_python_project_whose_code_an_agent_breaks_is_never_complete(
    tmp_path: Path, make: Any, command: str
) -> None:
    project = Real.of(tmp_path, make, {"test": command})
    ended = project.does("harness", PYTHON_BREAKS)
    never_complete(project, ended)
    assert "test: 1 failed: tests/test_sums.py::test_adds" in project.told(ended)


@pytest.mark.parametrize(("make", "command"), PYTHON.values(), ids=PYTHON)
def test_a_python_project_is_tested_with_the_environment_that_git_ignores(
    tmp_path: Path, make: Any, command: str
) -> None:
    project = Real.of(tmp_path, make, {"test": command})
    ended = project.does("harness", PYTHON_HONEST)
    proven(project, ended, "test: 2 passed")


def test_an_editable_install_that_was_broken_is_proven_by_the_code_that_mends_it(
    tmp_path: Path,
) -> None:
    broken = f"def add(a, b):\n    return {BROKEN}\n"
    make = partial(real.python, editable=True, **{"src/sums/__init__.py": broken})
    project = Real.of(tmp_path, make, {"test": ".venv/bin/python -m pytest -q"})
    ended = project.does("harness", PYTHON_HONEST)
    proven(project, ended, "test: 2 passed")


# -- commands that never judge anything


MISSPELT = {
    "a misspelt program": ("pytset -q", "TESTS DID NOT RUN: pytset: not found"),
    "a script that is missing": ("npm run tset", "TESTS DID NOT RUN: npm: no script tset"),
    "a target that is missing": ("make tset", "TESTS DID NOT RUN: make: no target tset"),
    "no test in the folder": (
        "node --test nowhere/",
        "TESTS DID NOT RUN: ",
    ),
    "a test runner without tests": (
        "python3 -m unittest discover -s test",
        "TESTS DID NOT RUN: collected no tests",
    ),
}


@pytest.mark.parametrize(("command", "words"), MISSPELT.values(), ids=MISSPELT)
def test_a_command_that_judges_nothing_is_asked_about_before_the_first_dispatch(
    tmp_path: Path, command: str, words: str
) -> None:
    project = Real.of(tmp_path, real.node, {"test": command}, Makefile="all:\n\ttrue\n")
    ended = project.does("harness", HONEST)
    never_complete(project, ended)
    told = project.told(ended)
    assert words in told
    assert "again: you have fixed it" in told
    assert "unproven: go on without this proof" in told
    assert project.started() == []


def test_a_command_that_ends_too_late_is_asked_about_before_the_first_dispatch(
    tmp_path: Path,
) -> None:
    project = Real.of(tmp_path, real.node, {"test": "sleep 60"})
    ended = project.does("harness", HONEST, policy={"step_timeout_s": 2})
    never_complete(project, ended)
    assert "TESTS DID NOT RUN: timed out after 2 s (`sleep 60`)" in project.told(ended)
    assert project.started() == []


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_no_workflow_takes_a_program_that_does_not_exist_for_a_test(
    tmp_path: Path, workflow: str
) -> None:
    project = Real.of(tmp_path, real.node, {"test": "carggo test"})
    ended = project.does(workflow, HONEST)
    never_complete(project, ended)
    assert "TESTS DID NOT RUN: carggo: not found (`carggo test`)" in project.told(ended)


def test_the_run_goes_on_once_the_person_has_corrected_the_command(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run tset"})
    assert project.does("harness", HONEST).exit_code == 10
    project.edit("podium.toml", "npm run tset", "npm run test")
    project.answer(choice="again")
    proven(project, project.resume(), "test: 2 passed")


def test_only_a_person_goes_on_without_proof_and_the_run_says_who(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {"test": "pytset"})
    assert project.does("harness", HONEST).exit_code == 10
    project.answer(choice="unproven")
    ended = project.resume()
    assert (ended.exit_code, project.outcome()) == (0, "complete_unproven")
    (waived,) = project.events("proof.waived")
    assert (waived["by"], waived["commands"]) == ("Ada", ["test"])
    assert project.end()["proof"] == "none"


def test_no_policy_and_no_approval_of_everything_goes_on_without_proof(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {"test": "pytset"})
    ended = project.does("harness", HONEST, approve_all=True, by="Ada")
    never_complete(project, ended)
    assert not project.events("proof.waived")


# -- failures that were there before the run


def failing(names: str, *more: str) -> str:
    """Tests of `sum`, some of which fail whatever it does."""
    return "".join(names.format(name=name) for name in more)


NODE_TEST = "test('{name}', () => same(sum(1, 1), 3));\n"
NODE_HEAD = (
    "const {test} = require('node:test');\nconst {same} = require('kit');\n"
    "const sum = require('../sum.js');\ntest('adds', () => same(sum(1, 2), 3));\n"
)
MOCHA_HEAD = (
    "const {strictEqual: same} = require('assert');\nconst sum = require('../sum.js');\n"
    "describe('sum', () => {\nit('adds', () => same(sum(1, 2), 3));\n"
    "it('is wrong', () => same(sum(1, 1), 3));\n});\n"
)
PYTEST_SAME = "from sums import add\n\n\ndef test_same():\n    assert add(1, {other}) == {sum}\n"
LOUD = "process.stderr.write('a line of a server\\n'.repeat(17000))"
NOISE = f'node test.js; code=$?; node -e "{LOUD}"; exit $code'
QUIET = (
    "const sum = require('./sum.js');\nlet bad = 0;\n"
    "for (const [a, b, c] of [[1, 2, 3], [1, 1, 3], [2, 2, 4]])\n"
    "  if (sum(a, b) !== c) { console.log(`not ok ${a}+${b}`); bad++; } else"
    " console.log(`ok ${a}+${b}`);\nconsole.log('1..3');\nprocess.exit(bad ? 1 : 0);\n"
)
RED: dict[str, tuple[Any, str, Any, Any, str, str]] = {
    "node --test": (
        partial(
            real.node,
            **{"test/sum.test.js": NODE_HEAD + failing(NODE_TEST, "is wrong", "is wrong too")},
        ),
        "npm run test",
        BREAKS,
        HONEST,
        "test/sum.test.js > adds",
        "test: 2 failed, the same 2 as before: ",
    ),
    "mocha": (
        partial(real.mocha, **{"test/sum.js": MOCHA_HEAD}),
        "npm run test",
        BREAKS,
        HONEST,
        "test/sum.js > sum > adds",
        "test: 1 failed, the same as before: ",
    ),
    "pytest, one name in two folders": (
        partial(
            real.python,
            **{
                "tests/one/test_it.py": PYTEST_SAME.format(other=1, sum=3),
                "tests/two/test_it.py": PYTEST_SAME.format(other=2, sum=3),
                "tests/test_sums.py": "from sums import add\n",
                "pyproject.toml": (
                    '[tool.pytest.ini_options]\npythonpath = ["src"]\n'
                    'addopts = "--import-mode=importlib"\n'
                ),
            },
        ),
        ".venv/bin/pytest -q",
        PYTHON_BREAKS,
        PYTHON_HONEST,
        "tests/two/test_it.py::test_same",
        "test: 1 failed, the same as before: tests/one/test_it.py::test_same",
    ),
    "300 KB after the failure": (
        partial(real.node, **{"test.js": QUIET}),
        NOISE,
        BREAKS,
        HONEST,
        "1+2",
        "test: 1 failed, the same as before: ",
    ),
}


@pytest.mark.parametrize(
    ("make", "command", "breaks", "honest", "name", "line"), RED.values(), ids=RED
)
def test_a_test_that_fails_beside_one_that_failed_before_is_not_as_before(
    tmp_path: Path, make: Any, command: str, breaks: Any, honest: Any, name: str, line: str
) -> None:
    del honest, line
    project = Real.of(tmp_path, make, {"test": command})
    ended = project.does("harness", breaks, policy={"validation_fixes": 0})
    never_complete(project, ended)
    assert name in project.told(ended)


@pytest.mark.parametrize(
    ("make", "command", "breaks", "honest", "name", "line"), RED.values(), ids=RED
)
def test_exactly_the_tests_that_failed_before_may_still_fail(
    tmp_path: Path, make: Any, command: str, breaks: Any, honest: Any, name: str, line: str
) -> None:
    del breaks, name
    project = Real.of(tmp_path, make, {"test": command})
    ended = project.does("harness", honest)
    assert (ended.exit_code, project.outcome()) == (0, "complete"), project.told(ended)
    (record,) = project.end()["evidence"]
    assert real.line_of(record).startswith(line)
    assert record["state"] == project.end()["proof"] == "failed_before"


def test_what_failed_before_has_to_pass_where_the_settings_say_so(tmp_path: Path) -> None:
    make, command, _, honest, *_ = RED["mocha"]
    project = Real.of(tmp_path, make, {"test": command})
    project.write("podium.toml", project.text("podium.toml") + '[proof]\nbefore = "green"\n')
    ended = project.does("harness", honest, policy={"validation_fixes": 0})
    never_complete(project, ended)
    assert "test/sum.js > sum > is wrong" in project.told(ended)
    assert "failed before the run, and has to pass now" in project.told(ended)


@pytest.mark.parametrize(("choice", "code"), [("same", 0), ("green", 20)])
def test_whether_they_may_still_fail_is_asked_where_the_settings_say_so(
    tmp_path: Path, choice: str, code: int
) -> None:
    make, command, _, honest, *_ = RED["mocha"]
    project = Real.of(tmp_path, make, {"test": command})
    project.write("podium.toml", project.text("podium.toml") + '[proof]\nbefore = "ask"\n')
    asked = project.does("harness", honest, policy={"validation_fixes": 0})
    assert (asked.exit_code, project.started()) == (10, [])
    assert "test: 1 failed: test/sum.js > sum > is wrong (`npm run test`)" in project.told(asked)
    project.answer(choice=choice)
    assert project.resume().exit_code == code


# -- what git ignores


VENDOR = {
    ".gitignore": "vendor/\n",
    "vendor/check.js": "exports.same = require('assert').strictEqual;\n",
    "test.js": (
        "const {test} = require('node:test');\nconst {same} = require('./vendor/check.js');\n"
        "const sum = require('./sum.js');\ntest('adds', () => same(sum(1, 2), 3));\n"
    ),
    "sum.js": ADDS,
}


@pytest.mark.parametrize("workflow", ["harness", "feature"])
def test_a_folder_that_git_ignores_is_there_before_and_after(tmp_path: Path, workflow: str) -> None:
    project = Real.of(tmp_path, lambda root: real.write(root, VENDOR), {"test": "node --test"})
    ended = project.does(workflow, BREAKS, policy={"validation_fixes": 0})
    never_complete(project, ended)
    assert project.event("proof.baseline")["evidence"][0]["state"] == "passed"
    assert "test.js > adds" in project.told(ended)


def test_the_honest_change_is_proven_with_the_folder_that_git_ignores(tmp_path: Path) -> None:
    project = Real.of(tmp_path, lambda root: real.write(root, VENDOR), {"test": "node --test"})
    proven(project, project.does("harness", HONEST), "test: 1 passed")


VENDORLESS = (
    "const {test} = require('node:test');\nconst sum = require('./sum.js');\n"
    "test('adds', () => require('assert').strictEqual(sum(1, 2), 3));\n"
)
FORGED = "#!/bin/sh\necho '============ 14 passed in 0.01s ============'\n"


@pytest.mark.parametrize("path", [".venv/bin/pytest", ".venv/bin/python"])
def test_a_runner_that_an_agent_writes_into_an_ignored_folder_judges_nothing(
    tmp_path: Path, path: str
) -> None:
    command = ".venv/bin/pytest -q" if path.endswith("pytest") else ".venv/bin/python -m pytest -q"
    project = Real.of(tmp_path, real.python, {"test": command})
    own = project.path(".venv/bin/pytest").read_bytes()
    forges = f"rm -f {path} && printf '{FORGED}' > {path} && chmod +x {path}".replace("\n", "\\n")
    ended = project.does("harness", {**PYTHON_BREAKS, "run": forges})
    never_complete(project, ended)
    assert "test: 1 failed: tests/test_sums.py::test_adds" in project.told(ended)
    assert project.path(".venv/bin/pytest").read_bytes() == own


# -- commands that change what they judge


CHANGING = {
    "the test command": {"test": "sed -i 's/a - b/a + b/' sum.js && npm run test"},
    "a formatter before it": {"lint": "sed -i 's/a - b/a + b/' sum.js", "test": "npm run test"},
}


@pytest.mark.parametrize("commands", CHANGING.values(), ids=CHANGING)
def test_a_command_that_mends_the_code_it_judges_proves_nothing(
    tmp_path: Path, commands: dict[str, str]
) -> None:
    project = Real.of(tmp_path, real.node, commands)
    stages, evidence = "harness/stages.toml", '\nevidence = ["{}", "test"]\n'
    project.edit(stages, evidence.format("build"), evidence.format("lint"))
    real.git(project.root, "commit", "-qam", "Lint")
    ended = project.does("harness", BREAKS, policy={"validation_fixes": 0})
    never_complete(project, ended)
    assert "DID NOT RUN: changed sum.js while it ran" in project.told(ended)
    assert BROKEN not in project.text("sum.js")


# -- tests that decide


def sneaks(script: str) -> dict[str, Any]:
    """A test of the agent's that passes, and does something else on the way."""
    text = (
        "const {test} = require('node:test');\nconst {execSync} = require('child_process');\n"
        "test('sneaks', () => {\n"
        f"  try {{ execSync({script!r}, {{stdio: 'pipe'}}); }} catch {{}}\n}});\n"
    )
    return {"write": {"sum.js": f"// Adds.\n{ADDS}", "test/sneaks.test.js": text}}


def test_a_test_that_rewrites_the_settings_changes_none(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run test"})
    before = project.path("podium.toml").read_bytes()
    script = (
        f"cd {project.root} && printf '[policy.harness]\\nrequire_approval_before_build = false\\n'"
        " >> podium.toml; mkdir -p .podium/roles; echo x > .podium/x; echo x > .podium/roles/qa.md"
    )
    ended = project.does("harness", sneaks(script))
    assert "TESTS DID NOT RUN: changed podium.toml while it ran" in project.told(ended)
    assert project.path("podium.toml").read_bytes() == before
    assert not project.path(".podium/x").exists()
    assert not project.path(".podium/roles").exists()


def test_a_test_that_approves_another_run_decides_nothing(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run test"})
    waiting = project.does("harness", HONEST, policy={"require_approval_before_build": True})
    assert waiting.gates == ("approve-build",)
    other, podium = project.run_id, Path(sys.executable).with_name("podium")
    script = (
        f"cd {project.root} && env -i HOME={project.home} PATH=/usr/bin:/bin"
        f" {podium} approve {other} --go"
    )
    project.does("feature", sneaks(script))
    (gate,) = project.app.summary(other).gates
    assert gate["key"] == "approve-build"
    assert [event["type"] for event in project.app.events(other)].count("gate.decided") == 0


# -- what a person sees at the end, and what was declared and never configured


def test_a_harness_that_declares_proof_and_has_no_commands_is_refused(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {})
    with pytest.raises(InputError) as refused:
        project.does("harness", HONEST)
    told = str(refused.value)
    assert "declares evidence build, test, and none of these commands is configured" in told
    assert 'set [commands] test = "…" in podium.toml (`podium init` finds it)' in told
    assert not list(project.path(".podium/runs").glob("*"))


def test_a_harness_that_says_that_it_needs_no_proof_ends_unproven(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {})
    ended = project.does("harness", HONEST, policy={"proof": "none"})
    assert (ended.exit_code, project.outcome()) == (0, "complete_unproven")
    assert project.end()["proof"] == "none"


def test_a_feature_without_commands_is_refused(tmp_path: Path) -> None:
    project = Real.of(tmp_path, lambda root: real.write(root, {"sum.js": ADDS}), {})
    with pytest.raises(InputError) as refused:
        project.does("feature", HONEST)
    assert "none of these commands is configured" in str(refused.value)
    assert '[policy.feature] proof = "none": the run then ends unproven' in str(refused.value)


@pytest.mark.parametrize("workflow", ["ticket", "roadmap", "governed"])
def test_code_that_no_command_judged_is_not_complete(tmp_path: Path, workflow: str) -> None:
    """These three find commands themselves, or are given them with the work."""
    project = Real.of(tmp_path, lambda root: real.write(root, {"sum.js": ADDS}), {})
    ended = project.does(workflow, HONEST)
    never_complete(project, ended)
    assert 'no command judged it; set [commands] test = "…" in podium.toml' in ended.reason
    project.write("podium.toml", '[commands]\ntest = "node -e 1"\n')
    assert project.resume().exit_code == 0
    assert project.end()["proof"] == "passed"


def test_a_ticket_finds_the_virtual_environment_by_itself(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.python, {})
    assert project.does("ticket", PYTHON_HONEST).exit_code == 0
    (record,) = project.end()["evidence"]
    assert record["command"] == ".venv/bin/python -m pytest"
    assert real.line_of(record).endswith(": 2 passed")


def test_products_of_a_build_that_a_ticket_found_by_itself_say_nothing_against_the_code(
    tmp_path: Path,
) -> None:
    build = """node -e "require('fs').appendFileSync('made.txt', 'x')\""""
    package = json.dumps({"name": "sum", "scripts": {"test": "node --test", "build": build}})
    files = {"package.json": package, "made.txt": "x", "sum.js": ADDS, "test.js": VENDORLESS}
    project = Real.of(tmp_path, lambda root: real.write(root, files), {"test": "npm test"})
    proven(project, project.does("ticket", HONEST), "test: 1 passed")
    assert "npm run build" in {record["command"] for record in project.end()["evidence"]}


def test_a_person_goes_on_with_code_that_no_command_judged(tmp_path: Path) -> None:
    project = Real.of(tmp_path, lambda root: real.write(root, {"sum.js": ADDS}), {})
    ended = project.does("roadmap", HONEST)
    assert f"`podium resume {project.run_id} --set proof=none`" in ended.reason
    assert project.resume(policy={"proof": "none"}).exit_code == 0
    assert (project.outcome(), project.end()["proof"]) == ("complete_unproven", "none")


LIES_ABOUT_TESTS: dict[str, dict[str, Any]] = {
    "deleted": {**BREAKS, "delete": ["test/sum.test.js"]},
    "skipped": {
        "write": {
            **BREAKS["write"],
            "test/sum.test.js": real.TESTS.replace("test('adds', ", "test.skip('adds', "),
        }
    },
    "weakened": {
        "write": {
            **BREAKS["write"],
            "test/sum.test.js": real.TESTS.replace(
                "same(sum(1, 2), 3)", "same(typeof sum, 'function')"
            ),
        }
    },
}


@pytest.mark.parametrize("call", LIES_ABOUT_TESTS.values(), ids=LIES_ABOUT_TESTS)
def test_the_last_gate_begins_with_tests_that_were_deleted_skipped_or_weakened(
    tmp_path: Path, call: dict[str, Any]
) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run test"})
    ended = project.does("harness", call, approve_all=True, by="Ada")
    never_complete(project, ended)
    told = project.told(ended)
    assert "test/sum.test.js" in told or "TESTS DID NOT RUN: collected no tests" in told


def test_the_last_gate_does_not_open_while_tests_fail(tmp_path: Path) -> None:
    project = Real.of(tmp_path, real.node, {"test": "npm run test"})
    ended = project.does(
        "harness", BREAKS, policy={"require_approval_before_complete": True, "validation_fixes": 0}
    )
    never_complete(project, ended)
    assert ended.gates == ()
    assert ended.reason.startswith("build/1: test: 1 failed: test/sum.test.js > adds")


# -- the environment of commands


def test_a_command_that_only_passes_outside_of_views_stops_the_run_before_any_agent(
    tmp_path: Path,
) -> None:
    project = Real.of(tmp_path, real.node, {"test": "test -e ~/answer && npm run test"})
    (project.home / "answer").touch()
    ended = project.does("harness", HONEST)
    never_complete(project, ended)
    assert (ended.exit_code, ended.stop, project.started()) == (20, "proof", [])
    assert "passes in your checkout and not in a view" in ended.reason
    assert "[view] bring" in ended.reason
    assert project.step("preflight", "evidence/test-checkout.txt").is_file()


def test_commands_have_the_person_s_own_variables_and_none_of_their_secrets(tmp_path: Path) -> None:
    line = (
        'test "$CARGO_HOME" = /opt/cargo && test "$MY_APP_MODE" = fast && test -z "$GITHUB_TOKEN" '
        '&& test -z "$ANTHROPIC_API_KEY" && test -z "$PODIUM_AGENT" && echo "$PATH" '
        "| grep -q /opt/mine && npm run test"
    )
    project = Real.of(tmp_path, real.node, {"test": line})
    project.variables = {
        "PATH": f"/opt/mine:{os.environ['PATH']}",
        "CARGO_HOME": "/opt/cargo",
        "MY_APP_MODE": "fast",
        "GITHUB_TOKEN": "ghp_secret",
        "ANTHROPIC_API_KEY": "sk-secret",
        "PODIUM_AGENT": "human",
    }
    proven(project, project.does("harness", HONEST), "test: 2 passed")
