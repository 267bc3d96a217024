"""What is mounted before a program of a view starts, and the program that does it."""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from podium.agents.confine.room import Enclosed

COMPLAINT = b"podium-view: "
"""How that program begins its own messages."""
MOUNT = Path(__file__).with_name("mount.py")
Layer = Mapping[str, object]


class Mounts(NamedTuple):
    """Everything that one program sees in another place than it is, or in layers."""

    overlays: tuple[Layer, ...] = ()
    """`at`, `lower`, `upper` and `work`: folders."""
    binds: tuple[Layer, ...] = ()
    """`at`, `source`, and whether to `write`."""
    hold: str = ""
    """The folder that is locked meanwhile."""

    def with_private(self, folders: Sequence[Path], scratch: Path) -> Mounts:
        """Further folders as private layers: what is in them is there, and what is written is gone
        with `scratch`, a folder of ours.
        """
        layers: list[Layer] = []
        for number, folder in enumerate(folders):
            home = scratch / f"layer{number}"
            for name in ("upper", "work"):
                os.makedirs(home / name, exist_ok=True)
            place = os.fspath(folder)
            layer = {"at": place, "lower": [place], "upper": f"{home}/upper"}
            layers.append({**layer, "work": f"{home}/work"})
        return self._replace(overlays=(*self.overlays, *layers))


def command(mounts: Mounts, cwd: str, argv: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The command that runs another one where these are mounted, and the descriptor that it must
    inherit.
    """
    plan = os.memfd_create("view")
    os.write(plan, marshal.dumps({**mounts._asdict(), "cwd": cwd, "argv": list(argv)}))
    os.lseek(plan, 0, os.SEEK_SET)
    # Names are bytes here and there, whatever language the program is told to speak.
    return (sys.executable, "-I", "-S", "-X", "utf8", os.fspath(MOUNT), str(plan)), plan


def mounted(mounts: Mounts, enclosed: Enclosed) -> Enclosed:
    """The same program, started where these are mounted."""
    argv, plan = command(mounts, os.fspath(enclosed.cwd), enclosed.argv)
    return replace(
        enclosed,
        argv=argv,
        descriptors=(*enclosed.descriptors, plan),
        complaints=(*enclosed.complaints, COMPLAINT),
    )
