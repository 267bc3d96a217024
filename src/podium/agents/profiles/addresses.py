"""Where a person's key belongs: the address of the model that their variables, or their settings of
the agent program, name. The program works in a HOME of its own, where it would not find those
settings, and would send the key to its vendor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.agents.profiles.profile import Profile, SettingsFile
from podium.agents.profiles.settings_files import named
from podium.core.errors import Fault, InputError

LARGEST = 4_000_000
"""Bytes of a settings file that are read."""


@dataclass(frozen=True)
class _Address:
    url: str
    where: str
    """What names it, as a person knows it."""


def with_addresses(
    name: str, profile: Profile, environ: Mapping[str, str], project: Path
) -> Mapping[str, str]:
    """The person's variables, and the addresses that only their settings name. Raises InputError
    where two places name different ones, or only a file of the project names one: whoever wrote
    that file would get the key.
    """
    if not any(environ.get(secret) for secret in profile.secrets):
        return environ
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    added: dict[str, str] = {}
    for variable in dict.fromkeys(file.variable for file in profile.settings):
        files = [file for file in profile.settings if file.variable == variable]
        own = [*_variable(environ, variable)]
        for file in files:
            if not file.project:
                own += _read(name, profile, environ, home, file)
        others = [
            item
            for file in files
            if file.project
            for item in _read(name, profile, environ, project, file)
        ]
        if len({item.url for item in own}) > 1:
            raise InputError(_contradiction(name, own))
        address = own[0].url if own else ""
        for item in others:
            if item.url != address:
                raise InputError(_foreign(name, item, variable, address))
        if address and not environ.get(variable):
            added[variable] = address
    return {**environ, **added}


def _variable(environ: Mapping[str, str], variable: str) -> Iterator[_Address]:
    if value := environ.get(variable, "").strip():
        yield _Address(value.rstrip("/"), variable)


def _read(
    name: str, profile: Profile, environ: Mapping[str, str], root: Path, file: SettingsFile
) -> Iterator[_Address]:
    path = _place(profile, environ, root, file)
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return  # nor can the program read it
    try:
        urls = named(text, path.suffix, file.at)
        keys = named(text, path.suffix, file.key_at) if file.key_at else []
    except ValueError as fault:
        mend = f"correct it, or set `upstream` in [agents.{name}]"
        reason = f"cannot be read ({fault}), and may say where your key belongs"
        raise InputError(Fault(str(path), reason, mend)) from None
    if keys and not any(secret in key for key in keys for secret in profile.secrets):
        return  # another key than the environment's goes there
    for url in urls:
        yield _Address(url.rstrip("/"), str(path))


def _place(profile: Profile, environ: Mapping[str, str], root: Path, file: SettingsFile) -> Path:
    """The file; its folder may have been moved by a variable."""
    if not file.project:
        for folder, variable in profile.moved.items():
            if file.path.startswith(f"{folder}/") and environ.get(variable):
                return Path(environ[variable]) / file.path.removeprefix(f"{folder}/")
    return root / file.path


def _contradiction(name: str, own: list[_Address]) -> Fault:
    first = own[0]
    other = next(item for item in own if item.url != first.url)
    return Fault(
        f"[agents.{name}]",
        (
            f"{first.where} names the address {first.url} for your key, and {other.where} names "
            f"{other.url}"
        ),
        f"let both name the same, or set `upstream` in [agents.{name}]",
    )


def _foreign(name: str, item: _Address, variable: str, address: str) -> Fault:
    yours = f"{variable} names {address}" if address else f"{variable} is not set"
    return Fault(
        item.where,
        f"names the address {item.url} for your key, and {yours}",
        (
            f"if the key belongs there, set {variable} or `upstream` in [agents.{name}] to it; "
            "otherwise remove it from the file"
        ),
    )
