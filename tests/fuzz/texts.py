"""Texts and objects as agents and people may write them: good ones, damaged ones, and such as
nobody would mean.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from tests.fuzz.samples import SHIPPED, good

from podium.core.verdict import Dialect
from podium.workflows.feature.dialects import DIALECTS as FEATURE
from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.roster import BY_ROLE
from podium.workflows.harness.dialects import DIALECTS as HARNESS
from podium.workflows.roadmap.dialects import DIALECTS as ROADMAP
from podium.workflows.ticket.dialects import DIALECTS as TICKET

settings.register_profile("torture", max_examples=int(os.environ.get("PODIUM_FUZZ", "3000")))
settings.register_profile("short", max_examples=12)
FUZZED = settings(
    settings.get_profile("torture" if "PODIUM_FUZZ" in os.environ else "short"),
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)

DIALECTS: Mapping[str, Dialect] = {**HARNESS, **TICKET, **ROADMAP, **FEATURE}
PLAN = """# Plan

## Waves

### Wave 1

- 01-words (implementer)
- 02-cli: depends on 01-words

| Wave | Task | Depends on |
|---|---|---|
| 2 | 03-docs | 01, 02 |
"""
MEMORY = """# Memory

## Lessons

- [2026-01-15] implementer: tests before code

## Decisions

| Phase | Agent | Entry |
|---|---|---|
| 1 | researcher | one |
"""
EVENT = (
    '{"hash":"0","prev":"0","run":"r","seq":1,"ts":"2026-01-15T12:00:00.000Z","type":'
    '"run.started"}\n'
)
WRITTEN = (
    PLAN,
    MEMORY,
    EVENT,
    "DONE: all of it\n",
    "ACCEPTED: yes\n",
    "PROJ-12 count words, with the tool pytest\n",
    "max_remediations=2",
    "",
)


def _shipped() -> tuple[str, ...]:
    kinds = {".md", ".json", ".toml"}
    files = sorted(
        each
        for each in SHIPPED.glob("*/scaffold/**/*")
        if each.suffix in kinds and each.stat().st_size < 8000
    )
    return tuple(
        each.read_text()
        for each in files
        if "roles" not in each.parts or each.name.startswith(("qa", "planner"))
    )


GOOD = good()
"""By the name of their parser."""
SAMPLES = (*WRITTEN, *(text for texts in GOOD.values() for text in texts), *_shipped())
SIGNS = st.sampled_from(
    [
        "#",
        "##",
        "###",
        "```",
        "~~~",
        ">",
        "-",
        "*",
        "|",
        "|---|",
        ":",
        "---",
        "===",
        "<!--",
        "-->",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ",",
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "    ",
        "\0",
        "\x0b",
        "\u2028",
        "\ufeff",
        "\ud7ff",
        "\U0001f600",
        "&a",
        "*a",
        "<<:",
        "!!python/object",
        "Pass",
        "Fail",
        "DONE",
        "ERROR",
        "ACCEPTED",
        "Status:",
        "Validation Result",
        "null",
        "true",
        "1e999",
        "NaN",
        "-0",
        "01",
        "\\",
        "\\u0000",
        "@@",
        "+++ b/../x",
        "../",
        "/etc/passwd",
        "..",
        "depends on",
        "Wave 1",
        "TASK-1",
        "AC1",
    ]
)
NOISE = st.lists(st.one_of(SIGNS, st.text(max_size=6)), max_size=40).map("".join)


HUGE = ("9" * 400, "9" * 4400)
"""More digits than fit into a float, and than Python makes a number of."""


@st.composite
def damaged(draw: st.DrawFn, good: Sequence[str] = SAMPLES) -> str:
    """A good text with lines left out, doubled, moved or cut, signs put in, and numbers grown
    out of all bounds.
    """
    lines = draw(st.sampled_from(good)).splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(lines)))
        match draw(st.integers(0, 6)):
            case 0:
                lines[at : at + draw(st.integers(1, 4))] = []
            case 1:
                lines[at:at] = lines[max(0, at - 3) : at]
            case 2:
                lines[at:at] = [draw(NOISE)]
            case 3 if at < len(lines):
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case 4:
                lines[at:at] = [draw(st.sampled_from(("```\n", "> ", "<!-- ", "    ", "- ", "{")))]
            case 5 if at < len(lines):
                lines[at] = re.sub(r"\d+", draw(st.sampled_from(HUGE)), lines[at], count=1)
            case _:
                lines[at:at] = draw(st.sampled_from(SAMPLES)).splitlines(keepends=True)[:8]
    return "".join(lines)


TEXTS = st.one_of(st.sampled_from(SAMPLES), damaged(), NOISE)


def texts_for(name: str) -> st.SearchStrategy[str]:
    """Mostly texts of the parser's own format, whole and damaged."""
    own = GOOD.get(name, SAMPLES)
    return st.one_of(st.sampled_from(own), damaged(own), damaged(own), TEXTS)


LEAF = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=12), SIGNS
)
FLAT = st.one_of(
    LEAF, st.lists(LEAF, max_size=3), st.dictionaries(st.text(max_size=8), LEAF, max_size=3)
)
JSON = st.one_of(
    FLAT, st.lists(FLAT, max_size=3), st.dictionaries(st.text(max_size=8), FLAT, max_size=3)
)
OBJECTS = (*(each.good for each in DIALECTS.values()), *(good_answer(role) for role in BY_ROLE), {})


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """A good verdict object with members changed, left out or put in, at any depth."""
    found: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(OBJECTS))))
    for _ in range(draw(st.integers(0, 4))):
        at: Any = found
        while isinstance(at, dict) and at and draw(st.booleans()):
            deeper = at[draw(st.sampled_from(sorted(at)))]
            at = deeper[0] if isinstance(deeper, list) and deeper else deeper
        if isinstance(at, dict):
            name = draw(
                st.one_of(
                    st.sampled_from(sorted(at)) if at else st.just("status"), st.text(max_size=6)
                )
            )
            if draw(st.booleans()):
                at[name] = draw(JSON)
            else:
                at.pop(name, None)
    return found
