"""A gateway before a scripted model, and clients of every shape that go through it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from podium.agents.gateway.budgets import Cap, Purse, Purses
from podium.agents.gateway.gateway import Gateway
from podium.agents.gateway.passes import Pass
from podium.agents.gateway.providers import Route
from podium.agents.scripted_model.script import Script, Step, Tokens
from podium.agents.scripted_model.server import Played, ScriptedModel

CLIENT = Path(__file__).parents[2] / "fakes" / "model_client.py"
KEY = "real-key-0123456789abcdef"
SHAPES = ("anthropic", "responses", "chat", "gemini")
PROVIDER = {"anthropic": "anthropic", "responses": "openai", "chat": "openai", "gemini": "gemini"}
PATHS = {
    "anthropic": "/v1/messages",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/m:{}",
}
WORDS = Script((Step("words", tokens=Tokens(1000, 50)),), loop=True)


def body(
    shape: str, *, stream: bool = False, model: str = "m", text: str = "go", **more: Any
) -> dict[str, Any]:
    if shape == "gemini":
        return {"contents": [{"role": "user", "parts": [{"text": text}]}], **more}
    found: dict[str, Any] = {"model": model, "stream": stream, **more}
    return (
        {**found, "input": text}
        if shape == "responses"
        else {**found, "messages": [{"role": "user", "content": text}]}
    )


def path(shape: str, *, stream: bool = False) -> str:
    return PATHS[shape].format("streamGenerateContent?alt=sse" if stream else "generateContent")


@dataclass
class World:
    """One model, one gateway, as many dispatches as a test admits."""

    model: ScriptedModel
    gateway: Gateway
    left: list[Any] = field(default_factory=list)

    def route(self, shape: str = "anthropic", **more: Any) -> Route:
        mount = "/v1" if PROVIDER[shape] == "openai" else ""
        return Route(
            PROVIDER[shape], self.model.url + mount, **{"key": KEY, "key_env": "REAL_KEY", **more}
        )

    @asynccontextmanager
    async def admitted(
        self, shape: str = "anthropic", *, cap: Cap | None = None, tcp: bool = True, **more: Any
    ) -> AsyncIterator[Pass]:
        async with self.gateway.admit(
            "r1/step", self.route(shape, **more), own=Purse(cap or Cap(), whose="the step"), tcp=tcp
        ) as pass_:
            yield pass_

    async def ask(
        self,
        pass_: Pass,
        shape: str = "anthropic",
        *,
        stream: bool = False,
        token: str = "",
        **more: Any,
    ) -> httpx.Response:
        async with client(pass_, token) as there:
            return await there.post(
                path(shape, stream=stream), json=body(shape, stream=stream, **more)
            )


def client(pass_: Pass, token: str = "", **more: Any) -> httpx.AsyncClient:
    """On the pass's own unix socket."""
    transport = httpx.AsyncHTTPTransport(uds=str(pass_.socket), verify=False)
    return httpx.AsyncClient(
        transport=transport,
        base_url="http://gateway",
        headers={"x-api-key": token or pass_.token},
        timeout=30,
        **more,
    )


def run(
    test: Callable[[World], Awaitable[None]],
    played: Played | None = WORDS,
    purse: Purse | None = None,
    **more: Any,
) -> World:
    """Play a test in a world of its own."""

    async def main() -> World:
        async with ScriptedModel(played) as model:
            world = World(model, Gateway(Purses((purse or Purse(),)), **more))
            try:
                async with asyncio.timeout(60):
                    await test(world)
            finally:
                await world.gateway.close()
            return world

    return asyncio.run(main())


async def talk(
    pass_: Pass,
    shape: str,
    prompt: str,
    cwd: Path,
    *options: str,
    env: dict[str, str] | None = None,
) -> tuple[int, str, str]:
    """The whole client as a program, on loopback."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", str(CLIENT), shape, pass_.base_url(), pass_.token, *options),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), **(env or {})},
    )
    out, errors = await process.communicate(prompt.encode())
    return process.returncode or 0, out.decode().strip(), errors.decode()
