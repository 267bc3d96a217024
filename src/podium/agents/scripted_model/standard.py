"""The scripts that every agent is tested with: what it can do, how it fails, and whether it
stays in its folder.
"""

from __future__ import annotations

from collections.abc import Mapping

from podium.agents.scripted_model.script import (
    Ending,
    Json,
    Read,
    Refusal,
    Run,
    Script,
    Step,
    Tool,
    Write,
)

_HELLO = Write("{cwd}/hello.txt", "hello from a scripted model\n")


def _script(*steps: Step, loop: bool = False) -> Script:
    return Script(steps, loop)


def _do(*acts: Write | Read | Run | Json | Tool | Ending, say: str = "") -> Step:
    return Step(say, acts)


STANDARD: Mapping[str, Script] = {
    "hello": _script(_do(_HELLO, say="I will write the file."), Step("Done: hello.txt written.")),
    "text": _script(Step("Just text.")),
    "shell": _script(
        _do(Run("echo from-shell > hello.txt; id -un")),
        Step("Done: hello.txt written through the shell."),
    ),
    "readwrite": _script(
        _do(Read("{cwd}/input.txt")),
        _do(Write("{cwd}/hello.txt", "after reading\n")),
        Step("Read input.txt and wrote hello.txt."),
    ),
    "readout": _script(_do(Read("{cwd}/../secret.txt")), Step("Read.")),
    "readout-shell": _script(_do(Run("cat ../secret.txt")), Step("Read.")),
    "escape": _script(
        _do(Write("{cwd}/../escaped.txt", "escaped\n")),
        _do(Run("echo escaped > ../escaped-shell.txt; echo rc=$?")),
        Step("Tried to escape."),
    ),
    "network": _script(
        _do(Run("(exec 3<>/dev/tcp/{host}/{port}) 2>&1; echo rc=$?")), Step("Tried to connect.")
    ),
    "rogue": _script(
        _do(Tool("Write", {"file_path": "{cwd}/hello.txt", "content": "rogue\n"})),
        _do(Tool("create", {"path": "{cwd}/hello.txt", "file_text": "rogue\n"})),
        _do(
            Tool(
                "write",
                {"filePath": "{cwd}/hello.txt", "path": "{cwd}/hello.txt", "content": "rogue\n"},
            )
        ),
        _do(Tool("write_file", {"file_path": "{cwd}/hello.txt", "content": "rogue\n"})),
        Step("Tried."),
    ),
    "daemon": _script(
        _do(Run("setsid nohup sleep 31337 >/dev/null 2>&1 & echo left")), Step("Left a process.")
    ),
    "retry": _script(Step(acts=(_HELLO,), refuse=Refusal(529)), Step("Done after a retry.")),
    "limited": _script(Step("Never said.", refuse=Refusal(429, 1_000_000, 3600.0))),
    "cut": _script(Step(acts=(_HELLO,), cut=1), Step("Done after a cut.")),
    "slow": _script(Step("Late.", delay=60.0)),
    "loop": _script(_do(Run("date +%N")), loop=True),
    "json": _script(
        _do(_HELLO),
        _do(Json({"verdict": "pass", "files": ["hello.txt"]})),
        Step("Structured answer given."),
    ),
    "badjson": _script(Step("This is not JSON."), loop=True),
    "submit": _script(
        _do(Ending("report", {"status": "maybe"})),
        _do(Ending("report", {"status": "done", "summary": "reported"})),
        Step("Reported."),
    ),
}
"""By name. `{cwd}` is the folder that the prompt's mark names; `network` also needs `host` and
`port` there.
"""
