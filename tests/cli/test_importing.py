"""`podium import`: a table, a page, data; and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Podium

from podium.formats.agent_file import LARGEST

PROSE = """\
# Orchestrator

The orchestrator may repeat the QA → Build → QA remediation loop up to 2 times.
It must not proceed automatically past an approval gate.
Run report: update the run report after each stage.
Never use tabs.
You should prefer short answers.
"""
HEAD = "---\nname: orchestrator\ndescription: leads\ntools: [Read, agent]\n---\n"


@pytest.fixture
def prose(project: Path) -> Path:
    (project / "orchestrator.md").write_text(PROSE, encoding="utf-8")
    return project / "orchestrator.md"


def test_a_table_names_the_rule_that_holds_each_rule(
    podium: Podium, prose: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("import", "orchestrator.md") == 0
    said = capsys.readouterr().out
    assert "closest to `harness`" in said
    assert "harness.remediation" in said
    assert "not enforced" in said


def test_data_has_the_line_the_rule_and_its_test(
    podium: Podium, prose: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("import", "orchestrator.md", "--json") == 0
    told = json.loads(capsys.readouterr().out)["files"][0]
    first = told["rules"][0]
    assert (first["line"], first["kind"], first["rule"], first["number"], first["policy"]) == (
        3,
        "limit",
        "harness.remediation",
        2,
        "max_remediations",
    )
    assert first["test"].startswith("tests/acceptance/")
    assert told["summary"]["not_enforced"] == 1


def test_a_page_is_markdown(
    podium: Podium, prose: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("import", "orchestrator.md", "--markdown") == 0
    assert capsys.readouterr().out.startswith("# orchestrator.md\n")


def test_the_workflow_can_be_named(
    podium: Podium, prose: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("import", "orchestrator.md", "--workflow", "ticket", "--json")
    assert json.loads(capsys.readouterr().out)["files"][0]["workflow"] == "ticket"
    assert podium("import", "orchestrator.md", "--workflow", "tickets") == 2


def test_lines_are_those_of_the_file_below_its_head_too(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.agent.md").write_bytes(
        b"\xef\xbb\xbf" + (HEAD + PROSE).replace("\n", "\r\n").encode()
    )
    podium("import", "a.agent.md", "--json")
    told = json.loads(capsys.readouterr().out)["files"][0]
    assert told["rules"][0]["line"] == 8
    assert any("read, agent" in each for each in told["remarks"])


def test_a_folder_gives_its_agent_definitions(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (".github/agents/a.agent.md", ".claude/agents/b.md", "README.md"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(HEAD + PROSE, encoding="utf-8")
    podium("import", ".", "--json")
    assert [each["file"] for each in json.loads(capsys.readouterr().out)["files"]] == [
        ".claude/agents/b.md",
        ".github/agents/a.agent.md",
    ]
    podium("import", ".github/agents", "--json")
    assert len(json.loads(capsys.readouterr().out)["files"]) == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"a\0b", "NUL"),
        (b"x" * (LARGEST + 1), "bytes"),
        (None, "there is no such file"),
    ],
)
def test_what_is_no_such_file_is_named_and_the_others_are_reported(
    podium: Podium,
    prose: Path,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    data: bytes | None,
    said: str,
) -> None:
    if data is not None:
        (project / "bad.md").write_bytes(data)
    assert podium("import", "bad.md", "orchestrator.md") == 2
    heard = capsys.readouterr()
    assert "harness.remediation" in heard.out
    assert "bad.md" in heard.err
    assert said in heard.err


def test_a_folder_without_definitions_is_named(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "empty").mkdir()
    assert podium("import", "empty") == 2
    assert "holds no agent definitions" in capsys.readouterr().err


def test_a_head_that_its_program_refuses_is_refused_here(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.agent.md").write_text(
        "---\ndescription: Use when: x\n---\nNever.\n", encoding="utf-8"
    )
    assert podium("import", "a.agent.md") == 2
    assert "a.agent.md:2" in capsys.readouterr().err


def test_escape_sequences_of_a_document_do_not_reach_the_terminal(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.md").write_text("Never \x1b[2J clear it.\n", encoding="utf-8")
    podium("import", "a.md")
    assert "\x1b" not in capsys.readouterr().out
