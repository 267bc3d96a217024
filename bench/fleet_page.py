"""docs/fleet-benchmarks.md and its picture, from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.page import machine

PICTURE = "images/fleet-benchmarks.svg"


@dataclass(frozen=True)
class Cost:
    """One workflow: seconds per step alone and on a worker, and seconds before the first step
    there.
    """

    workflow: str
    steps: int
    alone: float
    fleet: float
    start: float


@dataclass(frozen=True)
class Found:
    costs: Sequence[Cost]
    rates: Mapping[int, float]
    """Number of workers to runs per minute."""
    runs: int
    pace: float
    rounds: int
    parked: int
    sweep: float
    """Milliseconds."""


def tables(found: Found) -> str:
    lines = [
        (
            "| workflow | steps | a step alone | on a worker | more | ratio | from submit to the "
            "first step |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {each.workflow} | {each.steps} | {each.alone * 1e3:.0f} ms | "
        f"{each.fleet * 1e3:.0f} ms | {(each.fleet - each.alone) * 1e3:.0f} ms "
        f"| {each.fleet / each.alone:.1f} | {each.start:.1f} s |"
        for each in found.costs
    ]
    one = found.rates[min(found.rates)]
    lines += ["", "| workers | runs a minute | times one worker |", "|---|---|---|"]
    lines += [
        f"| {workers} | {rate:.1f} | {rate / one:.1f} |" for workers, rate in found.rates.items()
    ]
    lines += [
        "",
        (
            f"One sweep while {found.parked:,} runs wait for people: {found.sweep:.1f} ms, and no "
            "thread or memory of a worker."
        ),
    ]
    return "\n".join(lines)


def write(docs: Path, found: Found) -> None:
    today = datetime.now(UTC).date().isoformat()
    text = f"""# What a fleet costs

Made by `make bench-fleet` on {today}; {found.rounds} rounds in turns, medians. {machine()}

Servers, workers and what they drive share this one machine, and agents take no time in the first table: the least favourable case.
There a step alone and the same step on a worker are compared, from the beginning of the first step to the end of the run; a worker
also pushes the files and writes to PostgreSQL, with every sync. In the second, {found.runs} runs of `harness` whose agents take
{found.pace:g} s are given to one, two, three and four workers.

{tables(found)}

![The same as bars and a line](images/fleet-benchmarks.svg)

How to read it. A step on a worker costs what it costs alone, one push (about eight processes of git on both sides) and one commit of
the database; the branch for people is pushed beside it, which costs time only where agents take none. With agents that take minutes nobody notices. What limits the second table
is the machine: each run takes part of a core while its agents wait, so the line bends where the cores are used up.
"""  # noqa: E501
    (docs / "fleet-benchmarks.md").write_text(text, encoding="utf-8")
    (docs / PICTURE).write_text(plot(found), encoding="utf-8")


def plot(found: Found) -> str:
    """Bars for steps, a line for workers next to the ideal; readable on light and dark
    backgrounds.
    """
    parts, y = ['<text x="16" y="28" class="title">a step, milliseconds</text>'], 40
    most = max(each.fleet for each in found.costs)
    for each in found.costs:
        for name, value, kind in (
            (f"{each.workflow}, alone", each.alone, "peer"),
            (f"{each.workflow}, on a worker", each.fleet, "ours"),
        ):
            width = 340 * value / most
            parts.append(
                f'<text x="150" y="{y + 12}" text-anchor="end">{name}</text><rect x="160" '
                f'y="{y}" width="{width:.0f}" height="16" class="{kind}"/>'
            )
            parts.append(f'<text x="{168 + width:.0f}" y="{y + 12}">{value * 1e3:.0f}</text>')
            y += 22
        y += 6
    y += 24
    parts.append(
        f'<text x="16" y="{y}" class="title">runs a minute by workers; dashed: as many times '
        "one worker</text>"
    )
    parts.append(_line(found.rates, y + 14))
    style = (
        "text{font:12px "
        "sans-serif;fill:#555}.title{font-weight:bold}.ours{fill:#2a7}.peer{fill:#89a}"
        ".line{fill:none;stroke:#2a7;stroke-width:2}.ideal{fill:none;stroke:"
        "#89a;stroke-dasharray:5 4}.axis{stroke:#9a9a9a}"
        "@media(prefers-color-scheme:dark){text{fill:#bbb}}"
    )
    size = f'width="600" height="{y + 230}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>What a fleet '
        f"costs</title><style>{style}</style>{''.join(parts)}</svg>\n"
    )


def _line(rates: Mapping[int, float], top: int) -> str:
    left, height, bottom = 60, 170, top + 180
    one = rates[min(rates)]
    most = one * max(rates)
    step = 440 / max(len(rates) - 1, 1)
    places = {workers: left + 20 + step * number for number, workers in enumerate(rates)}

    def at(workers: int, value: float) -> str:
        return f"{places[workers]:.0f},{bottom - height * value / most:.0f}"

    parts = [
        (
            f'<line x1="{left}" y1="{bottom}" x2="580" y2="{bottom}" class="axis"/><line '
            f'x1="{left}" y1="{top}" x2="{left}" y2="{bottom}" class="axis"/>'
        )
    ]
    parts.append(
        '<polyline class="ideal" '
        f'points="{" ".join(at(workers, one * workers) for workers in rates)}"/>'
    )
    parts.append(
        '<polyline class="line" '
        f'points="{" ".join(at(workers, rate) for workers, rate in rates.items())}"/>'
    )
    for workers, rate in rates.items():
        x, height_of = at(workers, rate).split(",")
        parts.append(
            f'<circle cx="{x}" cy="{height_of}" r="4" class="ours"/><text x="{x}" '
            f'y="{int(height_of) + 20}" text-anchor="middle">{rate:.1f}</text>'
        )
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{workers}</text>')
    return "".join(parts)
