"""Dispatches to the fake agent, with a scripted model behind it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.jobs import Stage, run

from podium.agents.acp.agent import AcpAgent
from podium.agents.acp.launch import Plain
from podium.agents.protocol import Answer, Job
from podium.agents.scripted_model.script import Script, Step, Tool
from podium.agents.scripted_model.server import ScriptedModel
from podium.core.contract import Brief, CodeAccess
from podium.workflows.harness.dialects import WORK

FAKE = Path(__file__).parents[2] / "fakes" / "acp_agent.py"


def doing(*acts: Any, say: str = "All done.", loop: bool = False) -> Script:
    """One act a turn, then words."""
    return Script((*(Step(acts=(each,)) for each in acts), Step(say)), loop)


def tool(name: str, **given: Any) -> Tool:
    return Tool(name, given)


@dataclass
class Talk:
    """A folder, a model, and the fake agent between them."""

    stage: Stage
    model: ScriptedModel
    words: str = ""
    permissions: Any = "policy"
    silence_s: float | None = None
    mode: str = ""
    turns: int | None = None
    env: dict[str, str] = field(default_factory=dict)

    def agent(self) -> AcpAgent:
        home = self.stage.root / "home"
        home.mkdir(exist_ok=True)
        env = {
            "MODEL_URL": self.model.url,
            "MODEL_KEY": "dummy",
            "HOME": str(home),
            "FAKE_ACP": self.words,
            **self.env,
        }
        plain = Plain((sys.executable, str(FAKE)), env, self.mode, self.turns)
        return AcpAgent("fake", plain, permissions=self.permissions, silence_s=self.silence_s)

    def job(self, script: str, code: CodeAccess = "none", **changes: Any) -> Job:
        prompt = f"Do it. [[script:{script} cwd={self.stage.folder}]]\n"
        brief = Brief("specification", "po-spec", "", "", "", (), (), code, (), ())
        return self.stage.job(
            **{"prompt": prompt, "brief": brief, "verdict_schema": WORK.schema, **changes}
        )

    def run(self, script: str, code: CodeAccess = "none", **changes: Any) -> Answer:
        return run(self.agent().perform(self.job(script, code, **changes)))

    def told(self, kind: str) -> list[dict[str, Any]]:
        return self.stage.acts(kind)

    def decisions(self) -> list[tuple[str, str]]:
        return [(each["decision"], each.get("why", "")) for each in self.told("permission")]

    def results(self) -> list[str]:
        """What the agent told its model that its tools came to."""
        asked = [each for each in self.model.calls if each.body and each.script]
        messages = asked[-1].body["messages"] if asked else []
        return [each["content"] for each in messages if each["role"] == "tool"]


@contextmanager
def talking(
    root: Path, scripts: Mapping[str, Script] | None = None, words: str = "", **more: Any
) -> Iterator[Talk]:
    with ScriptedModel(scripts or {}) as model:
        yield Talk(Stage(root), model, words, **more)


async def cancelled(
    talk: Talk, script: str, after: asyncio.Event | float, **changes: Any
) -> Answer | None:
    """Perform, and cancel from outside; None where it was cancelled."""
    task = asyncio.ensure_future(talk.agent().perform(talk.job(script, **changes)))
    await (after.wait() if isinstance(after, asyncio.Event) else asyncio.sleep(after))
    task.cancel()
    try:
        return await task
    except asyncio.CancelledError:
        return None
