"""A supervised program is fed and read without a deadlock, and ended as a whole tree."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import run, size, still_writing, until

from podium.agents.environment import leftovers
from podium.agents.process import Supervisor
from podium.agents.protocol import Finished

ENV = {"PATH": os.environ["PATH"]}
BEAT = "while :; do echo x >> {file}; sleep 0.02; done"
TREE = "setsid sh -c '" + BEAT + "' & (nohup sh -c '" + BEAT + "' >/dev/null 2>&1 &); " + BEAT


def supervise(
    folder: Path, script: str, supervisor: Supervisor | None = None, **options: Any
) -> Finished:
    return run((supervisor or Supervisor())(["sh", "-c", script], cwd=folder, env=ENV, **options))


def test_output_errors_and_exit_code_come_back(tmp_path: Path) -> None:
    assert supervise(tmp_path, "echo out; echo err >&2; exit 3") == Finished(3, b"out\n", b"err\n")


def test_the_environment_is_exact_and_the_folder_is_the_one_given(tmp_path: Path) -> None:
    ended = supervise(tmp_path, "env; pwd")
    names = {line.partition("=")[0] for line in ended.output.decode().splitlines()[:-1]}
    assert names <= {"PATH", "PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}
    assert ended.output.decode().splitlines()[-1] == str(tmp_path)


def test_a_large_input_and_a_large_output_at_once_do_not_block(tmp_path: Path) -> None:
    data = b"0123456789abcdef" * 400_000
    assert supervise(tmp_path, "cat", stdin=data).output == data


def test_a_program_that_never_reads_its_input_is_no_fault(tmp_path: Path) -> None:
    ended = supervise(tmp_path, "exec 0<&-; echo ok", stdin=b"x" * 5_000_000)
    assert (ended.exit_code, ended.output) == (0, b"ok\n")


def test_fifty_megabytes_are_drained_and_ten_are_kept(tmp_path: Path) -> None:
    lines: list[str] = []
    script = (
        f"{sys.executable} -c \"import sys; [sys.stdout.write('y' * 999999 + chr(10)) for _ in "
        'range(50)]"; echo end >&2'
    )
    ended = supervise(tmp_path, script, on_output=lines.append)
    assert ended.exit_code == 0
    assert len(ended.output) == 10 * 1024 * 1024
    assert (ended.overflowed, ended.dropped) == (True, 50_000_000 - 10 * 1024 * 1024)
    assert ended.errors == b"end\n"
    assert max(map(len, lines)) <= 4000


def test_of_too_many_errors_the_last_are_kept(tmp_path: Path) -> None:
    ended = supervise(tmp_path, "seq 1 20000 >&2", supervisor=Supervisor(kept_bytes=100))
    assert ended.errors.endswith(b"19999\n20000\n")
    assert len(ended.errors) == 100
    assert ended.dropped == len("".join(f"{n}\n" for n in range(1, 20001))) - 100


def test_lines_are_passed_on_while_the_program_runs(tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []
    started = time.monotonic()
    supervise(
        tmp_path,
        "echo one; sleep 0.5; printf two",
        on_output=lambda line: seen.append((line, time.monotonic())),
    )
    assert [line for line, _ in seen] == ["one", "two"]
    assert seen[1][1] - seen[0][1] > 0.3
    assert seen[0][1] - started < 5


def test_a_callback_that_fails_ends_the_tree_and_is_heard(tmp_path: Path) -> None:
    def broken(_line: str) -> None:
        raise RuntimeError("view gone")

    with pytest.raises(RuntimeError, match="view gone"):
        supervise(tmp_path, "echo hi; " + BEAT.format(file="beat"), on_output=broken)
    assert not still_writing(tmp_path / "beat")


def test_a_timeout_ends_the_whole_tree_and_keeps_what_was_said(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    ended = supervise(tmp_path, "echo started; " + TREE.format(file=beat), timeout_s=0.5)
    assert (ended.timed_out, ended.exit_code, ended.output) == (True, 137, b"started\n")
    assert size(beat) > 0
    assert not still_writing(beat)


def test_a_cancellation_waits_until_the_whole_tree_is_dead(tmp_path: Path) -> None:
    beat = tmp_path / "beat"

    async def cancel_it() -> None:
        work = asyncio.ensure_future(
            Supervisor()(
                ["sh", "-c", TREE.format(file=beat)],
                cwd=tmp_path,
                env={**ENV, "PODIUM_DISPATCH": str(beat)},
            )
        )
        await asyncio.to_thread(until, lambda: size(beat) > 0)
        work.cancel()
        await asyncio.sleep(0)
        work.cancel()  # an impatient second one does not cut the clean-up short
        with pytest.raises(asyncio.CancelledError):
            await work

    run(cancel_it())
    assert leftovers(str(beat)) == []
    assert not still_writing(beat)


@pytest.mark.parametrize("after_s", [0.0, 0.001, 0.01, 0.03, 0.06])
def test_a_cancellation_at_any_moment_of_the_start_leaves_nothing(
    tmp_path: Path, after_s: float
) -> None:
    beat = tmp_path / "beat"

    async def cancel_it() -> None:
        env = {**ENV, "PODIUM_DISPATCH": str(beat)}
        work = asyncio.ensure_future(
            Supervisor()(["sh", "-c", TREE.format(file=beat)], cwd=tmp_path, env=env)
        )
        await asyncio.sleep(after_s)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    run(cancel_it())
    assert leftovers(str(beat)) == []


def test_what_an_agent_leaves_running_ends_with_it(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    script = (
        f"setsid sh -c '{BEAT.format(file=beat)}' & while [ ! -s {beat} ]; do sleep 0.01; done; "
        "echo done"
    )
    ended = supervise(tmp_path, script)
    assert (ended.exit_code, ended.output) == (0, b"done\n")
    assert not still_writing(beat)


@pytest.mark.parametrize("blow", ["kill -9 $PPID", "kill -STOP $PPID"])
def test_an_agent_that_attacks_its_shim_is_ended_all_the_same(tmp_path: Path, blow: str) -> None:
    beat = tmp_path / "beat"
    script = (
        f"setsid sh -c '{BEAT.format(file=beat)}' & while [ ! -s {beat} ]; do sleep 0.01; done; "
        f"{blow}; sleep 60"
    )
    env = {**ENV, "PODIUM_DISPATCH": str(beat)}
    ended = run(
        Supervisor(patience_s=0.5)(["sh", "-c", script], cwd=tmp_path, env=env, timeout_s=3)
    )
    assert ended.exit_code == 137
    assert leftovers(str(beat)) == []
    assert not still_writing(beat)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["/no/such/program"], "No such file"),
        (["/etc/passwd"], "Permission denied"),
        (["echo", "x" * 200_000], "too long"),
        (["echo", "a\0b"], "null byte"),
    ],
)
def test_a_program_that_cannot_start_is_told_apart_from_one_that_failed(
    tmp_path: Path, argv: list[str], said: str
) -> None:
    ended = run(Supervisor()(argv, cwd=tmp_path, env=ENV))
    assert said in ended.not_started
    assert ended.exit_code in {126, 127}


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    assert "gone" in run(Supervisor()(["true"], cwd=tmp_path / "gone", env=ENV)).not_started


def test_a_cancellation_is_not_lost_where_the_start_fails(tmp_path: Path) -> None:
    async def cancel_it() -> None:
        work = asyncio.ensure_future(Supervisor()(["true"], cwd=tmp_path / "gone", env=ENV))
        await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    run(cancel_it())


def test_many_programs_run_at_once(tmp_path: Path) -> None:
    async def many() -> list[Finished]:
        supervisor = Supervisor()
        return await asyncio.gather(
            *(
                supervisor(["sh", "-c", f"sleep 0.2; echo {n}"], cwd=tmp_path, env=ENV)
                for n in range(12)
            )
        )

    assert [ended.output for ended in run(many())] == [f"{n}\n".encode() for n in range(12)]
