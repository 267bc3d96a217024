"""A simulated day as figures, and as words and bars for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from podium.simulation.figures import Spreading, significant
from podium.simulation.fleet.day import BUCKETS, Told
from podium.simulation.fleet.judging import GOOD, bottleneck, judged, means
from podium.simulation.fleet.plan import DAY_S, Plan, Shape
from podium.simulation.telling import bar, spoken

WIDTH = 30
SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def figures(plan: Plan, shapes: Sequence[Shape], told: Told) -> dict[str, Any]:
    parts = judged(plan, shapes, told)
    worst = bottleneck(parts)
    long = 24 / BUCKETS
    return {
        "plan": {
            "workers": plan.workers,
            "concurrency": plan.concurrency,
            "runs_a_day": plan.runs,
            "users": plan.users,
            "mix": dict(plan.mix),
            "limits": dict(plan.limits),
            "worker_lives_h": plan.lives_h,
            "costs": vars(plan.costs),
        },
        "run": {name: significant(value) for name, value in vars(means(plan, shapes)).items()},
        "began": told.began,
        "ended": len(told.lasted),
        "turns": told.turns,
        "deaths": told.deaths,
        "repeated_s": significant(told.lost_s),
        "waits_s": {name: _spread(values) for name, values in _waits(told).items()},
        "lasted_s": _spread(told.lasted),
        "parts": [
            {
                "part": each.part,
                "capacity": each.capacity,
                "unit": each.unit,
                "offered_at_peak": significant(each.offered),
                "load_at_peak": significant(each.load),
                "used_at_peak": significant(each.used),
                "change": each.change,
            }
            for each in parts
        ],
        "bottleneck": worst.part if worst else "",
        "day": [
            {
                "hour": place * long,
                "in_line": significant(each.line),
                "under_way": significant(each.busy),
                "resting": significant(each.resting),
                "database": significant(each.database),
                "remote": significant(each.remote),
            }
            for place, each in enumerate(told.looks)
        ],
    }


def _waits(told: Told) -> dict[str, list[float]]:
    return {"worker": told.waits, "database": told.database_waits, "remote": told.remote_waits}


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    spread = Spreading(tuple(sorted(values)))
    return {
        "mean": significant(spread.mean),
        **{name: significant(spread.at(share)) for name, share in SHARES.items()},
        "most": significant(spread.values[-1]),
    }


def text(name: str, plan: Plan, found: dict[str, Any]) -> str:
    one = found["run"]
    lines = [
        (
            f"{name} on {plan.workers:,} workers with {plan.concurrency} places each: "
            f"{plan.runs:,} runs a day, {plan.runs / DAY_S * plan.peak:.2f} a second in the "
            "busiest hour"
        ),
        (
            f"A run has {one['turns']:.1f} turns and {one['steps']:.1f} steps, holds a place for "
            f"{spoken(one['place_s'])} and waits {spoken(one['rest_s'])} for people."
        ),
        (
            f"{found['began']:,} runs began and {found['ended']:,} ended that day; "
            f"{found['deaths']:,} places died with their workers, and "
            f"{spoken(found['repeated_s'])} of work was repeated."
        ),
        "",
        *_table(_wait_rows(found)),
        "",
        *_table(_part_rows(found["parts"])),
        "",
        *_verdict(found),
        "",
        "In line (█ mean of the hour)",
        *_bars([(each["hour"], each["in_line"]) for each in found["day"]]),
        "",
        f"Under way, of {plan.places:,} places",
        *_bars([(each["hour"], each["under_way"]) for each in found["day"]]),
    ]
    return "\n".join(lines)


def _wait_rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("Waits of a turn", *SHARES, "most")]
    for name, each in found["waits_s"].items():
        rows.append(
            (
                f"for {'a' if name == 'worker' else 'the'} {name}",
                *(_time(each.get(share, 0.0)) for share in (*SHARES, "most")),
            )
        )
    return rows


def _time(seconds: float) -> str:
    return spoken(seconds) if seconds >= 1 or not seconds else f"{seconds * 1000:.0f} ms"


def _part_rows(parts: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    rows = [
        (
            each["part"],
            f"{each['capacity']:,.0f} {each['unit']}",
            f"{each['offered_at_peak']:,.0f}",
            f"{each['load_at_peak']:.0%}",
            f"{each['used_at_peak']:.0%}",
        )
        for each in parts
    ]
    return [("Part", "capacity", "needed at peak", "load", "in use at peak"), *rows]


def _verdict(found: dict[str, Any]) -> Iterator[str]:
    full = [each for each in found["parts"] if each["load_at_peak"] > GOOD]
    if not full:
        near = found["parts"][0]
        yield (
            f"Everything is large enough. Closest to its limit: {near['part']}, at "
            f"{near['load_at_peak']:.0%} in the busiest hour."
        )
        return
    yield f"The bottleneck is {full[0]['part']}."
    for each in full:
        yield f"  {each['part']}: {each['change']}."


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [
            f"{row[0]:<{widths[0]}}",
            *(f"{cell:>{wide}}" for cell, wide in zip(row[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(["", *cells]).rstrip()


def hourly(values: Sequence[tuple[float, float]]) -> list[tuple[int, float]]:
    """The mean of each hour."""
    found: dict[int, list[float]] = {}
    for hour, value in values:
        found.setdefault(int(hour), []).append(value)
    return [(hour, sum(each) / len(each)) for hour, each in sorted(found.items())]


def _bars(values: Sequence[tuple[float, float]]) -> Iterator[str]:
    means_of = hourly(values)
    most = max((value for _, value in means_of), default=0.0) or 1.0
    for hour, value in means_of:
        yield f"  {hour:02d}:00  {bar(value / most, WIDTH)} {value:,.0f}"
