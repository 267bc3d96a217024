"""The workflows as shipped: explored once each, drawn, and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from unittest import mock

from scripts.pages.tables import code

from podium.cli.commands import check
from podium.core import diagram as diagrams
from podium.core.diagram import graph, mermaid
from podium.core.explore import Exploration, explore
from podium.core.proofs import Violation
from podium.core.workflow import Workflow
from podium.settings import policies
from podium.views.svg.family import family
from podium.wiring import scaffold_text
from podium.workflows.catalog import NAMES, entry
from podium.workflows.roadmap.workflow import Roadmap

ITEMS = 3
"""Number of items in the roadmap that is drawn and counted."""


@lru_cache
def workflow(name: str) -> Workflow:
    """The workflow as shipped; the roadmap has a few items."""
    policy = policies.defaults(name)
    if name == "roadmap":
        return Roadmap(policy, ITEMS)
    return entry(name).sample(policy, lambda _: None, lambda path: scaffold_text(name, path))


@lru_cache
def explored(name: str) -> Exploration:
    return explore(workflow(name))


_below: dict[type[Workflow], Exploration] = {}
"""Explorations of child workflows; all of one kind are alike."""


def _once(asked: Workflow) -> Exploration:
    """What was explored for a drawing is not explored again for a count."""
    if asked.name in NAMES:
        return explored(asked.name) if asked is workflow(asked.name) else explore(asked)
    kind = type(asked)
    return _below[kind] if kind in _below else _below.setdefault(kind, explore(asked))


@contextmanager
def walked_once() -> Iterator[None]:
    with mock.patch.object(check, "explore", _once), mock.patch.object(diagrams, "explore", _once):
        yield


def forget() -> None:
    """Free the explorations, which are large."""
    explored.cache_clear()
    checked.cache_clear()
    _below.clear()


def diagram(name: str) -> str:
    return f"```mermaid\n{mermaid(workflow(name), explored(name))}```\n"


@lru_cache
def checked(name: str) -> tuple[dict[str, Any], list[Violation]]:
    """What `podium check` finds about the workflow as shipped."""
    with walked_once():
        return check.report(name, workflow(name), check.limits(name, policies.defaults(name)))


def numbers(name: str) -> str:
    told, broken = checked(name)
    worst = told["worst_case"]
    people = "until a person sends something back"
    lines = [
        (
            f"- {told['states']} states and {told['transitions']} transitions, all of them "
            f"visited; {len(broken)} violations."
        )
    ]
    lines += [
        f"- One item: at most {each['worst_case']['stage_runs']} stage runs {people}, and at most "
        f"{each['worst_case']['dispatches']} dispatches if each of them uses up every repair "
        "and retry it has."
        for each in told["children"]
    ]
    if not told["children"]:
        lines.append(
            f"- At most {worst['stage_runs']} stage runs {people}, and at most "
            f"{worst['dispatches']} dispatches "
            "if each of them uses up every repair and retry it has."
        )
    claims = [
        *told["invariants"],
        *(claim for each in told["children"] for claim in each["invariants"]),
    ]
    return "\n".join([*lines, *_claims(claims)]) + "\n"


def _claims(claims: Sequence[str]) -> list[str]:
    """One line per claim; claims that differ only in the step they name are combined."""
    head = "no run is complete without "
    alike = [each.removeprefix(head) for each in claims if each.startswith(head)]
    together = [f"- Holds: {head}{', '.join(code(each) for each in alike)}."] if alike else []
    return [*together, *(f"- Holds: {each}." for each in claims if not each.startswith(head))]


def drawing(name: str) -> str:
    """A workflow that is too large for the page to lay out."""
    with walked_once():
        return family(graph(workflow(name), explored(name)))
