"""A program is talked with under the same shim and limits as one that runs to its end."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from tests.agents.jobs import run, size, still_writing, until

from podium.agents.environment import leftovers
from podium.agents.process import Spoken, Supervisor
from podium.agents.protocol import Finished, NotStarted

ENV = {"PATH": os.environ["PATH"]}
BEAT = "while :; do echo x >> {file}; sleep 0.02; done"


def test_lines_go_both_ways_and_the_end_is_told(tmp_path: Path) -> None:
    async def talk_to_it() -> Finished | None:
        script = "while read line; do echo got $line; done; echo bye >&2; exit 3"
        async with Supervisor().converse(["sh", "-c", script], cwd=tmp_path, env=ENV) as talk:
            for word in ("one", "two"):
                talk.writer.write(f"{word}\n".encode())
                await talk.writer.drain()
                assert await talk.reader.readline() == f"got {word}\n".encode()
            assert talk.finished is None
            talk.writer.close()
            await talk.ended.wait()
            assert talk.errors == b"bye\n"
        return talk.finished

    assert run(talk_to_it()) == Finished(3, b"", b"bye\n")


def test_leaving_the_block_ends_the_whole_tree(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    env = {**ENV, "PODIUM_DISPATCH": str(beat)}

    async def leave() -> None:
        script = f"setsid sh -c '{BEAT.format(file=beat)}' & echo up; cat"
        async with Supervisor().converse(["sh", "-c", script], cwd=tmp_path, env=env) as talk:
            await talk.reader.readline()
            await asyncio.to_thread(until, lambda: size(beat) > 0)
        assert talk.finished is not None
        assert talk.finished.exit_code == 137

    run(leave())
    assert leftovers(str(beat)) == []
    assert not still_writing(beat)


def test_a_fault_in_the_block_ends_the_tree_and_is_heard(tmp_path: Path) -> None:
    beat = tmp_path / "beat"

    async def fail() -> None:
        async with Supervisor().converse(
            ["sh", "-c", BEAT.format(file=beat)], cwd=tmp_path, env=ENV
        ):
            await asyncio.to_thread(until, lambda: size(beat) > 0)
            raise RuntimeError("wrong word")

    with pytest.raises(RuntimeError, match="wrong word"):
        run(fail())
    assert not still_writing(beat)


def test_a_cancellation_waits_until_the_tree_is_dead(tmp_path: Path) -> None:
    beat = tmp_path / "beat"

    async def hold() -> None:
        async with Supervisor().converse(
            ["sh", "-c", BEAT.format(file=beat)], cwd=tmp_path, env=ENV
        ) as talk:
            await talk.reader.read()

    async def cancel_it() -> None:
        work = asyncio.ensure_future(hold())
        await asyncio.to_thread(until, lambda: size(beat) > 0)
        work.cancel()
        await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    run(cancel_it())
    assert not still_writing(beat)


@pytest.mark.parametrize(
    ("limits", "silent"), [({"timeout_s": 0.6}, False), ({"silence_s": 0.6}, True)]
)
def test_at_a_limit_the_reader_comes_to_its_end(
    tmp_path: Path, limits: dict[str, float], silent: bool
) -> None:
    async def wait_for_it() -> tuple[bytes, Spoken]:
        async with Supervisor().converse(
            ["sh", "-c", "echo hi; sleep 60"], cwd=tmp_path, env=ENV, **limits
        ) as talk:
            return await talk.reader.read(), talk

    began = time.monotonic()
    said, talk = run(wait_for_it())
    assert time.monotonic() - began < 8
    assert said == b"hi\n"
    assert talk.finished is not None
    assert (talk.finished.timed_out, talk.finished.silent) == (True, silent)


def test_a_program_that_stops_its_shim_does_not_outlive_its_limit(tmp_path: Path) -> None:
    async def wait_for_it() -> bytes:
        supervisor, env = Supervisor(patience_s=0.5), {**ENV, "PODIUM_DISPATCH": str(tmp_path)}
        script = "kill -STOP $PPID; sleep 60"
        async with supervisor.converse(
            ["sh", "-c", script], cwd=tmp_path, env=env, timeout_s=0.5
        ) as talk:
            return await talk.reader.read()

    assert run(wait_for_it()) == b""
    assert leftovers(str(tmp_path)) == []


def test_a_program_that_talks_on_is_not_silent(tmp_path: Path) -> None:
    script = "for n in 1 2 3 4 5 6; do sleep 0.2; echo $n >&2; done; echo done"
    ended = run(Supervisor()(["sh", "-c", script], cwd=tmp_path, env=ENV, silence_s=0.7))
    assert (ended.exit_code, ended.timed_out, ended.output) == (0, False, b"done\n")


def test_silence_ends_a_program_that_runs_to_its_end_with_all_it_started(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    script = f"setsid sh -c '{BEAT.format(file=beat)}' & echo up; sleep 60"
    ended = run(Supervisor()(["sh", "-c", script], cwd=tmp_path, env=ENV, silence_s=0.5))
    assert (ended.timed_out, ended.silent, ended.output) == (True, True, b"up\n")
    assert size(beat) > 0
    assert not still_writing(beat)


@pytest.mark.parametrize("argv", [["/no/such/program"], ["echo", "a\0b"]])
def test_a_program_that_cannot_start_is_told(tmp_path: Path, argv: list[str]) -> None:
    async def try_it() -> None:
        async with Supervisor().converse(argv, cwd=tmp_path, env=ENV) as talk:
            assert await talk.reader.read() == b""

    with pytest.raises(NotStarted, match=r"No such file|null byte"):
        run(try_it())


def test_a_missing_program_hides_what_the_block_made_of_its_silence(tmp_path: Path) -> None:
    async def try_it() -> None:
        async with Supervisor().converse(["/no/such/program"], cwd=tmp_path, env=ENV) as talk:
            await talk.ended.wait()
            raise EOFError("nobody answers")

    with pytest.raises(NotStarted, match="No such file"):
        run(try_it())


def test_more_than_fits_is_read_at_the_callers_pace(tmp_path: Path) -> None:
    async def read_it() -> int:
        script = "import sys; sys.stdout.write('y' * 5_000_000); sys.stderr.write('e' * 5_000_000)"
        supervisor = Supervisor(kept_bytes=10_000)
        async with supervisor.converse(
            [sys.executable, "-c", script], cwd=tmp_path, env=ENV
        ) as talk:
            total = 0
            while data := await talk.reader.read(100_000):
                total += len(data)
            assert len(talk.errors) == 10_000
            return total

    assert run(read_it()) == 5_000_000


def test_a_caller_that_does_not_read_can_leave_at_once(tmp_path: Path) -> None:
    async def leave() -> None:
        script = "yes | head -c 5000000; sleep 60"
        supervisor = Supervisor(kept_bytes=10_000)
        async with supervisor.converse(["sh", "-c", script], cwd=tmp_path, env=ENV) as talk:
            await talk.reader.readline()

    began = time.monotonic()
    run(leave())
    assert time.monotonic() - began < 5
