"""Makes the room in which a view's agent is confined, and says how firmly one dispatch was really held."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from podium.agents.confine.confinement import AUDITED, Confinement
from podium.agents.confine.room import Enclose, Enclosed, Room, tidy, unconfined
from podium.agents.protocol import Agent
from podium.core.contract import Contract
from podium.core.errors import PodiumError
from podium.engine.attempts.view import View, promised, work_folder
from podium.engine.session import Session

_ODD = frozenset({"", ".", ".."})


class Held:
    """Encloses every program of one dispatch, and records whether there was any."""

    def __init__(self, confinement: Confinement | None = None, room: Room | None = None) -> None:
        self.used = False
        self.room = room
        """None if the dispatch is not confined."""
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
        return enclosed

    @property
    def confined(self) -> bool:
        return self.room is not None

    @property
    def assurance(self) -> dict[str, str]:
        """What was enforced. An agent that started no program did its work elsewhere, where nothing was enforced."""
        return dict(self._assurance if self.used else AUDITED)


def confinement_of(session: Session, agent: Agent) -> Confinement | None:
    """How this agent is confined; a person or a scenario is not, since no room could enclose what they do."""
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
    if confinement is None:
        return Held()
    real = os.path.realpath(view.folder)
    writable = _writable(view, contract, real)
    room = Room(
        folder=view.folder,
        scratch=view.scratch,
        writable=(*writable, *confinement.writable, *_lent(agent, model=model is not None)),
        fixed=_fixed(view, contract, real, writable),
        readable=(*_borrowed(session, view), *confinement.readable),
        network=confinement.network_of(model=model is not None),
        model=model,
        port=port,
    )
    if room.scratch.is_dir():
        tidy(room)  # leftovers of an engine that was killed
    return Held(confinement, room)


def _lent(agent: Agent | None, *, model: bool) -> tuple[Path, ...]:
    """The user's own folders that the agent works with, such as its login; none if its model is behind the gateway."""
    own: Callable[[bool], tuple[Path, ...]] | None = getattr(agent, "own_folders", None)
    return own(model) if own is not None else ()


def _borrowed(session: Session, view: View) -> tuple[Path, ...]:
    return session.services.workspace().borrowed(view.code) if view.code is not None else ()


def _writable(view: View, contract: Contract, real: str) -> tuple[Path, ...]:
    """All of the code if the step may change code, otherwise the folders of its outputs."""
    if contract.code == "write":
        return (view.folder,)
    base, root = str(view.folder), str(work_folder(view))
    folders = {os.path.dirname(f"{root}/{path}") for path in (*view.outputs, *view.patterns)}
    found = {_inside(base, real, each) for each in folders}
    return tuple(sorted(Path(each) for each in found if not any(each.startswith(f"{other}/") for other in found)))


def _inside(base: str, real: str, path: str) -> str:
    """The real place of a path of the view, under the view's own name; refused if a link leads it out of the view."""
    found = _really(base, real, path)
    if found != real and not found.startswith(f"{real}/"):
        raise PodiumError(f"{path} is a link that leads out of the view, to {found}")
    return base + found[len(real) :]


def _really(base: str, real: str, path: str) -> str:
    """A path without links. For one in the view, whose real place is `real`, only the part below is resolved."""
    if path == base:
        return real
    if not path.startswith(f"{base}/"):
        return os.path.realpath(path)
    at = real
    for part in path[len(base) + 1 :].split("/"):
        at = f"{at}/{part}"
        if part in _ODD or os.path.islink(at):
            return os.path.realpath(path)
    return at


def _fixed(view: View, contract: Contract, real: str, writable: Sequence[Path]) -> tuple[Path, ...]:
    """Inputs that are next to outputs, and the repository of code that may only be read."""
    if contract.code == "write":
        return ()
    base, root, outputs = str(view.folder), str(work_folder(view)), set(promised(view))
    inputs = [f"{root}/{path}" for path in sorted(view.manifest) if path not in outputs]
    # An input behind a link is left to the audit: it has no place of its own that could be made read-only.
    found = [each for each in inputs if _really(base, real, each) == real + each[len(base) :]]
    if view.code is not None:
        found.append(f"{base}/.git")
    folders = [str(each) for each in writable]
    return tuple(Path(each) for each in found if any(each == other or each.startswith(f"{other}/") for other in folders))
