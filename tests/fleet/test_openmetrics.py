"""The text that a monitoring system reads: well formed, whatever people call their workers."""

import re

from podium.fleet.figures.counts import Census, Process, Queued, Total, Turn, figures
from podium.fleet.figures.openmetrics import openmetrics

NOW = 10_000.0
SAMPLE = re.compile(r'([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? (-?[0-9.]+)')


def read(text: str) -> dict[str, float]:
    """As a strict reader would: families come once and in one piece, and the end is said."""
    lines = text.splitlines()
    assert lines[-1] == "# EOF"
    found: dict[str, float] = {}
    family, families = "", []
    for line in lines[:-1]:
        if line.startswith("# "):
            if line.startswith("# TYPE "):
                family = line.split()[2]
                families.append(family)
            assert line.split()[2] == family
            continue
        match = SAMPLE.fullmatch(line)
        assert match is not None, line
        assert match[1] == family or match[1] in {
            f"{family}{end}" for end in ("_total", "_info", "_sum", "_count")
        }, line
        assert match[1] + (match[2] or "") not in found, line
        found[match[1] + (match[2] or "")] = float(match[3])
    assert len(families) == len(set(families))
    return found


def test_queue_waits_utilisation_and_counters_are_told() -> None:
    process = Process("w1", "host", 1, ("gpu", "claude"), 2, "1.0", NOW - 1000, NOW - 3)
    turn = Turn("R1", "w1", "harness", NOW - 110, NOW - 100, NOW - 50, "finished", "complete", 4)
    census = Census(
        NOW,
        1000.0,
        [process],
        [turn],
        [Queued("R2", "ticket", NOW - 7)],
        {"complete": 1, "active": 1},
    )
    totals = [
        Total("w1", "harness", "finished", 9, 40, 90.5, 8),
        Total("w1", "harness", "lost", 2, 3, 1.0, 0),
        Total("w2", "ticket", "", 1, 1, 0.0, 0),
    ]
    found = read(openmetrics(figures(census), totals))
    assert found['podium_fleet_queue_runs{workflow="ticket"}'] == 1
    assert found["podium_fleet_queue_oldest_seconds"] == 7
    assert found['podium_fleet_runs{status="complete"}'] == 1
    assert found['podium_fleet_workers{state="alive"}'] == 1
    assert (found["podium_fleet_places"], found["podium_fleet_places_busy"]) == (2, 0)
    assert found["podium_fleet_utilisation_ratio"] == 0.025
    assert (
        found['podium_fleet_worker_info{worker="w1",host="host",version="1.0",labels="gpu,claude"}']
        == 1
    )
    assert found['podium_fleet_worker_silence_seconds{worker="w1"}'] == 3
    assert found['podium_fleet_wait_seconds{workflow="harness",quantile="0.95"}'] == 10
    assert found['podium_fleet_wait_seconds_sum{workflow="harness"}'] == 91.5
    assert found['podium_fleet_wait_seconds_count{workflow="harness"}'] == 11
    assert found['podium_fleet_turns_total{worker="w1",workflow="harness",result="lost"}'] == 2
    assert not any(
        "w2" in name for name in found if "turns_total" in name
    )  # what has not ended is no result
    assert found['podium_fleet_steps_total{worker="w1",workflow="harness"}'] == 43
    assert found['podium_fleet_runs_ended_total{worker="w1",workflow="harness"}'] == 8


def test_a_fleet_without_workers_and_runs_is_still_told() -> None:
    found = read(openmetrics(figures(Census(NOW, 60.0)), []))
    assert found["podium_fleet_places"] == 0
    assert found['podium_fleet_queue_runs{workflow=""}'] == 0


def test_a_name_with_quotes_and_line_breaks_stays_one_label() -> None:
    process = Process('w"1\n# EOF\\', "host", 1, (), 1, "1.0", NOW - 10, NOW)
    text = openmetrics(figures(Census(NOW, 60.0, [process])), [])
    assert text.count("# EOF\n") == 1
    assert any('w\\"1\\n# EOF\\\\' in name for name in read(text))
