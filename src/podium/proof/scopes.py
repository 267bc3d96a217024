"""Which package, environment or folder a part of an output belongs to."""

from __future__ import annotations

import re

_BANNERS = (
    re.compile(r"> (?P<id>(?:@[^\s/]+/)?[^\s@]+)@\S+ [\w:.-]+(?: /.*)?$"),  # npm, pnpm
    re.compile(r"(?P<id>[\w.{},-]+): commands\[\d+\]> "),  # tox
    re.compile(r"nox > Running session (?P<id>\S+)"),
    re.compile(r"Making (?:check|test) in (?P<id>\S+)$"),  # automake
    re.compile(r"\[INFO\] Building (?P<id>\S+) .*\[\d+/\d+\]$"),  # maven
)
_HEADS = ("> ", "nox > ", "Making ", "[INFO] Building ")
_PREFIXES = (
    # pnpm -r announces `packages/a test$ mocha`, then prints `packages/a test: …`
    (re.compile(r"^((?:\.|[\w@.-]*/[\w@./-]*) [\w:.-]+)\$ ", 8), "{}: "),
    # yarn workspaces foreach -v
    (re.compile(r"^\[((?:@[\w.-]+/)?[\w.-]+)\]: Process (?:started|exited)", 8), "[{}]: "),
    # concurrently
    (re.compile(r"^\[([\w:.-]+)\] .* exited with code \d+$", 8), "[{}] "),
)
_TURBO = re.compile(r"^((?:@[\w.-]+/)?[\w.-]+:[\w:-]*test[\w:-]*): ", 8)


def banner(line: str) -> str:
    """The name in a line with which a wrapper announces what runs next."""
    if not (line.startswith(_HEADS) or ": commands[" in line):
        return ""
    match = next((m for m in (banner.match(line) for banner in _BANNERS) if m), None)
    return match["id"] if match else ""


_WORKSPACE = re.compile(r"npm (?:ERR!|error) workspace ((?:@[^\s/]+/)?[^\s@]+)@")


def workspace(line: str) -> str:
    """The name in npm's line about the workspace whose script failed just before."""
    match = _WORKSPACE.match(line) if line.startswith("npm ") else None
    return match[1] if match else ""


def streams(text: str) -> dict[str, str]:
    """The output of each of several programs whose lines a wrapper mixed, by name; what has no name
    is under "".
    """
    heads: dict[str, str] = {}
    for expression, form in _PREFIXES:
        heads.update((form.format(name), name) for name in set(expression.findall(text)))
    if "• Packages in scope" in text:
        heads.update((f"{name}: ", name) for name in set(_TURBO.findall(text)))
    if not heads:
        return {"": text}
    parts: dict[str, list[str]] = {"": []}
    starts = tuple(heads)
    for line in text.split("\n"):
        head = (
            next((h for h in starts if line.startswith(h)), "") if line.startswith(starts) else ""
        )
        parts.setdefault(heads.get(head, ""), []).append(line[len(head) :])
    return {name: "\n".join(part) for name, part in parts.items()}
