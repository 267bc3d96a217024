"""The promises of the project's own front pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def page(name: str) -> str:
    path = ROOT / name
    if not path.is_file():
        pytest.skip(f"{name} is not written yet")
    return path.read_text(encoding="utf-8")


def test_agents_file_can_be_read_in_one_go():
    assert len(page("AGENTS.md").splitlines()) < 60


def test_readme_starts_with_the_two_commands():
    text = page("README.md")
    if len(text.splitlines()) < 5:
        pytest.skip("README.md is not written yet")
    first = re.search(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert first is not None, "README.md has no block of commands"
    assert first.start() < 1500, "the commands come too late"
    assert [line.split("#")[0].strip() for line in first[1].splitlines() if line.strip()] == [
        "make demo",
        "make test",
    ]


def test_every_target_has_a_line_of_help():
    text = page("Makefile")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony is not None
    helped = set(re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE))
    assert set(phony[1].split()) - {"FORCE"} == helped


@pytest.mark.parametrize("name", ["Makefile", ".ci/run", "pyproject.toml", "bench/README.md"])
def test_nothing_names_a_machine_or_a_registry(name):
    assert not re.search(r"/root/|/home/\w|/work/|\bpypi\.org|index-url|extra-index", page(name))
