"""GitHub Copilot CLI. Behind a gateway it works with any model and without a login."""

from __future__ import annotations

import json
from collections.abc import Mapping

from podium.agents.profiles.profile import Acp, Habits, Launch, Permissions, Profile, Start

_SERVERS = "podium-mcp.json"
_QUIET = (
    "--no-auto-update",
    "--disable-builtin-mcps",
    "--no-ask-user",
    "--disable-client-telemetry",
)
_ALLOWED: Mapping[Permissions, tuple[str, ...]] = {
    "edits": ("--allow-tool", "write"),
    "commands": ("--allow-tool", "write", "--allow-tool", "shell"),
    "all": ("--yolo",),
}


def _headless(start: Start) -> Launch:
    argv = [
        "-p",
        "{prompt}",
        "--output-format",
        "json",
        *_QUIET,
        *_ALLOWED[start.permissions],
        *_hidden(start),
    ]
    files = {}
    if start.tools is not None:
        files[_SERVERS] = json.dumps({"mcpServers": {start.tools.name: _server(start)}})
        argv += [
            "--additional-mcp-config",
            f"@{start.home / _SERVERS}",
            "--allow-tool",
            start.tools.name,
        ]
    if start.model and start.endpoint is None:
        argv += ["--model", start.model]
    return Launch(tuple(argv), _variables(start), files)


def _server(start: Start) -> dict[str, object]:
    assert start.tools is not None
    return {**start.tools.table()[start.tools.name], "type": "local", "tools": ["*"]}


def _acp(start: Start) -> Launch:
    return Launch(
        ("--acp", "--no-auto-update", "--disable-builtin-mcps", *_hidden(start)), _variables(start)
    )


def _hidden(start: Start) -> tuple[str, ...]:
    return () if start.ambient else ("--no-custom-instructions",)


def _variables(start: Start) -> dict[str, str]:
    quiet = {"COPILOT_AUTO_UPDATE": "false"}
    if start.endpoint is None:
        return {**quiet, **start.keys}
    return {
        **quiet,
        "COPILOT_PROVIDER_BASE_URL": f"{start.endpoint.url}/v1",
        "COPILOT_PROVIDER_API_KEY": start.endpoint.key,
        "COPILOT_MODEL": start.model,
        "COPILOT_OFFLINE": "true",
    }


COPILOT = Profile(
    name="copilot",
    title="GitHub Copilot CLI",
    program="copilot",
    install="npm install -g @github/copilot",
    headless=_headless,
    keys=(
        "COPILOT_GITHUB_TOKEN",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "COPILOT_PROVIDER_BASE_URL",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_MODEL",
    ),
    secrets=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY"),
    stream="copilot",
    tells_tokens=False,
    shapes=("chat",),
    login=(".copilot",),
    moved={".copilot": "COPILOT_HOME"},
    ambient=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"),
    versions=("1.0.102",),
    needs_model=True,
    acp=Acp(
        "copilot",
        "npm install -g @github/copilot",
        _acp,
        mode="agent",
        mcp="http",
        always=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"),
        habits=Habits(notices="Info: (?:Operation cancelled by user|/.*)", complaints="Error: .*"),
    ),
    note=(
        "unpacks 235 MB into a new HOME with every start; by ACP it cannot be told to leave "
        "AGENTS.md alone"
    ),
    login_hint="copilot, then /login",
)
