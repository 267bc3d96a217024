"""A key goes where its owner sends it: every variable and every settings file that names the
address of a model counts, for every known program, with and without the gateway.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from podium.agents.gateway.routing import routes
from podium.agents.profiles.addresses import with_addresses
from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.profile import SettingsFile, Start
from podium.core.errors import InputError
from podium.settings.sources import load

COMPANY = "https://models.company.example/api"
OTHER = "https://models.other.example/api"
PROVIDER_OF = {
    "ANTHROPIC_BASE_URL": "anthropic",
    "ANTHROPIC_API_BASE": "anthropic",
    "OPENAI_BASE_URL": "openai",
    "OPENAI_API_BASE": "openai",
    "GOOGLE_GEMINI_BASE_URL": "gemini",
}
READ = [
    (name, variable)
    for name, profile in PROFILES.items()
    for variable in profile.keys
    if variable.endswith(("_BASE_URL", "_API_BASE"))
]
FILES = [
    pytest.param(name, file, id=f"{name} {file.path} {file.variable} {file.project}")
    for name, profile in PROFILES.items()
    for file in profile.settings
    if not file.path.startswith("/")
]


def keys(name: str) -> dict[str, str]:
    return dict.fromkeys(PROFILES[name].secrets, "k-company")


def text(file: SettingsFile, url: str) -> str:
    """A settings file of that kind that names the address."""
    if not file.path.endswith((".json", ".jsonc", ".toml")):
        return f"# mine\n{file.at}: {url}\n" if file.path.endswith("yml") else f"{file.at}={url}\n"
    parts = ["mine" if part in {"*", "{model_provider}"} else part for part in file.at.split(".")]
    if file.path.endswith(".toml"):
        table = f"[{'.'.join(parts[:-1])}]\n" if parts[1:] else ""
        return f'model_provider = "mine"\n{table}{parts[-1]} = "{url}"\n'
    value: object = url
    for part in reversed(parts):
        value = {part: value}
    return f"// mine\n{json.dumps(value)[:-1]},}}\n"


def completed(
    tmp_path: Path, name: str, files: Mapping[SettingsFile, str], **environ: str
) -> Mapping[str, str]:
    for file, url in files.items():
        path = tmp_path / ("project" if file.project else "home") / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(file, url))
    own = {"HOME": str(tmp_path / "home"), **keys(name), **environ}
    return with_addresses(name, PROFILES[name], own, tmp_path / "project")


def started(name: str, environ: Mapping[str, str], tmp_path: Path) -> list[str]:
    """Everything that each transport of a program tells it, when it has the keys itself."""
    profile = PROFILES[name]
    own = {each: environ[each] for each in profile.keys if environ.get(each)}
    start = Start(folder=tmp_path, home=tmp_path, keys=own, model="m")
    makers = [profile.headless, *([profile.acp.launch] if profile.acp else [])]
    launches = [make(start) for make in makers]
    return [repr((each.argv, each.env, each.files)) for each in launches]


@pytest.mark.parametrize(("name", "variable"), READ)
def test_every_program_is_told_the_address_that_its_owner_named(
    tmp_path: Path, name: str, variable: str
) -> None:
    environ = {**keys(name), variable: COMPANY}
    for told in started(name, environ, tmp_path):
        assert COMPANY in told


@pytest.mark.parametrize(("name", "variable"), [each for each in READ if each[1] in PROVIDER_OF])
@pytest.mark.parametrize("confined", [True, False])
def test_the_gateway_sends_the_key_to_the_address_that_its_owner_named(
    tmp_path: Path, name: str, variable: str, *, confined: bool
) -> None:
    (tmp_path / "podium.toml").write_text(
        f'[agents.{name}]\nprovider = "{PROVIDER_OF[variable]}"\ngateway = true\n'
    )
    environ = {"HOME": str(tmp_path), **keys(name), variable: COMPANY}
    environ.setdefault("ANTHROPIC_API_KEY", "k-company")
    environ.setdefault("OPENAI_API_KEY", "k-company")
    environ.setdefault("GEMINI_API_KEY", "k-company")
    route = routes(load(tmp_path, environ), environ, tmp_path)(name, confined)
    assert route is not None
    assert (route.upstream, route.key) == (COMPANY, "k-company")


@pytest.mark.parametrize(("name", "file"), FILES)
def test_an_address_in_a_persons_own_settings_is_taken_over_one_in_the_projects_is_refused(
    tmp_path: Path, name: str, file: SettingsFile
) -> None:
    if file.project:
        with pytest.raises(InputError) as caught:
            completed(tmp_path, name, {file: COMPANY})
        assert file.path in str(caught.value)
        assert COMPANY in str(caught.value)
        assert "upstream" in str(caught.value)
        assert completed(tmp_path, name, {file: COMPANY}, **{file.variable: COMPANY})
    else:
        environ = completed(tmp_path, name, {file: f"{COMPANY}/"})
        assert environ[file.variable] == COMPANY
        for told in started(name, environ, tmp_path):
            assert COMPANY in told


@pytest.mark.parametrize(
    ("name", "file"),
    [each for each in FILES if not each.values[1].project],  # type: ignore[union-attr]
)
def test_two_addresses_for_one_key_are_refused(
    tmp_path: Path, name: str, file: SettingsFile
) -> None:
    with pytest.raises(InputError) as caught:
        completed(tmp_path, name, {file: COMPANY}, **{file.variable: OTHER})
    assert f"{file.variable} names the address {OTHER}" in str(caught.value)
    assert "k-company" not in str(caught.value)


def test_settings_that_cannot_be_read_are_refused_where_a_key_is_at_stake(tmp_path: Path) -> None:
    path = tmp_path / "home" / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("openai_base_url = [")
    assert with_addresses("codex", PROFILES["codex"], {"HOME": str(tmp_path / "home")}, tmp_path)
    with pytest.raises(InputError, match=r"config\.toml.*may say where your key belongs"):
        completed(tmp_path, "codex", {})


def test_an_address_to_which_another_key_goes_is_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "home" / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    chosen = f'[model_providers.corp]\nbase_url = "{COMPANY}"\nenv_key = "CORP_KEY"\n'
    path.write_text(f'model_provider = "corp"\n{chosen}')
    assert "OPENAI_BASE_URL" not in completed(tmp_path, "codex", {})
    path.write_text(f'model_provider = "corp"\n{chosen.replace("CORP_KEY", "OPENAI_API_KEY")}')
    assert completed(tmp_path, "codex", {})["OPENAI_BASE_URL"] == COMPANY
    path.write_text(chosen)  # a provider that is not chosen
    assert "OPENAI_BASE_URL" not in completed(tmp_path, "codex", {})


def test_settings_that_were_moved_are_looked_for_where_they_are(tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "settings.json").write_text(json.dumps({"env": {"ANTHROPIC_BASE_URL": COMPANY}}))
    environ = completed(tmp_path, "claude", {}, CLAUDE_CONFIG_DIR=str(moved))
    assert environ["ANTHROPIC_BASE_URL"] == COMPANY
