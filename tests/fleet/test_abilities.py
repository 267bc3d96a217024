"""What a machine has for runs."""

from pathlib import Path

import pytest

from podium.core.errors import InputError
from podium.fleet.line.abilities import cores, offer_of, programs
from podium.fleet.line.wants import NONE, Wants
from podium.settings.values import AgentSettings, Fleet, Settings


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH with two programs on it."""
    for name in ("claude", "special-codex"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return str(tmp_path)


def test_known_programs_are_found_by_their_own_name_and_by_the_one_that_is_set(path: str) -> None:
    assert programs(Settings(), (), path) == ("claude",)
    named = {
        "fast": AgentSettings(backend="codex", program="special-codex"),
        "gone": AgentSettings(backend="gemini", program="nowhere"),
    }
    assert programs(Settings(agents=named), (), path) == ("claude", "codex")


def test_what_the_owner_says_is_believed_instead(path: str) -> None:
    assert programs(Settings(), ["gemini", "codex"], path) == ("codex", "gemini")


def test_an_offer_has_what_was_told_and_what_was_found(path: str) -> None:
    settings = Settings(agent="claude", fleet=Fleet(limits={"agents": {"claude": 3}}, stay_s=7))
    offer = offer_of(
        "w1",
        settings,
        {"PATH": path},
        concurrency=["4", "claude=1"],
        labels=["gpu", "big", "gpu"],
        agents=[],
    )
    assert (offer.places, offer.at_once, offer.labels, offer.programs) == (
        4,
        {"claude": 1},
        ("big", "gpu"),
        ("claude",),
    )
    assert (offer.limits, offer.stay_s, offer.cores) == ({"agents": {"claude": 3}}, 7, cores())
    assert offer.usual == Wants(("claude",), ("anthropic",), ("claude",))
    assert "bubblewrap" not in offer.sandboxes  # not on that PATH
    assert (
        offer_of("w1", Settings(), {"PATH": path}, concurrency=[], labels=[], agents=[]).usual
        == NONE
    )
    with pytest.raises(InputError, match="neither a number nor AGENT=NUMBER"):
        offer_of("w1", settings, {"PATH": path}, concurrency=["many"], labels=[], agents=[])
