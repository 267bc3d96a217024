"""Makes the room in which a view's programs are confined, mounts the view in it, and says how
firmly one dispatch was really held.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from podium.agents.confine.confinement import AUDITED, Confinement
from podium.agents.confine.room import Enclose, Enclosed, Room, tidy, unconfined
from podium.agents.confine.toolchains import Tools
from podium.agents.protocol import Agent
from podium.core.contract import Contract
from podium.core.errors import PodiumError
from podium.engine.attempts.view import View, promised
from podium.engine.session import Session
from podium.engine.views.code_view import CodeView
from podium.engine.views.mounts import Mounts, mounted

_ODD = frozenset({"", ".", ".."})


class Held:
    """Encloses every program of one dispatch, and records whether there was any."""

    def __init__(
        self,
        confinement: Confinement | None = None,
        room: Room | None = None,
        mounts: Mounts | None = None,
    ) -> None:
        self.used = False
        self.room = room
        """None if the dispatch is not confined."""
        self._mounts = mounts
        self._enclose: Enclose = unconfined
        self._assurance = AUDITED
        if confinement is not None and room is not None:
            self._enclose = confinement.enclosure(room)
            self._assurance = confinement.assurance(room)

    def __call__(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]
    ) -> Enclosed:
        enclosed = self._enclose(argv, cwd, env, needs)
        self.used = True
        return enclosed if self._mounts is None else mounted(self._mounts, enclosed)

    @property
    def confined(self) -> bool:
        return self.room is not None

    @property
    def assurance(self) -> dict[str, str]:
        """What was enforced. An agent that started no program did its work elsewhere, where
        nothing was enforced.
        """
        return dict(self._assurance if self.used else AUDITED)


def confinement_of(session: Session, agent: Agent) -> Confinement | None:
    """How this agent is confined; a person or a scenario is not, since no room could enclose
    what they do.
    """
    if getattr(agent, "actor", "program") != "program":
        return None
    return session.services.confinement()


def hold(
    session: Session,
    view: View,
    contract: Contract,
    confinement: Confinement | None,
    agent: Agent | None = None,
    *,
    model: Path | None = None,
    port: int = 0,
) -> Held:
    """The enclosure of one dispatch; `model` and `port` lead to its gateway, if it has one."""
    mounts = view.code.mounts() if view.code is not None else None
    # Whoever may run tests needs what they run with.
    folders, files = session.services.surroundings.tools() if view.code is not None else Tools()
    tools = tuple(folder for folder in folders if not view.scratch.is_relative_to(folder))
    if mounts is not None:
        mounts = mounts.with_private(tools, Path(f"{view.folder}~tools"))
    if confinement is None:
        return Held(mounts=mounts)
    writable = _writable(view, contract)
    room = Room(
        folder=view.folder if view.code is None else view.code.top,
        scratch=view.scratch,
        writable=(
            *writable,
            *confinement.writable,
            *_lent(agent, model=model is not None),
            *(tools if mounts is not None else ()),
        ),
        fixed=_fixed(view, contract, writable),
        readable=(
            *_borrowed(view.code),
            *confinement.readable,
            *files,
            *(tools if mounts is None else ()),
        ),
        network=confinement.network_of(model=model is not None),
        model=model,
        port=port,
    )
    if room.scratch.is_dir():
        tidy(room)  # leftovers of an engine that was killed
    return Held(confinement, room, mounts)


def _lent(agent: Agent | None, *, model: bool) -> tuple[Path, ...]:
    """The user's own folders that the agent works with, such as its login; none if its model is
    behind the gateway.
    """
    own: Callable[[bool], tuple[Path, ...]] | None = getattr(agent, "own_folders", None)
    return own(model) if own is not None else ()


def _borrowed(code: CodeView | None) -> tuple[Path, ...]:
    """Objects that a copy refers to where they are; in a mounted view they are mounted, too."""
    return code.borrowed if code is not None and code.kind == "copy" else ()


def _writable(view: View, contract: Contract) -> tuple[Path, ...]:
    """A private layer is writable as a whole, because tests write, too; of a copy only what the
    contract names.
    """
    if view.code is not None and _free(view.code, contract):
        return (view.code.top,)
    base = view.folder if view.code is None else view.code.top
    folders = {
        os.path.normpath(base / _inside(view, os.path.dirname(path)))
        for path in (*view.outputs, *view.patterns)
    }
    return tuple(
        sorted(
            Path(folder)
            for folder in folders
            if not any(folder.startswith(f"{other}/") for other in folders)
        )
    )


def _free(code: CodeView, contract: Contract) -> bool:
    return contract.code == "write" or code.kind == "overlay"


def _inside(view: View, path: str) -> str:
    """The real place of a folder of the view, from its top; refused if a link leads it out."""
    outer = view.outward(path or ".")
    real = "." if outer == "." else view.files.behind(f"{outer}/x")
    if real is None:
        raise PodiumError(f"{path} is a link that leads out of the view")
    return real.removesuffix("/x") if real != "x" else "."


def _fixed(view: View, contract: Contract, writable: Sequence[Path]) -> tuple[Path, ...]:
    """Inputs that are next to outputs, and the repository of code that may only be read; what is
    in a private layer is left to the audit.
    """
    code = view.code
    if code is not None and _free(code, contract):
        return ()
    top, outputs = view.folder if code is None else code.top, set(promised(view))
    inputs = (view.outward(path) for path in sorted(view.manifest) if path not in outputs)
    # An input behind a link is left to the audit: it has no place of its own that could be made
    # read-only.
    places = [top / path for path in inputs if not view.files.obstacle(path)]
    if code is not None:
        places.append(top / ".git")
    return tuple(
        place
        for place in places
        if any(place == folder or place.is_relative_to(folder) for folder in writable)
    )
