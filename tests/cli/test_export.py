"""podium export and podium log --verify, as people type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.project import make
from tests.reach.receiver import receiving


@pytest.fixture
def run(project: Path, podium: Podium) -> Path:
    make(project)
    (project.parent / "scenario.yaml").write_text('{"agents": {}}')
    agent = f"scripted:{project.parent / 'scenario.yaml'}"
    assert (
        podium(
            "run",
            "harness",
            "harness/tasks/T001-sample.md",
            "--agent",
            agent,
            "--run-id",
            "R1",
            "--yes-i-approve-all-gates",
            "--quiet",
        )
        == 0
    )
    return project


def test_approvals_are_written_checked_and_found_out_when_they_were_changed(
    run: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert podium("export", "@", "--approvals", "--out", "out") == 0
    files = capsys.readouterr().out.split()
    assert len(files) == 2
    assert podium("export", "--check", *files, "--json") == 0
    assert [each["holds"] for each in json.loads(capsys.readouterr().out)["statements"]] == [
        True,
        True,
    ]
    Path(files[0]).write_text(Path(files[0]).read_text().replace("Ada", "Eve"))
    assert podium("export", "--check", *files) == 20
    assert "predicate.by differs from the journal" in capsys.readouterr().out


def test_approvals_without_a_folder_are_lines(
    run: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    podium("export", "@", "--approvals")
    assert all(
        json.loads(line)["predicate"]["by"].startswith("Ada")
        for line in capsys.readouterr().out.splitlines()
    )
    podium("export", "@", "--approvals", "--json")
    assert len(json.loads(capsys.readouterr().out)["statements"]) == 2


def test_verify_says_what_was_looked_at_and_where_it_breaks(
    run: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert podium("log", "@", "--verify", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["intact"]
    assert told["journals"][0]["events"] == told["events"]
    file = run / ".podium" / "runs" / "R1" / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], lines[2].replace(b"saved", b"saveD"), *lines[3:]]))
    assert podium("log", "@", "--verify") == 20
    assert "journal.jsonl:3: was changed after it was written" in capsys.readouterr().out
    assert podium("log", "@", "--verify", "--json") == 20
    told = json.loads(capsys.readouterr().out)
    assert (told["intact"], told["journals"][0]["line"]) == (False, 3)
    assert podium("export", "@", "--approvals") == 20


def test_a_trace_goes_to_a_file_or_a_collector(
    run: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("export", "@", "--otel") == 2
    assert "[telemetry] endpoint" in capsys.readouterr().err
    assert podium("export", "@", "--otel", "--out", "trace.jsonl") == 0
    assert [
        next(iter(json.loads(line))) for line in (run / "trace.jsonl").read_text().splitlines()
    ] == ["resourceSpans", "resourceMetrics"]
    with receiving() as receiver:
        assert podium("export", "@", "--otel", "--endpoint", receiver.url) == 0
        assert [path for path, _, _ in receiver.heard] == ["/v1/traces", "/v1/metrics"]
        receiver.answers = [403]
        assert podium("export", "@", "--otel", "--endpoint", receiver.url) == 2
    assert "answered 403" in capsys.readouterr().err


def test_one_thing_must_be_asked_for(run: Path, podium: Podium) -> None:
    assert podium("export", "@") == 2
    assert podium("export", "@", "--otel", "--approvals") == 2


def test_a_driven_run_sends_its_spans_as_they_end(project: Path, podium: Podium) -> None:
    make(project)
    (project.parent / "scenario.yaml").write_text('{"agents": {}}')
    agent = f"scripted:{project.parent / 'scenario.yaml'}"
    with receiving() as receiver:
        (project / "podium.toml").write_text(
            f'[commands]\ntest = "sh tests.sh"\n[telemetry]\nendpoint = "{receiver.url}"\n'
            'protocol = "http/json"\n'
        )
        podium(
            "run",
            "harness",
            "harness/tasks/T001-sample.md",
            "--agent",
            agent,
            "--quiet",
            "--set",
            "require_approval_before_complete=false",
        )
        first = _names(receiver.heard)
        assert "invoke_agent po-spec" in first
        assert "podium.gate approve-build" not in first
        receiver.heard.clear()
        assert podium("approve", "@", "--go", "--quiet") == 0
        later = _names(receiver.heard)
    assert {"podium.gate approve-build", "invoke_workflow harness"} <= set(later)
    assert not set(first) & set(later)


def _names(heard: list[tuple[str, dict[str, str], bytes]]) -> list[str]:
    bodies = [json.loads(body) for path, _, body in heard if path.endswith("traces")]
    return [
        span["name"]
        for body in bodies
        for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]
    ]


def test_a_run_goes_its_way_without_its_collector(
    project: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    make(project)
    (project.parent / "scenario.yaml").write_text('{"agents": {}}')
    (project / "podium.toml").write_text(
        '[commands]\ntest = "sh tests.sh"\n[telemetry]\nendpoint = "http://127.0.0.1:9"\n'
    )
    assert (
        podium(
            "run",
            "harness",
            "harness/tasks/T001-sample.md",
            "--agent",
            f"scripted:{project.parent / 'scenario.yaml'}",
        )
        == 10
    )
    assert "[telemetry] no connection to 127.0.0.1" in capsys.readouterr().err
