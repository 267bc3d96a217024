"""The model's next turn, computed from the request alone; only faults remember how often they
were played.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from podium.agents.scripted_model.conversation import Conversation, Reply, ToolCall
from podium.agents.scripted_model.scenes import Scene, Source
from podium.agents.scripted_model.script import (
    Json,
    Read,
    Step,
    Tokens,
    Write,
    filled,
    usual_tokens,
)
from podium.agents.scripted_model.tools import call_for

SIDE = Tokens(10, 2)
"""The usage of an answer that no script defines: to a request for a title, a quota probe, a
check.
"""
_ROUTED = {
    "reasoning": "scripted",
    "model_choice": "flash",
    "complexity_score": 1,
    "next_speaker": "user",
}
"""What agents ask small models for as JSON; harmless in all cases."""


@dataclass(frozen=True)
class Planned:
    """A turn, with what the record says about it."""

    reply: Reply
    step: Step
    scene: Scene | None
    attempt: int
    note: str = ""


class Turns:
    """Plans turns. It only remembers how often each step was asked for."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)
        self._attempts: dict[tuple[str, int], int] = {}

    def plan(self, said: Conversation) -> Planned:
        scene = next((found for each in self._sources if (found := each.scene(said))), None)
        step = scene.script.step(scene.step) if scene else None
        if scene is None or step is None:
            return self._side(said, scene, "past the end" if scene else "no script")
        if step.acts and not said.tools:
            return self._side(said, scene, "no tools")
        step = filled(step, scene.values)
        text, calls, note = _played(step, said, scene.values.get("cwd", ""))
        key = (scene.ident, scene.step)
        self._attempts[key] = self._attempts.get(key, 0) + 1
        tokens = step.tokens or usual_tokens(scene.step)
        reply = Reply(_ident(scene), said.model, text or ("" if calls else "ok"), calls, tokens)
        return Planned(reply, step, scene, self._attempts[key], note)

    def _side(self, said: Conversation, scene: Scene | None, note: str) -> Planned:
        text = json.dumps(_ROUTED) if said.wants_json else "ok"
        ident = hashlib.sha256(repr(said.turns).encode()).hexdigest()[:20]
        return Planned(Reply(ident, said.model, text, (), SIDE), Step(text), scene, 1, note)


def _played(step: Step, said: Conversation, cwd: str) -> tuple[str, tuple[ToolCall, ...], str]:
    text, note = step.say, ""
    calls: list[ToolCall] = []
    for act in step.acts:
        placed = (
            replace(act, path=_absolute(act.path, cwd)) if isinstance(act, Read | Write) else act
        )
        call = call_for(placed, said.tools)
        if call is not None:
            calls.append(call)
        elif isinstance(act, Json):
            text = json.dumps(act.data)
        else:
            note = f"no tool for {type(act).__name__.lower()}"
    return text, tuple(calls), note


def _absolute(path: str, cwd: str) -> str:
    """Make a path absolute, since some tools accept no relative one."""
    return f"{cwd.rstrip('/')}/{path}" if cwd and not path.startswith("/") else path


def _ident(scene: Scene) -> str:
    return hashlib.sha256(f"{scene.ident}\0{scene.step}".encode()).hexdigest()[:20]
