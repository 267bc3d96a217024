"""`podium report --html`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.app import RUN, App
from tests.web.pages.looking import harmless


@pytest.fixture(autouse=True)
def request_file(project: Path) -> None:
    folder = project / ".podium" / "runs" / RUN
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "request.json").write_text(
        json.dumps({"workflow": "harness", "agent": "scripted", "commands": {"test": "make test"}})
    )


def test_the_page_is_written_and_needs_nothing_beside_it(
    podium: Podium, app: type[App], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.html"
    assert podium("report", "@", "--html", str(file)) == 0
    assert f"{file} written" in capsys.readouterr().out
    page = harmless(file.read_text(encoding="utf-8"), alone=True)
    assert "T001 — Add a word counter" in page.text
    assert "make test" in page.text
    first = file.read_bytes()
    assert podium("report", "@", "--html", str(file)) == 0
    assert file.read_bytes() == first


def test_a_dash_prints_it_and_json_names_the_file(
    podium: Podium, app: type[App], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("report", "@", "--html", "-") == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    file = tmp_path / "r.html"
    assert podium("report", "@", "--html", str(file), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "run": RUN,
        "file": str(file),
        "bytes": file.stat().st_size,
    }


def test_a_place_that_cannot_be_written_is_named(
    podium: Podium, app: type[App], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("report", "@", "--html", str(tmp_path / "no" / "r.html")) == 2
    assert "cannot be written: No such file or directory" in capsys.readouterr().err
