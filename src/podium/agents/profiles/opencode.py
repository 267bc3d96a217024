"""opencode: all its settings fit into one variable."""

from __future__ import annotations

import json
from typing import Any

from podium.agents.profiles.profile import (
    Acp,
    Endpoint,
    Launch,
    Profile,
    SettingsFile,
    Start,
)

_QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
}
_NO_FILES = {"OPENCODE_DISABLE_PROJECT_CONFIG": "1", "OPENCODE_DISABLE_CLAUDE_CODE": "1"}
_OWN = "podium"
_BESIDE_V1 = {"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"}
"""Providers it knows, with what their clients expect at the end of an address."""
_ADDRESSES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
    "google": "GOOGLE_GEMINI_BASE_URL",
}
_SETTINGS = ("opencode.json", "opencode.jsonc")


def _headless(start: Start) -> Launch:
    argv = ["run", "--format", "json", "--dir", str(start.folder)]
    if start.session:
        argv += ["-s", start.session]
    if start.model:
        argv += ["-m", _model(start)]
    shell = "deny" if start.permissions == "edits" else "allow"
    outside = "allow" if start.permissions == "all" else "deny"
    allowed = {"edit": "allow", "bash": shell, "webfetch": shell, "external_directory": outside}
    return Launch(tuple(argv), _variables(start, allowed))


def _acp(start: Start) -> Launch:
    asked = {"edit": "ask", "bash": "ask", "webfetch": "ask", "external_directory": "ask"}
    return Launch(("acp", "--cwd", str(start.folder)), _variables(start, asked))


def _variables(start: Start, permission: dict[str, str]) -> dict[str, str]:
    table: dict[str, Any] = {"autoupdate": False, "share": "disabled", "permission": permission}
    if start.endpoint is None:
        table |= _addresses(start)
    elif start.model:
        table |= _provider(start.endpoint, _model(start))
    if start.tools is not None:
        command = [start.tools.command, *start.tools.args]
        table["mcp"] = {
            start.tools.name: {
                "type": "local",
                "command": command,
                "environment": dict(start.tools.env),
            }
        }
    keys = {} if start.endpoint is not None else dict(start.keys)
    hidden = {} if start.ambient else _NO_FILES
    return {**keys, **_QUIET, **hidden, "OPENCODE_CONFIG_CONTENT": json.dumps(table)}


def _addresses(start: Start) -> dict[str, Any]:
    given = {}
    for name, variable in _ADDRESSES.items():
        if url := start.keys.get(variable):
            beside = "" if name == "openai" else _BESIDE_V1[name]
            whole = url if url.endswith(beside) else url.rstrip("/") + beside
            given[name] = {"options": {"baseURL": whole}}
    return {"provider": given} if given else {}


def _model(start: Start) -> str:
    """The model with its provider. Behind a gateway, ours stands for every provider that
    opencode does not know.
    """
    known = start.model.partition("/")[0] in _BESIDE_V1
    return start.model if known or start.endpoint is None else f"{_OWN}/{start.model}"


def _provider(endpoint: Endpoint, model: str) -> dict[str, Any]:
    name, _, rest = model.partition("/")
    options = {"baseURL": f"{endpoint.url}{_BESIDE_V1.get(name, '/v1')}", "apiKey": endpoint.key}
    provider: dict[str, Any] = {"options": options}
    if name == _OWN:
        provider |= {
            "npm": "@ai-sdk/openai-compatible",
            "name": _OWN,
            "models": {rest: {"name": rest, "tool_call": True}},
        }
    return {
        "model": model,
        "small_model": model,
        "enabled_providers": [name],
        "provider": {name: provider},
    }


OPENCODE = Profile(
    name="opencode",
    title="opencode",
    program="opencode",
    install="npm install -g opencode-ai",
    headless=_headless,
    keys=(
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENROUTER_API_KEY",
        "OPENCODE_API_KEY",
        *_ADDRESSES.values(),
    ),
    settings=tuple(
        SettingsFile(
            f"{folder}{file}",
            variable,
            f"provider.{name}.options.baseURL",
            project=own,
            key_at=f"provider.{name}.options.apiKey",
        )
        for name, variable in _ADDRESSES.items()
        for file in _SETTINGS
        for folder, own in ((".config/opencode/", False), ("", True), (".opencode/", True))
    ),
    secrets=(
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENROUTER_API_KEY",
        "OPENCODE_API_KEY",
    ),
    stream="opencode",
    shapes=("chat", "anthropic", "responses", "gemini"),
    login=(".local/share/opencode", ".config/opencode"),
    ambient=("AGENTS.md", "CLAUDE.md", "opencode.json", ".opencode/"),
    versions=("1.18.33",),
    resumes=True,
    needs_model=True,
    acp=Acp("opencode", "npm install -g opencode-ai", _acp),
    note="asks the model for a title beside every task",
    login_hint="opencode auth login",
)
