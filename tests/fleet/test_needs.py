"""What a run asks of a worker, and what a worker has."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.fleet.line.needs import Offer, at_once, checked, lacking, plain
from podium.fleet.line.wants import Wants

OFFER = Offer("w1", labels=("gpu",), programs=("claude",), sandboxes=("landlock",), cores=4)


@pytest.mark.parametrize(
    ("programs", "needs", "missing"),
    [
        ((), (), ()),
        (("claude",), ("gpu", "agent=claude", "sandbox=landlock", "cores=4"), ()),
        (("claude", "codex"), (), ("agent codex",)),
        ((), ("big", "gpu"), ("label big",)),
        ((), ("sandbox=bubblewrap", "cores=5"), ("sandbox bubblewrap", "5 cores")),
        ((), ("agent=codex",), ("agent codex",)),
        ((), ("disk=9",), ("disk 9",)),
        ((), ("cores=many",), ("many cores",)),
    ],
)
def test_a_worker_may_drive_a_run_if_it_has_its_programs_and_meets_its_needs(
    programs: tuple[str, ...], needs: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    assert lacking(Wants(programs=programs), needs, OFFER) == missing


def test_needs_that_no_worker_could_meet_are_refused_all_at_once() -> None:
    assert checked(["gpu", "cores=2", "gpu"]) == ["cores=2", "gpu"]
    with pytest.raises(InputError) as told:
        checked(["gpu", "disk=9", "cores=0", "sandbox=jail", "agent=", " "])
    said = str(told.value)
    for part in (
        "workers do not report 'disk'",
        "cores must be a number",
        "'jail' is not a sandbox",
        "'agent=' names nothing",
        "' ' is not a label",
    ):
        assert part in said
    assert len(told.value.faults) == 5


def test_only_labels_name_queues() -> None:
    assert plain(["gpu", "cores=4", "big", "gpu"]) == ["big", "gpu"]


def test_a_workers_places_and_those_of_single_agents_are_told_with_one_option() -> None:
    assert at_once([]) == (1, {})
    assert at_once(["4", "claude=1", "codex=2"]) == (4, {"claude": 1, "codex": 2})
    with pytest.raises(InputError) as told:
        at_once(["0", "claude=", "=3", "x", "claude=0", "4"])
    assert len(told.value.faults) == 5


@settings(max_examples=80)
@given(st.lists(st.text(max_size=12), max_size=4))
def test_whatever_is_told_is_a_number_of_places_or_refused(words: list[str]) -> None:
    try:
        places, by_agent = at_once(words)
    except InputError:
        return
    assert places >= 1
    assert all(agent and most >= 1 for agent, most in by_agent.items())
