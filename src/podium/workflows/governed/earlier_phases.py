"""Phases of earlier plans, read from the documents that record their completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.workflows.governed import paths
from podium.workflows.governed.memory import session_outcome
from podium.workflows.governed.memory.task_cache import Done
from podium.workflows.governed.phase.documents import phase_done
from podium.workflows.governed.policy.policy import Policy

_DOCUMENT = re.compile(rf"{paths.FOLDER}/(.+-plan)-phase-(\d{{1,4}})-complete\.md")


def wanted(policy: Policy) -> Callable[[Sequence[str]], list[str]]:
    """Which project files are read: documents of phases, and the log that shows in which order
    plans were done.
    """
    log = paths.log_path(policy)
    return lambda files: (
        [path for path in files if path == log or _DOCUMENT.fullmatch(path)]
        if policy.flag("task_cache.enabled")
        else []
    )


def done(found: Sequence[Mapping[str, Any]], task: str, policy: Policy) -> tuple[Done, ...]:
    """What other tasks have done, oldest first; a plan that is not in the log counts as the
    oldest.
    """
    texts: Mapping[str, str | None] = next(
        (each["texts"] for each in found if each["name"] == "survey"), {}
    )
    log = texts.get(paths.log_path(policy)) or ""
    order = [
        session_outcome.entry_fields(each).get("Plan ID", "")
        for each in session_outcome.entries(log)
    ]
    known = []
    for path, text in texts.items():
        match = _DOCUMENT.fullmatch(path)
        if (
            match is None
            or match[1] == paths.plan_id(task)
            or (read := phase_done(text or "")) is None
        ):
            continue
        place = max((at for at, name in enumerate(order) if name == match[1]), default=-1)
        known.append((place, match[1], int(match[2]), Done(match[1], *read)))
    return tuple(each for *_, each in sorted(known, key=lambda each: each[:3]))
