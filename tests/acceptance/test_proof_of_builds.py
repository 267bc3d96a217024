"""Build products of the person are never taken for products of other code, however old they are."""

from __future__ import annotations

import os
import shutil
import time

import pytest
from tests.fakes.project import Project
from tests.fakes.repository import git

MAKEFILE = """\
test: build/app.o
\t@! grep broken build/app.o
build/app.o: src/app.py
\t@mkdir -p build && cp src/app.py build/app.o
"""
LIE = {"build": [{"write": {"src/app.py": "VALUE = 'broken'\n"}, "say": "All tests pass."}]}
NOTE = {"build": [{"write": {"src/app.py": "VALUE = 1  # one\n"}, "say": "A comment."}]}


@pytest.fixture
def made(project: Project) -> Project:
    project.write("Makefile", MAKEFILE)
    project.write("podium.toml", '[commands]\ntest = "make -s test"\n')
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "make")
    return project


def build(project: Project, text: str) -> None:
    """What a person does who tries something and takes it back: the product is from then."""
    product, source = project.root / "build/app.o", project.root / "src/app.py"
    product.parent.mkdir(exist_ok=True)
    product.write_text(text)
    now = time.time()
    os.utime(product, (now, now))
    os.utime(source, (now + 0.01, now + 0.01))


def again(project: Project) -> None:
    """The checkout as it was before the first run, of which nothing is known any more."""
    shutil.rmtree(project.root / ".podium")
    git(project.root, "checkout", "-qf", "--", ".")
    git(project.root, "clean", "-fdq", "-e", "build")


def test_products_of_code_that_was_taken_back_fail_no_honest_change(made: Project) -> None:
    assert made.through(LIE).exit_code == 20
    again(made)
    build(made, "VALUE = 'broken'\n")
    ended = made.through(NOTE)
    assert (ended.exit_code, ended.outcome) == (0, "complete")


def test_products_of_good_code_hide_no_lie_that_was_told_before(made: Project) -> None:
    assert made.through(LIE).exit_code == 20
    again(made)
    build(made, "VALUE = 2\n")
    ended = made.through(LIE)
    assert (ended.exit_code, ended.stop) == (20, "validation")
