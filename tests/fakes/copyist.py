"""An agent that is a program: it writes what a scripted run of the same task wrote before it, and
does more if told.

It is one file with everything in it, so that a room needs to show it nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.fakes.project import Project

_PROGRAM = """#!{python}
import json, os, subprocess, sys
plays, deeds = json.loads({plays!r}), json.loads({deeds!r})
sys.stdin.read()
key = os.environ["PODIUM_DISPATCH"].rpartition("//")[2].partition("/")[2]
for path, text in plays[key]["files"].items():
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
if key in deeds:
    done = subprocess.run(["sh", "-c", deeds[key]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
with open(os.environ["PODIUM_VERDICT"], "w") as file:
    json.dump(plays[key]["verdict"], file)
print("I did", key)
"""  # noqa: E501


def copyist(twin: Project, where: Path, deeds: Mapping[str, str] | None = None) -> str:
    """The `--agent` of a program that repeats the twin's finished run; `deeds` are further shell
    commands by key.
    """
    assert twin.through().status == "complete"
    plays = {}
    for key in twin.started():
        outputs = twin.event("step.finished", key=key)["outputs"]
        verdict = json.loads(twin.step(key, "verdict.json").read_text())
        plays[key] = {"files": {path: twin.text(path) for path in outputs}, "verdict": verdict}
    where.write_text(
        _PROGRAM.format(
            python=sys.executable, plays=json.dumps(plays), deeds=json.dumps(dict(deeds or {}))
        )
    )
    where.chmod(0o755)
    return f"command:{where}"
