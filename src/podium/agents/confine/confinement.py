"""How the agents of a run are confined: the chosen level, and what it enforces for one room."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from podium.agents.confine.command_room import (
    CommandBubblewrap,
    CommandLandlock,
    CommandRoom,
)
from podium.agents.confine.levels import NAMES, Level, level
from podium.agents.confine.room import Enclose, Network, Room
from podium.core.errors import UsageError

AUDITED = {"read": "asked", "write": "audited"}
"""What is enforced for an agent without a room."""


@dataclass(frozen=True)
class Confinement:
    """A level that works on this machine, and what the settings add to every room."""

    level: Level
    network: str = ""
    """As set. If empty: only the model where it comes through the gateway, otherwise any
    address.
    """
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()

    def network_of(self, *, model: bool) -> Network:
        """The network of one agent's room. `model`: whether its model comes through the gateway."""
        match self.network:
            case "open":
                return "open"
            case "none":
                return "none"
            case "model":
                return "model" if model else "none"
        return "model" if model else "open"

    def enclosure(self, room: Room) -> Enclose:
        if self.level.name == "bubblewrap":
            # only the one that is used
            from podium.agents.confine.bubblewrap import Bubblewrap  # noqa: PLC0415

            return Bubblewrap(self.level.program, room)
        from podium.agents.confine.landlock_room import Landlock  # noqa: PLC0415

        return Landlock(room)

    def command_enclosure(self, room: CommandRoom) -> Enclose:
        """The room of one of the project's own commands."""
        if self.level.name == "bubblewrap":
            return CommandBubblewrap(self.level.program, room)
        return CommandLandlock(room)

    def assurance(self, room: Room) -> dict[str, str]:
        """What is really enforced on a program in this room."""
        network: str = room.network
        if network != "open" and not self.level.holds_network:
            network = f"{network}, TCP only" if self.level.abi >= 4 else "open"
        return {"read": "confined", "write": "confined", "network": network, "by": self.level.name}


def choose(
    confine: str,
    network: str,
    minimum: str,
    path: str,
    *,
    readable: tuple[Path, ...] = (),
    writable: tuple[Path, ...] = (),
) -> Confinement | None:
    """The best level that works and is wanted; None if agents are only audited.

    `minimum` is empty if that is acceptable. Raises UsageError if a setting asks for something that
    cannot be enforced.
    """
    wanted = () if confine == "off" else tuple(each for each in NAMES if confine in {"auto", each})
    tried = [level(each, path) for each in wanted]
    found = next((each for each in tried if each.works), None)
    if found is None and (minimum or confine not in {"auto", "off"}):
        setting = (
            f"[isolation] minimum = {minimum!r}"
            if minimum
            else f"[isolation] confine = {confine!r}"
        )
        raise UsageError(_refusal(setting, tried))
    if network in {"none", "model"} and (found is None or not found.holds_network):
        setting = f"[isolation] network = {network!r}"
        best = level("bubblewrap", path)
        raise UsageError(_refusal(setting, [best] if not best.works and wanted else []))
    return None if found is None else Confinement(found, network, readable, writable)


def _refusal(setting: str, tried: list[Level]) -> str:
    if not tried:
        return (
            f'{setting} cannot be enforced with this `confine`; set `confine = "auto"` with '
            "bubblewrap installed"
        )
    why = "".join(f"\n  {each.name}: {each.what}; to fix it, {each.mend}" for each in tried)
    return (
        f"{setting} cannot be enforced here. Nothing was started.{why}\n  `podium doctor` tries "
        "every level."
    )
