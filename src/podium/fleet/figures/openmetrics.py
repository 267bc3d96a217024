"""The figures of a fleet in the OpenMetrics text format, which Prometheus reads. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from podium.fleet.figures.counts import Figures, Tally, Total

TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
"""The media type of the text."""

Sample = tuple[str, Mapping[str, str], float]
"""Suffix of the name, labels, value."""


def openmetrics(now: Figures, totals: Sequence[Total]) -> str:
    """The whole text. Counters start when the database was created; shares and quantiles cover
    the window.
    """
    parts = [*_standing(now), *_workers(now), *_waits(now, totals), *_counters(totals)]
    return "".join([*parts, "# EOF\n"])


def _standing(now: Figures) -> Iterable[str]:
    yield _family(
        "podium_fleet_runs",
        "gauge",
        "Runs by status.",
        [("", {"status": name}, number) for name, number in now.statuses.items()],
    )
    queued = [("", {"workflow": each.name}, each.queued) for each in now.workflows]
    yield _family(
        "podium_fleet_queue_runs",
        "gauge",
        "Runs that have work and that nobody drives.",
        queued or [("", {"workflow": ""}, 0)],
    )
    yield _family(
        "podium_fleet_queue_oldest_seconds",
        "gauge",
        "How long the first of the queue has waited.",
        [("", {}, now.total.oldest_s)],
        "seconds",
    )
    states = ("alive", "draining", "lost", "stopped")
    there = [
        ("", {"state": state}, sum(each.process.state == state for each in now.workers))
        for state in states
    ]
    yield _family("podium_fleet_workers", "gauge", "Workers seen in the window.", there)
    yield _family(
        "podium_fleet_places",
        "gauge",
        "Runs that the live workers could drive at once.",
        [("", {}, now.places)],
    )
    yield _family(
        "podium_fleet_places_busy", "gauge", "Runs under way.", [("", {}, len(now.total.under_way))]
    )
    if now.utilisation is not None:
        yield _family(
            "podium_fleet_utilisation_ratio",
            "gauge",
            "Share of the places that were busy in the window.",
            [("", {}, now.utilisation)],
            "ratio",
        )


def _workers(now: Figures) -> Iterable[str]:
    facts = [
        (
            "_info",
            {
                "worker": each.process.name,
                "host": each.process.host,
                "version": each.process.version,
                "labels": ",".join(each.process.labels),
            },
            1,
        )
        for each in now.workers
    ]
    yield _family("podium_fleet_worker", "info", "Who the workers are.", facts)
    places = [("", {"worker": each.process.name}, each.process.concurrency) for each in now.workers]
    yield _family(
        "podium_fleet_worker_places", "gauge", "Runs that a worker drives at once.", places
    )
    under_way = [
        ("", {"worker": each.process.name}, len(each.tally.under_way)) for each in now.workers
    ]
    yield _family(
        "podium_fleet_worker_places_busy", "gauge", "Runs that a worker drives now.", under_way
    )
    beats = [
        ("", {"worker": each.process.name}, max(0.0, now.at - each.process.seen))
        for each in now.workers
    ]
    yield _family(
        "podium_fleet_worker_silence_seconds",
        "gauge",
        "Time since a worker's last heartbeat.",
        beats,
        "seconds",
    )
    shares = [
        ("", {"worker": each.process.name}, each.utilisation)
        for each in now.workers
        if each.utilisation is not None
    ]
    yield _family(
        "podium_fleet_worker_utilisation_ratio",
        "gauge",
        "Share of a worker's places that were busy in the window.",
        shares,
        "ratio",
    )


def _waits(now: Figures, totals: Sequence[Total]) -> Iterable[str]:
    """A summary: quantiles of the window, sum and count of everything."""
    flows: dict[str, list[Total]] = defaultdict(list)
    for each in totals:
        flows[each.workflow].append(each)
    tallies: dict[str, Tally] = {each.name: each for each in now.workflows}
    samples: list[Sample] = []
    for name in sorted({*flows, *tallies}):
        for share, value in _quantiles(tallies.get(name)):
            samples.append(("", {"workflow": name, "quantile": share}, value))
        samples.append(("_sum", {"workflow": name}, sum(each.waited_s for each in flows[name])))
        samples.append(("_count", {"workflow": name}, sum(each.turns for each in flows[name])))
    yield _family(
        "podium_fleet_wait_seconds",
        "summary",
        "Time from having work to being driven.",
        samples,
        "seconds",
    )


def _quantiles(tally: Tally | None) -> list[tuple[str, float]]:
    found = [("0.5", tally.wait_p50_s), ("0.95", tally.wait_p95_s)] if tally is not None else []
    return [(share, value) for share, value in found if value is not None]


def _counters(totals: Sequence[Total]) -> Iterable[str]:
    turns = [
        (
            "_total",
            {"worker": each.worker, "workflow": each.workflow, "result": each.result},
            each.turns,
        )
        for each in totals
        if each.result
    ]
    yield _family(
        "podium_fleet_turns",
        "counter",
        "Turns at a run by how they ended; lost ones were taken over.",
        turns,
    )
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for each in totals:
        steps, ended = sums.get((each.worker, each.workflow), (0, 0))
        sums[each.worker, each.workflow] = (steps + each.steps, ended + each.ended)
    labels = [
        ({"worker": worker, "workflow": workflow}, *found)
        for (worker, workflow), found in sorted(sums.items())
    ]
    yield _family(
        "podium_fleet_steps",
        "counter",
        "Steps that were finished.",
        [("_total", said, steps) for said, steps, _ in labels],
    )
    yield _family(
        "podium_fleet_runs_ended",
        "counter",
        "Runs that ended.",
        [("_total", said, ended) for said, _, ended in labels],
    )


def _family(name: str, kind: str, said: str, samples: Sequence[Sample], unit: str = "") -> str:
    if not samples:
        return ""
    head = [
        f"# TYPE {name} {kind}",
        *([f"# UNIT {name} {unit}"] if unit else []),
        f"# HELP {name} {_escaped(said)}",
    ]
    return (
        "\n".join(
            [
                *head,
                *(
                    f"{name}{end}{_labels(labels)} {_number(value)}"
                    for end, labels, value in samples
                ),
            ]
        )
        + "\n"
    )


def _labels(labels: Mapping[str, str]) -> str:
    said = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{said}}}" if said else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
