"""What a person is told who has no agent."""

from __future__ import annotations

from podium.agents.profiles.absence import no_agent, ways
from podium.agents.profiles.catalog import Found


def test_without_any_agent_the_demo_a_person_and_an_installation_are_offered() -> None:
    said = no_agent("qa", [])
    assert said.startswith("no agent is set for the role qa and none was found on PATH")
    for way in (
        "podium demo",
        "--agent human",
        "npm install -g @anthropic-ai/claude-code",
        "podium agents",
    ):
        assert way in said


def test_an_agent_that_is_here_comes_first_and_nothing_need_be_installed() -> None:
    lines = ways([Found("codex", "/opt/codex")])
    assert "--agent codex" in lines[0]
    assert "/opt/codex" in lines[0]
    assert not any("install" in each for each in lines)
    assert any("podium demo" in each for each in lines)
