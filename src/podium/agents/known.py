"""Well-known agent programs: how each is called without a terminal, and which are on this machine.

The commands are those that worked against a scripted model. Each prints its final message as
text and may edit files; none of them is believed about it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from podium.agents.environment import agent_environment

_VERSION_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Known:
    program: str
    argv: tuple[str, ...]
    """With placeholders of the command agent."""
    env: tuple[str, ...]
    """Names it needs from the environment: keys, addresses, its configuration folder."""
    install: str
    note: str = ""
    set: Mapping[str, str] = field(default_factory=dict)
    """Variables that make it quiet and repeatable."""
    model_flag: str = "--model"


@dataclass(frozen=True)
class Found:
    name: str
    path: str


KNOWN: Mapping[str, Known] = {
    "claude": Known(
        "claude",
        ("claude", "-p", "{prompt}", "--permission-mode", "acceptEdits"),
        ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
        "npm install -g @anthropic-ai/claude-code",
        "edits files without asking; shell commands only where its settings allow them",
        {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    ),
    "codex": Known(
        "codex",
        ("codex", "exec", "--skip-git-repo-check", "-C", "{folder}", "-s", "workspace-write", "{prompt}"),
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME"),
        "npm install -g @openai/codex",
        "its own sandbox also leaves /tmp writable",
    ),
    "gemini": Known(
        "gemini",
        ("gemini", "-p", "{prompt}", "--skip-trust", "--approval-mode", "auto_edit"),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        "npm install -g @google/gemini-cli",
    ),
    "opencode": Known(
        "opencode",
        ("opencode", "run", "--dir", "{folder}", "{prompt}"),
        ("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
        "npm install -g opencode-ai",
        "allows everything unless its configuration says ask",
        {"OPENCODE_DISABLE_AUTOUPDATE": "1"},
    ),
    "copilot": Known(
        "copilot",
        ("copilot", "-p", "{prompt}", "--no-auto-update", "--allow-tool", "write", "--no-ask-user"),
        ("GH_TOKEN", "GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_API_KEY"),
        "npm install -g @github/copilot",
        "reads AGENTS.md, CLAUDE.md and GEMINI.md of the folder on its own",
    ),
    "qwen": Known(
        "qwen",
        ("qwen", "{prompt}", "--approval-mode", "auto-edit"),
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"),
        "npm install -g @qwen-code/qwen-code",
    ),
    "kimi": Known(
        "kimi",
        ("kimi", "-p", "{prompt}"),
        ("KIMI_CODE_HOME", "KIMI_API_KEY"),
        "npm install -g @moonshot-ai/kimi-code",
        "runs every tool without asking; says nothing about tokens",
        model_flag="-m",
    ),
    "aider": Known(
        "aider",
        (
            "aider", "--message", "{prompt}", "--yes-always", "--no-git", "--no-check-update", "--analytics-disable",
            "--no-show-model-warnings", "--no-gitignore", "--no-show-release-notes", "--no-pretty",
        ),
        ("OPENAI_API_KEY", "OPENAI_API_BASE", "ANTHROPIC_API_KEY"),
        "pipx install aider-chat",
        "only edits files that it is told of or finds itself",
    ),
}  # fmt: skip


def discover(which: Callable[[str], str | None] = shutil.which) -> list[Found]:
    """The known programs on this machine, in the order of the table."""
    paths = ((name, which(known.program)) for name, known in KNOWN.items())
    return [Found(name, path) for name, path in paths if path]


def version(path: str, environ: Mapping[str, str] | None = None) -> str:
    """The first line of `--version`, empty where there is none in time; no key is in its environment."""
    import signal  # noqa: PLC0415
    import subprocess  # noqa: PLC0415  # doctor and agents only

    env = agent_environment((), os.environ if environ is None else environ, {})
    null = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            (path, "--version"),
            env=env,
            stdin=null,
            stdout=subprocess.PIPE,
            stderr=null,
            start_new_session=True,
        )
    except OSError:
        return ""
    with process:
        try:
            said, _ = process.communicate(timeout=_VERSION_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return ""
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[0].strip()[:200] if lines and process.returncode == 0 else ""
