"""What a dispatch is given to read, taken from the project once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from podium.core.contract import Contract
from podium.core.digest import MISSING, digest
from podium.engine.session import UNREADABLE, Session
from podium.state.regular import read_regular


@dataclass(frozen=True)
class Inputs:
    """A contract's inputs as they were read, once: what is hashed, quoted and placed in the view
    are the same bytes, whatever becomes of the files meanwhile.
    """

    data: Mapping[str, bytes]
    """Path to content, of those that can be read."""
    digests: Mapping[str, str]

    def text(self, path: str) -> str:
        return self.data.get(path, b"").decode(errors="replace")


def read(session: Session, contract: Contract) -> Inputs:
    data: dict[str, bytes] = {}
    digests: dict[str, str] = {}
    for each in contract.inputs:
        where = f"{session.root}/{each.path}"
        content = read_regular(where)
        if content is not None:
            data[each.path] = content
            digests[each.path] = digest(content)
        else:
            digests[each.path] = UNREADABLE if os.path.lexists(where) else MISSING
    return Inputs(data, digests)


def absent(contract: Contract, inputs: Inputs) -> list[str]:
    """Required inputs that are missing: the stage cannot proceed within its contract."""
    return [each.path for each in contract.inputs if each.required and each.path not in inputs.data]
