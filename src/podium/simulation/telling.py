"""A simulation in words and bars, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podium.simulation.figures import Sample, Spreading, edges

TITLES = {
    "duration_s": "Duration, people included",
    "agents_s": "Time of agents, all together",
    "people_s": "Time that people take",
    "cost_usd": "Cost",
    "tokens": "Tokens",
    "dispatches": "Dispatches",
    "retries": "Retries and repairs",
    "visits": "Stage runs",
}
PLOTTED = ("duration_s", "cost_usd", "dispatches")
WIDTH = 40
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def text(name: str, sample: Sample) -> str:
    lines = [f"{name}: {sample.runs:,} runs", "", "Ends", *_ends(sample)]
    for measure in PLOTTED:
        lines += [
            "",
            f"{TITLES[measure]}: {_middle(measure, sample.measures[measure])}",
            *_bars(measure, sample.measures[measure]),
        ]
    lines += [""]
    lines += [
        f"{TITLES[each]}: {_middle(each, sample.measures[each])}"
        for each in TITLES
        if each not in PLOTTED
    ]
    return "\n".join(lines)


def _ends(sample: Sample) -> Iterator[str]:
    wide = max(map(len, sample.ends))
    for end, count in sample.ends.items():
        share = count / sample.runs
        yield f"  {end:<{wide}}  {share:>6.1%}  {bar(share, WIDTH)}".rstrip()


def _middle(name: str, spread: Spreading) -> str:
    p50, p90, most = (
        shown(name, each) for each in (spread.at(0.5), spread.at(0.9), spread.values[-1])
    )
    return f"half within {p50}, 90 % within {p90}, at most {most}"


def _bars(name: str, spread: Spreading) -> Iterator[str]:
    places = edges(name, spread)
    counts = spread.counts(places)
    labels = _labels(name, places)
    wide, most = max(map(len, labels)), max(counts)
    for label, count in zip(labels, counts, strict=True):
        yield f"  {label:>{wide}}  {bar(count / most, WIDTH)} {count}"


def _labels(name: str, places: Sequence[float]) -> list[str]:
    found = [f"from {shown(name, low)}" for low in places[:-1]]
    return [*found[:-1], f"{found[-1]} on"]


def bar(share: float, width: int) -> str:
    """A bar in eighths of a column; anything above zero is visible."""
    eighths = round(share * width * 8)
    if share > 0:
        eighths = max(1, eighths)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def shown(name: str, value: float) -> str:
    if name.endswith("_s"):
        return spoken(value)
    if name == "cost_usd":
        return f"${value:,.2f}"
    if name == "tokens":
        return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value / 1000:.0f} k"
    return f"{value:,.0f}"


def spoken(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours < 48:
        return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"
    return f"{hours / 24:.1f} days"


def comparison(first: tuple[str, Sample], second: tuple[str, Sample]) -> str:
    """Two policies side by side: a table, and the bars of both on one scale."""
    (one, mine), (other, theirs) = first, second
    rows = [("", one, other, "difference")]
    for end in dict.fromkeys((*mine.ends, *theirs.ends)):
        gap = theirs.share(end) - mine.share(end)
        rows.append(
            (end, f"{mine.share(end):.1%}", f"{theirs.share(end):.1%}", f"{gap * 100:+.1f} points")
        )
    for name, title in TITLES.items():
        for label, share in (("half within", 0.5), ("90 % within", 0.9)):
            here, there = mine.measures[name].at(share), theirs.measures[name].at(share)
            more = f"{(there / here - 1) * 100:+.0f} %" if here else "–"
            rows.append((f"{title}, {label}", shown(name, here), shown(name, there), more))
    lines = [f"{mine.runs:,} runs each, the same seed", "", *_table(rows)]
    for name in PLOTTED:
        lines += [
            "",
            TITLES[name],
            f"  {'':>14}  █ {one}   ░ {other}",
            *_both(name, mine.measures[name], theirs.measures[name]),
        ]
    return "\n".join(lines)


def _table(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    for row in rows:
        first, *rest = row
        cells = [
            f"{first:<{widths[0]}}",
            *(f"{cell:>{wide}}" for cell, wide in zip(rest, widths[1:], strict=True)),
        ]
        yield "  ".join(["", *cells]).rstrip()


def _both(name: str, one: Spreading, other: Spreading) -> Iterator[str]:
    places = edges(name, one, other)
    mine, theirs = one.counts(places), other.counts(places)
    labels, most = _labels(name, places), max(*mine, *theirs)
    wide = max(map(len, labels))
    for label, left, right in zip(labels, mine, theirs, strict=True):
        yield f"  {label:>{wide}}  {bar(left / most, WIDTH)} {left}"
        yield f"  {'':>{wide}}  {'░' * max(int(right > 0), round(right / most * WIDTH))} {right}"
