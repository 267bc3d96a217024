"""What a transport is told about the tools is enough to start them anywhere."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.agents.jobs import Stage

from podium.agents.confine.installation import own_python
from podium.agents.confine.system import covered
from podium.agents.reporting.injection import SERVER, prepare, told
from podium.workflows.harness.dialects import WORK


def test_the_server_starts_with_exactly_what_is_named(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    found = prepare(stage.job(verdict_schema=WORK.schema))
    ping = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    ended = subprocess.run(
        (found.command, *found.args),
        env=dict(found.env),
        cwd="/",
        input=ping,
        capture_output=True,
        timeout=10,
    )
    assert ended.stderr == b""
    assert json.loads(ended.stdout)["result"]["tools"][0]["inputSchema"] == WORK.schema


def test_all_that_it_imports_lies_in_what_it_says_it_needs(tmp_path: Path) -> None:
    probe = (
        f"import sys, runpy; runpy.run_path({str(SERVER)!r}); print([m.__file__ for m in "
        "sys.modules.values() if getattr(m, '__file__', None)])"
    )
    loaded = subprocess.run(
        (own_python()[0], "-I", "-S", "-c", probe),
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    needs = prepare(Stage(tmp_path).job()).needs
    for file in eval(loaded.stdout):
        real = Path(file).resolve()
        assert covered(real) or any(real.is_relative_to(each) for each in needs), file
    assert SERVER in needs


def test_the_common_table_of_clients_names_command_arguments_and_environment(
    tmp_path: Path,
) -> None:
    found = prepare(Stage(tmp_path).job())
    table = found.table()["podium"]
    assert table["command"] == own_python()[0]
    assert table["args"][:2] == ["-I", "-S"]
    assert set(table["env"]) == {"PODIUM_VERDICT"}


def test_the_prompt_speaks_of_report_only_where_there_is_a_verdict_to_report(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path)
    assert "`report`" in told(stage.job(verdict_schema=WORK.schema))
    assert "`report`" not in told(stage.job())
    assert "`ask`" in told(stage.job())
