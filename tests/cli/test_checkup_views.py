"""`podium doctor` says how agents and commands see the code here, and why not better."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium.cli.checkup_views import views
from podium.engine.views import machine
from podium.engine.views.machine import support


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_the_kind_that_was_found_by_trying_is_named(project: Path, tmp_path: Path) -> None:
    [finding] = views(project)
    kind = support(tmp_path / "state/podium/views").kind
    assert finding.what.startswith(f"{kind}: ")
    assert (finding.level == "ok") == (kind == "overlay")


def test_a_lesser_kind_that_the_settings_choose_is_no_complaint(project: Path) -> None:
    (project / "podium.toml").write_text('[view]\nkind = "copy"\n')
    [finding] = views(project)
    assert (finding.level, finding.what.partition(":")[0]) == ("ok", "copy")
    assert finding.mend == ""


def test_where_nothing_can_be_mounted_the_cause_and_the_way_out_are_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = lambda _: "unshare: Operation not permitted"  # noqa: E731
    monkeypatch.setattr(machine, "_overlay_fails", fails)
    monkeypatch.setattr(machine, "_bind_fails", fails)
    machine.support.cache_clear()
    try:
        [finding] = views(project)
    finally:
        machine.support.cache_clear()
    assert finding.level == "warn"
    assert finding.what.startswith("copy: ")
    assert "unshare: Operation not permitted" in finding.what
    assert "user namespaces" in finding.mend


def test_a_folder_that_cannot_be_made_is_a_failure(project: Path, tmp_path: Path) -> None:
    (project / "podium.toml").write_text('[store]\nviews = "podium.toml/views"\n')
    [finding] = views(project)
    assert finding.level == "fail"


def test_views_are_not_mounted_over_the_folder_that_they_are_in(project: Path) -> None:
    """A project in a home folder that is under git, or `[store] views` in the project."""
    (project / "podium.toml").write_text('[store]\nviews = "views"\n')
    [finding] = views(project)
    assert (finding.level, finding.what.partition(":")[0]) == ("warn", "copy")
    assert f"it would cover {project}/views, where views themselves are" in finding.what
    assert "outside of the project and its repository" in finding.mend
