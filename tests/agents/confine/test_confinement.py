"""Which level is chosen, what is refused, and what is said to be held."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from podium.agents.confine import confinement as module
from podium.agents.confine.confinement import Confinement, choose
from podium.agents.confine.levels import Level, Name
from podium.agents.confine.room import Network, Room
from podium.core.errors import UsageError

ROOM = Room(Path("/view"), Path("/scratch"))
BWRAP = Level("bubblewrap", True, "bwrap 1", program="/usr/bin/bwrap")
NO_BWRAP = Level("bubblewrap", False, "bwrap is not on the PATH", "install bubblewrap")
LANDLOCK = Level("landlock", True, "ABI 7", abi=7)
NO_LANDLOCK = Level("landlock", False, "this kernel has none", "a newer kernel")
Machine = dict[str, Level]
BOTH: Machine = {"bubblewrap": BWRAP, "landlock": LANDLOCK}
ONLY_LANDLOCK: Machine = {"bubblewrap": NO_BWRAP, "landlock": LANDLOCK}
NEITHER: Machine = {"bubblewrap": NO_BWRAP, "landlock": NO_LANDLOCK}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The levels are a fact about a machine; here it is another machine."""
    found: Machine = {}

    def level(name: Name, path: str) -> Level:
        return found[name]

    monkeypatch.setattr(module, "level", level)
    return found


@pytest.mark.parametrize(
    ("there", "confine", "chosen"),
    [
        (BOTH, "auto", "bubblewrap"),
        (BOTH, "landlock", "landlock"),
        (BOTH, "off", None),
        (ONLY_LANDLOCK, "auto", "landlock"),
        (NEITHER, "auto", None),
        (NEITHER, "off", None),
    ],
)
def test_the_best_level_that_works_and_is_wanted(
    machine: Machine, there: Machine, confine: str, chosen: str | None
) -> None:
    machine.update(there)
    found = choose(confine, "", "", "")
    assert (found.level.name if found else None) == chosen


@pytest.mark.parametrize(
    ("there", "confine", "network", "minimum", "said"),
    [
        (
            NEITHER,
            "auto",
            "",
            "confined",
            ["minimum = 'confined'", "install bubblewrap", "a newer kernel", "Nothing was started"],
        ),
        (NEITHER, "bubblewrap", "", "", ["confine = 'bubblewrap'", "install bubblewrap"]),
        (ONLY_LANDLOCK, "bubblewrap", "", "confined", ["install bubblewrap"]),
        (BOTH, "off", "", "confined", ["minimum = 'confined'", 'confine = "auto"']),
        (ONLY_LANDLOCK, "auto", "none", "", ["network = 'none'", "install bubblewrap"]),
        (BOTH, "landlock", "model", "", ["network = 'model'", 'confine = "auto"']),
        (BOTH, "off", "none", "", ["network = 'none'"]),
    ],
)
def test_what_cannot_be_held_is_refused_with_the_way_out(
    machine: Machine, there: Machine, confine: str, network: str, minimum: str, said: list[str]
) -> None:
    machine.update(there)
    with pytest.raises(UsageError) as refused:
        choose(confine, network, minimum, "")
    assert [each for each in said if each not in str(refused.value)] == []


@pytest.mark.parametrize(
    ("setting", "model", "network"),
    [
        ("", True, "model"),
        ("", False, "open"),
        ("model", True, "model"),
        ("model", False, "none"),
        ("open", True, "open"),
        ("none", True, "none"),
    ],
)
def test_the_network_follows_the_setting_and_else_the_gateway(
    setting: str, model: bool, network: Network
) -> None:
    assert Confinement(BWRAP, setting).network_of(model=model) == network


@pytest.mark.parametrize(
    ("level", "network", "said"),
    [
        (BWRAP, "none", "none"),
        (BWRAP, "model", "model"),
        (BWRAP, "open", "open"),
        (LANDLOCK, "model", "model, TCP only"),
        (Level("landlock", True, "", abi=3), "model", "open"),
        (LANDLOCK, "open", "open"),
    ],
)
def test_only_what_is_really_held_is_said(level: Level, network: Network, said: str) -> None:
    room = Room(Path("/view"), Path("/scratch"), network=network)
    held = Confinement(level).assurance(room)
    assert held == {"read": "confined", "write": "confined", "network": said, "by": level.name}


def test_a_path_without_bwrap_is_a_machine_without_bubblewrap(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="bwrap is not on the PATH"):
        choose("bubblewrap", "", "confined", os.fspath(tmp_path))


def test_a_bwrap_that_does_not_work_is_tried_and_quoted(tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    with pytest.raises(
        UsageError, match="No permissions to create new namespace; to fix it, allow unprivileged"
    ):
        choose("bubblewrap", "", "", os.fspath(tmp_path))
