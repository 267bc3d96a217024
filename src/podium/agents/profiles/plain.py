"""Programs that only print text: a prompt in, files and words out."""

from __future__ import annotations

from podium.agents.profiles.profile import Launch, Profile, SettingsFile, Start, in_both

_AIDER = (
    "--yes-always",
    "--no-git",
    "--no-check-update",
    "--analytics-disable",
    "--no-show-model-warnings",
    "--no-gitignore",
    "--no-show-release-notes",
    "--no-pretty",
)


def _aider(start: Start) -> Launch:
    model = ("--model", start.model) if start.model else ()
    return Launch(("--message-file", "{prompt_file}", *_AIDER, *model), _litellm(start))


def _mini(start: Start) -> Launch:
    model = ("-m", start.model) if start.model else ()
    quiet = {
        "MSWEA_CONFIGURED": "true",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_GLOBAL_CONFIG_DIR": str(start.home / ".mini"),
    }
    return Launch(
        ("-t", "{prompt}", "-y", "--exit-immediately", *model), {**quiet, **_litellm(start)}
    )


def _litellm(start: Start) -> dict[str, str]:
    local = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    if start.endpoint is None:
        return {**local, **start.keys}
    return {
        **local,
        "OPENAI_API_KEY": start.endpoint.key,
        "OPENAI_API_BASE": f"{start.endpoint.url}/v1",
    }


_KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_API_BASE",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_API_BASE",
    "ANTHROPIC_BASE_URL",
)
_ADDRESSES = tuple(name for name in _KEYS if not name.endswith("_KEY"))
_AIDER_SETTINGS = (
    *(file for variable in _ADDRESSES for file in in_both(variable, ".env")),
    *(
        SettingsFile(".aider.conf.yml", "OPENAI_API_BASE", "openai-api-base", project=project)
        for project in (False, True)
    ),
)
_MINI_SETTINGS = tuple(
    SettingsFile(".config/mini-swe-agent/.env", variable, variable) for variable in _ADDRESSES
)

AIDER = Profile(
    name="aider",
    title="aider",
    program="aider",
    install="pipx install aider-chat",
    headless=_aider,
    keys=_KEYS,
    settings=_AIDER_SETTINGS,
    secrets=("OPENAI_API_KEY", "ANTHROPIC_API_KEY"),
    shapes=("chat",),
    versions=("0.86.2",),
    takes_tools=False,
    needs_model=True,
    note=(
        "only edits files that it is told of or finds itself; reports by the last line of its "
        "message alone"
    ),
)
MINI = Profile(
    name="mini",
    title="mini-swe-agent",
    program="mini",
    install="pipx install mini-swe-agent",
    headless=_mini,
    keys=_KEYS,
    settings=_MINI_SETTINGS,
    secrets=("OPENAI_API_KEY", "ANTHROPIC_API_KEY"),
    shapes=("chat",),
    versions=("2.4.6",),
    takes_tools=False,
    needs_model=True,
    note="does everything through the shell, without asking; reports by the result file alone",
)
