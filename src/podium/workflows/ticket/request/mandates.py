"""Tools that a person demands: found in the request, kept word for word, and given to the agent
they are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from podium.documents import Many, Maybe, Table, Text, Word, part, record_of
from podium.workflows.ticket.request.words import sentences, words_of

AGENTS = ("developer", "planner")
"""Who may be told to use a tool; the first is the default."""
_ASKED = re.compile(
    (
        r"\bMUST\s+use\s+(?P<must>.+)|\b(?:leverage|leveraging|integrate\s+with)\s+(?P<firm>.+)|"
        r"\b(?:using|use|with)\s+(?P<soft>.+)"
    ),
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:the\s+)?(?P<name>`[^`]+`|[\w@][\w@./+#-]*(?:\s+[A-Z][\w.+#-]*)*)")
_WORDS = re.compile(r"[\w@][\w@./+#-]*")
_ARTICLES = frozenset(
    {
        "a",
        "an",
        "another",
        "each",
        "every",
        "his",
        "its",
        "my",
        "no",
        "our",
        "some",
        "their",
        "this",
        "your",
    }
)
_KNOWN_WORDS = """
axe black cargo chrome-devtools clippy context7 curl cypress docker eslint firefox flake8 gh git
github gofmt gradle grep grpc helm jest jira jq k6 kafka kubectl lighthouse locust maven mocha
mongodb mypy mysql npm nuxt openapi perf playwright pnpm podman postgres postgresql prettier
puppeteer pyright pytest rabbitmq redis rg ripgrep ruff selenium semgrep sentry sequentialthinking
sonar sqlite storybook terraform tox tsc vite vitest webpack yarn
"""
_KNOWN = frozenset(_KNOWN_WORDS.split())
_STATIC_WORDS = """
black clippy eslint flake8 git gofmt grep jq mypy prettier pyright rg ripgrep ruff semgrep sonar tsc
"""
_STATIC = frozenset(_STATIC_WORDS.split())
"""Tools that only read or write files: they need no running program."""
_LOOKS_WORDS = """
analyse analyze analysing analyzing analysis diagnose diagnosing examine examining explore inspect
inspecting investigate investigating measure profile research researching study trace see
"""
_LOOKS = frozenset(_LOOKS_WORDS.split())
_BUILDS_WORDS = """
add adding build building change create creating deploy deploying fix fixing implement implementing
migrate refactor replace test testing update verify write writing
"""
_BUILDS = frozenset(_BUILDS_WORDS.split())


@dataclass(frozen=True)
class Mandate:
    text: str = part(key="mandate")
    """The person's exact sentence."""
    agent: str = part(key="assigned_agent", value=Word(AGENTS), default=AGENTS[0])
    tool: str = part(value=Text(empty=True), default="")


MANDATES = Maybe(Many(Table(replace(record_of(Mandate), alone="mandate")), most=50), otherwise=())
"""A bare text is a mandate for the developer."""


def find_mandates(text: str) -> tuple[Mandate, ...]:
    """Every demand for a tool, in the order of the text; one sentence is one mandate."""
    found = []
    for sentence in sentences(text):
        for tool, start, end in islice(_tools(sentence), 1):
            found.append(Mandate(sentence, _agent(sentence[:start], sentence[end:]), tool))
    return tuple(found)


def _tools(sentence: str) -> Iterator[tuple[str, int, int]]:
    """The tools that a sentence demands, and the positions of their names."""
    at = 0
    while asked := _ASKED.search(sentence, at):
        group = next(name for name in ("must", "firm", "soft") if asked[name] is not None)
        start = asked.start(group)
        named = _NAME.match(sentence, start)
        if named and (name := named["name"].rstrip(".,:")) and _is_tool(name, firm=group != "soft"):
            yield name.strip("`"), named.start("name"), named.start("name") + len(name)
        at = start


def _is_tool(name: str, *, firm: bool) -> bool:
    """`with` and `use` are everyday words, so what follows them must look like a name."""
    if name.startswith("`"):
        return True
    first = name.split(maxsplit=1)[0]
    if first.casefold() in _ARTICLES:
        return False
    if firm or first.casefold() in _KNOWN:
        return True
    return len(first) > 1 and (first[0].isupper() or any(map(str.isupper, first[1:])))


def _agent(before: str, after: str) -> str:
    """Who the tool is for: the first verb after it decides, else the last one before it."""
    for said in (words_of(after), list(reversed(words_of(before)))):
        for word in said:
            if word in _LOOKS:
                return "planner"
            if word in _BUILDS:
                return AGENTS[0]
    return AGENTS[0]


def needs_running_program(mandate: Mandate) -> bool:
    """Whether only a running program can show that the mandate was met; yes if in doubt."""
    named = [mandate.tool, *(name for name, _, _ in _tools(mandate.text)), *_known(mandate.text)]
    firsts = {name.casefold().split()[0] for name in named if name.strip()}
    return not firsts or not firsts <= _STATIC


def _known(text: str) -> list[str]:
    """Known tools that a sentence merely lists: `use ruff and playwright`."""
    return [
        name
        for found in _WORDS.finditer(text)
        if (name := found[0].rstrip(".,:").casefold()) in _KNOWN
    ]


def runtime_mandates(mandates: Iterable[Mandate]) -> tuple[Mandate, ...]:
    return tuple(each for each in mandates if needs_running_program(each))
