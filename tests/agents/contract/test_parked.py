"""A real agent that may not do what it needs, and nobody is there to ask: parked, shown, and
answerable.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.contract.drivers import HEADLESS
from tests.agents.contract.scripts import SCRIPTS
from tests.agents.contract.worlds import world

pytestmark = [pytest.mark.agents, pytest.mark.timeout(120)]


def test_claude_without_a_room_is_parked_at_a_command_and_runs_it_once_it_is_allowed(
    tmp_path: Path,
) -> None:
    with world(tmp_path, HEADLESS[0], SCRIPTS, confined=False) as here:
        found = here.play("asks")
        assert found.kind == "parked"
        assert found.ending == "parked"
        assert found.answer.failure is not None
        assert "make --version" in found.answer.failure.detail
        assert [each["decision"] for each in found.told("permission")] == ["refused"]
        here.said.clear()
        again = here.play("asks", resumed="allow", choice="allow")
        assert again.kind == ""
        assert again.told("permission") == []
        assert "completed" in {each["status"] for each in again.told("tool")}
