"""Everything that is generated, and where it goes: whole files, and blocks between two marks in
other pages.

The marks are `<!-- generated: NAME -->` and `<!-- /generated -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scripts.pages.agent_tables import agent_abilities, known_agents
from scripts.pages.api_page import api_page
from scripts.pages.command_output import (
    check_flow,
    fleet_block,
    fleet_costs,
    simulate_compare,
    simulation,
)
from scripts.pages.commands_page import commands_page
from scripts.pages.demo_pictures import MOMENTS, of_harness, of_team
from scripts.pages.events import event_table
from scripts.pages.harness_tables import stage_fields, stage_table
from scripts.pages.matrix_tables import matrix_lies, matrix_part, matrix_projects, matrix_workflows
from scripts.pages.proof_tables import mutations, proof_hostile, proof_states
from scripts.pages.rule_pages import import_page, rules_page
from scripts.pages.settings_page import policy_table, settings_page
from scripts.pages.workflow_figures import diagram, drawing, numbers

from podium.workflows.catalog import NAMES
from podium.workflows.rule_catalog import CATALOGUES

MARK = re.compile(
    r"(<!-- generated: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- /generated -->)", re.DOTALL
)

Makers = Mapping[str, Callable[[], str]]
"""By the path of a whole file, or by the name of a block."""

EXPLORED: Makers = {
    "diagram": partial(diagram, "harness"),
    **{f"numbers-{name}": partial(numbers, name) for name in NAMES},
    **{
        f"docs/images/{name}-graph.svg": partial(drawing, name)
        for name in ("roadmap", "feature", "ticket", "governed")
    },
    "proof-states": proof_states,
}
SIMULATED: Makers = {
    "simulate-harness": lambda: simulation()[0],
    "docs/images/simulate-harness.svg": lambda: simulation()[1],
}
PLAYED: Makers = {
    f"docs/images/{name}.svg": partial(lambda name: of_harness()[name], name)
    for name in ("gate", "live")
}
ALONE: Makers = {
    "fleet-day": partial(fleet_block, "Under way,"),
    "fleet-mended": partial(
        fleet_block, "In line (", "--concurrency", "11", "--cost", "beat_s=120"
    ),
    **{f"docs/images/{name}.svg": partial(of_team, name) for name in MOMENTS},
    "simulate-compare": simulate_compare,
    "check-flow": check_flow,
    "docs/reference/api.md": api_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/rules.md": rules_page,
    **{f"docs/import/{name}.md": partial(import_page, name) for name in CATALOGUES},
    "stages": stage_table,
    "stage-fields": stage_fields,
    **{f"policy-{name}": partial(policy_table, name) for name in NAMES},
    "fleet-costs": fleet_costs,
    "proof-hostile": proof_hostile,
    "mutations": mutations,
    "matrix-part": matrix_part,
    "matrix-projects": matrix_projects,
    "matrix-workflows": matrix_workflows,
    "matrix-lies": matrix_lies,
    "known-agents": known_agents,
    "agent-abilities": agent_abilities,
    "events": event_table,
}
SHARED: Mapping[str, Makers] = {"explored": EXPLORED, "simulated": SIMULATED, "played": PLAYED}
"""Parts made from the same expensive data, so that one process makes that data once."""
MAKERS: Makers = {
    name: make for makers in (ALONE, *SHARED.values()) for name, make in makers.items()
}


@dataclass(frozen=True)
class Part:
    """One whole file, or one block of a page."""

    path: str
    block: str
    """Its name; empty for a whole file."""
    there: str | None
    """The current text."""

    def __str__(self) -> str:
        return f"{self.path}#{self.block}" if self.block else self.path

    @property
    def shares(self) -> str:
        """The name of the data it shares with other parts."""
        return next(
            (shared for shared, makers in SHARED.items() if (self.block or self.path) in makers), ""
        )

    def made(self) -> str:
        """The text as the program generates it now."""
        return MAKERS[self.block or self.path]()


def parts(root: Path) -> Iterator[Part]:
    files = [name for name in MAKERS if "/" in name]
    for path in files:
        yield Part(path, "", _text(root / path) if (root / path).is_file() else None)
    for page in sorted([root / "README.md", *(root / "docs").rglob("*.md")]):
        path = page.relative_to(root).as_posix()
        for hit in MARK.finditer(_text(page)) if path not in files else ():
            yield Part(path, hit["name"], hit["body"])


def with_blocks(page: str, blocks: Mapping[str, str]) -> str:
    """The page with these blocks between its marks; other blocks stay as they are."""
    return MARK.sub(lambda hit: hit[1] + blocks.get(hit["name"], hit["body"]) + hit[4], page)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
