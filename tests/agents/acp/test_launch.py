"""How any program is started as an agent of the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.agents.jobs import Stage

from podium.agents.acp.launch import UNASKED_MODES, Plain
from podium.agents.protocol import Model


def test_places_are_filled_in_and_files_that_the_command_names_can_be_read(tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text("")
    stage = Stage(tmp_path)
    launch = Plain(
        (sys.executable, str(script), "--cwd", "{folder}", "--log={scratch}/log", "/no/such/file")
    )(stage.job())
    assert launch.argv[2:] == (
        "--cwd",
        str(stage.folder),
        f"--log={stage.scratch}/log",
        "/no/such/file",
    )
    assert launch.needs == (script,)


def test_the_environment_is_the_job_s_with_what_is_named_and_no_real_key(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    model = Model(
        "anthropic",
        "http://127.0.0.1:1",
        "dummy",
        environment={"ANTHROPIC_API_KEY": "dummy"},
        withheld=("REAL",),
    )
    plain = Plain(("agent",), {"REAL": "sk-real", "MINE": "1"})
    job = stage.job(environment={"PATH": "/bin"}, model=model)
    env = plain(job).env
    assert env["PATH"] == "/bin"
    assert (env["MINE"], env["ANTHROPIC_API_KEY"]) == ("1", "dummy")
    assert "REAL" not in env
    assert env["PODIUM_VERDICT"].startswith(str(stage.scratch))
    assert Path(env["TMPDIR"]).is_dir()


def test_a_mode_that_a_person_set_is_not_forbidden(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    assert Plain(("agent",))(stage.job()).forbidden == UNASKED_MODES
    chosen = Plain(("agent",), mode="agent")(stage.job())
    assert chosen.mode == "agent"
    assert "agent" not in chosen.forbidden
    assert "auto" in chosen.forbidden
