"""A secret of the person's environment that an agent or a test prints is kept nowhere and shown
nowhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import STATE, TASK, WELL, Project
from tests.fakes.repository import git

from podium.cli.main import main

SECRET = "horse-battery-staple-9173"
NAMES = [
    "API_TOKEN",
    "DB_PASSWORD",
    "AWS_SECRET_ACCESS_KEY",
    "MY_CREDENTIALS",
    "openai_api_key",
    "PROXY_AUTH",
]


@pytest.fixture
def project(project: Project) -> Project:
    project.variables = {"API_TOKEN": SECRET}
    return project


def leaks(project: Project) -> list[str]:
    """Files of the run and its documents that hold the secret; copies of what an agent made for
    the project aside.
    """
    found = [
        Path(each).relative_to(project.root).as_posix() for each in project.holds(SECRET.encode())
    ]
    own = [
        each for each in found if each.startswith((".podium/", "harness/runs/")) or each == STATE
    ]
    return [each for each in own if "artifact~" not in each and "/carried/" not in each]


@pytest.mark.parametrize("name", NAMES)
def test_what_an_agent_says_is_kept_without_the_secret(project: Project, name: str) -> None:
    project.variables = {name: SECRET}
    project.run({"po-spec": [{**WELL, "say": f"done with {SECRET}"}]}, until="specification")
    assert leaks(project) == []
    assert "[redacted]" in project.said("specification")


def test_what_an_agent_prints_is_kept_without_the_secret(project: Project) -> None:
    project.run(
        {"po-spec": [{**WELL, "run": f"echo {SECRET}; echo {SECRET} >&2; exit 3"}]},
        until="specification",
    )
    assert leaks(project) == []
    assert project.printed("specification") == ["[redacted]", "[redacted]"]


PRINTS = {
    "one long line": "import sys; sys.stdout.write({before!r} * {n} + {secret!r} + {after!r} * 3000 + '\\n')",  # noqa: E501
    "a line that comes in pieces": (
        "import sys, time\nfor each in ({before!r} * {n} + {secret!r}[:12], {secret!r}[12:] + "
        "{after!r} * 3000):\n    sys.stdout.write(each); sys.stdout.flush(); time.sleep(0.3)"
    ),
}


@pytest.mark.parametrize("how", PRINTS)
@pytest.mark.parametrize("start", [3980, 3990])
def test_a_secret_across_the_cut_of_a_long_line_leaves_no_piece_in_the_transcript(
    project: Project, how: str, start: int
) -> None:
    program = project.root.parent / "printing.py"
    program.write_text(PRINTS[how].format(before=".", after=",", secret=SECRET, n=start))
    project.write(
        "podium.toml",
        project.text("podium.toml") + f"[agents.printer]\ncommand = ['python3', '{program}']\n",
    )
    project.run(agent="printer", until="specification")
    kept = project.step("specification", "transcript.jsonl").read_text()
    assert "..." in kept
    assert not [piece for piece in (SECRET[:8], SECRET[-8:]) if piece in kept]


def test_a_secret_across_the_cut_of_what_a_command_printed_leaves_no_piece(
    project: Project,
) -> None:
    shown = f"printf {SECRET}; head -c 3988 /dev/zero | tr '\\0' ."
    project.run({"po-spec": [{**WELL, "run": shown}]}, until="specification")
    assert SECRET[-12:] not in "".join(project.printed("specification"))


CALLS: dict[str, dict[str, Any]] = {
    "verdict": {**WELL, "verdict": {"summary": f"used {SECRET}"}},
    "blocked": {
        "say": "no",
        "verdict": {"status": "blocked", "summary": f"the key {SECRET} is refused"},
    },
    "question": {
        "ask": {
            "prompt": f"Is {SECRET} still valid?",
            "choices": [{"id": "yes", "description": SECRET}],
        }
    },
    "stray file": {**WELL, "write": {"notes.md": f"key = {SECRET}\n"}},
    "stray name": {**WELL, "write": {f"{SECRET}.md": "x"}},
    "malformed": {"write": {"@spec": f"# Title\n\nTask: {SECRET}\n"}, "say": "done"},
    "bad verdict": {**WELL, "verdict": {SECRET: 1}},
    "bad output": {"write": {f"@{SECRET}": "x"}, "say": "done"},
}


@pytest.mark.parametrize("how", CALLS)
def test_whatever_way_an_agent_gives_the_secret_away_it_is_not_kept(
    project: Project, how: str
) -> None:
    project.run({"po-spec": [CALLS[how]]}, until="specification")
    assert leaks(project) == []


def test_the_reason_of_a_review_that_blocks_is_kept_without_the_secret(project: Project) -> None:
    blocked = {
        "write": {
            "@qa": {
                "template": "qa",
                "result": "Blocked",
                "readiness": "Blocked",
                "notes": f"{SECRET} is refused",
            }
        },
        "say": "no",
    }
    ended = project.through({"qa": [blocked]})
    assert ended.exit_code == 20
    assert leaks(project) == []
    assert SECRET not in ended.reason


def test_a_failing_test_that_prints_the_secret_leaves_it_nowhere(project: Project) -> None:
    project.write("words", f"FAILED test_login: refused {SECRET}\n")
    git(project.root, "add", "words")
    git(project.root, "commit", "-qm", "words")
    project.write("podium.toml", '[commands]\ntest = "test ! -d work || { cat words; exit 1; }"\n')
    ended = project.through(policy={"validation_fixes": 1})
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert leaks(project) == []
    assert "[redacted]" in project.step("build/1", "evidence/test.txt").read_text()
    assert "[redacted]" in project.prompt("build/1")


def test_the_secret_is_not_in_the_message_of_the_commit(project: Project) -> None:
    project.through({"build": [{**WELL, "say": f"Logged in with {SECRET}"}]})
    assert SECRET not in git(project.root, "log", "--all", "--format=%B")


def test_the_secret_that_an_agent_puts_into_the_project_is_not_shown_in_the_patch(
    project: Project,
) -> None:
    project.through({"build": [{"write": {"src/app.py": f"KEY = '{SECRET}'\n"}, "say": "done"}]})
    assert project.text("src/app.py") == f"KEY = '{SECRET}'\n"
    assert leaks(project) == []


def test_an_agent_does_not_inherit_the_secret(project: Project) -> None:
    project.run({"po-spec": [{**WELL, "run": "env; echo token=$API_TOKEN"}]}, until="specification")
    assert "token=" in project.printed("specification")
    assert not any("redacted" in line for line in project.printed("specification"))


def test_a_short_value_is_no_secret(project: Project) -> None:
    project.variables = {"API_TOKEN": "spec"}
    project.run(until="specification")
    assert "[redacted]" not in project.prompt("specification")


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("how", ["verdict", "blocked", "question", "malformed", "stray name"])
def test_the_secret_is_not_in_the_output_of_a_run(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    how: str,
    json: bool,
) -> None:
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("API_TOKEN", SECRET)
    agent = project.scenario({"po-spec": [CALLS[how]]})
    words = [
        "run",
        "harness",
        TASK,
        "--agent",
        agent,
        "--run-id",
        "T001-0001",
        *(["--json"] if json else []),
    ]
    assert main(words) in {0, 10, 20}
    for command in (["status", "@"], ["log", "@"], ["show", "@"], ["report", "@"]):
        main(command)
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err


@pytest.mark.parametrize("name", ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"])
def test_the_name_of_an_author_is_no_secret(project: Project, name: str) -> None:
    project.variables = {name: "Ada Lovelace"}
    project.run({"po-spec": [{**WELL, "say": "done as Ada Lovelace asked"}]}, until="specification")
    assert "Ada Lovelace" in project.said("specification")


def test_a_secret_that_is_also_a_word_of_the_project_breaks_nothing(project: Project) -> None:
    project.variables = {"API_TOKEN": "specification", "OTHER_KEY": "T001-feature-spec"}
    project.run()
    project.approve()
    assert project.resume().gates == ("approve-completion",)
    assert project.started() == [
        "specification",
        "design",
        "implementation-planning",
        "build/1",
        "qa/1",
    ]
