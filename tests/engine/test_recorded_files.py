"""What an agent did to its folder, recorded and done again in a fresh one: the same files."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.jobs import Stage, run
from tests.fakes.mounted import at_work
from tests.fakes.repository import git

from podium.agents.scenario import Call, Copy, Scenario
from podium.agents.scripted import ScriptedAgent
from podium.core.contract import Output
from podium.core.digest import digest
from podium.engine.attempts import recorded_files
from podium.engine.attempts import view as views
from podium.engine.attempts.recorded_files import Files, as_call, find, spelled
from podium.engine.views.code_view import Kind
from podium.engine.workspace import Workspace
from podium.verify.folder_audit import walk
from podium.verify.redact import Redactor

OUTPUTS = (
    Output("spec", "docs/spec.md"),
    Output("tasks", "docs/feature/x/tasks/*.md", many=True, example="docs/feature/x/tasks/01-a.md"),
)
BEFORE = {"a.txt": b"a\n", "d/b.txt": b"b\n", "d/e/c.txt": b"c\n"}


def put(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def content(folder: Path) -> dict[str, Any]:
    """Every file with its bytes and whether it is a program, every link with where it leads."""
    found: dict[str, Any] = {}
    for path, facts in walk(folder):
        where = folder / path
        if path != ".git" and not path.startswith(".git/"):
            found[path] = (
                os.readlink(where)
                if where.is_symlink()
                else (where.read_bytes(), facts.st_mode & 0o700)
            )
    return found


def play(files: Files, folder: Path, place: Path) -> None:
    """The recorded acts in a folder, by the scripted agent itself; `place` is for what it needs."""
    call, copies = as_call(files, Redactor({}))
    home = place / "copies"
    home.mkdir(parents=True)
    put(home, copies)
    stage = Stage(place)
    run(
        ScriptedAgent(Scenario({"r": (call,)}), home).perform(
            stage.job(role="r", folder=folder, outputs=OUTPUTS)
        )
    )


def view_of(folder: Path) -> views.View:
    return views.View(
        folder,
        folder.parent / "scratch",
        {path: digest(data) for path, data in BEFORE.items()},
        outputs=frozenset({"docs/spec.md"}),
    )


_NAMES = st.sampled_from(
    [
        "a.txt",
        "d",
        "d/b.txt",
        "d/e",
        "d/e/c.txt",
        "new.txt",
        "n/x",
        "@odd",
        "docs/spec.md",
        "tasks/y.md",
        "a.txt/in",
        "sp ace/'q'",
    ]
)
_ACTS = st.lists(
    st.tuples(st.just("write"), _NAMES, st.binary(max_size=12))
    | st.tuples(st.just("delete"), _NAMES, st.just(b""))
    | st.tuples(st.just("link"), _NAMES, st.just(b"a.txt"))
    | st.tuples(st.just("program"), _NAMES, st.just(b"")),
    max_size=6,
)


def do(folder: Path, act: str, path: str, data: bytes) -> None:
    """What a program would do, removing what stands in its way."""
    where = folder / path
    if act == "program":
        if where.is_file() and not where.is_symlink():
            where.chmod(0o755)
        return
    for above in reversed(where.relative_to(folder).parents):
        if (folder / above).is_symlink() or (folder / above).is_file():
            (folder / above).unlink()
    if where.is_symlink() or where.is_file():
        where.unlink()
    elif where.is_dir():
        shutil.rmtree(where)
    if act == "write":
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(data)
    elif act == "link":
        where.parent.mkdir(parents=True, exist_ok=True)
        where.symlink_to(data.decode())


def unmarked(found: dict[str, Any]) -> dict[str, Any]:
    return {path: each if isinstance(each, str) else each[0] for path, each in found.items()}


@settings(max_examples=60, deadline=None)
@given(_ACTS)
def test_whatever_was_done_to_a_folder_is_done_again(acts: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        first, second = Path(place) / "1" / "view", Path(place) / "2" / "view"
        put(first, BEFORE)
        put(second, BEFORE)
        for act in acts:
            do(first, *act)
        play(find(view_of(first), None, OUTPUTS), second, second.parent)
        # The mark of a program on an input that is not otherwise changed is nobody's business in a
        # view of documents.
        assert unmarked(content(second)) == unmarked(content(first))


CODE = {**BEFORE, "run.sh": b"#!/bin/sh\n", "plain.sh": b"x\n", ".gitignore": b"*.log\n"}


def repository(folder: Path) -> Path:
    put(folder, CODE)
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("a.txt")
    (folder / "into").symlink_to("d")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    return folder


def code_view(place: Path, kind: Kind) -> tuple[views.View, Workspace]:
    """A view of a repository of its own."""
    project = repository(place / "project")
    workspace = Workspace.find(project, project / ".podium", place / "store")
    point = workspace.checkpoint("x", date="2026-01-01T00:00:00+00:00", run_id="r")
    code = workspace.open_view(place / "view", point, kind=kind)
    return views.View(place / "view", place / "scratch", {}, code), workspace


@pytest.mark.parametrize(
    "acts",
    [
        pytest.param([("write", "link", b"a file now\n")], id="a link becomes a file"),
        pytest.param(
            [("write", "into/b.txt", b"not d's\n")], id="a link to a folder becomes a folder"
        ),
        pytest.param([("write", "d", b"a file now\n")], id="a folder becomes a file"),
        pytest.param([("write", "a.txt/in", b"x\n")], id="a file becomes a folder"),
        pytest.param([("link", "d", b"a.txt")], id="a folder becomes a link"),
        pytest.param([("program", "plain.sh", b"")], id="a file becomes a program"),
        pytest.param([("write", "run.sh", b"new\n")], id="a program becomes a file"),
        pytest.param(
            [("delete", "d", b""), ("write", "n/m.bin", bytes(range(256)))],
            id="a folder goes, bytes come",
        ),
        pytest.param([("write", "x.log", b"ignored\n")], id="what git ignores"),
    ],
)
def test_whatever_was_done_to_code_is_done_again(
    tmp_path: Path, acts: list[tuple[str, str, bytes]], kind: Kind
) -> None:
    (first, workspace), (second, _) = (code_view(tmp_path / each, kind) for each in ("1", "2"))
    assert first.code is not None
    assert second.code is not None
    with at_work(first.code) as folder:
        for act in acts:
            do(folder, *act)
        seen = {path: each for path, each in content(folder).items() if not path.endswith(".log")}
    files = find(first, workspace, ())
    with at_work(second.code) as folder:
        play(files, folder, tmp_path / "replay")
        assert content(folder) == seen


def test_an_output_is_named_and_nothing_else_is_taken_for_one() -> None:
    assert spelled("docs/spec.md", OUTPUTS) == "@spec"
    assert spelled("docs/feature/x/tasks/01-a.md", OUTPUTS) == "@tasks"
    assert spelled("docs/feature/x/tasks/02-b.md", OUTPUTS) == "docs/feature/x/tasks/02-b.md"
    assert spelled("tasks/02-b.md", OUTPUTS) == "./tasks/02-b.md"
    assert spelled("tasks/deep/02-b.md", OUTPUTS) == "tasks/deep/02-b.md"
    assert spelled("@spec", OUTPUTS) == "./@spec"


def test_what_no_scenario_can_say_is_named(tmp_path: Path) -> None:
    put(tmp_path / "view", BEFORE)
    os.mkfifo(tmp_path / "view" / "pipe")
    (tmp_path / "view" / os.fsdecode(b"\xff.txt")).write_text("x")
    found = find(view_of(tmp_path / "view"), None, OUTPUTS)
    assert found.lost == ("pipe", "\\udcff.txt")


def test_long_and_binary_contents_stand_beside_the_scenario() -> None:
    long = b"x" * (recorded_files.LARGEST_TEXT + 1)
    call, copies = as_call(
        Files({"a": (long, 0o644), "b": (b"\xff", 0o644), "c": (b"c", 0o644)}), Redactor({})
    )
    assert [type(each) for _, each in call.write] == [Copy, Copy, str]
    assert sorted(copies.values()) == sorted([long, b"\xff"])


def test_a_secret_is_cut_out_of_bytes_too() -> None:
    secret = "sk-0123456789abcdef0123"
    call, copies = as_call(
        Files({"a": (b"\xff" + secret.encode(), 0o644), "b": (secret.encode(), 0o644)}),
        Redactor({}),
    )
    assert call.write[1] == ("b", "[redacted]")
    assert list(copies.values()) == [b"\xff[redacted]"]


def test_nothing_done_is_nothing_to_do() -> None:
    assert as_call(Files({}), Redactor({})) == (Call(), {})
