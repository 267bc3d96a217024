"""The commands that open a pull request, and what is made of how they went."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from podium.workflows.ticket.proposing import commands, proposed
from podium.workflows.ticket.run import TicketRun


def run(
    program: str = "gh", original: str = "fix it", summary: str = "fix(PROJ-1): it"
) -> TicketRun:
    return TicketRun(
        step="propose",
        proposes=program,
        branch="fix/PROJ-1_a_b_c",
        summary=summary,
        original=original,
    )


def test_off_is_no_command() -> None:
    assert commands(run("off")) == ()


@pytest.mark.parametrize("program", ["gh", "glab"])
def test_the_branch_goes_first_and_nothing_forces(program: str) -> None:
    push, make = commands(run(program))
    assert push == "git push -u origin refs/heads/fix/PROJ-1_a_b_c:refs/heads/fix/PROJ-1_a_b_c"
    assert make.startswith(f"{program} ")
    assert "--force" not in push + make


def test_words_of_a_person_are_never_a_part_of_the_command() -> None:
    asked = run(original="x'; rm -rf ~ #\n$(id) `id`", summary="fix(PROJ-1): '; id")
    words = shlex.split(commands(asked)[1])
    assert words[words.index("--title") + 1] == "fix(PROJ-1): '; id"
    told = "$PODIUM_DELIVERED\n\nx'; rm -rf ~ #\n$(id) `id`\n\nTicket: PROJ-1"
    assert words[words.index("--body") + 1] == told
    line = commands(asked)[1]
    printed = subprocess.run(
        ["/bin/sh", "-c", f"gh() {{ printf '%s\\0' \"$@\"; false; }}; {line}"],
        env={"PODIUM_DELIVERED": "`id` $(id) 'proof'"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert told.replace("$PODIUM_DELIVERED", "`id` $(id) 'proof'") in printed.split("\0")


def test_the_last_line_that_the_program_prints_is_where_it_is() -> None:
    found = [
        {"name": "effect-1", "command": "git", "exit": 0},
        {"name": "effect-2", "command": "gh", "exit": 0, "output": "made\nhttps://x/7\n"},
    ]
    assert proposed(run(), {}, found).sets == {"proposal": "https://x/7"}


def test_a_failure_is_told_and_stops_nothing() -> None:
    found = [
        {
            "name": "effect-1",
            "command": "git push",
            "exit": 128,
            "output": "fatal: no origin",
        }
    ]
    judged = proposed(run(), {}, found)
    assert judged.outcome == "ok"
    assert judged.sets["warnings"] == [
        "no pull request was opened for fix/PROJ-1_a_b_c: `git push` exits 128: fatal: no origin"
    ]
