"""The engine's own commands: run in the right folder, with the exit code as the only witness."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.agents.process import Supervisor
from podium.agents.protocol import Finished
from podium.verify.baseline import Ran
from podium.verify.commands import KEPT, run_command

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@dataclass
class Supervised:
    """Remembers what it was asked to run and answers as told."""

    ends: Finished
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    async def __call__(self, argv: Sequence[str], **told: Any) -> Finished:
        self.asked.append({"argv": list(argv), **told})
        return self.ends


def _run(
    supervise: Any, command: str = "make test", folder: Path = Path("/tmp"), timeout_s: float = 5.0
) -> Ran:
    return asyncio.run(run_command("test", command, folder, ENVIRONMENT, supervise, timeout_s))


def test_it_is_a_shell_command_in_that_folder_and_that_environment(tmp_path: Path) -> None:
    supervise = Supervised(Finished(0, b"", b""))
    _run(supervise, folder=tmp_path, timeout_s=7.0)
    assert supervise.asked == [
        {
            "argv": ["/bin/sh", "-c", "make test"],
            "cwd": tmp_path,
            "env": ENVIRONMENT,
            "timeout_s": 7.0,
        }
    ]


def test_output_and_errors_are_both_kept() -> None:
    ran = _run(Supervised(Finished(3, b"FAILED a", b"Traceback")))
    assert (ran.name, ran.command, ran.exit_code, ran.output) == (
        "test",
        "make test",
        3,
        "FAILED a\nTraceback",
    )


def test_a_timeout_is_exit_code_124_whatever_the_process_ended_with() -> None:
    assert _run(Supervised(Finished(0, b"", b"", timed_out=True))).exit_code == 124


def test_only_the_end_of_a_long_output_is_kept() -> None:
    ran = _run(Supervised(Finished(1, b"x" * (2 * KEPT) + b"the end", b"")))
    assert len(ran.output) == KEPT
    assert ran.output.endswith("the end\n")


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert "\ufffd" in _run(Supervised(Finished(1, b"\xff", b""))).output


def test_a_real_command_says_its_exit_code_and_sees_only_its_environment(tmp_path: Path) -> None:
    ran = asyncio.run(
        run_command(
            "test",
            'pwd; echo "HOME is ${HOME-unset}" >&2; exit 7',
            tmp_path,
            ENVIRONMENT,
            Supervisor(()),
            20.0,
        )
    )
    assert ran.exit_code == 7
    assert ran.output.splitlines() == [str(tmp_path), "", "HOME is unset"]
    assert ran.seconds > 0
