"""Claude Code."""

from __future__ import annotations

import json
from collections.abc import Mapping

from podium.agents.profiles.profile import (
    Acp,
    Launch,
    Permissions,
    Profile,
    SettingsFile,
    Start,
)

_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    # Otherwise it hides the servers' tools until the model searches for them.
    "ENABLE_TOOL_SEARCH": "false",
}
_FOR_ITSELF = {
    "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION": "false",
    "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
}
"""Switches off model calls that only serve a person at a screen."""
_MODES: Mapping[Permissions, str] = {
    "edits": "acceptEdits",
    "commands": "acceptEdits",
    "all": "bypassPermissions",
}
_SERVERS = "podium-mcp.json"
_ADDRESS = ("ANTHROPIC_BASE_URL", "env.ANTHROPIC_BASE_URL")


def _headless(start: Start) -> Launch:
    argv = [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-mode",
        _MODES[start.permissions],
    ]
    # Without sources it reads neither CLAUDE.md nor AGENTS.md, and nobody's settings or hooks.
    argv += [
        "--setting-sources",
        "user,project,local" if start.ambient else "",
        "--strict-mcp-config",
    ]
    files = {}
    allowed = ["Bash"] if start.permissions == "commands" else []
    if start.tools is not None:
        files[_SERVERS] = json.dumps({"mcpServers": start.tools.table()})
        argv += ["--mcp-config", str(start.home / _SERVERS)]
        allowed += [f"mcp__{start.tools.name}__{tool}" for tool in ("report", "ask")]
    if allowed:
        argv += ["--allowedTools", ",".join(allowed)]
    if start.schema_text:
        argv += ["--json-schema", start.schema_text]
    if start.turns is not None:
        argv += ["--max-turns", str(start.turns)]
    if start.model:
        argv += ["--model", start.model]
    if start.session:
        argv += ["--resume", start.session]
    return Launch(tuple(argv), {**_QUIET, **_model(start)}, files)


def _acp(start: Start) -> Launch:
    driven = {"CLAUDE_CODE_EXECUTABLE": start.driven} if start.driven else {}
    model = {"ANTHROPIC_MODEL": start.model} if start.model else {}
    hidden = {} if start.ambient else {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"}
    return Launch((), {**_QUIET, **_FOR_ITSELF, **_model(start), **driven, **model, **hidden})


def _model(start: Start) -> dict[str, str]:
    if start.endpoint is None:
        return dict(start.keys)
    return {"ANTHROPIC_BASE_URL": start.endpoint.url, "ANTHROPIC_API_KEY": start.endpoint.key}


CLAUDE = Profile(
    name="claude",
    title="Claude Code",
    program="claude",
    install="npm install -g @anthropic-ai/claude-code",
    headless=_headless,
    keys=(
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
    ),
    settings=(
        SettingsFile("/etc/claude-code/managed-settings.json", *_ADDRESS),
        SettingsFile(".claude/settings.json", *_ADDRESS),
        SettingsFile(".claude/settings.json", *_ADDRESS, project=True),
        SettingsFile(".claude/settings.local.json", *_ADDRESS, project=True),
    ),
    secrets=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    stream="claude",
    shapes=("anthropic",),
    login=(".claude",),
    moved={".claude": "CLAUDE_CONFIG_DIR"},
    ambient=("CLAUDE.md", "AGENTS.md", ".claude/"),
    versions=("2.1.325",),
    resumes=True,
    own_turns=True,
    acp=Acp(
        "claude-agent-acp",
        "npm install -g @agentclientprotocol/claude-agent-acp",
        _acp,
        mode="default",
        forbidden=("acceptEdits", "plan"),
    ),
    note="outside a room it edits files without asking and runs few commands",
    login_hint="claude, then /login",
)
