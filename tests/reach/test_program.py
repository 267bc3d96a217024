"""A person's program: told on its standard input, bounded in time, bare of secrets."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from podium.reach.channel import Undelivered
from podium.reach.notice import About, trial
from podium.reach.program import Desktop, Hook, has_desktop

NOTICE = trial(About("T1-a", "harness", "T1 — <b>Export</b> $(touch x)"), "2026-03-01T12:00:00Z")
ENVIRON = {
    "PATH": os.environ["PATH"],
    "HOME": "/nowhere",
    "OPENAI_API_KEY": "sk-1234567890123456",
    "PODIUM_AGENT": "claude",
}


def hook(folder: Path, *command: str, timeout_s: float = 10) -> Hook:
    return Hook(command, folder, timeout_s, ENVIRON)


def test_the_event_comes_on_standard_input(tmp_path: Path) -> None:
    hook(tmp_path, "sh", "-c", "cat > told.json").send(NOTICE)
    assert json.loads((tmp_path / "told.json").read_text()) == NOTICE.body()


def test_no_secret_and_no_mark_of_an_agent_is_in_its_environment(tmp_path: Path) -> None:
    hook(tmp_path, "sh", "-c", "env > env.txt").send(NOTICE)
    names = {line.partition("=")[0] for line in (tmp_path / "env.txt").read_text().splitlines()}
    assert {"PATH", "HOME"} <= names
    assert not {"OPENAI_API_KEY", "PODIUM_AGENT", "PODIUM_DISPATCH"} & names


def test_a_program_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    with pytest.raises(Undelivered, match=r"did not end within 0\.3 s"):
        hook(tmp_path, "sh", "-c", "(sleep 2; touch late) & sleep 30", timeout_s=0.3).send(NOTICE)
    time.sleep(2.2)
    assert not (tmp_path / "late").exists()


def test_a_program_that_fails_is_told_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(Undelivered, match="ended with 3: no route"):
        hook(tmp_path, "sh", "-c", "echo no route >&2; exit 3").send(NOTICE)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Undelivered, match="no-such-program cannot be started"):
        hook(tmp_path, "no-such-program").send(NOTICE)


def fake(folder: Path, name: str) -> dict[str, str]:
    program = folder / name
    program.write_text(
        f'#!/bin/sh\nfor each in "$@"; do printf "%s\\n" "$each"; done > {folder}/said\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_a_desktop_notice_holds_no_marks_and_nothing_is_run(tmp_path: Path) -> None:
    Desktop(10, fake(tmp_path, "notify-send"), "linux").send(NOTICE)
    said = (tmp_path / "said").read_text()
    assert "&lt;b&gt;Export" in said
    assert "$(touch x)" in said
    assert said.splitlines()[1] == "--"


def test_on_a_mac_texts_are_arguments_of_the_script(tmp_path: Path) -> None:
    Desktop(10, fake(tmp_path, "osascript"), "darwin").send(NOTICE)
    lines = (tmp_path / "said").read_text().splitlines()
    assert lines[:2] == ["-e", "on run words"]
    assert "Podium: T1-a is a test" in lines


def test_no_program_for_notices_is_a_failure_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(Undelivered, match="notify-send is not on PATH"):
        Desktop(10, {"PATH": str(tmp_path)}, "linux").send(NOTICE)


@pytest.mark.parametrize(
    ("more", "there"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "w"}, True),
        ({"DISPLAY": ":0", "CI": "1"}, False),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "x"}, False),
    ],
)
def test_there_is_a_desktop_only_where_somebody_sits_before_it(
    tmp_path: Path, more: dict[str, str], there: bool
) -> None:
    assert has_desktop({**fake(tmp_path, "notify-send"), **more}, "linux") is there
    assert not has_desktop({"PATH": "/nowhere", **more}, "linux")
