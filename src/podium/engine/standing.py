"""The state of the person's checkout, for judges of what an agent's git commands would do to it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from podium.engine.git import checkout
from podium.engine.workspace import Workspace

_GIT = re.compile(r"\bgit\b")


def standing(workspace: Workspace, commands: Iterable[str]) -> tuple[str, bool]:
    """The branch, and whether its last commit is on a remote; empty if no command mentions git."""
    if workspace.kind != "repository" or not any(map(_GIT.search, commands)):
        return "", False
    known = workspace.git.maybe(
        "for-each-ref", "--count=1", "--contains=HEAD", "--format=%(refname)", "refs/remotes"
    )
    return checkout.current(workspace.git), bool(known)
