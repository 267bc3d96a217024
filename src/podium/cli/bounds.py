"""The bounds set by a project's policy and settings: retries of a dispatch, and what a run may
use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.budget import Caps
from podium.core.retry import Policy
from podium.core.workflow import Workflow
from podium.settings.values import Settings
from podium.workflows.catalog import entry
from podium.workflows.entry import Entry


def limits(name: str | Entry, policy: Mapping[str, Any]) -> Policy:
    """How often a dispatch may be repeated, according to the project's policy."""
    return (entry(name) if isinstance(name, str) else name).retry(policy)


def caps(
    settings: Settings, name: str | Entry, workflow: Workflow | None, policy: Mapping[str, Any]
) -> Caps:
    """The tighter of the project's caps and the workflow's own; without a workflow, only the
    project's.
    """
    known = entry(name) if isinstance(name, str) else name
    own = known.caps(known.defined(workflow), policy) if workflow is not None else {}
    return Caps(**vars(settings.budget)).tightened(own)
