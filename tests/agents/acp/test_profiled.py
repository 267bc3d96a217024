"""Every known program that speaks the protocol, as it would be started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import Stage

from podium.agents.acp.launch import UNASKED_MODES, Launch
from podium.agents.acp.profiled import Profiled
from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.staging import NotReady, Options
from podium.agents.protocol import Model

SPEAKING = {name: profile.acp for name, profile in PROFILES.items() if profile.acp}
MODEL = Model("any", "http://127.0.0.1:9", "dummy")


def launch(name: str, root: Path, options: Options | None = None, **changes: Any) -> Launch:
    programs = root / "bin"
    programs.mkdir(exist_ok=True)
    acp = SPEAKING[name]
    for each in {PROFILES[name].program, acp.program}:
        (programs / each).write_text("#!/bin/sh\n")
        (programs / each).chmod(0o755)
    job = Stage(root).job(environment={"PATH": str(programs)}, model=MODEL, **changes)
    return Profiled(PROFILES[name], options or Options(model="m"))(job)


def test_seven_programs_speak_it() -> None:
    assert set(SPEAKING) == {"claude", "codex", "gemini", "qwen", "opencode", "copilot", "kimi"}


@pytest.mark.parametrize("name", SPEAKING)
@pytest.mark.parametrize("enclosed", [False, True])
def test_none_of_them_works_in_a_mode_in_which_another_model_judges(
    name: str, enclosed: bool, tmp_path: Path
) -> None:
    found = launch(name, tmp_path, enclosed=enclosed)
    assert found.mode not in {"auto", "autopilot"}
    assert found.mode not in found.forbidden
    assert UNASKED_MODES - {found.mode} <= found.forbidden
    if not enclosed:
        assert found.mode not in UNASKED_MODES - {
            "agent"
        }  # Copilot calls the mode that asks `agent`
    assert found.argv[0] == str(tmp_path / "bin" / SPEAKING[name].program)
    assert found.env["HOME"] == str(tmp_path / "scratch/home")


def test_codex_keeps_its_own_sandbox_where_no_room_is_around_it(tmp_path: Path) -> None:
    assert launch("codex", tmp_path).mode == "workspace-write"
    assert launch("codex", tmp_path, enclosed=True).mode == "agent-full-access"
    assert "agent" in launch("codex", tmp_path).forbidden


def test_tools_are_offered_to_those_that_take_them(tmp_path: Path) -> None:
    assert launch("claude", tmp_path).tools
    assert not launch("copilot", tmp_path).tools
    assert not launch("claude", tmp_path, Options(model="m", report="file")).tools


def test_a_limit_of_turns_is_kept_by_the_client(tmp_path: Path) -> None:
    assert launch("claude", tmp_path, Options(model="m", turns=7)).turns == 7


def test_a_program_that_is_not_there_is_told_with_how_to_get_it(tmp_path: Path) -> None:
    job = Stage(tmp_path).job(environment={"PATH": str(tmp_path)}, model=MODEL)
    with pytest.raises(NotReady, match="npm install"):
        Profiled(PROFILES["claude"], Options())(job)


def test_one_that_does_not_speak_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotReady, match="does not speak"):
        Profiled(PROFILES["aider"], Options())(Stage(tmp_path).job())
