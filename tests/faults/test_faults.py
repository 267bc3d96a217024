"""A few faults of every kind on every workflow; `make torture` tries many. A failure names the
command that repeats it.
"""

from __future__ import annotations

import random
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults import kit, torture
from tests.faults.disks import PowerlessDisk, _Node, left
from tests.faults.worlds import WORKFLOWS

KILLED, ASLEEP = 4, 6
"""Seeds at which a real agent program of `governed` is killed, and at which the clock of
`harness` is set back in a sleep.
"""
TRIALS = [
    (workflow, kit.KINDS[(at + place) % len(kit.KINDS)], 1 + at)
    for at, workflow in enumerate(WORKFLOWS)
    for place in (0, 3)
] + [
    ("harness", "power", 1),
    ("roadmap", "git", 2),
    ("governed", "agents", KILLED),
    ("harness", "clock", ASLEEP),
]
"""(workflow, kind, seed): two for each workflow, so that every kind is among them."""


@pytest.fixture(scope="module")
def wholes() -> Iterator[dict[str, kit.Undisturbed]]:
    """Runs that met nothing; one for each workflow is enough, and each is made when it is first
    asked for.
    """
    memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="podium-faults-", dir=memory if memory.is_dir() else None))

    class Made(dict[str, kit.Undisturbed]):
        def __missing__(self, workflow: str) -> kit.Undisturbed:
            self[workflow] = kit.undisturbed(workflow, root / workflow)
            return self[workflow]

    with kit.one_after_the_other():
        yield Made()
    shutil.rmtree(root, ignore_errors=True)


@pytest.mark.crash
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("workflow", "kind", "seed"), sorted(TRIALS))
def test_a_run_that_met_a_fault_ends_as_an_undisturbed_one(
    wholes: dict[str, kit.Undisturbed], workflow: str, kind: str, seed: int
) -> None:
    faults = kit.met(kit.trial(seed, workflow, kind), wholes[workflow])
    assert not faults, "\n".join(faults)


def test_among_the_few_a_real_program_is_killed_and_a_clock_is_set_back_in_a_sleep() -> None:
    assert kit.weakness(kit.trial(KILLED, "governed", "agents"), 3).how == "killed"
    assert kit.asleep(kit.trial(ASLEEP, "harness", "clock").draw)


def test_every_kind_and_every_workflow_is_among_the_few() -> None:
    assert {kind for _, kind, _ in TRIALS} == set(kit.KINDS)
    assert {workflow for workflow, _, _ in TRIALS} == set(WORKFLOWS)


def test_a_seed_is_always_the_same_trial() -> None:
    assert kit.trial(7) == kit.trial(7)
    assert kit.trial(7, "ticket").draw.random() == kit.trial(7, "ticket").draw.random()
    assert len({kit.trial(seed).kind for seed in range(50)}) == len(kit.KINDS)


def test_a_failing_trial_prints_the_command_that_repeats_it_alone() -> None:
    for tried in (
        kit.trial(7),
        kit.trial(8, "governed", "power"),
        kit.Trial(0, "ticket", "git", call=12),
    ):
        words = shlex.split(tried.command)
        assert words[:2] == ["make", "torture"]
        told = torture.read(shlex.split(words[2].removeprefix("ARGS=")))
        assert torture.trials(told, tried.workflow, git_calls=40) == [tried]
        assert not told.whole


def test_the_whole_of_torture_tries_every_kind_every_call_of_git_fuzzing_and_every_death() -> None:
    told = torture.read([])
    tried = torture.trials(told, "feature", git_calls=40)
    assert told.whole
    assert {each.kind for each in tried if not each.call} == set(kit.KINDS)
    assert [each.call for each in tried if each.call] == list(range(1, 41))


def test_what_was_synced_survives_and_what_was_not_may_be_half_there(tmp_path: Path) -> None:
    """The model itself: only bytes and names behind a sync are sure."""
    seen = set()
    for seed in range(40):
        place = tmp_path / str(seed)
        place.mkdir()
        disk = PowerlessDisk(seed, 10_000)
        disk.save(place / "sure", b"sure", sync=True)
        disk.save(place / "loose", b"loose")
        disk.lose()
        assert (place / "sure").read_bytes() == b"sure"
        seen.add((place / "loose").read_bytes() if (place / "loose").exists() else None)
    assert seen >= {None, b"", b"loose"}


def test_sectors_of_a_file_that_was_written_over_may_be_old_or_new() -> None:
    old, new = b"a" * 1024, b"b" * 1024
    found = {left(_Node(old, new), random.Random(seed)) for seed in range(40)}
    assert {old, new} < found
    assert {b"a" * 512 + b"b" * 512, b"b" * 512 + b"a" * 512} < found
