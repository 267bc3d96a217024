"""The figures that the documentation gives as proof: kept, zero, and made again by the command
it names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from podium.__main__ import main
from podium.workflows.catalog import NAMES

ROOT = Path(__file__).parents[1]
KEPT = json.loads((ROOT / "docs" / "proof.json").read_text(encoding="utf-8"))


def test_the_kept_figures_are_of_a_million_steps_over_all_workflows_and_nothing_was_skipped_or_bypassed() -> (  # noqa: E501
    None
):
    assert set(KEPT["workflows"]) == set(NAMES)
    assert KEPT["steps"] == sum(each["steps"] for each in KEPT["workflows"].values()) >= 1_000_000
    assert (KEPT["skipped"], KEPT["bypassed"], KEPT["stories"]) == (0, 0, [])
    assert KEPT["wrong"] == KEPT["refused"] > 100_000
    assert KEPT["rules_asked"] == KEPT["rules"] > 60, "a rule that no run comes to shows nothing"
    assert all(each["complete"] > 100 for each in KEPT["workflows"].values())


@pytest.mark.timeout(1800)
@pytest.mark.skipif(
    os.environ.get("PODIUM_LONG") != "1",
    reason="a million steps take minutes; PODIUM_LONG=1 makes them",
)
def test_the_command_gives_the_kept_figures_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "all", "--hostile", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out) == KEPT
