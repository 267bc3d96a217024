"""Gemini CLI and Qwen Code, which began as a copy of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podium.agents.profiles.profile import (
    Acp,
    Launch,
    Permissions,
    Profile,
    SettingsFile,
    Start,
    in_both,
)

_NOBODY = "podium-no-such-file.md"
"""An instruction file name that no project uses."""
_SHELL = "run_shell_command"


def _settings(start: Start, login: str, own: str) -> str:
    table: dict[str, Any] = {
        "security": {"auth": {"selectedType": login}, "folderTrust": {"enabled": False}},
        "general": {
            "enableAutoUpdate": False,
            "disableAutoUpdate": True,
            "disableUpdateNag": True,
            "retryFetchErrors": True,
        },
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "context": {"fileName": own if start.ambient else _NOBODY},
        # For Qwen: otherwise it hides the servers' tools until the model searches for them.
        "tools": {"toolSearch": {"enabled": False}},
    }
    if start.turns is not None:
        table["model"] = {"maxSessionTurns": start.turns}
    if start.tools is not None:
        servers = start.tools.table()
        told = {"trust": True, "alwaysLoadTools": True}
        table["mcpServers"] = {name: {**each, **told} for name, each in servers.items()}
    return json.dumps(table)


_GEMINI_MODES: Mapping[Permissions, str] = {
    "edits": "auto_edit",
    "commands": "auto_edit",
    "all": "yolo",
}
_QWEN_MODES: Mapping[Permissions, str] = {
    "edits": "auto-edit",
    "commands": "auto-edit",
    "all": "yolo",
}


def _common(start: Start) -> list[str]:
    shell = ["--allowed-tools", _SHELL] if start.permissions == "commands" else []
    return shell + (["-m", start.model] if start.model else [])


def _gemini(start: Start) -> Launch:
    argv = [
        "-o",
        "stream-json",
        "--skip-trust",
        "--approval-mode",
        _GEMINI_MODES[start.permissions],
        *_common(start),
    ]
    if start.session:
        argv += ["--resume", start.session]
    return Launch(tuple(argv), _gemini_variables(start), _gemini_files(start))


def _gemini_acp(start: Start) -> Launch:
    model = ("-m", start.model) if start.model else ()
    return Launch(("--acp", "--skip-trust", *model), _gemini_variables(start), _gemini_files(start))


def _gemini_files(start: Start) -> dict[str, str]:
    return {".gemini/settings.json": _settings(start, "gemini-api-key", "GEMINI.md")}


def _gemini_variables(start: Start) -> dict[str, str]:
    # Without the first it restarts itself to get a larger heap.
    quiet = {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_TELEMETRY_ENABLED": "false"}
    if start.endpoint is None:
        return {**quiet, **start.keys}
    return {
        **quiet,
        "GEMINI_API_KEY": start.endpoint.key,
        "GOOGLE_GEMINI_BASE_URL": start.endpoint.url,
    }


def _qwen(start: Start) -> Launch:
    argv = ["-o", "stream-json", "--approval-mode", _QWEN_MODES[start.permissions], *_common(start)]
    if start.turns is not None:
        argv += ["--max-session-turns", str(start.turns)]
    if start.session:
        argv += ["--resume", start.session]
    return Launch(tuple(argv), _qwen_variables(start), _qwen_files(start))


def _qwen_acp(start: Start) -> Launch:
    return Launch(("--acp",), _qwen_variables(start), _qwen_files(start))


def _qwen_files(start: Start) -> dict[str, str]:
    return {".qwen/settings.json": _settings(start, "openai", "QWEN.md")}


def _qwen_variables(start: Start) -> dict[str, str]:
    model = {"OPENAI_MODEL": start.model} if start.model else {}
    if start.endpoint is None:
        return {**start.keys, **model}
    return {
        "OPENAI_API_KEY": start.endpoint.key,
        "OPENAI_BASE_URL": f"{start.endpoint.url}/v1",
        **model,
    }


GEMINI = Profile(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    install="npm install -g @google/gemini-cli",
    headless=_gemini,
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
    settings=in_both("GOOGLE_GEMINI_BASE_URL", ".gemini/.env", ".env"),
    secrets=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    stream="gemini",
    shapes=("gemini",),
    login=(".gemini",),
    ambient=("GEMINI.md", ".gemini/"),
    versions=("0.61.0",),
    resumes=True,
    own_turns=True,
    tools_in_settings=True,
    always=("GEMINI.md",),
    acp=Acp(
        "gemini",
        "npm install -g @google/gemini-cli",
        _gemini_acp,
        mode="default",
        resumes=False,  # it claims to, but then finds no session
    ),
    note="outside a room it edits files without asking and runs no commands",
    login_hint="gemini, then choose a login",
)
QWEN = Profile(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    install="npm install -g @qwen-code/qwen-code",
    headless=_qwen,
    keys=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"),
    settings=(
        *in_both("OPENAI_BASE_URL", ".qwen/.env", ".env"),
        *(
            SettingsFile(".qwen/settings.json", "OPENAI_BASE_URL", at, project=project)
            for at in ("security.auth.baseUrl", "env.OPENAI_BASE_URL")
            for project in (False, True)
        ),
    ),
    secrets=("OPENAI_API_KEY",),
    stream="claude",
    shapes=("chat",),
    login=(".qwen",),
    ambient=("QWEN.md", "AGENTS.md", ".qwen/"),
    versions=("0.24.4",),
    resumes=True,
    own_turns=True,
    spent=53,
    tools_in_settings=True,
    needs_model=True,
    acp=Acp("qwen", "npm install -g @qwen-code/qwen-code", _qwen_acp, mode="default"),
    note="outside a room it edits files without asking and runs no commands",
    login_hint="qwen, then /auth",
)
