"""How a transport offers the reporting tools to its agent: what to start, how, and what must be
readable.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.agents.confine.installation import own_python
from podium.agents.protocol import Job
from podium.agents.reporting.server import NAME, QUESTION, VARIABLE
from podium.agents.verdict_file import NAME as RESULT_FILE

SERVER = Path(__file__).with_name("server.py")
REPORTED = "reported.json"
"""Where the tool puts the verdict: a separate file, to tell it apart from one the agent wrote
itself.
"""
SPEC = "reporting.json"


@dataclass(frozen=True)
class Injection:
    """The server, in terms that any client's configuration can use."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    needs: tuple[Path, ...]
    """What must be readable in the agent's room. The scratch folder must also be writable."""
    name: str = NAME

    def table(self) -> dict[str, Any]:
        """As most clients write it in JSON, under `mcpServers`."""
        return {
            self.name: {"command": self.command, "args": list(self.args), "env": dict(self.env)}
        }


def prepare(job: Job) -> Injection:
    """Prepare the scratch folder for one dispatch; nothing that an earlier one reported is left
    there.
    """
    os.makedirs(job.scratch, exist_ok=True)
    clear(job.scratch)
    spec = job.scratch / SPEC
    spec.write_text(json.dumps({"schema": job.verdict_schema}), encoding="utf-8")
    python, needs = own_python()
    return Injection(
        command=python,
        args=("-I", "-S", str(SERVER), str(spec)),
        env={VARIABLE: str(job.scratch / REPORTED)},
        needs=(SERVER, *needs),
    )


def clear(scratch: Path) -> None:
    for name in (REPORTED, QUESTION, RESULT_FILE):
        if os.path.lexists(scratch / name):
            os.unlink(scratch / name)


def told(job: Job) -> str:
    """The prompt's section about the tools, placed at its end."""
    report = (
        f"When all your files are written, call the tool `report` of the MCP server `{NAME}` "
        "with the verdict object. "
        "If it refuses, fix what it names and call it again. "
    )
    return (
        "\n## Tools for your report\n\n"
        + (report if job.verdict_schema else "")
        + "If you cannot continue before a person decides something, call its tool `ask` with "
        "the question and the "
        "choices there are, and stop.\n"
    )
