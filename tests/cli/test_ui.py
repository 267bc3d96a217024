from __future__ import annotations

from collections.abc import Callable

import pytest

from podium.cli.commands import ui


def test_without_its_extra_it_says_how_to_get_it(
    podium: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        ui, "find_spec", lambda name: None if name in {"jinja2", "uvicorn"} else object()
    )
    assert podium("ui") == 2
    said = capsys.readouterr().err
    assert "podium ui needs uvicorn, jinja2: pip install 'podium[ui]'" in said


@pytest.mark.parametrize(("name", "value"), [("PODIUM_AGENT", "1"), ("PODIUM_DISPATCH", "x")])
def test_an_agent_may_not_open_it(
    podium: Callable[..., int],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
) -> None:
    monkeypatch.setenv(name, value)
    assert podium("ui", "--no-browser") == 2
    assert "decisions are for people" in capsys.readouterr().err
