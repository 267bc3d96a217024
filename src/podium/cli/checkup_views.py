"""How agents and commands get to see the code on this machine, found by really mounting."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from podium.cli.finding import Finding
from podium.core.errors import InputError, PodiumError
from podium.engine.views.code_view import Kind
from podium.engine.views.machine import support
from podium.engine.workspace import Workspace
from podium.settings.project import state_folder
from podium.settings.sources import load

_MEANING: dict[Kind, str] = {
    "overlay": "private layers over the code, at the project's own path",
    "bound": "a copy of all files for each step, at the project's own path",
    "copy": "a copy of all files for each step, at another path: what is installed under absolute "
    "paths leads to the checkout",
}


def views(project: Path) -> Iterator[Finding]:
    try:
        settings = load(project, os.environ)
    except InputError:
        return  # reported by the check of the settings
    own = settings.store.views
    place = project / own if own else state_folder(os.environ) / "views"
    try:
        top = Workspace.find(project, project / ".podium").toplevel
        given = support(place, settings.view.kind, top)
    except PodiumError:
        return  # reported by the check of git
    except OSError as fault:
        yield Finding("views", "fail", f"{place}: {fault.strerror}", "set [store] views")
        return
    what = f"{given.kind}: {_MEANING[given.kind]}"
    chosen = settings.view.kind != "auto" and given.kind == settings.view.kind
    if given.kind == "overlay" or chosen:
        yield Finding("views", "ok", what)
    else:
        yield Finding("views", "warn", f"{what}; {given.why}", given.way_out)
