"""Kimi Code."""

from __future__ import annotations

import json

from podium.agents.profiles.profile import Acp, Habits, Launch, Profile, SettingsFile, Start

_OWN = "podium"
_CONTEXT = 100_000
"""Tokens. It wants to know, and a smaller model is of no use to it."""


def _headless(start: Start) -> Launch:
    model = ("-m", start.model) if start.model and start.endpoint is None else ()
    return Launch(
        ("-p", "{prompt}", "--output-format", "stream-json", *model),
        _variables(start),
        _files(start),
    )


def _acp(start: Start) -> Launch:
    return Launch(("acp",), _variables(start), _files(start))


def _files(start: Start) -> dict[str, str]:
    tools = (
        {".kimi-code/mcp.json": json.dumps({"mcpServers": start.tools.table()})}
        if start.tools
        else {}
    )
    if start.endpoint is None:
        return tools
    lines = [
        f'default_model = "{_OWN}"',
        "telemetry = false",
        f"[providers.{_OWN}]",
        'type = "openai"',
        f"base_url = {json.dumps(start.endpoint.url + '/v1')}",
        f"api_key = {json.dumps(start.endpoint.key)}",
        f"[models.{_OWN}]",
        f'provider = "{_OWN}"',
        f"model = {json.dumps(start.model)}",
        f"max_context_size = {_CONTEXT}",
    ]
    return {**tools, ".kimi-code/config.toml": "\n".join(lines) + "\n"}


def _variables(start: Start) -> dict[str, str]:
    keys = {} if start.endpoint is not None else dict(start.keys)
    return {**keys, "KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1"}


KIMI = Profile(
    name="kimi",
    title="Kimi Code",
    program="kimi",
    install="npm install -g @moonshot-ai/kimi-code",
    headless=_headless,
    keys=("KIMI_API_KEY", "KIMI_BASE_URL"),
    settings=(SettingsFile(".kimi-code/config.toml", "KIMI_BASE_URL", "providers.*.base_url"),),
    secrets=("KIMI_API_KEY",),
    stream="kimi",
    tells_tokens=False,
    shapes=("chat",),
    login=(".kimi-code",),
    moved={".kimi-code": "KIMI_CODE_HOME"},
    ambient=("AGENTS.md",),
    versions=("2.1.0",),
    tools_in_settings=True,
    always=("AGENTS.md",),
    needs_model=True,
    acp=Acp(
        "kimi",
        "npm install -g @moonshot-ai/kimi-code",
        _acp,
        mode="default",
        habits=Habits(writes_out=True),
    ),
    note=(
        "runs every tool without asking; says nothing about tokens; cannot be told to leave "
        "AGENTS.md alone"
    ),
    login_hint="kimi login",
)
