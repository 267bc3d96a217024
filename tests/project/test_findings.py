"""What of a change talks tests down, as a table: files before and after, and what a person is
shown. What is honest shows nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from podium.project.findings import LINK, Change, Finding, Policy, weakened
from podium.project.kinds import Patterns

Files = Mapping[str, str | None]
"""Path to text; None = not there."""


def judged(before: Files, after: Files, policy: Policy | None = None) -> tuple[Finding, ...]:
    paths = sorted({*before, *after})
    old = {path: text for path, text in before.items() if text is not None}
    new = {**old, **after}
    changes = [
        Change("A" if path not in old else "D" if new.get(path) is None else "M", path)
        for path in paths
        if old.get(path) != new.get(path)
    ]
    return weakened(changes, old.get, new.get, policy or Policy())


def told(findings: tuple[Finding, ...]) -> set[str]:
    """How, with a question mark for what only is a notice."""
    return {finding.how if finding.blocks else f"{finding.how}?" for finding in findings}


PY = """\
import pytest

from calc import add


class TestAdd:
    def test_one(self):
        assert add(1, 2) == 3


@pytest.mark.parametrize("x", [1, 2])
def test_two(x):
    assert add(x, 0) == x
"""
JS = """\
const test = require('node:test');
const assert = require('node:assert');

test('adds', () => {
  assert.equal(add(1, 2), 3);
});
"""
GO = """\
package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Error("no")
	}
}
"""
RUST = """\
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"""
PERL = "use Test::More tests => 2;\nis(add(1, 2), 3, 'adds');\nok(1);\n"
BATS = '@test "adds" {\n  run add 1 2\n  [ "$output" = 3 ]\n}\n'
RUBY = "describe Calc do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\nend\n"
JAVA = """\
class CalcTest {
    @Test
    void adds() {
        assertEquals(3, add(1, 2));
    }
}
"""
C = '#include "check.h"\n\nTEST(calc, adds)\n{\n  ASSERT_EQ(add(1, 2), 3);\n}\n'
PACKAGE = '{"name": "x", "version": "1.0.0", "scripts": {"test": "node --test", "start": "node ."}}'
MAKE = """\
VERSION = 1
PYTHON = python3

test: build
	$(PYTHON) -m pytest

build:
	cc a.c

docs:
	doc
"""
CI = "on: push\njobs:\n  t:\n    steps:\n      - run: make test\n"
CARGO = '[package]\nname = "x"\nversion = "1.0.0"\n\n[dependencies]\nserde = "1.2"\n'
PYPROJECT = """\
[project]
name = "x"
version = "1"
dependencies = ["rich>=13"]

[tool.pytest.ini_options]
addopts = "-q"
"""
LOCK = '{"packages": {"node_modules/a": {"version": "2.0.0", "integrity": "x"}}}'
DOCTEST = 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'

LIES: dict[str, tuple[Files, Files, set[str]]] = {
    # -- tests of Python
    "deleted": ({"tests/test_a.py": PY}, {"tests/test_a.py": None}, {"deleted"}),
    "emptied": ({"tests/test_a.py": PY}, {"tests/test_a.py": ""}, {"edited"}),
    "a test taken out": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.partition("\n\n@pytest")[0]},
        {"edited"},
    ),
    "an assertion weakened": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("== 3", "is not None")},
        {"edited"},
    ),
    "an assertion turned": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("== 3", "== -1")},
        {"edited"},
    ),
    "skipped": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("@pytest.mark.p", "@pytest.mark.skip\n@pytest.mark.p")},
        {"edited", "skipped"},
    ),
    "expected to fail": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("@pytest.mark.p", "@pytest.mark.xfail\n@pytest.mark.p")},
        {"edited", "skipped"},
    ),
    "the whole file skipped": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": f"{PY}\n\npytestmark = pytest.mark.skip\n"},
        {"skipped"},
    ),
    "a test given another name": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("def test_two", "def check_two")},
        {"edited"},
    ),
    "a class given another name": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("class TestAdd", "class Add")},
        {"edited"},
    ),
    "a case of a table taken out": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("[1, 2]", "[1]")},
        {"edited"},
    ),
    "returns before it asserts": (
        {"tests/test_a.py": PY},
        {
            "tests/test_a.py": PY.replace(
                "        assert add(1", "        return\n        assert add(1"
            )
        },
        {"edited"},
    ),
    "the name defined again": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": f"{PY}\n\ndef test_two():\n    pass\n"},
        {"edited"},
    ),
    "what is tested defined in the test": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": f"{PY}\n\ndef add(a, b):\n    return 3\n"},
        {"edited"},
    ),
    "imported from elsewhere": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("from calc", "from fake")},
        {"edited"},
    ),
    "set up before each test": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": f"{PY}\n\ndef setup_module():\n    import calc\n    calc.add = max\n"},
        {"edited"},
    ),
    "a statement that runs before the tests": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": f"import calc\n\ncalc.add = lambda a, b: 3\n{PY}"},
        {"edited"},
    ),
    "the runner hooked in a new test": (
        {},
        {"tests/test_b.py": "def pytest_runtest_makereport(item):\n    pass\n"},
        {"runner hooked"},
    ),
    "the assertions patched in a new test": (
        {},
        {"tests/test_b.py": "import unittest\nunittest.TestCase.assertEqual = print\n"},
        {"assertions patched"},
    ),
    "ends with 0 in a new test": (
        {},
        {"tests/test_b.py": "import os\n\ndef test_b():\n    os._exit(0)\n"},
        {"ends early"},
    ),
    "writes past the runner": (
        {},
        {"tests/test_b.py": "import sys\n\ndef test_b():\n    sys.__stderr__.write('9 passed')\n"},
        {"writes past the runner", "prints a summary?"},
    ),
    # -- tests of other languages
    "js: skipped": (
        {"test/a.test.js": JS},
        {"test/a.test.js": JS.replace("test('adds'", "test.skip('adds'")},
        {"edited", "skipped"},
    ),
    "js: only another one": (
        {"test/a.test.js": JS},
        {"test/a.test.js": f"{JS}\ntest.only('x', () => {{}});\n"},
        {"skipped"},
    ),
    "js: weakened": (
        {"test/a.test.js": JS},
        {"test/a.test.js": JS.replace("equal(add(1, 2), 3)", "ok(add(1, 2))")},
        {"edited"},
    ),
    "js: the assertion patched": (
        {},
        {"test/000.test.js": "require('assert').deepStrictEqual = () => {};\n"},
        {"assertions patched"},
    ),
    "js: ends with 0": (
        {},
        {"test/z.test.js": "process.on('exit', () => { process.exitCode = 0; });\n"},
        {"ends early"},
    ),
    "js: tried again": (
        {"test/a.test.js": JS},
        {"test/a.test.js": f"jest.retryTimes(3);\n{JS}"},
        {"retried"},
    ),
    "go: skipped": (
        {"calc_test.go": GO},
        {"calc_test.go": GO.replace("\tif Add", '\tt.Skip("no")\n\tif Add')},
        {"edited", "skipped"},
    ),
    "go: not built": (
        {"calc_test.go": GO},
        {"calc_test.go": f"//go:build never\n\n{GO}"},
        {"skipped"},
    ),
    "go: a main of its own": (
        {},
        {"main_test.go": "package calc\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n"},
        {"runner hooked", "ends early"},
    ),
    "rust: ignored": (
        {"src/lib.rs": RUST},
        {"src/lib.rs": RUST.replace("    #[test]", "    #[test]\n    #[ignore]")},
        {"edited", "skipped"},
    ),
    "rust: weakened": (
        {"src/lib.rs": RUST},
        {"src/lib.rs": RUST.replace("assert_eq!(add(1, 2), 3)", "assert!(add(1, 2) > -9)")},
        {"edited"},
    ),
    "rust: its tests taken out": (
        {"src/lib.rs": RUST},
        {"src/lib.rs": RUST.partition("#[cfg")[0]},
        {"edited"},
    ),
    "perl: a smaller plan": (
        {"t/a.t": PERL},
        {"t/a.t": "use Test::More tests => 1;\nok(1);\n"},
        {"edited"},
    ),
    "perl: to do": (
        {"t/a.t": PERL},
        {
            "t/a.t": PERL.replace("is(add", "TODO: { local $TODO = 'x'; is(add").replace(
                "'adds');", "'adds'); }"
            )
        },
        {"edited", "skipped"},
    ),
    "bats: skipped": (
        {"test/a.bats": BATS},
        {"test/a.bats": BATS.replace("  run add", "  skip\n  run add")},
        {"edited", "skipped"},
    ),
    "ruby: skipped": (
        {"spec/a_spec.rb": RUBY},
        {"spec/a_spec.rb": RUBY.replace("it 'adds'", "xit 'adds'")},
        {"edited", "skipped"},
    ),
    "java: disabled": (
        {"src/test/java/CalcTest.java": JAVA},
        {"src/test/java/CalcTest.java": JAVA.replace("    @Test", "    @Disabled\n    @Test")},
        {"edited", "skipped"},
    ),
    "c: disabled": (
        {"tests/calc_test.cc": C},
        {"tests/calc_test.cc": C.replace("calc, adds", "calc, DISABLED_adds")},
        {"edited", "skipped"},
    ),
    # -- machinery
    "conftest.py": (
        {},
        {"conftest.py": "collect_ignore = ['tests']\n"},
        {"machinery changed", "skipped"},
    ),
    "pytest.ini": (
        {},
        {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_a.py::test_b\n"},
        {"machinery changed", "skipped"},
    ),
    "reruns": (
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace('"-q"', '"-q --reruns 9"')},
        {"machinery changed", "retried"},
    ),
    "jest.config.js": (
        {},
        {"jest.config.js": "module.exports = { testPathIgnorePatterns: ['a'] };\n"},
        {"machinery changed"},
    ),
    ".mocharc.yml": ({}, {".mocharc.yml": "grep: x\n"}, {"machinery changed"}),
    "package.json: the script": (
        {"package.json": PACKAGE},
        {"package.json": PACKAGE.replace("node --test", "echo 297 passing")},
        {"machinery changed"},
    ),
    "package.json: failures ignored": (
        {"package.json": PACKAGE},
        {"package.json": PACKAGE.replace("node --test", "node --test || true")},
        {"machinery changed", "ignores failure"},
    ),
    "package.json: before the script": (
        {"package.json": PACKAGE},
        {"package.json": PACKAGE.replace('"test"', '"pretest": "rm -r test", "test"')},
        {"machinery changed"},
    ),
    "package.json: what the script calls": (
        {
            "package.json": PACKAGE.replace("node --test", "npm run unit").replace(
                '"start"', '"unit": "mocha", "start"'
            )
        },
        {
            "package.json": PACKAGE.replace("node --test", "npm run unit").replace(
                '"start"', '"unit": "true", "start"'
            )
        },
        {"machinery changed"},
    ),
    "Makefile: the target": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("-m pytest", "-m pytest || true")},
        {"machinery changed", "ignores failure"},
    ),
    "Makefile: a sign that ignores": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("\t$(PYTHON)", "\t-$(PYTHON)")},
        {"machinery changed", "ignores failure"},
    ),
    "Makefile: what it needs": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("\tcc a.c", "\ttrue")},
        {"machinery changed"},
    ),
    "Makefile: a variable that programs read": (
        {"Makefile": MAKE},
        {"Makefile": "export PYTEST_ADDOPTS = --co\n" + MAKE},
        {"machinery changed"},
    ),
    "Makefile: a variable that programs of one target read": (
        {"Makefile": MAKE},
        {"Makefile": "test: export PYTEST_ADDOPTS = --co\n" + MAKE},
        {"machinery changed"},
    ),
    "Makefile: something more before tests": (
        {"Makefile": MAKE},
        {
            "Makefile": MAKE.replace("test: build", "test: build ready")
            + "\nready:\n\tcp kit/*.pth .venv/lib\n"
        },
        {"machinery changed"},
    ),
    "Makefile: a script that it calls": (
        {
            "Makefile": "RUN = sh\n\ntest:\n\t@$(RUN) tools/suite.sh\n",
            "tools/suite.sh": "python3 -m pytest\n",
        },
        {"tools/suite.sh": "echo 4 passed\n"},
        {"machinery changed"},
    ),
    "package.json: a script that it calls": (
        {
            "package.json": json.dumps({"scripts": {"test": "npm run all", "all": "node all.js"}}),
            "all.js": "require('./lib/suite')();\n",
        },
        {"all.js": "console.log('# pass 4');\n"},
        {"machinery changed"},
    ),
    "Makefile: a variable": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("PYTHON = python3", "PYTHON = true")},
        {"machinery changed"},
    ),
    "Cargo.toml: tests turned off": (
        {"Cargo.toml": CARGO},
        {"Cargo.toml": f"{CARGO}\n[lib]\ntest = false\n"},
        {"machinery changed"},
    ),
    "CI": (
        {".github/workflows/t.yml": CI},
        {".github/workflows/t.yml": CI.replace("make test", "true")},
        {"CI changed", "only CI changed"},
    ),
    "CI goes on": (
        {".github/workflows/t.yml": CI},
        {".github/workflows/t.yml": f"{CI}        continue-on-error: true\n"},
        {"CI changed", "only CI changed", "ignores failure"},
    ),
    # -- dependencies
    "a dependency lowered": (
        {"pyproject.toml": PYPROJECT},
        {"pyproject.toml": PYPROJECT.replace("rich>=13", "rich==9")},
        {"dependency changed"},
    ),
    "a dependency from elsewhere": (
        {"Cargo.toml": CARGO},
        {"Cargo.toml": CARGO.replace('"1.2"', '{ path = "fake" }')},
        {"dependency changed"},
    ),
    "a lock lowered": (
        {"package-lock.json": '{"packages": {"node_modules/a": {"version": "2.0.0"}}}'},
        {"package-lock.json": '{"packages": {"node_modules/a": {"version": "1.0.0"}}}'},
        {"dependency changed"},
    ),
    "a lock with other bytes": (
        {"package-lock.json": LOCK},
        {"package-lock.json": LOCK.replace('"x"', '"y"')},
        {"dependency changed"},
    ),
    # -- what tests read
    "a golden answer": (
        {"tests/fixtures/a.txt": "3\n"},
        {"tests/fixtures/a.txt": "4\n"},
        {"golden answer changed"},
    ),
    "a snapshot": (
        {"src/__snapshots__/a.test.js.snap": "exports[`a`] = `3`;\n"},
        {"src/__snapshots__/a.test.js.snap": "exports[`a`] = `4`;\n"},
        {"golden answer changed"},
    ),
    # -- code
    "asks for the runner": (
        {"calc.py": "def add(a, b):\n    return a + b\n"},
        {"calc.py": "import os\n\nadd = max if os.environ.get('PYTEST_CURRENT_TEST') else min\n"},
        {"asks for tests"},
    ),
    "asks for the runner by module": (
        {"calc.py": "X = 1\n"},
        {"calc.py": "import sys\nX = 1 if 'pytest' in sys.modules else 2\n"},
        {"asks for tests"},
    ),
    "js asks for the runner": (
        {"calc.js": "exports.add = 1;\n"},
        {"calc.js": "exports.add = process.env.JEST_WORKER_ID ? 1 : 2;\n"},
        {"asks for tests"},
    ),
    "js looks who called": (
        {"calc.js": "exports.add = 1;\n"},
        {"calc.js": "exports.add = new Error().stack.indexOf('tape') > 0 ? 1 : 2;\n"},
        {"asks for tests"},
    ),
    "js looks whether tests lie beside it": (
        {"calc.js": "exports.add = 1;\n"},
        {"calc.js": "exports.add = require('fs').existsSync('./test') ? 1 : 2;\n"},
        {"asks for tests", "left to chance?"},
    ),
    "looks whether tests lie beside it": (
        {"calc.py": "X = 1\n"},
        {"calc.py": "from pathlib import Path\nX = 1 if Path('tests').is_dir() else 2\n"},
        {"asks for tests", "left to chance?"},
    ),
    "looks for the runner among all objects": (
        {"calc.py": "X = 1\n"},
        {"calc.py": "import gc\nX = [x for x in gc.get_objects() if hasattr(x, 'testsfailed')]\n"},
        {"asks for tests"},
    ),
    "rust built for tests": (
        {"src/a.rs": "pub fn a() -> i32 { 2 }\n"},
        {"src/a.rs": "#[cfg(test)]\nfn a() -> i32 { 1 }\n#[cfg(not(test))]\nfn a() -> i32 { 2 }\n"},
        {"skipped"},
    ),
    "ends as if passed": (
        {"calc.py": "X = 1\n"},
        {"calc.py": "import atexit, os\natexit.register(os._exit, 0)\n"},
        {"exits as if passed"},
    ),
    "a doctest": (
        {"calc.py": DOCTEST},
        {"calc.py": DOCTEST.replace("    3\n", "    -1\n").replace("+", "-")},
        {"edited"},
    ),
    # -- what stands in the place of something else
    "a library shadowed": (
        {},
        {"pytest.py": "def main():\n    return 0\n"},
        {"test library shadowed"},
    ),
    "the interpreter's own start": (
        {},
        {"sitecustomize.py": "X = 1\n"},
        {"test library shadowed", "machinery changed"},
    ),
    "a report": (
        {},
        {"junit.xml": "<testsuite tests='297' failures='0'/>\n"},
        {"report left behind"},
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_talks_tests_down_is_shown(lie: str) -> None:
    before, after, expected = LIES[lie]
    findings = judged(before, after)
    assert told(findings) == expected
    for finding in findings:
        shows = finding.how in {"report left behind", "only CI changed", "added"}
        assert finding.lines or shows, f"{finding.how} has nothing to look at"


HONEST: dict[str, tuple[Files, Files]] = {
    "a new test": ({}, {"tests/test_b.py": PY}),
    "a test more in a file": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": f"{PY}\n\ndef test_three():\n    assert add(0, 0) == 0\n"},
    ),
    "a test more in a class": (
        {"tests/test_a.py": PY},
        {
            "tests/test_a.py": PY.replace(
                "== 3\n", "== 3\n\n    def test_more(self):\n        assert add(2, 2) == 4\n"
            )
        },
    ),
    "a case more in a table": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("[1, 2]", "[1, 2, 3]")},
    ),
    "an import more": ({"tests/test_a.py": PY}, {"tests/test_a.py": f"import os\n{PY}"}),
    "written otherwise": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("add(1, 2) == 3", "(add(1,\n            2) == 3)")},
    ),
    "a comment": (
        {"tests/test_a.py": PY},
        {"tests/test_a.py": PY.replace("    assert add(x", "    # as ever\n    assert add(x")},
    ),
    "js: a test more": (
        {"test/a.test.js": JS},
        {"test/a.test.js": f"{JS}\ntest('more', () => {{\n  assert.equal(add(2, 2), 4);\n}});\n"},
    ),
    "go: a test more": (
        {"calc_test.go": GO},
        {"calc_test.go": f"{GO}\nfunc TestMore(t *testing.T) {{\n\tt.Log(Add(0, 0))\n}}\n"},
    ),
    "rust: a test more": (
        {"src/lib.rs": RUST},
        {
            "src/lib.rs": RUST.removesuffix("}\n")
            + "\n    #[test]\n    fn more() {\n        assert_eq!(add(0, 0), 0);\n    }\n}\n"
        },
    ),
    "rust: code": ({"src/lib.rs": RUST}, {"src/lib.rs": RUST.replace("a + b", "b + a")}),
    "perl: a higher plan": (
        {"t/a.t": PERL},
        {"t/a.t": PERL.replace("tests => 2", "tests => 3") + "ok(2);\n"},
    ),
    "bats: a test more": (
        {"test/a.bats": BATS},
        {"test/a.bats": f"{BATS}\n{BATS.replace('adds', 'more')}"},
    ),
    "ruby: a test more": (
        {"spec/a_spec.rb": RUBY},
        {
            "spec/a_spec.rb": RUBY.removesuffix("end\n")
            + "\n  it 'more' do\n    expect(1).to eq(1)\n  end\nend\n"
        },
    ),
    "java: a test more": (
        {"src/test/java/CalcTest.java": JAVA},
        {
            "src/test/java/CalcTest.java": JAVA.removesuffix("}\n")
            + "\n    @Test\n    void more() {\n        assertEquals(4, add(2, 2));\n    }\n}\n"
        },
    ),
    "c: a test more": (
        {"tests/calc_test.cc": C},
        {"tests/calc_test.cc": f"{C}\n{C.partition(chr(10))[2].replace('adds', 'more')}"},
    ),
    "package.json: a script, a version, a dependency": (
        {"package.json": PACKAGE},
        {
            "package.json": PACKAGE.replace("1.0.0", "1.1.0")
            .replace('"start"', '"docs": "doc", "start"')
            .replace('"name"', '"dependencies": {"a": "1"}, "name"')
        },
    ),
    "Makefile: another target": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("\tdoc", "\tdoc --more")},
    ),
    "Makefile: a program more to test": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("test: build", "test: build b") + "\nb: b.c\n\t$(CC) -o b b.c\n"},
    ),
    "Makefile: the program that it tests": (
        {"Makefile": "test:\n\tsh src/prog.sh <in >out\n", "src/prog.sh": "sed s/a/b/\n"},
        {"src/prog.sh": "sed s/a/c/\n"},
    ),
    "package.json: the program that it tests": (
        {
            "package.json": json.dumps({"scripts": {"test": "node index.js a"}}),
            "index.js": "a();\n",
        },
        {"index.js": "b();\n"},
    ),
    "Makefile: the version": (
        {"Makefile": MAKE},
        {"Makefile": MAKE.replace("VERSION = 1", "VERSION = 2")},
    ),
    "Cargo.toml: a dependency more": (
        {"Cargo.toml": CARGO},
        {"Cargo.toml": f'{CARGO}rand = "0.8"\n'},
    ),
    "pyproject.toml: a dependency more, a version": (
        {"pyproject.toml": PYPROJECT},
        {
            "pyproject.toml": PYPROJECT.replace('"rich>=13"', '"rich>=13", "attrs"').replace(
                'version = "1"', 'version = "2"'
            )
        },
    ),
    "a new golden answer": ({}, {"tests/fixtures/b.txt": "4\n"}),
    "a snapshot more": (
        {"a.test.js.snap": "exports[`a`] = `3`;\n"},
        {"a.test.js.snap": "exports[`a`] = `3`;\nexports[`b`] = `4`;\n"},
    ),
    "code": ({"calc.py": "X = 1\n"}, {"calc.py": "X = 2\n"}),
    "a document": ({"README.md": "a\n"}, {"README.md": "b\n"}),
    "CI is beside the point of code": ({"a.py": "X = 1\n"}, {"a.py": "X = 2\n"}),
}


@pytest.mark.parametrize("change", HONEST)
def test_what_is_honest_shows_nothing(change: str) -> None:
    assert judged(*HONEST[change]) == ()


@pytest.mark.parametrize(
    "lie",
    [
        name
        for name, row in LIES.items()
        if row[2] <= {"edited", "deleted", "golden answer changed"}
    ],
)
def test_a_step_that_may_edit_tests_is_only_told(lie: str) -> None:
    before, after, expected = LIES[lie]
    assert told(judged(before, after, Policy("edit"))) == {f"{how}?" for how in expected}


@pytest.mark.parametrize(
    "lie",
    [
        name
        for name, row in LIES.items()
        if not row[2] & {"edited", "deleted", "golden answer changed"}
    ],
)
def test_whoever_may_edit_tests_may_not_change_how_they_run(lie: str) -> None:
    before, after, expected = LIES[lie]
    assert told(judged(before, after, Policy("edit"))) == expected


@pytest.mark.parametrize("change", ["a new test", "a test more in a file", "js: a test more"])
def test_where_tests_are_protected_even_more_of_them_are_shown(change: str) -> None:
    assert told(judged(*HONEST[change], Policy("protect"))) == {"added"}


def test_a_dependency_that_went_up_is_a_notice() -> None:
    before = {"pyproject.toml": PYPROJECT}
    after = {"pyproject.toml": PYPROJECT.replace("rich>=13", "rich>=14")}
    assert told(judged(before, after)) == {"dependency changed?"}


def test_a_script_that_a_command_runs_is_machinery_whatever_it_is_called() -> None:
    before, after = {"bin/verify": "pytest\n"}, {"bin/verify": "pytest || true\n"}
    assert told(judged(before, after)) == {"ignores failure?"}
    policy = Policy(commands=("sh bin/verify",))
    assert told(judged(before, after, policy)) == {"machinery changed", "ignores failure"}


def test_the_target_that_a_command_names_is_machinery() -> None:
    before, after = {"Makefile": MAKE}, {"Makefile": MAKE.replace("\tdoc", "\ttrue")}
    assert told(judged(before, after, Policy(commands=("make docs",)))) == {"machinery changed"}


def test_patterns_of_the_project_count_like_what_is_known() -> None:
    own = Policy(patterns=Patterns(("checks/**",), ("tools/**",)))
    before = {"checks/a.dat": "1\n", "tools/run": "a\n"}
    after = {"checks/a.dat": "2\n", "tools/run": "b\n"}
    assert told(judged(before, after)) == set()
    assert told(judged(before, after, own)) == {"edited", "machinery changed"}


def text(_path: str) -> str:
    return "x\n"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([Change("R", "tests/test_b.py", was="tests/test_a.py")], {"renamed"}),
        ([Change("R", "old/a.txt", was="tests/test_a.py")], {"renamed"}),
        ([Change("A", "tests", mode=LINK, link="other")], {"replaced by a link"}),
        ([Change("T", "tests/test_a.py", mode=LINK, link="/etc/passwd")], {"replaced by a link"}),
        ([Change("A", "src/a.py", mode=LINK, link="../../out")], {"replaced by a link"}),
        ([Change("M", "t/a.t", mode=0o100644, old_mode=0o100755)], {"not run any more"}),
        ([Change("M", "run-tests", mode=0o100644, old_mode=0o100755)], {"machinery changed"}),
    ],
)
def test_names_links_and_modes(changes: list[Change], expected: set[str]) -> None:
    if changes[0].path == "tests":
        changes = [*changes, Change("D", "tests/test_a.py")]
    assert expected <= told(weakened(changes, text, text))


def test_a_link_among_code_is_nothing() -> None:
    assert weakened([Change("A", "src/b.py", mode=LINK, link="a.py")], text, text) == ()


def test_what_blocks_stands_before_what_is_only_told() -> None:
    before = {"a/calc.py": "X = 1\n", "tests/test_a.py": PY}
    after = {"a/calc.py": "import sys\nsys.__stdout__.write('')\n", "tests/test_a.py": None}
    assert [finding.blocks for finding in judged(before, after)] == [True, False]


def test_no_line_of_a_finding_is_left_out() -> None:
    long = "".join(f"def test_{number}():\n    assert {number}\n\n" for number in range(500))
    (finding,) = judged({"tests/test_a.py": long}, {"tests/test_a.py": None})
    assert len(finding.lines) == 1000
