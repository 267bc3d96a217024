"""The chain finds every change; only the unfinished end of a line is forgiven."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.disk import CrashingDisk

from podium.core.chain import FIRST, seal, verify
from podium.core.errors import ChainBroken
from podium.state.disk import Disk
from podium.state.journal_file import MOST_UNSYNCED, JournalFile, decode

EVENTS: list[dict[str, Any]] = [
    {
        "type": "run.started",
        "ts": "2025-01-02T03:04:05.678Z",
        "run": "r",
        "workflow": "harness",
        "input": "über \x1f",
    },
    {
        "type": "step.finished",
        "ts": "2025-01-02T03:04:06.678Z",
        "run": "r",
        "usage": {"cost_usd": 0.01, "hash": "no"},
    },
    {
        "type": "run.completed",
        "ts": "2025-01-02T03:04:07.678Z",
        "run": "r",
        "aside": [1, None, True],
    },
]


def lines_of(events: list[dict[str, Any]]) -> list[bytes]:
    lines, prev = [], FIRST
    for seq, event in enumerate(events, 1):
        body, line = seal(event, seq, prev)
        prev = body["hash"]
        lines.append(line)
    return lines


LINES = lines_of(EVENTS)
WHOLE = b"".join(LINES)


def test_a_whole_journal_gives_the_events_that_the_chain_in_core_gives() -> None:
    expected, fault = verify(LINES)
    assert fault is None
    assert decode(WHOLE, "j").events == expected
    assert decode(WHOLE, "j").size == len(WHOLE)
    assert decode(b"", "j").events == []


@pytest.mark.parametrize("value", [0, 0x0A, 0x20, 0x22, 0x7D, 0xFF, "case", "low bit", "high bit"])
def test_an_edit_of_any_single_byte_is_found_and_its_line_is_named(value: int | str) -> None:
    flips = {"case": 0x20, "low bit": 1, "high bit": 0x80}
    for at, byte in enumerate(WHOLE):
        new = byte ^ flips[value] if isinstance(value, str) else value
        if new == byte:
            continue
        edited = WHOLE[:at] + bytes([new]) + WHOLE[at + 1 :]
        line = WHOLE.count(b"\n", 0, at) + 1
        with pytest.raises(ChainBroken) as fault:
            decode(edited, "j")
        assert fault.value.line in {line, line + 1}, (
            at
        )  # an edited hash of a line may first show at the next
        assert f"j:{fault.value.line}: " in str(fault.value)


@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=3))
def test_bytes_put_in_anywhere_are_found(at: int, extra: bytes) -> None:
    edited = WHOLE[:at] + extra + WHOLE[at:]
    with pytest.raises(ChainBroken):
        decode(edited, "j")


@pytest.mark.parametrize("order", [[1, 2], [0, 2], [1, 0, 2], [0, 0, 1, 2], [2]])
def test_lines_left_out_repeated_or_in_another_order_are_found(order: list[int]) -> None:
    with pytest.raises(ChainBroken):
        decode(b"".join(LINES[n] for n in order), "j")


def test_a_last_line_torn_at_any_byte_is_left_out() -> None:
    start = len(WHOLE) - len(LINES[-1])
    for end in range(start, len(WHOLE)):
        found = decode(WHOLE[:end], "j")
        assert (len(found.events), found.size) == (2, start)


def test_a_batch_torn_in_the_middle_keeps_its_whole_lines() -> None:
    kept = len(LINES[0])
    assert decode(WHOLE[: kept + 40], "j").size == kept


@pytest.mark.parametrize("tail", [LINES[-1][:-1] + b"x", LINES[-1][:-1] + b" "])
def test_an_end_that_is_no_torn_write_is_a_break(tail: bytes) -> None:
    with pytest.raises(ChainBroken, match="j:3: does not end as a line does"):
        decode(b"".join(LINES[:2]) + tail, "j")


@pytest.mark.parametrize("tail", [b"hello", b" ", b'{"seq":', LINES[-1][:-1]])
def test_a_last_line_without_its_newline_is_a_torn_write(tail: bytes) -> None:
    assert len(decode(b"".join(LINES[:2]) + tail, "j").events) == 2


def test_zeros_that_a_power_cut_left_at_the_end_are_a_torn_write() -> None:
    for tail in (b"\0" * 100, LINES[-1][:50] + b"\0" * 50):
        assert len(decode(b"".join(LINES[:2]) + tail, "j").events) == 2


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"[]\n", "is not an event"),
        (b"nonsense\n", "is not JSON"),
        (b"[" * 100_000 + b"\n", "is not JSON"),
        (b"\xff\xfe\n", "is not JSON"),
        (b'{"seq":1,"ts":"","run":"","type":"","prev":"","hash":7}\n', "does not follow"),
        (LINES[0].replace(b'"type":', b'"type": '), "was changed"),
        (LINES[0].replace(b"\\u001f", b"\\u001F"), "was changed"),
    ],
)
def test_a_break_says_what_is_wrong(line: bytes, what: str) -> None:
    with pytest.raises(ChainBroken, match=what):
        decode(line, "j")


@given(
    st.lists(
        st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none(),
        max_size=4,
    )
)
def test_whatever_is_sealed_is_read_back(values: list[Any]) -> None:
    events = [{"type": "t", "ts": "", "run": "r", "a": each, "z": [each]} for each in values]
    found = decode(b"".join(lines_of(events)), "j").events
    assert [(event["a"], event["z"]) for event in found] == [(each, [each]) for each in values]


def test_opening_cuts_a_torn_line_off_for_good(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(WHOLE[:-5])
    file = JournalFile(str(path), Disk())
    assert path.read_bytes() == b"".join(LINES[:2])
    assert (file.seq, file.intact()) == (2, True)
    file.close()


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(LINES[:2]))

    class Full(Disk):
        def append(self, fd: int, data: bytes) -> None:
            os.write(fd, data[:10])
            raise OSError(28, "No space left on device")

    file = JournalFile(str(path), Full())
    with pytest.raises(OSError, match="No space"):
        file.append(LINES[2], 1, "")
    file.check()
    assert (file.seq, file.intact(), path.read_bytes()) == (2, True, b"".join(LINES[:2]))
    file.close()


def test_what_need_not_last_yet_is_synced_with_what_must_or_when_asked_and_only_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(LINES[0])
    disk = CrashingDisk()
    file = JournalFile(str(path), disk)
    file.append(LINES[1], 1, "", durable=False)
    assert (disk.done, path.read_bytes()) == (["append"], b"".join(LINES[:2]))
    file.sync()
    file.sync()
    assert disk.done == ["append", "sync"]
    file.append(LINES[2], 1, "", durable=False)
    file.append(LINES[0], 1, "")
    file.sync()
    assert disk.done == ["append", "sync", "append", "append", "sync"]
    file.close()


@pytest.mark.parametrize("at", [0, 1, (1 << 16) - 1, 1 << 16, (1 << 17) + 5, -1])
def test_one_changed_byte_anywhere_in_a_large_journal_is_seen(tmp_path: Path, at: int) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(LINES[0])
    file = JournalFile(str(path), Disk())
    file.append(b"x" * 200_000 + b"\n", 1, "")
    assert file.intact()
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert not file.intact()
    file.repair()
    assert file.intact()
    file.close()


@pytest.mark.parametrize("size", [0, 1, 1 << 16, 199_999, 200_002])
def test_a_journal_of_another_length_is_seen(tmp_path: Path, size: int) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(LINES[0])
    file = JournalFile(str(path), Disk())
    file.append(b"x" * 200_000 + b"\n", 1, "")
    os.truncate(path, size)
    assert not file.intact()
    file.close()


def holed(at: int, size: int = 600) -> bytes:
    """Five lines, and zeros where a sector never reached the disk."""
    data = bytearray(
        b"".join(
            lines_of([{"type": "t", "ts": "", "run": "r", "text": "x" * 300} for _ in range(5)])
        )
    )
    data[at : at + size] = bytes(size)
    return bytes(data)


@pytest.mark.parametrize("at", [512, 1024, 1536, 2048])
def test_a_hole_that_a_power_cut_left_ends_the_journal(tmp_path: Path, at: int) -> None:
    path, left = tmp_path / "journal.jsonl", holed(0, 0)[:at].count(b"\n")
    path.write_bytes(holed(at))
    os.utime(path, (0, 0))  # written before the machine started
    file = JournalFile(str(path), Disk())
    assert (file.seq, path.read_bytes().count(b"\n")) == (left, left)
    file.append(b"", 0, file.prev)
    file.close()
    assert len(decode(path.read_bytes(), str(path)).events) == left


def test_a_hole_in_the_first_event_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(holed(0))
    os.utime(path, (0, 0))
    with pytest.raises(ChainBroken, match="first event"):
        JournalFile(str(path), Disk())
    assert path.read_bytes() == holed(0)


def test_a_hole_is_damage_where_the_machine_never_stopped_or_far_from_the_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(holed(600))
    with pytest.raises(ChainBroken, match="is not JSON"):
        decode(path.read_bytes(), str(path))
    os.utime(path, (0, 0))
    with pytest.raises(ChainBroken, match="is not JSON"):
        decode(path.read_bytes() + b"x" * MOST_UNSYNCED, str(path))


def test_a_line_that_was_edited_is_damage_whenever_that_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(WHOLE.replace(b'"type"', b'"tipe"', 1))
    os.utime(path, (0, 0))
    with pytest.raises(ChainBroken):
        decode(path.read_bytes(), str(path))
