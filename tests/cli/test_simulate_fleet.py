"""`podium simulate --fleet`: a day of a fleet, from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Podium

Capture = pytest.CaptureFixture[str]
SMALL = ("--workers", "20", "--concurrency", "2", "--runs-a-day", "500")
PAGE = Path(__file__).parents[2] / "docs" / "fleet-capacity.md"


def told(podium: Podium, capsys: Capture, *words: str) -> dict[str, Any]:
    assert podium("simulate", "harness", "--fleet", *words, "--json", "--quiet") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(
    podium: Podium, capsys: Capture
) -> None:
    said = []
    for seed in ("1", "1", "2"):
        podium("simulate", "harness", "--fleet", *SMALL, "--seed", seed, "--json", "--quiet")
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2]


def test_waits_use_the_day_and_every_part_are_told(podium: Podium, capsys: Capture) -> None:
    found = told(
        podium, capsys, *SMALL, "--limit", "agents.claude=30", "--limit", "users.default=5"
    )
    assert set(found["waits_s"]) == {"worker", "database", "remote"}
    assert set(found["waits_s"]["worker"]) == {"mean", "p50", "p95", "p99", "most"}
    assert {each["part"] for each in found["parts"]} == {
        "workers",
        "database",
        "remote",
        "agents.claude",
        "users",
    }
    assert len(found["day"]) == 48
    assert found["began"] == 500


def test_a_report_names_the_bottleneck_and_draws_the_day(
    podium: Podium, capsys: Capture, project: Path
) -> None:
    assert (
        podium(
            "simulate",
            "harness",
            "--fleet",
            "--workers",
            "5",
            "--concurrency",
            "1",
            "--runs-a-day",
            "500",
            "--svg",
            "day.svg",
        )
        == 0
    )
    said = capsys.readouterr()
    assert "The bottleneck is workers." in said.out
    assert re.search(r"workers: \d+ places instead of 5", said.out)
    assert "\nIn line" in said.out
    assert "  09:00  █" in said.out
    assert "1,000 runs in" in said.err, "what differs from time to time is no result"
    assert (project / "day.svg").read_text().startswith("<svg")


def test_a_larger_fleet_has_no_line(podium: Podium, capsys: Capture) -> None:
    assert (
        told(podium, capsys, "--workers", "100", "--runs-a-day", "500")["waits_s"]["worker"]["p99"]
        == 0
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "0", "--users", "0"), ("--workers: 0 is too few", "--users: 0 is too few")),
        (("--limit", "agents.codex=3"), ("agents.codex is not known",)),
        (("--limit", "agents.claude"), ("is not NAME=NUMBER",)),
        (("--cost", "write_per_s=3"), ("did you mean writes_per_s?",)),
        (("--cost", "pushes_per_s=0"), ("must be more than 0",)),
        (("--mix", "claude=0"), ("no agent has a weight",)),
        (("--worker-lives", "-1"), ("hours, or 0 for ever",)),
    ],
)
def test_what_cannot_be_is_said_all_at_once(
    podium: Podium, capsys: Capture, words: tuple[str, ...], said: tuple[str, ...]
) -> None:
    assert podium("simulate", "harness", "--fleet", *words) == 2
    errors = capsys.readouterr().err
    assert all(each in errors for each in said), errors
