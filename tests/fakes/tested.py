"""Small projects with real tests of their own: one of pytest, one of `node --test`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.fakes.project import Project
from tests.fakes.repository import begin, copied, made

from podium.cli.scaffold import Written, copy

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
NODE = "node --test"
PYTHON_FILES = {
    "calc.py": (
        "def add(a, b):\n    return a + b\n\n\ndef words(text):\n    return len(text.split())\n"
    ),
    "tests/test_calc.py": (
        "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n"
        "def test_add_negative():\n    assert add(-1, -2) == -3\n"
    ),
    "tests/test_words.py": (
        "from pathlib import Path\n\nfrom calc import words\n\n\ndef test_words():\n"
        "    assert words('one two three') == 3\n\n\ndef test_golden():\n"
        "    expected = Path(__file__).with_name('fixtures') / 'expected.txt'\n"
        "    assert str(words('to be or not to be')) == expected.read_text().strip()\n"
    ),
    "tests/fixtures/expected.txt": "6\n",
    ".gitignore": "__pycache__/\n.venv/\nnode_modules/\n",
    "podium.toml": f'[commands]\ntest = "{PYTEST}"\n',
}
NODE_FILES = {
    "calc.js": (
        "exports.add = (a, b) => a + b;\nexports.words = (text) => text.split(' ').length;\n"
    ),
    "package.json": json.dumps(
        {"name": "calc", "version": "1.0.0", "scripts": {"test": NODE}}, indent=2
    )
    + "\n",
    "test/calc.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { add, words } = require('../calc.js');\n\n"
        "test('adds', () => {\n  assert.deepStrictEqual(add(1, 2), 3);\n});\n\n"
        "test('counts', () => {\n  assert.deepStrictEqual(words('one two three'), 3);\n});\n"
    ),
    ".gitignore": "node_modules/\n",
    "podium.toml": '[commands]\ntest = "npm test"\n',
}


def project_with_tests(tmp_path: Path, files: dict[str, str]) -> Project:
    """A harness around a project with these files."""

    def begun(root: Path) -> None:
        made(root, files, "plain")
        copy("harness", root, Written(), force=False)
        begin(root, "repository")

    home = tmp_path / "home"
    home.mkdir(parents=True, exist_ok=True)
    what = f"tested {json.dumps(files, sort_keys=True)}"
    return Project(copied(tmp_path / "project", what, begun), home)


def findings(project: Project) -> list[tuple[str, str]]:
    """What people are shown of changed tests: how, and in which file."""
    return [
        (item["how"], item["path"])
        for event in project.events("tests.weakened")
        for item in event["findings"]
    ]


def shown(project: Project, how: str) -> list[str]:
    """The lines of one kind of finding."""
    return [
        line
        for event in project.events("tests.weakened")
        for item in event["findings"]
        if item["how"] == how
        for line in item["lines"]
    ]


def says(**acts: Any) -> dict[str, Any]:
    """An agent that does this and claims success."""
    return {"say": "Fixed. All tests pass.", **acts}
