"""Which workflows there are, by name, and how one is made for a project."""

from __future__ import annotations

import os
import pkgutil
from importlib.resources import files
from pathlib import Path

import podium.workflows
from podium.core.errors import UsageError
from podium.core.workflow import Workflow
from podium.settings.policies import WORKFLOWS
from podium.settings.schema import nearest


def names() -> tuple[str, ...]:
    """The workflows of this version: one package each."""
    return tuple(sorted(each.name for each in pkgutil.iter_modules(podium.workflows.__path__) if each.ispkg))


def checked(name: str) -> str:
    """The name, if there is such a workflow; else what was probably meant."""
    known = names()
    if name in known:
        return name
    if name in WORKFLOWS:
        raise UsageError(f"the workflow {name} is not part of this version; there is: {', '.join(known)}")
    match = nearest(name, known)
    raise UsageError(
        f"there is no workflow {name!r}"
        + (f"; did you mean {match}?" if match else f"; there is: {', '.join(known)}")
    )


def workflow(name: str, project: Path) -> Workflow:
    """The workflow as this project has it: its policy, and its own stage list where there is one."""
    from podium.settings import load  # noqa: PLC0415
    from podium.workflows.harness.stages import parse_stages  # noqa: PLC0415 - one workflow, not all
    from podium.workflows.harness.workflow import Harness  # noqa: PLC0415

    policy = load(project, os.environ).policy_of(checked(name))
    own = project / "harness" / "stages.toml"
    shipped = files("podium.workflows.harness") / "scaffold" / "stages.toml"
    text = own.read_text(encoding="utf-8") if own.is_file() else shipped.read_text(encoding="utf-8")
    return Harness(parse_stages(text, "harness/stages.toml"), policy["max_remediations"])
