"""Versions of dependencies: which of two is lower, and what a lock file holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Move = Literal["raised", "lowered", "replaced", "removed"]


@dataclass(frozen=True)
class Moved:
    """A dependency that was there before and is another one now."""

    name: str
    move: Move
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name} {self.before} -> {self.after or 'removed'}"


_NUMBERS = re.compile(r"\d+(?:\.\d+)*")
_SOURCE = re.compile(
    r"^(git|github|gitlab|bitbucket|file|link|portal|patch|npm|https?|ssh|workspace|path)[:+@]|"
    r"\b(git|path|file|url|branch|rev|registry|index)\b['\"]?\s*[:=]|://|^[\w-]+/[\w.-]+$"
)


def moved(name: str, before: str, after: str) -> Moved | None:
    """What happened between two ways to ask for a dependency; None if nothing did."""
    if before == after:
        return None
    if not after:
        return Moved(name, "removed", before, after)
    if bool(_SOURCE.search(before)) or bool(_SOURCE.search(after)):
        return Moved(name, "replaced", before, after)
    return Moved(name, "lowered" if _lower(after, before) else "raised", before, after)


def _lower(one: str, other: str) -> bool:
    """Whether the lowest version that the first text allows is below that of the second."""
    first, second = _lowest(one), _lowest(other)
    size = max(len(first), len(second))
    pad = [(*numbers, *(0,) * (size - len(numbers))) for numbers in (first, second)]
    if pad[0] != pad[1]:
        return pad[0] < pad[1]
    # The same numbers: an upper bound, or one that is exact, keeps newer ones out.
    return bool(re.search(r"<|==", one)) and not re.search(r"<|==", other)


def _lowest(text: str) -> tuple[int, ...]:
    match = _NUMBERS.search(text)
    return tuple(int(part[:9]) for part in match[0].split(".")) if match else ()


Entries = Mapping[str, tuple[str, ...]]
"""By name: each version with its source and checksum, as `version|source|checksum`."""


def lock_changes(path: str, old: str, new: str) -> tuple[Moved, ...]:
    """Packages of a lock file that are not what they were; new ones are none of them."""
    name = path.rpartition("/")[2]
    reader = _READERS.get(name, _lines)
    before, after = reader(old), reader(new)
    return tuple(_changes(before, after))


def _changes(before: Entries, after: Entries) -> Iterator[Moved]:
    for name, entries in before.items():
        now = after.get(name, ())
        gone = [entry for entry in entries if entry not in now]
        fresh = [entry for entry in now if entry not in entries]
        for entry, other in zip(gone, [*fresh, *[""] * len(gone)], strict=False):
            version, _, rest = entry.partition("|")
            other_version, _, other_rest = other.partition("|")
            if version == other_version and rest != other_rest:
                yield Moved(name, "replaced", entry, other)
            elif change := moved(name, version, other_version):
                yield change


def _json(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _npm(text: str) -> Entries:
    data = _json(text)
    packages = data.get("packages")
    if isinstance(packages, dict):
        return {
            path: (_entry(each, "version", "resolved", "integrity"),)
            for path, each in packages.items()
            if path and isinstance(each, dict) and not each.get("link") and "node_modules" in path
        }
    entries: dict[str, tuple[str, ...]] = {}
    level = [("", data.get("dependencies"))]
    while level:
        above, table = level.pop()
        for name, each in table.items() if isinstance(table, dict) else ():
            if isinstance(each, dict):
                entries[f"{above}{name}"] = (_entry(each, "version", "resolved", "integrity"),)
                level.append((f"{above}{name} > ", each.get("dependencies")))
    return entries


def _entry(data: Mapping[str, Any], *keys: str) -> str:
    return "|".join(
        json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else str(value or "")
        for value in (data.get(key) for key in keys)
    )


def _toml(text: str) -> Entries:
    import tomllib  # noqa: PLC0415  # compiles what it reads with

    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError):
        return _lines(text)
    entries: dict[str, tuple[str, ...]] = {}
    packages = data.get("package", data.get("packages"))
    for each in packages if isinstance(packages, list) else ():
        if not isinstance(each, dict) or _is_own(each):
            continue
        keys = ("version", "source", "checksum", "sdist", "files", "content_hash")
        entries[_text(each.get("name"))] = (
            *entries.get(_text(each.get("name")), ()),
            _entry(each, *keys),
        )
    return entries


def _is_own(package: Mapping[str, Any]) -> bool:
    """The project's own packages: their version is no dependency's."""
    source = package.get("source")
    if isinstance(source, dict):
        return bool({"editable", "virtual", "directory"} & set(source))
    # Cargo names no source for members of the workspace; poetry and pdm name none at all.
    return source is None and not {"files", "sdist", "optional", "category", "groups"} & set(
        package
    )


def _pipenv(text: str) -> Entries:
    data = _json(text)
    return {
        name: (_entry(each, "version", "git", "hashes"),)
        for section in ("default", "develop")
        for name, each in (data.get(section) or {}).items()
        if isinstance(each, dict)
    }


def _composer(text: str) -> Entries:
    data = _json(text)
    return {
        _text(each.get("name")): (_entry(each, "version", "source", "dist"),)
        for section in ("packages", "packages-dev")
        for each in data.get(section) or ()
        if isinstance(each, dict)
    }


_YARN = re.compile(r"^\"?((?:@[^/@\s]+/)?[^@\s\"]+)@")
_PNPM = re.compile(r"^  ['\"]?/?((?:@[^/@\s]+/)?[^@\s'\"(/]+)[@/](\d[^:'\"(\s]*)")
_PINNED = re.compile(
    r"^\s*(version|resolved|integrity|resolution|checksum):?\s+[\"']?([^\"']+)[\"']?"
)


def _yarn(text: str) -> Entries:
    """Yarn of either generation; `__metadata` and the workspace's own packages are left out."""
    entries: dict[str, tuple[str, ...]] = {}
    name = ""
    values: list[str] = []
    for line in [*text.split("\n"), "end@:"]:
        if line and not line[0].isspace() and not line.startswith("#"):
            if name and not any("workspace:" in value for value in values):
                entries[name] = (*entries.get(name, ()), "|".join(values))
            match = _YARN.match(line)
            name, values = (match[1] if match else ""), []
        elif match := _PINNED.match(line):
            values.append(match[2])
    return entries


def _pnpm(text: str) -> Entries:
    entries: dict[str, tuple[str, ...]] = {}
    name = version = ""
    inside = False
    for line in text.split("\n"):
        if line and not line[0].isspace():
            inside = line.startswith("packages:")
        elif inside and (match := _PNPM.match(line)):
            name, version = match[1], match[2]
            entries[name] = (*entries.get(name, ()), version)
        elif name and inside and "integrity:" in line:
            checksum = line.partition("integrity:")[2].strip(" {}")
            entries[name] = (*entries[name][:-1], f"{version}||{checksum}")
    return entries


_GEM = re.compile(r"^    ([\w.-]+) \(([^)]+)\)$")
_MIX = re.compile(r"^\s*\"([\w.-]+)\":\s*\{(.*)\},?$")
_GO = re.compile(r"^(\S+) (\S+) (h1:\S+)$")


def _gem(text: str) -> Entries:
    return {match[1]: (match[2],) for line in text.split("\n") if (match := _GEM.match(line))}


def _mix(text: str) -> Entries:
    return {
        match[1]: ("|".join(re.findall(r'"([^"]*)"', match[2])),)
        for line in text.split("\n")
        if (match := _MIX.match(line))
    }


def _go_sum(text: str) -> Entries:
    return {
        f"{match[1]} {match[2]}": (f"{match[2]}|{match[3]}",)
        for line in text.split("\n")
        if (match := _GO.match(line))
    }


def _lines(text: str) -> Entries:
    """A form that nobody knows here: each line for itself."""
    return {line: (line,) for line in text.split("\n") if line.strip()}


_READERS: Mapping[str, Callable[[str], Entries]] = {
    "package-lock.json": _npm,
    "npm-shrinkwrap.json": _npm,
    "yarn.lock": _yarn,
    "pnpm-lock.yaml": _pnpm,
    "Cargo.lock": _toml,
    "poetry.lock": _toml,
    "uv.lock": _toml,
    "pdm.lock": _toml,
    "pylock.toml": _toml,
    "Pipfile.lock": _pipenv,
    "composer.lock": _composer,
    "Gemfile.lock": _gem,
    "mix.lock": _mix,
    "go.sum": _go_sum,
}
