"""How commands start a workflow of one's own, and get it back for a run under way."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from podium.api.workflow import Workflow
from podium.checking.examining import examine
from podium.checking.telling import told
from podium.core.errors import Fault, InputError, UsageError
from podium.core.workflow import Workflow as CoreWorkflow
from podium.workflows.entry import Entry, Read, Start

LONGEST_INPUT = 50_000


@dataclass(frozen=True)
class Definition:
    """Where a workflow comes from; a run keeps it, so that an edit of the file changes no run."""

    source: str
    """The path or the package."""
    text: str = ""
    """The file as it was; empty for an installed package."""
    name: str = ""
    """The class in it."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest() if self.text else ""

    def data(self) -> dict[str, str]:
        return {"source": self.source, "text": self.text, "name": self.name}


def entry_of(
    kind: type[Workflow], definition: Definition, load: Callable[[Definition], type[Workflow]]
) -> Entry:
    """`load`: a definition that a run kept to its class."""
    sample = kind()

    def remake(kept: Mapping[str, Any], policy: Mapping[str, Any]) -> CoreWorkflow:
        known = Definition(**{name: str(kept[name]) for name in ("source", "text", "name")})
        same = known == definition
        return (kind if same else load(known))(own_values(policy, kind))

    return Entry(
        name=kind.name,
        summary=(kind.__doc__ or "").strip().partition("\n")[0],
        takes=kind.input.upper() if kind.input else "",
        start=partial(_start, kind, definition),
        sample=lambda policy, _read, _scaffold: kind(own_values(policy, kind)),
        remake=remake,
        dialects=sample.dialects,
        retries=lambda _: {"validation": 3, "violation": 1},
    )


def own_values(policy: Mapping[str, Any], kind: type[Workflow]) -> dict[str, Any]:
    """The values that are this workflow's own; those that every workflow knows are the engine's."""
    from podium.settings.policies import COMMON  # noqa: PLC0415 - a sibling layer

    own = kind.Settings.defaults()
    return {name: value for name, value in policy.items() if name in own or name not in COMMON}


def _start(
    kind: type[Workflow],
    definition: Definition,
    inputs: Sequence[str],
    policy: Mapping[str, Any],
    _options: Mapping[str, Any],
    _read: Read,
) -> Start:
    text = " ".join(inputs).strip()
    if kind.input and not text:
        raise UsageError(f'{kind.name} takes {kind.input}: podium run {definition.source} "…"')
    if not kind.input and text:
        raise UsageError(f"{kind.name} takes no input")
    if len(text) > LONGEST_INPUT:
        what = f"has {len(text):,} characters, {LONGEST_INPUT:,} at most are read"
        raise InputError(Fault("the input", what, "put the details in a file and name that"))
    slug = _slug(text or kind.name)
    workflow = kind(own_values(policy, kind))
    _require_sound(workflow, definition.source)
    return Start(
        workflow=workflow,
        members={"input": text, "slug": slug},
        definition=definition.data(),
        slug=slug,
        title=text.partition("\n")[0][:80] or kind.name,
        scope=f"{kind.name}/{hashlib.sha256(text.encode()).hexdigest()[:12]}",
    )


def _require_sound(workflow: Workflow, where: str) -> None:
    """What `podium check` refuses is not begun."""
    faults = [fault for part in examine(workflow).family() for fault in part.violations]
    if faults:
        way = "; ".join(told(faults[0])) if faults[0].path else faults[0].detail
        raise InputError(
            Fault(where, f"{faults[0].name}: {way}", f"`podium check {where}` shows the whole way")
        )


def _slug(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.casefold())
    return "-".join(words)[:24].strip("-") or "run"
