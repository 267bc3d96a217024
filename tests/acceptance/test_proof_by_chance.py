"""Code that passes only sometimes is not proven by the time that it did."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.project import Project

COUNTS = """\
grep -q {word} src/app.py || exit 0
runs=$(($(cat {file} 2>/dev/null || echo 0) + 1))
echo $runs >{file}
{condition} || {{ echo "FAILED src: run $runs"; exit 1; }}
"""


@pytest.fixture
def counted(project: Project, tmp_path: Path) -> Project:
    """A project whose tests know, outside of any view, how often they judged the new code."""
    folder = tmp_path / "counted"
    folder.mkdir()
    settings = f'[commands]\ntest = "sh tests.sh"\n[isolation]\nwritable = ["{folder}"]\n'
    project.write("podium.toml", settings)
    return project


def judged(project: Project, word: str, condition: str) -> None:
    file = project.root.parent / "counted" / "runs"
    project.write("tests.sh", COUNTS.format(word=word, file=file, condition=condition))


def built(text: str) -> dict[str, object]:
    return {"build": [{"write": {"src/app.py": text}, "say": "All tests pass."}]}


def test_code_that_failed_is_not_believed_because_it_passes_when_tried_again(
    counted: Project,
) -> None:
    judged(counted, "shaky", "[ $runs -gt 1 ]")
    ended = counted.through(built("VALUE = 'shaky'\n"))
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert "test: failed: passed, and on the same code before: exit 1" in ended.reason


def test_code_that_leaves_its_result_to_chance_is_tried_often(counted: Project) -> None:
    judged(counted, "random", "[ $runs -lt 6 ]")
    ended = counted.through(built("import random\nVALUE = random.random() < 0.2\n"))
    assert (ended.exit_code, ended.stop) == (20, "validation")


def test_other_code_is_tried_twice(counted: Project) -> None:
    judged(counted, "steady", "[ $runs -lt 3 ]")
    assert counted.through(built("VALUE = 'steady'\n")).outcome == "complete"
