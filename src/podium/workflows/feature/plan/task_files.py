"""Paths that a task names: which files are in its scope, and which paths no task may name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from podium.formats.markdown import scan
from podium.project.kinds import kind_of
from podium.workflows.feature.documents.labelled import item_text
from podium.workflows.feature.plan.task_names import NOTHING

KEPT_FOLDERS = (".git", ".podium")
"""Folders inside the repository that belong to tools."""

_INPUT = re.compile(
    r"\s*[*_]{0,3}(?:inputs?|reads?|read[- ]only|references?)(?: files?)?[*_]{0,3}\s*:",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([^`]{1,400})`")
_LINK = re.compile(r"\[[^\[\]]{0,200}\]\(([^()\s]{1,400})\)")
_URL = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]{1,15}://", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,2})([^*]+)\1:?")
_LEAD = re.compile(r"\s[—–-]+\s|:\s|\s\(|[—–]")
_SUFFIX = re.compile(
    r"[^/\\]*[^/\\.\s]\.[A-Za-z][A-Za-z0-9]{0,9}|Dockerfile|Makefile", re.IGNORECASE
)
_KNOWN = re.compile(
    r"[^/\\]*\.(?:bash|c|cc|cfg|cjs|clj|conf|cpp|cs|csproj|css|csv|dart|env|erl|ex|exs|fs|go|"
    r"gradle|graphql|groovy|h"
    r"|hpp|hs|html|ini|ipynb|java|jl|js|json|jsx|kt|kts|less|lock|lua|m|md|mjs|ml|mm|mts|php|"
    r"pl|properties|proto"
    r"|ps1|py|pyi|r|rb|rs|rst|sass|scala|scss|sh|sln|sol|sql|svelte|swift|tf|toml|ts|tsx|txt|"
    r"vue|xml|yaml|yml|zig)"
    r"|Dockerfile|Makefile|CMakeLists\.txt",
    re.IGNORECASE,
)
_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|[^:\s/\\]*[\\/.])")
_FORBIDDEN = re.compile(r"(?:\.\.|~[A-Za-z0-9_-]{0,32}|\.git|\.podium)[/\\]", re.IGNORECASE)
_TEST_FOLDERS = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "e2e", "testdata", "fixtures"}
)
_TEST_FILE = re.compile(
    r"test_.*|conftest\.py|.*[_.-](?:test|tests|spec)\.[a-z0-9]+|.*[a-z0-9]Tests?\.[A-Za-z]+"
)
_DOCUMENT = re.compile(r".*\.(?:md|mdx|rst|adoc)", re.IGNORECASE)
_ELSEWHERE = re.compile(r"(?<![\w./~-])(?:~/|\.git/|\.podium/)[^\s`\"')]{0,80}", re.IGNORECASE)


def files_in(lines: Iterable[str]) -> tuple[str, ...]:
    """The distinct files that the lines of a scope name, in order. What is only read is none of
    them, unless no task may name it.
    """
    found: dict[str, None] = {}
    for words, read in _scope(lines):
        for path in _named(words):
            if not read or outside(path):
                found[path.removeprefix("./") or path] = None
    return tuple(found)


def _scope(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """The words of each line, and whether they stand behind `Input:`: on its line, in deeper
    lines, or in the list after an `Input:` of its own.
    """
    depth, listed = -1, False
    for line in lines:
        item, indent = item_text(line), len(line) - len(line.lstrip())
        words = line if item is None else item
        if label := _INPUT.match(words):
            depth = indent
            listed = item is None and not words[label.end() :].strip(" \t*_")
        elif line.strip() and indent <= depth and not (listed and item is not None):
            depth = -1
        yield words, depth >= 0


def outside(path: str) -> str:
    """Why a task may not name this path; empty if it may."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKC", path) if unicodedata.category(sign) != "Cf"
    )
    if plain.startswith("~"):
        return "is in a home folder"
    if _DRIVE.match(plain) or plain.casefold().startswith("file:"):
        return "names a drive or a scheme"
    if plain.startswith("/"):
        return "is absolute"
    if "\\" in plain or not plain.isprintable():
        return "holds a backslash or a character that cannot be shown"
    parts = [
        part.casefold().rstrip(". ") if part.strip(". ") else part for part in plain.split("/")
    ]
    if any(part.strip(" ") == ".." for part in parts):
        return "leaves the repository"
    kept = next((part for part in parts if part in {*KEPT_FOLDERS, "git~1"}), "")
    return f"is in {kept}/, which belongs to the tools" if kept else ""


def is_pattern(path: str) -> bool:
    """Whether it may stand for many files: a wildcard or a folder."""
    return "*" in path or path.endswith("/")


def is_production(path: str) -> bool:
    """Neither a test nor a document."""
    *folders, name = path.split("/")
    if any(folder.casefold() in _TEST_FOLDERS for folder in folders) or _TEST_FILE.fullmatch(name):
        return False
    if kind_of(path) in {"test", "golden"}:
        return False
    return not (_DOCUMENT.fullmatch(name) or (folders and folders[0].casefold() in {"doc", "docs"}))


def elsewhere(text: str) -> tuple[str, ...]:
    """Places outside the repository, or reserved for tools, that a document mentions anywhere."""
    outline = scan(text)
    shown = (
        line
        for line, kind in zip(outline.lines, outline.kinds, strict=True)
        if kind in {"text", "code", "heading", "quote"}
    )
    return tuple(
        dict.fromkeys(
            found[0].rstrip(".,;:") for line in shown for found in _ELSEWHERE.finditer(line)
        )
    )


def _named(text: str) -> Iterator[str]:
    for found in (*_SPAN.findall(text), *_LINK.findall(text)):
        if _is_path(found.strip(), _KNOWN):
            yield found.strip()
    rest = _LINK.sub(" ", _SPAN.sub(" ", text.partition("<!--")[0]))
    lead = _LEAD.split(rest, maxsplit=1)[0]
    for piece in lead.split(","):
        words = piece.split()
        if len(words) == 1 and _is_path(_unmarked(words[0]), _SUFFIX):
            yield _unmarked(words[0])
    for word in map(_unmarked, rest.split()):
        if _is_evident(word):
            yield word


def _unmarked(word: str) -> str:
    """A word of prose without surrounding punctuation; a star that is not emphasis is part of a
    pattern.
    """
    word = word.strip("\"'<>(),;:")
    emphasis = _EMPHASIS.fullmatch(word)
    word = emphasis[2] if emphasis else word
    return word.rstrip(".:") or word


def _is_path(text: str, suffix: re.Pattern[str]) -> bool:
    """Whether a quoted word, or one that stands alone, is a path."""
    if not text or text.casefold() in NOTHING or _URL.match(text) or any(map(str.isspace, text)):
        return False
    return "/" in text or "\\" in text or text.startswith("~") or bool(suffix.fullmatch(text))


def _is_evident(word: str) -> bool:
    """Whether a word of prose can only be a path; `and/or` is not one, nor is a route such as
    /users.
    """
    if _URL.match(word):
        return False
    if _FORBIDDEN.match(word) or _DRIVE.match(word):
        return True
    return "/" in word and bool(_KNOWN.fullmatch(word.rpartition("/")[2]))
