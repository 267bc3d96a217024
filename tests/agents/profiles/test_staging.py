"""A start laid out: whose HOME, which files, which variables, and what of a person's own is
lent.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import Stage

from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.profile import Launch, Start
from podium.agents.profiles.staging import (
    NotReady,
    Options,
    home_of,
    own_folders,
    permissions_of,
    stage,
)
from podium.agents.protocol import Job, Model

CLAUDE, CODEX, GEMINI, AIDER = (PROFILES[each] for each in ("claude", "codex", "gemini", "aider"))
MODEL = Model("anthropic", "http://127.0.0.1:9", "token", withheld=("ANTHROPIC_API_KEY",))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    for name in ("claude", "gemini", "codex"):
        program = tmp_path / "bin" / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return Stage(tmp_path).job(
        environment={"PATH": f"{tmp_path}/bin", "ANTHROPIC_API_KEY": "leaked"}
    )


def files(given: dict[str, str]) -> Any:
    return lambda _start: Launch(("x",), {}, given)


@pytest.mark.parametrize(
    ("options", "model", "home"),
    [
        (Options(), True, "private"),
        (Options(environ={"ANTHROPIC_API_KEY": "k"}), False, "private"),
        (Options(environ={"ANTHROPIC_API_KEY": ""}), False, "user"),
        (
            Options(environ={"ANTHROPIC_BASE_URL": "http://x"}),
            False,
            "user",
        ),  # an address opens no door
        (Options(), False, "user"),
        (Options(home="private"), False, "private"),
        (Options(home="user"), True, "user"),
    ],
)
def test_a_login_is_lent_only_where_neither_a_key_nor_a_gateway_leads_to_a_model(
    options: Options, model: bool, home: str
) -> None:
    assert home_of(CLAUDE, options, model=model) == home


def test_a_program_without_a_login_always_has_a_home_of_its_own() -> None:
    assert home_of(AIDER, Options(), model=False) == "private"


def test_only_the_login_of_a_person_is_lent_and_only_what_is_there(
    tmp_path: Path, job: Job
) -> None:
    mine = tmp_path / "me"
    (mine / ".claude").mkdir(parents=True)
    (mine / ".claude" / "login").write_text("secret")
    (mine / ".ssh").mkdir()
    options = Options(environ={"HOME": str(mine)})
    assert own_folders(CLAUDE, options, model=False) == ((mine / ".claude").resolve(),)
    assert own_folders(CLAUDE, options, model=True) == ()
    staged = stage(CLAUDE, options, job, CLAUDE.headless)
    assert staged.env["HOME"] == str(job.home)
    assert os.readlink(job.home / ".claude") == str(mine / ".claude")
    assert not (job.home / ".ssh").exists()


def test_a_login_that_is_kept_elsewhere_is_lent_from_there(tmp_path: Path, job: Job) -> None:
    (tmp_path / "kept").mkdir()
    options = Options(environ={"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "kept")})
    stage(CLAUDE, options, job, CLAUDE.headless)
    assert os.readlink(job.home / ".claude") == str(tmp_path / "kept")
    assert own_folders(CLAUDE, options, model=False) == (tmp_path / "kept",)


def test_settings_of_a_person_are_never_written(tmp_path: Path, job: Job) -> None:
    (tmp_path / "me" / ".gemini").mkdir(parents=True)
    mine = tmp_path / "me" / ".gemini" / "settings.json"
    mine.write_text("mine")
    stage(GEMINI, Options(environ={"HOME": str(tmp_path / "me")}), job, GEMINI.headless)
    assert mine.read_text() == "mine"


def test_no_link_that_an_earlier_attempt_left_is_followed(tmp_path: Path, job: Job) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "settings.json").write_text("mine")
    job.home.mkdir(parents=True)
    (job.home / ".gemini").symlink_to(tmp_path / "mine")
    (job.home / "note").symlink_to(tmp_path / "mine" / "settings.json")
    stage(
        CLAUDE,
        Options(home="private"),
        job,
        files({".gemini/settings.json": "ours", "note": "ours"}),
    )
    assert (tmp_path / "mine" / "settings.json").read_text() == "mine"
    assert (job.home / ".gemini" / "settings.json").read_text() == "ours"
    assert (job.home / "note").read_text() == "ours"


def test_files_of_a_home_are_its_owners_alone_and_made_anew(job: Job) -> None:
    for text in ("first", "second"):
        stage(CLAUDE, Options(home="private"), job, files({"a/b/c.json": text}))
    assert (job.home / "a/b/c.json").read_text() == "second"
    assert (job.home / "a/b/c.json").stat().st_mode & 0o077 == 0


def test_behind_a_gateway_no_real_key_reaches_the_program(job: Job) -> None:
    options = Options(
        environ={"ANTHROPIC_API_KEY": "real", "MY": "1"}, env=("MY", "ANTHROPIC_API_KEY")
    )
    staged = stage(CLAUDE, options, replace(job, model=MODEL), CLAUDE.headless)
    assert staged.env["ANTHROPIC_API_KEY"] == "token"
    assert staged.env["MY"] == "1"
    assert not {"real", "leaked"} & set(staged.env.values())


def test_a_person_who_wants_their_own_login_does_not_get_the_gateways_key(
    tmp_path: Path, job: Job
) -> None:
    options = Options(home="user", environ={"HOME": str(tmp_path)})
    staged = stage(CLAUDE, options, replace(job, model=MODEL), CLAUDE.headless)
    assert "token" not in staged.env.values()


def test_a_program_may_have_another_name(tmp_path: Path, job: Job) -> None:
    other = tmp_path / "elsewhere"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert stage(CLAUDE, Options(program=str(other)), job, CLAUDE.headless).program == str(other)
    with pytest.raises(NotReady, match="gone is not on the PATH"):
        stage(CLAUDE, Options(program="gone"), job, CLAUDE.headless)


def test_an_adapter_is_told_to_drive_the_program_that_is_here(tmp_path: Path, job: Job) -> None:
    adapter = tmp_path / "bin" / "claude-agent-acp"
    adapter.write_text("#!/bin/sh\n")
    adapter.chmod(0o755)
    seen: list[Start] = []

    def make(start: Start) -> Launch:
        seen.append(start)
        return Launch(())

    staged = stage(CLAUDE, Options(), job, make, program="claude-agent-acp")
    assert staged.program == str(adapter)
    assert seen[0].driven == str(tmp_path / "bin" / "claude")
    assert Path(seen[0].driven) in staged.needs


def test_helpers_that_lie_beside_a_program_are_among_its_needs(tmp_path: Path, job: Job) -> None:
    package = tmp_path / "package"
    for folder in ("bin", "codex-resources"):
        (package / folder).mkdir(parents=True)
    program = package / "bin" / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert package in stage(CODEX, Options(program=str(program)), job, CODEX.headless).needs


def test_in_a_room_a_program_needs_no_leave_of_its_own(job: Job) -> None:
    assert permissions_of(Options(), job) == "edits"
    assert permissions_of(Options(), replace(job, enclosed=True)) == "all"
    assert (
        permissions_of(Options(permissions="commands"), replace(job, enclosed=True)) == "commands"
    )
