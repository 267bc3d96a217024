"""Files that are not what they should be, under every command: each ends with a sentence about that
file, none with a fault of the program.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest
from tests.crash.flows import quick_folder
from tests.fakes.project import SPEC, STATE, TASK, Project

from podium.__main__ import main

Damage = Callable[[Path], object]
RUN = ".podium/runs/T001-0001"
PLACES = [
    "podium.toml",
    TASK,
    STATE,
    SPEC,
    "harness/stages.toml",
    "harness/roles/build-agent.md",
    "src/app.py",
    ".podium/cache",
    f"{RUN}/journal.jsonl",
    f"{RUN}/state.json",
    f"{RUN}/.state.json.spare",
    f"{RUN}/request.json",
    f"{RUN}/lock",
    f"{RUN}/steps/specification/1/output.md",
]
COMMANDS = [
    ["list"],
    ["status", "@"],
    ["log", "@", "--verify"],
    ["show", "@", "specification"],
    ["report", "@"],
    ["graph", "harness"],
    ["approve", "@"],
    ["answer", "@", "--text", "words"],
    ["resume", "@"],
    ["rewind", "@", "--to", "specification"],
    ["cancel", "@"],
]
"""In this order, in one project: `approve` leaves what `resume` goes on with."""


def _away(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def _folder(place: Path) -> None:
    _away(place)
    place.mkdir()
    (place / "more").write_text("x")


def _bytes(content: bytes) -> Damage:
    def change(place: Path) -> None:
        _away(place)
        place.write_bytes(content)

    return change


def _link(place: Path, target: str) -> None:
    _away(place)
    place.symlink_to(target)


def _file_for_its_folder(place: Path) -> None:
    shutil.rmtree(place.parent)
    place.parent.write_text("x")


def _pipe(place: Path) -> None:
    _away(place)
    os.mkfifo(place)


DAMAGES: dict[str, Damage] = {
    "a folder": _folder,
    "gone": _away,
    "empty": _bytes(b""),
    "no text": _bytes(b"\xff\x00[[[{"),
    "other data": _bytes(b'[1, {"a": null}]'),
    "a link to nothing": lambda place: _link(place, "nowhere"),
    "a link to itself": lambda place: _link(place, place.name),
    "a pipe": _pipe,
    "in a file": _file_for_its_folder,
}
"""PODIUM_LONG=1 lets each place meet all of them."""
_turn = count()
CASES = [
    (place, damage)
    for place in PLACES
    for damage in (
        DAMAGES
        if os.environ.get("PODIUM_LONG") == "1"
        else [list(DAMAGES)[next(_turn) % len(DAMAGES)]]
    )
    if (damage != "a pipe" or place.startswith(RUN))
    and (damage != "in a file" or place != "podium.toml")
]


@pytest.fixture(scope="module")
def at_gate() -> Iterator[Path]:
    """A run that waits at its first gate."""
    with quick_folder() as folder:
        assert Project.at(folder).run().gates == ("approve-build",)
        yield folder


@pytest.fixture
def here(at_gate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with quick_folder() as folder:
        shutil.copytree(at_gate, folder / "now", symlinks=True)
        project = Project(folder / "now" / "project", folder / "now" / "home")
        for variable, value in project.environ.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.chdir(project.root)
        yield project.root


def told(capsys: pytest.CaptureFixture[str], words: Sequence[str]) -> int:
    """Its exit code, once it is certain that what went wrong was said."""
    code = main([*words])
    said = capsys.readouterr()
    assert code in {0, 2, 10, 20, 30}, said.err
    assert code in {0, 10} or said.out + said.err
    assert "a fault of the program" not in said.out + said.err
    assert "Traceback" not in said.out + said.err
    return code


@pytest.mark.parametrize(("place", "damage"), CASES)
def test_a_file_that_is_not_what_it_should_be_is_named_by_every_command(
    here: Path, capsys: pytest.CaptureFixture[str], place: str, damage: str
) -> None:
    (here / place).parent.mkdir(parents=True, exist_ok=True)
    DAMAGES[damage](here / place)
    for words in COMMANDS:
        told(capsys, words)


@pytest.mark.parametrize("command", ["status", "log", "show", "approve", "resume"])
@pytest.mark.parametrize("damage", ["a folder", "a link to itself"])
def test_a_journal_that_cannot_be_read_is_named_with_its_place(
    here: Path, capsys: pytest.CaptureFixture[str], command: str, damage: str
) -> None:
    DAMAGES[damage](here / RUN / "journal.jsonl")
    code = main([command, "T001-0001"])
    said = capsys.readouterr().err
    assert (code, "journal.jsonl: " in said) == (20, True) or (code, "no run" in said) == (2, True)


def test_one_run_that_cannot_be_read_hides_no_other(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(here / RUN, here / ".podium/runs/T001-9999")
    _folder(here / ".podium/runs/T001-9999/journal.jsonl")
    assert main(["list"]) == 0
    said = capsys.readouterr().out
    assert "T001-0001" in said
    assert "damaged" in said
    assert main(["status", "@"]) == 0
    assert "T001-0001" in capsys.readouterr().out


def test_runs_that_are_no_folder_are_told_with_the_way_out(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _bytes(b"x")(here / ".podium")
    assert main(["list"]) == 20
    assert "Not a directory. Move the file away, a folder belongs there" in capsys.readouterr().err


WITHOUT_RIGHTS = (
    ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    if os.geteuid() == 0
    else []
)
needs_setpriv = pytest.mark.skipif(
    bool(WITHOUT_RIGHTS) and not shutil.which("setpriv"), reason="root needs setpriv"
)


def as_anyone(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of a person who is not root, whoever runs these tests."""
    return subprocess.run(
        [*WITHOUT_RIGHTS, sys.executable, "-m", "podium", *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )


@needs_setpriv
@pytest.mark.parametrize(
    ("place", "mode", "words", "code", "named"),
    [
        (f"{RUN}/journal.jsonl", 0, ["status", "T001-0001"], 20, "journal.jsonl"),
        (f"{RUN}/journal.jsonl", 0, ["list"], 0, "damaged"),
        (RUN, 0o555, ["approve", "@"], 20, f"{RUN}/inbox"),
        (RUN, 0o555, ["cancel", "@"], 20, f"{RUN}/"),
        (".podium", 0, ["list"], 20, ".podium"),
    ],
)
def test_what_a_person_has_no_right_to_is_named_with_the_way_out(
    here: Path, place: str, mode: int, words: list[str], code: int, named: str
) -> None:
    (here / place).chmod(mode)
    try:
        done = as_anyone(*words)
    finally:
        (here / place).chmod(0o755)
    assert (done.returncode, named in done.stdout + done.stderr) == (code, True), done.stderr
    assert "a fault of the program" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
@pytest.mark.parametrize("words", [["status", "@"], ["list"], ["report", "@"], ["log", "@"]])
def test_a_character_that_the_terminal_does_not_have_ends_nothing(
    here: Path, encoding: str, words: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "podium", *words],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
    )
    assert done.returncode in {0, 10}, done.stderr
    assert b"T001" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_data_loses_no_character_to_the_encoding(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "podium", "--json", "ü\U0001f600"],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"},
        capture_output=True,
    )
    assert done.returncode == 2
    assert "ü\U0001f600" in json.loads(done.stdout.decode(encoding))["error"]["message"]
