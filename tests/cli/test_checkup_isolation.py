"""doctor proves each level by trying to break it, and is not deceived by one that only looks
right.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import working

Podium = Callable[..., int]
Checks = dict[str, dict[str, Any]]


@pytest.fixture
def checks(podium: Podium, capsys: pytest.CaptureFixture[str]) -> Callable[[], Checks]:
    def look() -> Checks:
        podium("doctor", "--json")
        found = json.loads(capsys.readouterr().out)["checks"]
        return {each["name"]: each for each in found if each["name"].startswith("isolation")}

    return look


def tools(folder: Path, monkeypatch: pytest.MonkeyPatch, bwrap: str = "") -> None:
    """A PATH of our own, with this for bwrap."""
    folder.mkdir()
    if bwrap:
        (folder / "bwrap").write_text(bwrap)
        (folder / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}")


def test_the_level_that_is_used_held_off_every_attack(checks: Callable[[], Checks]) -> None:
    working("bubblewrap")
    found = checks()
    level = found["isolation by bubblewrap"]
    assert level["level"] == "ok"
    assert len(level["tried"]) == 15
    assert all(each["held"] for each in level["tried"])
    assert "confined by bubblewrap" in found["isolation"]["what"]


def test_what_the_audit_alone_does_not_hold_is_said(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("doctor")
    assert (
        "isolation by audit: changes are checked afterwards. Held off 1 of 15 attacks: a "
        "process that stays"
    ) in capsys.readouterr().out


def test_a_missing_bwrap_is_named_with_the_way_to_get_it(
    checks: Callable[[], Checks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools(tmp_path / "tools", monkeypatch)
    level = checks()["isolation by bubblewrap"]
    assert (level["level"], level["what"]) == ("warn", "bwrap is not on the PATH")
    assert "install bubblewrap" in level["mend"]


def test_a_bwrap_that_holds_nothing_is_found_out(
    checks: Callable[[], Checks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes every option, says that all is well, and starts the program as it is."""
    tools(
        tmp_path / "tools",
        monkeypatch,
        '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n',
    )
    level = checks()["isolation by bubblewrap"]
    assert level["level"] == "fail"
    assert "do not rely on this level here" in level["mend"]
    assert sum(not each["held"] for each in level["tried"]) == 14


def test_a_minimum_that_cannot_be_held_is_a_failure(
    checks: Callable[[], Checks], project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools(tmp_path / "tools", monkeypatch)
    (project / "podium.toml").write_text(
        '[isolation]\nminimum = "confined"\nconfine = "bubblewrap"\n'
    )
    found = checks()["isolation"]
    assert found["level"] == "fail"
    assert "minimum = 'confined' cannot be enforced here" in found["what"]
    assert "install bubblewrap" in found["mend"]


def test_switched_off_is_told_and_is_no_failure(
    checks: Callable[[], Checks], project: Path
) -> None:
    (project / "podium.toml").write_text('[isolation]\nconfine = "off"\n')
    found = checks()["isolation"]
    assert (found["level"], found["what"]) == ("warn", "agents are audited, not confined")
    assert 'confine = "auto"' in found["mend"]


def test_doctor_leaves_nothing_behind(
    checks: Callable[[], Checks], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        monkeypatch.setenv("TMPDIR", place)
        monkeypatch.setattr("tempfile.tempdir", None)
        checks()
        assert os.listdir(place) == []


def test_every_level_is_tried_also_where_the_folder_for_temporary_files_has_a_long_name(
    checks: Callable[[], Checks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / ("long-" * 20)
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert len(checks()["isolation by audit"]["tried"]) == 15
