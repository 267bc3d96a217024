"""How a Python project is tested: by the environment it has, or by the tool that its files name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.workflows.ecosystem_place import Found, Place, read_toml, table, word

_SOURCES = ("pyproject.toml", "setup.py", "setup.cfg")
_LISTS = ("requirements.txt", "requirements-dev.txt", "tox.ini", "noxfile.py", "pytest.ini")
"""Files that make a folder a project only if it has tests."""


def python(place: Place) -> Found | None:
    source = next((name for name in (*_SOURCES, *_LISTS) if place.has(name)), "")
    if not source:
        return None
    tools = table(read_toml(place.text("pyproject.toml")).get("tool"))
    scripts = table(table(table(tools.get("hatch")).get("envs")).get("default")).get("scripts")
    tests = [name for name in place.names if PYTHON_TEST.search(name)]
    pytest = _pytest(place, tools, tests)
    if not pytest and not tests and "test" not in table(scripts):
        told = (f"{source}: no tests found", _NO_BUILD)
        return Found("", "", told) if source in _SOURCES else None
    command, reason = _command(place, tools, tests, pytest)
    why = f"{source}: {pytest or 'test files, no pytest, so unittest'}"
    if command == "hatch run test":
        why, reason = f'{source}: hatch has a script "test"', ""
    return Found("", command, tuple(filter(None, (why, reason, _NO_BUILD))))


def _command(
    place: Place, tools: Mapping[str, Any], tests: Sequence[str], pytest: str
) -> tuple[str, str]:
    """How the tests are started, and what says so."""
    start = _start(place, tests)
    plain = "-m pytest" if pytest else f"-m unittest discover{start}"
    home = environment(place)
    if home and (not pytest or place.has(f"{home}/bin/pytest")):
        with_pytest = " with pytest in it" if pytest else ""
        return f"{home}/bin/python {plain}", f"{home} is there{with_pytest}"
    for tool, file, arguments in (("tox", "tox.ini", " -q -e py"), ("nox", "noxfile.py", "")):
        program = f"{home}/bin/{tool}" if home and place.has(f"{home}/bin/{tool}") else ""
        if place.has(file) and (program or not _declares(place, tools, pytest)):
            return f"{program or tool}{arguments}", f"{tool} by {file}"
    runner, reason = _python_runner(place, tools)
    if runner == "hatch":
        scripts = table(table(table(tools.get("hatch")).get("envs")).get("default")).get("scripts")
        return ("hatch run test" if "test" in table(scripts) else "hatch test"), reason
    if runner:
        return f"{runner} run python {plain}", reason
    return f"{home}/bin/python {plain}" if home else f"python3 {plain}", ""


def environment(place: Place) -> str:
    """The folder of the virtual environment that lies in the project; "" if there is none."""
    names = (".venv", "venv", "env")
    return next((name for name in names if place.has(f"{name}/bin/python")), "")


def _declares(place: Place, tools: Mapping[str, Any], pytest: str) -> bool:
    """Whether the project itself, and not only its tox or nox, names what the tests need."""
    named = [place.text(name) for name in (*_SOURCES, *_LISTS[:2])]
    return "pytest" in tools or (bool(pytest) and any("pytest" in text for text in named))


_NO_BUILD = "Python needs no build"
PYTHON_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$")
_FOR_PYTEST = re.compile(r"^(?:async +)?def test|^(?:import|from) +pytest\b", re.MULTILINE)


def _pytest(place: Place, tools: Mapping[str, Any], tests: Sequence[str]) -> str:
    """Why the tests need pytest, empty if they do not. unittest would run none of pytest's tests
    and still succeed.
    """
    if "pytest" in tools or place.has("pytest.ini") or _mentions(place, "pytest"):
        return "mentions pytest"
    own = next(
        (
            name
            for name in tests
            if name.endswith("conftest.py") or _FOR_PYTEST.search(place.text(name))
        ),
        "",
    )
    return own and f"{own} is written for pytest"


def _start(place: Place, tests: Sequence[str]) -> str:
    """The start folder that unittest must be given: it does not look into a folder that is not a
    package.
    """
    tops = {name.partition("/")[0] for name in tests}
    folder = tops.pop() if len(tops) == 1 and all("/" in name for name in tests) else ""
    return f" -s {word(folder)}" if folder and not place.has(f"{folder}/__init__.py") else ""


def _python_runner(place: Place, tools: Mapping[str, Any]) -> tuple[str, str]:
    for tool in ("uv", "poetry", "pdm"):
        if lock := place.above(f"{tool}.lock"):
            return tool, f"{tool} by {lock}"
        if tool in tools and tool != "pdm":
            return tool, f"{tool} by [tool.{tool}]"
    if "envs" in table(tools.get("hatch")):
        return "hatch", "hatch by [tool.hatch.envs]"
    return "", ""


def _mentions(place: Place, tool: str) -> bool:
    """Whether a list of dependencies names the tool."""
    lists = [place.text(name) for name in (*_SOURCES, *_LISTS)]
    return any(re.search(rf"(?m)^[^#\n]*\b{tool}\b", text) for text in lists)
