"""Doctor's attacks: every level holds what it promises, and the attacks are real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.confine.rooms import working

from podium.agents.confine.attacks import ATTACKS
from podium.agents.confine.confinement import Confinement
from podium.agents.confine.levels import Level, Name
from podium.agents.confine.proving import WORDS, promised, prove
from podium.agents.confine.room import Enclose
from podium.agents.process import Supervisor


def start(enclose: Enclose) -> Supervisor:
    return Supervisor(enclose=enclose)


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
def test_a_level_holds_what_it_promises(tmp_path: Path, name: Name) -> None:
    confinement = Confinement(working(name))
    held = {each.attack for each in prove(confinement, tmp_path, start) if each.held}
    assert held >= promised(confinement)


def test_without_a_room_every_attack_but_one_comes_through(tmp_path: Path) -> None:
    """Else a room that held nothing could look as if it held them off."""
    tried = prove(None, tmp_path, start)
    assert [each.attack for each in tried if each.held] == ["stay"]


def test_a_room_that_cannot_be_entered_is_no_proof(tmp_path: Path) -> None:
    broken = Confinement(Level("bubblewrap", True, "", program="/no/such/bwrap"))
    with pytest.raises(RuntimeError, match=r"could not be tried: .*No such file"):
        prove(broken, tmp_path, start)


def test_every_attack_has_its_words() -> None:
    assert [each.__name__ for each in ATTACKS] == list(WORDS)


@pytest.mark.parametrize(
    ("abi", "not_held"),
    [
        (
            3,
            {
                "change_mode",
                "reach_udp",
                "reach_socket_file",
                "reach_tcp",
                "reach_abstract",
                "end_neighbour",
            },
        ),
        (4, {"change_mode", "reach_udp", "reach_socket_file", "reach_abstract", "end_neighbour"}),
        (6, {"change_mode", "reach_udp", "reach_socket_file"}),
    ],
)
def test_an_older_kernel_promises_less(abi: int, not_held: set[str]) -> None:
    assert set(WORDS) - promised(Confinement(Level("landlock", True, "", abi=abi))) == not_held
