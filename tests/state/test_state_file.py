"""The file and the journal side by side: which of them is believed, and what a person changed."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.disk import CrashingDisk, every_cut

from podium.core.errors import InputError
from podium.core.events import state_of
from podium.core.run import Run, Status
from podium.state import state_file
from podium.state.disk import Disk
from podium.state.state_file import Reconciled, StateFile


@dataclass(kw_only=True)
class TaskRun(Run):
    step: str = "specification"
    remediations: int = 0
    findings: tuple[str, ...] = ()
    limits: dict[str, int] = field(default_factory=dict)


FIRST = TaskRun(visits={"specification": 1})
SECOND = TaskRun(step="build", visits={"specification": 1, "build": 1}, findings=("a",))
THIRD = TaskRun(step="qa", remediations=1, visits={"specification": 1, "build": 1, "qa": 1})


def event(seq: int, type: str, run: Run | None = None) -> dict[str, Any]:
    state = {} if run is None else {"state": json.loads(json.dumps(state_of(run)))}
    return {"seq": seq, "type": type, "run": "r", **state}


EVENTS = [
    event(1, "run.started", FIRST),
    event(2, "step.started"),
    event(3, "step.finished"),
    event(4, "run.advanced", SECOND),
    event(5, "step.started"),
    event(6, "run.advanced", THIRD),
    event(7, "step.started"),
]


def written(path: Path, run: Run, seq: int) -> StateFile:
    state_file.save(path, "r", "harness", run, seq, Disk())
    found = state_file.load(path, TaskRun)
    assert found is not None
    return found


def test_the_file_is_written_for_people(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state_file.save(path, "r", "harness", SECOND, 4, Disk())
    lines = path.read_text().splitlines()
    assert lines[:6] == [
        "{",
        '  "format": 1,',
        '  "run": "r",',
        '  "workflow": "harness",',
        '  "seq": 4,',
        '  "step": "build",',
    ]
    assert {"status", "reason", "stop", "visits", "remediations"} < set(
        json.loads(path.read_text())
    )


def test_what_was_saved_is_loaded_with_its_types(tmp_path: Path) -> None:
    run = replace(SECOND, status=Status.BLOCKED, reason="ü", stop="rule")
    found = written(tmp_path / "state.json", run, 4)
    assert (found.run, found.seq, found.raw["workflow"]) == (run, 4, "harness")
    assert isinstance(found.run.status, Status)
    assert found.run.visits == run.visits


def test_saving_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    disk = CrashingDisk()
    state_file.save(tmp_path / "state.json", "r", "harness", FIRST, 1, disk)
    assert disk.done == ["write_file", "exchange", "replace"]
    state_file.save(tmp_path / "state.json", "r", "harness", SECOND, 4, disk)
    state_file.save(tmp_path / "state.json", "r", "harness", THIRD, 6, disk)
    assert "sync" not in disk.done


def test_a_save_cut_anywhere_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state_file.save(path, "r", "harness", SECOND, 4, Disk())
    for _ in every_cut(lambda disk: state_file.save(path, "r", "harness", THIRD, 6, disk)):
        found = state_file.load(path, TaskRun)
        assert found is not None
        assert state_file.reconcile(found, EVENTS, TaskRun).run == THIRD


@pytest.mark.parametrize("content", [None, b"", b"\0" * 300])
def test_a_missing_file_and_the_empty_shell_of_a_power_cut_are_no_file(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "state.json"
    if content is not None:
        path.write_bytes(content)
    assert state_file.load(path, TaskRun) is None


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"seq": 4,', '"seq": 4', '"step"', "is not JSON: Expecting ',' delimiter"),
        (
            '"remediations": 0',
            '"remediations": "0"',
            '"remed',
            "remediations: expected a whole number, found '0'",
        ),
        (
            '"remediations"',
            '"remediation"',
            '"remed',
            "unknown field 'remediation' (did you mean 'remediations'?)",
        ),
        (
            '"status": "active"',
            '"status": "actve"',
            '"status"',
            "status: expected one of active, waiting",
        ),
        (
            '"build": 1',
            '"build": "x"',
            '"visits"',
            "visits.build: expected a whole number, found 'x'",
        ),
        ('"seq": 4', '"seq": true', '"seq"', "seq: expected a whole number, found True"),
        ('"format": 1', '"format": 2', '"format"', "format 2, this Podium reads 1"),
        ('  "step": "build",\n', "", "{", "field 'step' is missing"),
    ],
)
def test_a_slip_of_a_person_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: str, said: str
) -> None:
    path = tmp_path / "state.json"
    state_file.save(path, "r", "harness", SECOND, 4, Disk())
    text = path.read_text().replace(old, new)
    path.write_text(text)
    with pytest.raises(InputError) as fault:
        state_file.load(path, TaskRun)
    number = text.count("\n", 0, text.index(line)) + 1
    assert str(fault.value).startswith(f"{path}:{number}: {said}")


def test_all_slips_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state_file.save(path, "r", "harness", SECOND, 4, Disk())
    path.write_text(
        path.read_text().replace('"seq": 4', '"seq": "4"').replace('"stop": ""', '"stop": 1')
    )
    with pytest.raises(InputError) as fault:
        state_file.load(path, TaskRun)
    assert [each.what.partition(":")[0] for each in fault.value.faults] == ["seq", "stop"]


def test_a_member_that_a_later_version_added_keeps_its_default(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state_file.save(path, "r", "harness", Run(step="build"), 1, Disk())
    old = [{**event(1, "run.started"), "state": state_of(Run(step="build"))}]
    found = state_file.load(path, TaskRun)
    assert state_file.reconcile(found, old, TaskRun) == Reconciled(
        TaskRun(step="build"), 1, "current"
    )


@pytest.mark.parametrize(
    ("run", "seq", "kind", "expected", "changes"),
    [
        (THIRD, 6, "current", THIRD, ()),
        (THIRD, 7, "current", THIRD, ()),
        (SECOND, 4, "rolled_forward", THIRD, ()),
        (SECOND, 5, "rolled_forward", THIRD, ()),
        (FIRST, 1, "rolled_forward", THIRD, ()),
        (
            replace(THIRD, remediations=0),
            6,
            "edited",
            replace(THIRD, remediations=0),
            ("remediations: 1 -> 0",),
        ),
        (
            replace(THIRD, step="build"),
            7,
            "edited",
            replace(THIRD, step="build"),
            ("step: qa -> build",),
        ),
        (
            replace(THIRD, reason="mine"),
            6,
            "edited",
            replace(THIRD, reason="mine"),
            ('reason: "" -> mine',),
        ),
        (
            replace(THIRD, status=Status.BLOCKED, findings=("x",)),
            6,
            "edited",
            replace(THIRD, status=Status.BLOCKED, findings=("x",)),
            ("status: active -> blocked", 'findings: [] -> ["x"]'),
        ),
        (
            replace(THIRD, visits={"specification": 1, "qa": 2}),
            6,
            "edited",
            THIRD,
            ("visits.build: 1 -> null", "visits.qa: 1 -> 2"),
        ),
        (replace(SECOND, remediations=5), 4, "edited", replace(SECOND, remediations=5), None),
        (THIRD, 99, "current", THIRD, ()),
        (SECOND, 99, "edited", SECOND, None),
        (THIRD, 0, "current", THIRD, ()),
        (THIRD, 4, "current", THIRD, ()),
    ],
)
def test_reconcile_table(
    tmp_path: Path, run: Run, seq: int, kind: str, expected: Run, changes: tuple[str, ...] | None
) -> None:
    found = state_file.reconcile(written(tmp_path / "state.json", run, seq), EVENTS, TaskRun)
    assert (found.kind, found.run, found.seq) == (kind, expected, 7)
    if kind == "edited":
        assert found.run.visits == run.visits
    if changes is not None:
        assert found.changes == changes


def test_an_edit_of_a_file_that_lagged_is_obeyed_and_told_against_where_the_journal_stands(
    tmp_path: Path,
) -> None:
    lagging = written(tmp_path / "state.json", replace(SECOND, remediations=5), 4)
    assert state_file.reconcile(lagging, EVENTS, TaskRun).changes == (
        "step: qa -> build",
        "visits.qa: 1 -> null",
        "remediations: 1 -> 5",
        'findings: [] -> ["a"]',
    )


@pytest.mark.parametrize("count", range(1, 8))
def test_a_missing_file_is_rebuilt_from_whatever_the_journal_has(count: int) -> None:
    found = state_file.reconcile(None, EVENTS[:count], TaskRun)
    expected = FIRST if count < 4 else SECOND if count < 6 else THIRD
    assert found == Reconciled(expected, count, "rebuilt")
    assert found.run.visits == expected.visits


@pytest.mark.parametrize("type", sorted(state_file.STATE_EVENTS))
def test_every_event_about_the_run_itself_carries_its_state(type: str) -> None:
    found = state_file.reconcile(None, [EVENTS[0], event(2, type, SECOND)], TaskRun)
    assert found.run == SECOND


def test_the_state_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state_file.save(path, "other", "harness", THIRD, 6, Disk())
    with pytest.raises(
        InputError, match="is the state of run 'other', the journal beside it is of 'r'"
    ):
        state_file.reconcile(state_file.load(path, TaskRun), EVENTS, TaskRun)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([event(1, "run.started")], "no event carries the state"),
        (
            [{**event(1, "run.started"), "state": {"step": "a", "gone": 1}}],
            "journal.jsonl:1: .*unknown member 'gone'",
        ),
        ([{**event(1, "run.started"), "state": {}}], "journal.jsonl:1: the state cannot be read"),
    ],
)
def test_a_journal_whose_state_cannot_be_read_is_refused(
    events: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        state_file.reconcile(None, events, TaskRun)
