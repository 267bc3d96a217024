"""What commands print and draw in an empty project: checks and simulations."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import chdir, redirect_stdout
from functools import lru_cache
from io import StringIO
from pathlib import Path

from scripts.pages import ROOT
from scripts.pages.demo_runs import quiet_place
from scripts.pages.tables import code, field_texts, rows

from podium.__main__ import main as command
from podium.simulation.fleet.plan import Costs


def printed(*words: str, files: Mapping[str, str] | None = None) -> str:
    """What a command prints in an empty project, as a code block."""
    return f"```text\n{said_by(*words, files=files)}```\n"


def said_by(*words: str, files: Mapping[str, str] | None = None) -> str:
    with quiet_place() as folder, redirect_stdout(StringIO()) as out:
        folder.mkdir()
        for name, text in (files or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        with chdir(folder):
            command([*words, "--quiet", "--no-color"])
    return out.getvalue()


def check_flow() -> str:
    """The check of the workflow that the page itself shows."""
    page = (ROOT / "docs/how-to/check.md").read_text(encoding="utf-8")
    return printed(
        "check", "flow.py", files={"flow.py": page.partition("```python\n")[2].partition("```")[0]}
    )


def simulate_compare() -> str:
    """The table of two policies, without the bars below it."""
    told = said_by("simulate", "harness", "-n", "5000", "--against-set", "max_remediations=0")
    return f"```text\n{told.partition(chr(10) * 2 + 'Duration')[0]}\n```\n"


@lru_cache
def simulation() -> tuple[str, str]:
    """What the simulation prints, and what it draws."""
    with tempfile.TemporaryDirectory() as place:
        told = said_by("simulate", "harness", "-n", "10000", "--svg", f"{place}/plots.svg")
        return f"```text\n{told}```\n", Path(f"{place}/plots.svg").read_text(encoding="utf-8")


def fleet_block(until: str, *words: str) -> str:
    """A simulated day of a fleet, up to that heading."""
    told = said_by("simulate", "harness", "--fleet", *words)
    return (
        f"```text\n$ podium {' '.join(('simulate', 'harness', '--fleet', *words))}\n"
        f"{told.partition(until)[0].rstrip()}\n```\n"
    )


def fleet_costs() -> str:
    """The cost parameters of a simulated fleet."""
    texts = field_texts("podium.simulation.fleet.plan", "Costs")
    return rows(
        ("Name", "Unless told", "What it is"),
        [(code(name), f"{value:g}", texts[name]) for name, value in vars(Costs()).items()],
    )
