"""Codex. Its settings are TOML: a file in a private HOME, and arguments for what only its
command line accepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from podium.agents.profiles.profile import (
    Acp,
    Launch,
    Permissions,
    Profile,
    SettingsFile,
    Start,
)

_SANDBOXES: Mapping[Permissions, str] = {
    "edits": "workspace-write",
    "commands": "workspace-write",
    "all": "danger-full-access",
}
_KEY = "PODIUM_MODEL_KEY"
_PROVIDER = "podium"
_PLACES = ("/etc/codex/config.toml", ".codex/config.toml")
_CHOSEN = "model_providers.{model_provider}"


def _headless(start: Start) -> Launch:
    sandbox = _SANDBOXES[start.permissions]
    argv = [
        "exec",
        *(("resume", start.session) if start.session else ()),
        "--json",
        "--skip-git-repo-check",
    ]
    # `exec resume` has no sandbox option, and the person's own settings may name another sandbox.
    argv += ["-c", f'sandbox_mode="{sandbox}"', "-c", 'approval_policy="never"']
    for name, value in _table(start).items():
        argv += ["-c", f"{name}={_value(value)}"]
    if start.schema is not None:
        argv += ["--output-schema", str(start.schema)]
    if start.model:
        argv += ["-m", start.model]
    return Launch((*argv, "-"), _variables(start))


def _acp(start: Start) -> Launch:
    table = {**_table(start), **({"model": start.model} if start.model else {})}
    driven = {"CODEX_PATH": start.driven} if start.driven else {}
    files = {".codex/config.toml": "".join(_lines(table))}
    # Suggestions for a person's next input are useless here and cost a call.
    quiet = {"CODEX_ACP_PROMPT_SUGGESTIONS": "false"}
    return Launch(
        (),
        {**_variables(start), **quiet, **driven, "CODEX_HOME": str(start.home / ".codex")},
        files,
    )


def _table(start: Start) -> dict[str, Any]:
    """Its settings, by dotted name."""
    table: dict[str, Any] = {
        "check_for_update_on_startup": False,
        "analytics.enabled": False,
        # Its own sandbox would otherwise leave these two writable.
        "sandbox_workspace_write.exclude_slash_tmp": True,
        "sandbox_workspace_write.exclude_tmpdir_env_var": True,
    }
    if not start.ambient:
        table["project_doc_max_bytes"] = 0
    if start.endpoint is not None:
        own = f"model_providers.{_PROVIDER}"
        table |= {
            "model_provider": _PROVIDER,
            f"{own}.name": _PROVIDER,
            f"{own}.base_url": f"{start.endpoint.url}/v1",
            f"{own}.env_key": _KEY,
            f"{own}.wire_api": "responses",
        }
    elif base := start.keys.get("OPENAI_BASE_URL"):
        table["openai_base_url"] = base
    if start.tools is not None:
        own = f"mcp_servers.{start.tools.name}"
        table |= {
            f"{own}.command": start.tools.command,
            f"{own}.args": list(start.tools.args),
            f"{own}.env": dict(start.tools.env),
            f"{own}.default_tools_approval_mode": "approve",
        }
    return table


def _variables(start: Start) -> dict[str, str]:
    if start.endpoint is not None:
        return {_KEY: start.endpoint.key}
    keys = dict(start.keys)
    if "OPENAI_API_KEY" in keys:  # the name under which it accepts a key without a login
        keys.setdefault("CODEX_API_KEY", keys["OPENAI_API_KEY"])
    return keys


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        yield f"{name} = {_value(value)}\n"


def _value(value: Any) -> str:
    """A value as TOML. JSON's strings, numbers and lists are valid TOML, except for lone
    surrogates.
    """
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{json.dumps(name)} = {_value(each)}" for name, each in value.items())
            + "}"
        )
    return json.dumps(value)


CODEX = Profile(
    name="codex",
    title="Codex",
    program="codex",
    install="npm install -g @openai/codex",
    headless=_headless,
    keys=("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"),
    settings=tuple(
        SettingsFile(path, "OPENAI_BASE_URL", at, project=project, key_at=key_at)
        for at, key_at in (
            ("openai_base_url", ""),
            (f"{_CHOSEN}.base_url", f"{_CHOSEN}.env_key"),
        )
        for path, project in (*((place, False) for place in _PLACES), (_PLACES[1], True))
    ),
    secrets=("OPENAI_API_KEY", "CODEX_API_KEY"),
    stream="codex",
    shapes=("responses",),
    login=(".codex",),
    moved={".codex": "CODEX_HOME"},
    ambient=("AGENTS.md", "AGENTS.override.md", ".codex/"),
    versions=("0.163.0", "0.166.0"),
    resumes=True,
    lingers=True,
    acp=Acp(
        "codex-acp",
        "npm install -g @agentclientprotocol/codex-acp",
        _acp,
        mode="workspace-write",
        mode_in_room="agent-full-access",
        forbidden=("agent",),
    ),
    note="outside a room its own sandbox lets it read everything",
    login_hint="codex login",
)
