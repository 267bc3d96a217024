from __future__ import annotations

from collections.abc import Callable

import pytest


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
