"""docs/benchmarks.md and its picture, from what was measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

PICTURE = "images/benchmarks.svg"
BUSY = (
    " **Others worked on the machine meanwhile**: the milliseconds are many times those of a "
    "quiet one, and only the ratios, taken "
    "in turns, say anything, and those roughly."
)
MEASURES = (
    ("step", "a step"),
    ("bound", "a step under a contract"),
    ("whole", "such a run, by step"),
    ("fan", "20 at once"),
    ("one", "open the store, run one step"),
    ("resume", "taken up again"),
)

ON_DISK = frozenset({"step", "bound", "whole", "fan"})


def units_of(disk: float, start: float) -> dict[str, float]:
    """The yardstick of each measure."""
    return {
        "step": disk,
        "bound": disk,
        "whole": disk,
        "fan": disk * 20,
        "one": start,
        "resume": start,
    }


@dataclass(frozen=True)
class Line:
    """One engine."""

    name: str
    version: str
    about: str
    missing: str
    seconds: Mapping[str, float | None]
    syncs: float | None
    memory: float | None
    repeated: int
    faults: Mapping[str, str]


def rows(found: Iterable[Any]) -> list[Line]:
    names = [name for name, _ in MEASURES]
    return [
        Line(
            each.peer.title,
            each.version,
            each.peer.about,
            each.missing,
            {name: each.middle(name) for name in names},
            each.syncs,
            each.middle("memory"),
            each.repeated,
            each.faults,
        )
        for each in found
    ]


def _ms(seconds: float | None) -> str:
    return (
        "—"
        if seconds is None
        else f"{seconds * 1e3:.2f} ms"
        if seconds < 0.01
        else f"{seconds * 1e3:.0f} ms"
    )


def _times(seconds: float | None, unit: float) -> str:
    return "—" if seconds is None else f"{seconds / unit:.1f}"


def table(lines: Sequence[Line], disk: float, start: float) -> str:
    """The table as Markdown: milliseconds, each followed by the ratio to the column's yardstick."""
    head = [
        (
            "| engine | a step (× disk) | a step under a contract (× disk) | such a run, by step "
            "(× disk) | 20 at once (× disk) | a process with one step (× python) | taken up after "
            "a kill (× python) | syncs a step | memory | repeated |"
        )
    ]
    head.append("|---|---|---|---|---|---|---|---|---|---|")
    body = [
        (
            f"| the yardstick | {_ms(disk)} | {_ms(disk)} | {_ms(disk)} | {_ms(disk * 20)} | "
            f"{_ms(start)} | {_ms(start)} | 2 | — | — |"
        )
    ]
    for each in lines:
        if each.missing:
            body.append(f"| {each.name} {each.version} | {each.missing} | | | | | | | | |")
            continue
        units = units_of(disk, start)
        cells = [
            f"{_ms(each.seconds[name])} ({_times(each.seconds[name], units[name])})"
            for name, _ in MEASURES
        ]
        cells = [cell.replace("— (—)", "—") for cell in cells]
        memory = f"{each.memory:.0f} MB" if each.memory else "—"
        syncs = "—" if each.syncs is None else f"{each.syncs:.0f}" if each.syncs > 0.5 else "0"
        body.append(
            f"| {each.name} {each.version} | {' | '.join(cells)} | {syncs} | {memory} | "
            f"{each.repeated} |"
        )
    return "\n".join([*head, *body])


def machine() -> str:
    model = "an unnamed processor"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    found = (
        f"{cores} cores of {model}, {platform.system()}, Python {platform.python_version()}, load "
        f"{load:.1f} at the end."
    )
    return found + (BUSY if load > 1.5 * cores else "")


def write(
    docs: Path,
    lines: Sequence[Line],
    disk: float,
    start: float,
    rounds: int,
    absent: Mapping[str, str],
    own: Sequence[str],
) -> None:
    today = datetime.now(UTC).date().isoformat()
    about = "\n".join(f"- **{each.name} {each.version}**: {each.about}" for each in lines)
    about += "".join(
        f"\n- {each.name} could not do `{mode}` here: {why}"
        for each in lines
        for mode, why in each.faults.items()
    )
    more = "\n".join(f"- **{name}** {why}." for name, why in absent.items())
    printed = "\n".join(own)
    text = f"""# Benchmarks

Made by `make bench-peers` on {today}; {rounds} rounds in turns, medians. {machine()}

The same work on each: a run of 100 steps, each durable before the next, once with a function in the same process as the step
and once with a document that is made under a contract; 20 at once; a process that opens its store and runs one step; a run whose
process is killed in step 50 and taken up by a new one. What is told of a step is what the engine adds to it: the median time
from the end of one step's own work to the beginning of the next one's. `such a run, by step` is the hundredth part of the whole,
with the steps' own work and with all that is written when the run rests. Milliseconds say more about the machine than about a
program, so each is followed by its ratio to a yardstick taken in the same minutes: for steps what the disk takes for two appends
with fdatasync and one rename, for processes `python -c pass`.

The contract of a document: the step sees a folder with its input and nothing else; protected files, the input and everything
beside the output are as they were afterwards; the output is a plain file with text in it; it goes into the project as a whole.
Podium holds that for every document stage (and records, verifies and retries more than that). The others have no such thing:
there it is done by hand around the step, by the least code that does it ([by_hand.py](../bench/peers/by_hand.py)).
In the columns to the right of it Podium runs document stages, the others functions.

{table(lines, disk, start)}

![The same as bars]({PICTURE})

{about}
{more}

How to read it. Prompts, answers and kept copies, four files a step, are written while Podium waits for an agent; here agents
take no time, so they are written when the run rests, and are in the fourth column; the others keep none. `repeated` counts steps that were executed again although
their end was recorded: the one in flight when the process died does not count, nothing can know whether it had ended.
`syncs a step` is how often a step waits for the disk, counted by strace. What a step costs is that often the disk's time for
one sync, and what is computed: where a sync takes longer than here, as on most machines, the first decides.
Steps of agents take seconds to hours, so these differences decide little; what a kill, a second process or an upgrade does
to a run decides more, and is tested in `tests/crash` and `tests/upgrades`.

## Podium alone

In the same minutes, as `make bench` prints it; [bench/README.md](../bench/README.md) says what each number means.

```text
{printed}
```
"""  # noqa: E501
    (docs / "benchmarks.md").write_text(text, encoding="utf-8")
    (docs / PICTURE).write_text(plot(lines, disk, start), encoding="utf-8")


# -- the picture


def plot(lines: Sequence[Line], disk: float, start: float) -> str:
    """Bars of ratios on a logarithmic scale, one group per measure; readable on light and dark
    backgrounds.
    """
    units = units_of(disk, start)
    parts, y = [], 40
    for name, title in MEASURES:
        shown = [(each, value / units[name]) for each in lines if (value := each.seconds[name])]
        if not shown:
            continue
        parts.append(
            f'<text x="16" y="{y}" class="title">{escape(title)}, times '
            f"{'disk' if name in ON_DISK else 'python'}</text>"
        )
        most = max(value for _, value in shown)
        for each, value in shown:
            y += 22
            width = 20 + 380 * _log(value) / max(_log(most), 0.1)
            kind = "ours" if each.name == "podium" else "peer"
            parts.append(f'<text x="100" y="{y + 12}" text-anchor="end">{escape(each.name)}</text>')
            parts.append(f'<rect x="110" y="{y}" width="{width:.0f}" height="16" class="{kind}"/>')
            parts.append(f'<text x="{118 + width:.0f}" y="{y + 12}">{value:.1f}</text>')
        y += 44
    style = (
        "text{font:12px "
        "sans-serif;fill:#555}.title{font-weight:bold}.ours{fill:#2a7}.peer{fill:#89a}"
        "@media(prefers-color-scheme:dark){text{fill:#bbb}}"
    )
    body = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="{y}" '
        f'role="img"><title>Podium and its peers</title><style>{style}</style>{body}</svg>\n'
    )


def _log(value: float) -> float:
    from math import log10  # noqa: PLC0415

    return log10(max(value, 1.0))
