"""Signs in the text of tests, scripts and code that tests are talked down.

Each is looked for in lines that a change adds, in the languages where it means something. A sign is
no proof of a lie: it is what a person should see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from podium.project.sign_forms import FORMS, Sign
from podium.project.source_lines import Line

_LANGUAGES: Mapping[str, str] = {
    "python": "py pyi pyx pth",
    "js": "js jsx mjs cjs ts tsx mts cts vue svelte astro coffee",
    "go": "go",
    "rust": "rs",
    "jvm": "java kt kts scala groovy gradle",
    "dotnet": "cs fs vb",
    "c": "c cc cpp cxx h hh hpp hxx m mm cu zig d",
    "php": "php phpt",
    "ruby": "rb rake cr gemspec",
    "perl": "pl pm t psgi",
    "shell": "sh bash zsh bats ksh fish",
    "elixir": "ex exs",
    "lua": "lua",
    "swift": "swift",
    "dart": "dart",
    "settings": "toml json yml yaml conf xml jsonc cmake props runsettings txt",
    "recipes": "mk am ini cfg",
}
_BY_ENDING = {
    ending: language for language, endings in _LANGUAGES.items() for ending in endings.split()
}
_BY_NAME = {
    "Makefile": "recipes",
    "makefile": "recipes",
    "GNUmakefile": "recipes",
    "justfile": "recipes",
    "Dockerfile": "settings",
    "Rakefile": "ruby",
    "rakefile": "ruby",
    "Gemfile": "ruby",
    "Guardfile": "ruby",
}


def language_of(path: str) -> str:
    """The language of a file by its name; a file without an ending is a script."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith(".") and "." not in name[1:]:
        return "settings"
    return _BY_ENDING.get(name.rpartition(".")[2].lower(), "other") if "." in name else "shell"


def signs(sign: Sign, lines: Iterable[Line], path: str) -> tuple[Line, ...]:
    """The lines that show a sign, in the language of this file."""
    expression = _expression(sign, language_of(path))
    return tuple(line for line in lines if expression and expression.search(line.text))


def shows(sign: Sign, text: str, path: str) -> frozenset[str]:
    """How a whole text shows a sign: each form that occurs, as it is written."""
    expression = _expression(sign, language_of(path))
    return frozenset(match[0] for match in expression.finditer(text)) if expression else frozenset()


@cache
def _expression(sign: Sign, language: str) -> re.Pattern[str] | None:
    forms = FORMS[sign]
    names = ("", language, "settings") if language == "recipes" else ("", language)
    parts = [forms[name] for name in names if name in forms]
    return re.compile("|".join(parts)) if parts else None


_COMPARED = re.compile(
    r"[=!]==?|=~|\b(case|when|eq|ne)\b|\bin\s*[(\[{]|\b(equals?|equalsIgnoreCase|startswith|"
    r"endswith|startsWith|endsWith|includes|contains|starts_with|ends_with)[!?]?\s*\("
)
_STRING = re.compile(
    r"\"((?:[^\"\\]|\\.){3,200})\"|'((?:[^'\\]|\\.){3,200})'|`((?:[^`\\]|\\.){3,200})`"
)
_NUMBER = re.compile(r"(?<![\w.\"'#])-?\d[\d_]*(?:\.\d+)?(?![\w.\"'])")
_COMMON = re.compile(
    r"(utf-?8|\W*|[a-z_]{1,12}|[A-Z][a-z]{1,11}|%[\w.]+|https?:/*|application/\w+|text/\w+|"
    r"\\[ntr0]+|node:\w+|\.{1,2}/[\w./-]*|\w+\.(py|js|ts|rb|go|rs|c|h))"
)


def literals(text: str) -> frozenset[str]:
    """Texts and numbers that say something by themselves: no single words, no small numbers."""
    texts = {next(filter(None, match.groups())) for match in _STRING.finditer(text)}
    numbers = {match[0] for match in _NUMBER.finditer(text) if len(match[0].strip("-")) >= 3}
    return frozenset({each for each in texts if not _COMMON.fullmatch(each)} | numbers)


def comparisons(lines: Iterable[Line], old: str) -> list[tuple[Line, frozenset[str]]]:
    """Lines of code that compare with literals which the code did not have before, with these."""
    fresh = (
        (line, frozenset(literal for literal in literals(line.text) if literal not in old))
        for line in lines
        if _COMPARED.search(line.text)
    )
    return [(line, shown) for line, shown in fresh if shown]


_GIVES = re.compile(
    r"(?:\b(?:return|then|yield|echo|exit)\b|=>|->|\?|[^=!<>]=(?!=))\s*"
    r"(?:-?\d[\w.]*|\"[^\"]*\"|'[^']*'|`[^`]*`|True|False|true|false|None|null|nil|undefined)"
    r"\s*(?:[;:}]|$|\bif\b|\belse\b)"
)


def answers(
    added: Sequence[Line], cases: Sequence[Line], known: frozenset[str]
) -> tuple[Line, ...]:
    """Those of the special cases that look made for a test: several of its literals at once, a
    whole phrase of it, or a constant as the answer.
    """
    place = {line: index for index, line in enumerate(added)}

    def made(line: Line) -> bool:
        shared = literals(line.text) & known
        near = added[place[line] : place[line] + 2]
        return (
            len(shared) > 1
            or any(" " in literal.strip() for literal in shared)
            or any(_GIVES.search(one.text) for one in near)
        )

    return tuple(line for line in cases if made(line))
