"""Files whose names put them in the place of a test library or of the interpreter's own start."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WORDS = """
pytest _pytest unittest doctest nose nose2 hypothesis mock coverage pluggy tox nox behave
sitecustomize usercustomize freezegun responses pytest_asyncio pytest_cov pytest_mock xdist
numpy/testing pandas/testing testfixtures assertpy expects sure hamcrest
"""
_PYTHON = frozenset(_WORDS.split())
_PLACES: Mapping[str, str] = {
    "Perl": r"(^|/)(lib|t/\w+|xt/\w+|blib/lib|fakelib|inc)/((Test|TAP)/\w[\w/]*|Test)\.pm$",
    "Ruby": r"(^|/)(lib|test|spec|vendor)/(minitest|rspec|rspec/\w+|test/unit|minitest/\w+)\.rb$",
    "Java": r"(^|/)(org/(junit|testng|assertj|hamcrest|mockito|spockframework)|junit/framework|"
    r"kotlin/test)/.*\.(java|kt|groovy)$",
    "PHP": r"(^|/)(PHPUnit|Pest|Mockery)/.*\.php$",
    "Node": r"(^|/)node_modules/|(^|/)__mocks__/(assert|chai|expect|fs|process)\b.*$",
    "Go": r"(^|/)vendor/(testing|github\.com/stretchr/testify)/.*\.go$",
    "C": r"(^|/)(gtest|gmock|catch2|doctest|unity|check|cmocka|criterion|assert)/?[\w/]*"
    r"\.(h|hpp|hh)$",
    "C#": r"(^|/)(xunit|nunit)[\w.]*/.*\.cs$",
    "Elixir": r"(^|/)lib/ex_unit(/.*)?\.ex$",
}
_EXPRESSIONS = {name: re.compile(text) for name, text in _PLACES.items()}
_MODULE = re.compile(r"^(.*?)(?:/__init__)?\.(?:py|pth|so|pyd)$")


def shadows(path: str) -> str:
    """The test library that a new file of this name would be taken for; empty if none."""
    if match := _MODULE.match(path):
        parts = match[1].split("/")
        name = next(
            ("/".join(parts[at:]) for at in range(len(parts)) if "/".join(parts[at:]) in _PYTHON),
            "",
        )
        # In a package it has another name: `mypkg.mock` is nobody's library.
        top = name and len(parts) - name.count("/") - 1 <= 1
        return name if top or path.endswith(".pth") else ""
    return next(
        (f"a library of {of}" for of, form in _EXPRESSIONS.items() if form.search(path)), ""
    )
