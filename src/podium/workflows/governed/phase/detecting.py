"""How the project of a phase is built and tested if nobody configured it: detected from its
files.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from podium.workflows import ecosystems


def detected(found: Sequence[Mapping[str, Any]], files: Sequence[str]) -> dict[str, str]:
    """The commands found, by their names in the settings, for the project that most of these
    files belong to.
    """
    seen = next((each for each in found if each["name"] == "survey"), None)
    if seen is None:
        return {}
    texts = {path: text for path, text in seen["texts"].items() if text is not None}
    chosen = ecosystems.nearest(ecosystems.detect(seen["files"], texts), files)
    if chosen is None:
        return {}
    inside = f"cd {shlex.quote(chosen.directory)} && " if chosen.directory else ""
    known = (("build", chosen.build), ("test", chosen.test), ("lint", chosen.lint))
    return {name: f"{inside}{line}" for name, line in known if line}
