"""The command line itself: finding the command, messages, exit codes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.app import App

from podium import __version__
from podium.cli import table
from podium.cli.demos import project as demo
from podium.cli.main import split
from podium.core.errors import Busy, ChainBroken, Fault, Halted, InputError, PodiumError, UsageError
from podium.state.disk import Disk
from podium.state.run_folder import prepare
from podium.views.fitting import columns
from podium.wiring import App as RealApp
from podium.wiring import Parts
from podium.wiring_values import RunOptions
from podium.workflows.catalog import NAMES


def shell(*words: str, cwd: Path, code: str = "") -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", code] if code else [sys.executable, "-m", "podium", *words]
    return subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=60)


def test_version_imports_neither_argparse_nor_dataclasses(tmp_path: Path) -> None:
    code = (
        "import sys; from podium.__main__ import main; main(['--version']);"
        "print([n for n in ('argparse', 'dataclasses', 'json', 'podium.cli') if n in sys.modules])"
    )
    assert shell(cwd=tmp_path, code=code).stdout == f"podium {__version__}\n[]\n"


def test_a_command_imports_no_other_command_and_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from podium.__main__ import main; main(['list']);"
        "print([n for n in sys.modules if n.startswith('podium.cli.commands.')],"
        "[n for n in ('rich', 'asyncio', 'ruamel.yaml', 'argcomplete') if n in sys.modules])"
    )
    assert "['podium.cli.commands.listing'] []" in shell(cwd=tmp_path, code=code).stdout


HEAVY = (
    *(
        "argcomplete",
        "asyncio",
        "bz2",
        "difflib",
        "email",
        "html.parser",
        "importlib.metadata",
        "jsonschema",
        "ruamel.yaml",
    ),
    *(
        "shutil",
        "statistics",
        "subprocess",
        "tempfile",
        "tomllib",
        "xml.etree",
        "podium.agents",
        "podium.engine.runs",
    ),
    *(
        "podium.engine.services",
        "podium.settings.policies",
        "podium.settings.values",
        "podium.views.show",
    ),
)
"""What a look at a run has no use for."""


def test_help_imports_nothing_that_commands_need(tmp_path: Path) -> None:
    code = (
        "import sys; from podium.__main__ import main; main(['--help']);"
        "print([n for n in ('argparse', 'json', 'pathlib', 'typing') if n in sys.modules])"
    )
    assert shell(cwd=tmp_path, code=code).stdout.endswith("\n[]\n")


@pytest.mark.parametrize("command", ["status", "list"])
def test_a_look_at_a_run_imports_nothing_that_drives_one(command: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    inputs = demo.make(made, "harness", 0.0).inputs
    options = RunOptions(agent=f"scripted:{made / demo.SCENARIO}", by="test", run_id="R1")
    assert (
        RealApp(made, parts=Parts(os.environ, cwd=made)).start("harness", inputs, options).stop
        == "gate"
    )
    code = (
        f"import sys; from podium.__main__ import main; main([{command!r}]);"
        f"print([n for n in {(*HEAVY, 'podium.workflows.harness.dialects')!r} if n in sys.modules])"
    )
    said = shell(cwd=made, code=code).stdout
    assert "R1" in said
    assert said.endswith("\n[]\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_is_known_without_what_reads_its_documents(name: str, tmp_path: Path) -> None:
    code = (
        f"import sys; from podium.workflows.catalog import entry; entry({name!r});"
        f"print([n for n in {HEAVY!r} if n in sys.modules])"
    )
    assert shell(cwd=tmp_path, code=code).stdout == "[]\n"


def test_what_looks_at_a_fleet_and_a_worker_that_waits_load_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys, podium.fleet.app, podium.fleet.worker;"
        "print([n for n in ('podium.engine.runs', 'podium.engine.loop', "
        "'podium.engine.services') if n in sys.modules])"
    )
    assert shell(cwd=tmp_path, code=code).stdout == "[]\n"


def test_podium_alone_says_what_it_is_and_where_to_begin(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium() == 0
    said = capsys.readouterr().out
    assert "podium demo" in said
    assert "podium init harness" in said
    assert all(name in said for name in table.COMMANDS)
    assert podium("help") == 0
    said = capsys.readouterr().out
    assert all(f"  {name} " in said for name in table.COMMANDS)


@pytest.mark.parametrize("name", table.COMMANDS)
def test_every_command_explains_itself(
    name: str, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium(name, "--help") == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: podium {name}")
    assert "--project" in said


def test_help_of_a_command_can_be_asked_both_ways(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("help", "run") == 0
    assert capsys.readouterr().out.startswith("usage: podium run")


def test_an_unknown_command_is_answered_with_the_nearest(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("aprove", "@") == 2
    assert "did you mean `podium approve`?" in capsys.readouterr().err


def test_an_unknown_option_is_answered_with_the_nearest(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harness", "t.md", "--agnet", "x") == 2
    assert "did you mean --agent?" in capsys.readouterr().err


def test_options_that_hold_everywhere_may_stand_before_the_command() -> None:
    assert split(["--json", "--project", "run", "status", "@"]) == (
        "status",
        ["--json", "--project", "run", "@"],
    )
    assert split(["--project=x", "list"]) == ("list", ["--project=x"])
    assert split(["--json"]) == ("", ["--json"])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError(Fault("podium.toml", "x is not known")), 2),
        (UsageError("no"), 2),
        (Halted("a rule"), 20),
        (ChainBroken("journal.jsonl", 3, "was changed"), 20),
        (Busy("process 7 drives it"), 40),
        (KeyboardInterrupt(), 130),
    ],
)
def test_exit_codes_say_whose_move_is_next(
    error: BaseException, code: int, podium: Podium, app: type[App]
) -> None:
    app.raises = error
    assert podium("approve", "@") == code


def test_an_error_is_one_message_on_stderr(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.raises = Busy("process 7 drives it")
    podium("approve", "@")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "podium: process 7 drives it\n")


def test_with_json_an_error_is_data_with_every_fault(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.raises = InputError(
        [Fault("podium.toml", "a is not known", "did you mean b?"), Fault("X", "y")]
    )
    assert podium("--json", "approve", "@") == 2
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["code"] == 2
    assert told["faults"][0] == {
        "where": "podium.toml",
        "what": "a is not known",
        "mend": "did you mean b?",
    }
    assert len(told["faults"]) == 2


def test_a_bug_leaves_a_report_without_secrets(
    podium: Podium,
    app: type[App],
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret-value")
    app.raises = RuntimeError("boom with very-secret-value")
    (project / ".podium/cache").mkdir()
    assert podium("approve", "@") == 1
    (report,) = (project / ".podium/cache").glob("bug-*.txt")
    assert str(report) in capsys.readouterr().err
    text = report.read_text()
    assert "RuntimeError: boom" in text
    assert "very-secret-value" not in text


def test_the_report_of_a_bug_is_nothing_that_git_would_show(
    podium: Podium, app: type[App], project: Path
) -> None:
    subprocess.run(["git", "init", "-q", project], check=True)
    prepare(project, Disk())
    (project / ".podium/cache").mkdir()
    app.raises = RuntimeError("boom")
    assert podium("approve", "@") == 1
    shown = subprocess.run(
        ["git", "-C", project, "status", "--porcelain"], check=True, capture_output=True, text=True
    )
    assert shown.stdout == ""


def test_a_bug_is_told_as_data_only_to_whoever_asked_for_it(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.raises = RuntimeError("boom")
    assert podium("--json", "approve", "@") == 1
    assert json.loads(capsys.readouterr().out)["error"]["message"] == "RuntimeError: boom"
    assert podium("approve", "--", "@", "--json") == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("command", "way_on"),
    [
        (
            ["resume", "@"],
            "Everything recorded is safe; make it writable again, then `podium resume` continues",
        ),
        (["run", "harness", "T.md"], "Make it writable again, and give the command again."),
        (["approve", "@"], "Make it writable again, and give the command again."),
    ],
)
def test_a_disk_that_fails_names_a_resume_only_where_there_is_a_run(
    podium: Podium,
    app: type[App],
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    way_on: str,
) -> None:
    app.raises = OSError(errno.EROFS, os.strerror(errno.EROFS), "/somewhere/.podium")
    assert podium(*command) == 20
    said = capsys.readouterr().err
    assert f"/somewhere/.podium. {way_on}" in said
    assert ("podium resume" in said) == (command[0] == "resume")


@pytest.mark.parametrize(
    ("number", "mend"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EROFS, "make it writable"),
        (errno.EIO, "see to the disk"),
    ],
)
def test_a_disk_that_fails_is_no_bug_of_ours_and_the_message_says_what_to_do(
    podium: Podium,
    app: type[App],
    project: Path,
    capsys: pytest.CaptureFixture[str],
    number: int,
    mend: str,
) -> None:
    app.raises = OSError(number, os.strerror(number), "/somewhere/journal.jsonl")
    assert podium("resume", "@") == 20
    said = capsys.readouterr().err
    assert f"{os.strerror(number)}: /somewhere/journal.jsonl" in said
    assert mend in said
    assert not list((project / ".podium").rglob("bug-*.txt"))


@pytest.mark.parametrize(
    "path", ["harness/stages.toml", "roadmap.json", "governance/runtime-policy.json", "podium.toml"]
)
@pytest.mark.parametrize("command", [["graph"], ["roles"], ["doctor"]])
def test_a_file_of_the_project_that_is_not_text_is_that_files_fault(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str], path: str, command: list[str]
) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_bytes(b"# first\n\xff")
    workflow = {"governance": "governed", "roadmap.json": "roadmap"}.get(
        path.partition("/")[0], "harness"
    )
    assert podium(*command, *([] if command == ["doctor"] else [workflow])) == 2
    told = capsys.readouterr()
    assert f"{path}:2: is not UTF-8 text" in told.err + told.out
    assert not list((project / ".podium").rglob("bug-*.txt"))


@pytest.mark.parametrize(
    "command",
    [
        ["check", "harness", "--svg"],
        ["simulate", "harness", "-n", "5", "--svg"],
        ["simulate", "harness", "--write-model"],
        ["simulate", "harness", "--fleet", "--workers", "1", "--runs-a-day", "5", "--svg"],
        ["demo", "harness", "--keep"],
    ],
)
def test_a_place_that_takes_no_file_is_told_with_the_option_that_named_it(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (project / "f").write_text("")
    assert podium(*command, "f" if command[-1] == "--keep" else "f/x") == 2
    assert f"{command[-1]}: " in (said := capsys.readouterr().err)
    assert "cannot be written: Not a directory" in said
    assert not list((project / ".podium").rglob("bug-*.txt"))


def test_run_alone_asks_only_for_what_it_cannot_do_without(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run") == 2
    said = capsys.readouterr().err
    assert "WORKFLOW" in said
    assert "INPUT" not in said


def test_the_message_of_a_bug_holds_no_secrets_either(
    podium: Podium,
    app: type[App],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret-value")
    app.raises = RuntimeError("boom with very-secret-value")
    podium("approve", "@", "--json")
    told = capsys.readouterr()
    assert "very-secret-value" not in told.err + told.out


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m podium completion bash | head -c 1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"#", b"")


def test_a_project_that_is_no_folder_is_refused(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("list", "--project", "nowhere") == 2
    assert "nowhere is not a folder" in capsys.readouterr().err


def test_every_error_of_the_tree_has_its_exit_code_from_the_contract() -> None:
    assert {each.exit_code for each in PodiumError.__subclasses__()} <= {2, 20, 40, 1}


@pytest.mark.parametrize("said", ["132", "0", "", "wide"])
def test_lines_are_as_wide_as_the_terminal_says(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", said)
    assert columns(77) == shutil.get_terminal_size((77, 24)).columns


def test_an_option_that_is_nearly_one_is_answered_in_whole_sentences(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harness", "--approve-all") == 2
    assert (
        "did you mean --yes-i-approve-all-gates? See `podium run --help`."
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["approve"],
            (
                "podium approve: RUN is missing (an id, a unique prefix, or @ for the latest). "
                "See `podium approve --help`.\n"
            ),
        ),
        (
            ["simulate", "harness", "-n", "many"],
            (
                "podium simulate: -n/--runs takes a whole number, not 'many'. See `podium "
                "simulate --help`.\n"
            ),
        ),
        (
            ["run"],
            (
                "podium run: WORKFLOW is missing (one of: feature, governed, harness, roadmap, "
                "ticket; or your own: a FILE.py, or a name that `podium workflows` lists). "
                "See `podium run --help`.\n"
            ),
        ),
        (
            ["completion", "csh"],
            (
                "podium completion: SHELL cannot be 'csh'; it is one of bash, fish, zsh. See "
                "`podium completion --help`.\n"
            ),
        ),
        (
            ["export"],
            "podium export: say one of --approvals, --otel, --check. See `podium export --help`.\n",
        ),
        (["ui", "--port"], "podium ui: --port needs a value. See `podium ui --help`.\n"),
        (
            ["run", "harness"],
            "podium run harness takes one task file, for example harness/tasks/T001-sample.md\n",
        ),
        (["rnu"], "podium: there is no command 'rnu'; did you mean `podium run`?\n"),
    ],
)
def test_a_message_names_the_program_once_and_what_is_missing(
    podium: Podium, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert podium(*words) == 2
    assert capsys.readouterr().err == said
