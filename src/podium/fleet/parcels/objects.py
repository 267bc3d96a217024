"""Git objects written without git: a parcel has many small ones per event, and git processes would cost more.

Nothing is synced: a parcel counts once the remote has it.
"""

from __future__ import annotations

from collections.abc import Mapping

from podium.engine.git.git import Git
from podium.engine.git.objects import FOLDER
from podium.engine.git.objects import Objects as Lasting


class Objects(Lasting):
    """The loose objects of a worker's repository."""

    def __init__(self, git: Git) -> None:
        super().__init__(git, git.word("rev-parse", "--show-object-format"), lasting=False)

    def trees(self, paths: Mapping[str, tuple[str, str]]) -> str:
        """Write the trees of all levels from paths with their mode and id."""
        here: dict[str, tuple[str, str]] = {}
        below: dict[str, dict[str, tuple[str, str]]] = {}
        for path, entry in paths.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = entry
            else:
                here[name] = entry
        return self.tree(here | {name: (FOLDER, self.trees(inner)) for name, inner in below.items()})
