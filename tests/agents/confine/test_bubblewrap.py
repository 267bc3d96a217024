"""A shell in a room of bubblewrap reads, writes and reaches nothing but what the room names.
Real processes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import ENV, SECRET, Cell
from tests.agents.jobs import Stage, run, size, still_writing, until

from podium.agents.command import CommandAgent
from podium.agents.confine.levels import Name
from podium.agents.environment import leftovers
from podium.agents.protocol import Finished, NotStarted

BEAT = "while :; do echo x >> {file}; sleep 0.02; done"


@pytest.fixture
def cell(tmp_path: Path) -> Cell:
    return Cell.made(tmp_path, "bubblewrap")


def test_a_program_reads_its_view_and_writes_its_outputs(cell: Cell) -> None:
    ended = cell.sh(
        "cat input.md docs/given.md && echo made > docs/spec.md && mkdir docs/deep && echo x "
        "> docs/deep/y"
    )
    assert (ended.exit_code, ended.output) == (0, b"the taskalso an input")
    assert (cell.room.folder / "docs/spec.md").read_text() == "made\n"


@pytest.mark.parametrize(
    "way",
    [
        "cat {place}/secret",
        "ln -s {place}/secret docs/link && cat docs/link",
        "ln -s {place} docs/link && cat docs/link/secret",
        "cat ../secret",
        "cat /proc/{engine}/root{place}/secret",
        "cat /proc/1/root{place}/secret",
        "for each in /proc/[0-9]*; do cat $each/root{place}/secret; done; false",
        "ln {place}/secret docs/hard && cat docs/hard",
        "cat /proc/{engine}/environ | grep -a PATH",
        "mount --bind / docs && cat docs{place}/secret",
        (
            "unshare -Urm sh -c 'mount --bind / docs; umount {place}/view; cat docs{place}/secret "
            "{place}/secret'"
        ),
        "cat /etc/shadow",
        "ls /root",
        "ls {home}",
    ],
)
def test_nothing_outside_can_be_read(cell: Cell, way: str) -> None:
    ended = cell.sh(way.format(place=cell.place, engine=os.getpid(), home=os.path.expanduser("~")))
    assert ended.exit_code != 0
    assert SECRET.encode() not in ended.output


@pytest.mark.parametrize(
    "way",
    [
        "echo x > {place}/elsewhere/x",
        "ln -s {place}/elsewhere docs/link && echo x > docs/link/x",
        "echo x > input.md",
        "echo x > docs/given.md",
        "rm docs/given.md",
        "mv docs/given.md docs/taken.md",
        "echo x > new.md",
        "rm -rf ../view",
        "mv docs gone",
        "echo x > /usr/local/bin/git",
        "echo x > /etc/passwd",
        "echo x > /x",
        "mount -o remount,rw {place}/view && echo x > new.md",
        (
            "unshare -Urm sh -c 'mount -o remount,rw,bind {place}/view && echo x > "
            "{place}/view/new.md'"
        ),
    ],
)
def test_nothing_but_the_outputs_can_be_written(cell: Cell, way: str) -> None:
    before = _everything(cell.place)
    assert cell.sh(way.format(place=cell.place)).exit_code != 0
    assert _everything(cell.place) == before


@pytest.mark.parametrize("name", ["python", "tool"])
def test_a_program_of_an_environment_behind_a_link_is_started(cell: Cell, name: str) -> None:
    venv = cell.place / "venvs" / "one"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(
        f"home = {os.path.dirname(os.path.realpath(sys.executable))}\n"
    )
    (venv / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    link = cell.place / "link"
    link.symlink_to(venv)
    (venv / "bin" / "tool").write_text(f"#!{link}/bin/python\nprint('here')\n")
    (venv / "bin" / "tool").chmod(0o755)
    ended = cell.start(
        [str(link / "bin" / name), *(["-c", "print('here')"] if name == "python" else [])]
    )
    assert (ended.exit_code, ended.output) == (0, b"here\n")


def test_a_folder_that_may_be_read_is_read_through_a_link_too(cell: Cell) -> None:
    (cell.place / "shared").mkdir()
    (cell.place / "shared" / "notes").write_text("all can know")
    (cell.place / "link").symlink_to("shared")
    other = replace(cell, room=replace(cell.room, readable=(cell.place / "link",)))
    assert other.sh(f"cat {cell.place}/link/notes").output == b"all can know"


def test_what_is_written_beside_the_view_lands_nowhere(cell: Cell) -> None:
    cell.sh(
        f"echo x > {cell.place}/secret; echo x > /tmp/podium-escaped; echo x > "
        "/dev/shm/podium-escaped"
    )
    assert (cell.place / "secret").read_text() == SECRET
    assert not [
        each for each in ("/tmp/podium-escaped", "/dev/shm/podium-escaped") if os.path.exists(each)
    ]


def _everything(place: Path) -> dict[str, bytes | None]:
    """All files outside the scratch folder; a link that an attack left among the outputs is no
    harm.
    """
    found = (
        each for each in place.rglob("*") if "scratch" not in each.parts and not each.is_symlink()
    )
    return {str(each): each.read_bytes() if each.is_file() else None for each in found}


def test_no_address_can_be_reached(cell: Cell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as hidden:
        name = f"podium-test-{os.getpid()}"
        hidden.bind(f"\0{name}")
        hidden.listen()
        script = (
            "import socket\n"
            "def tried(family, kind, address):\n"
            "    try:\n"
            "        with socket.socket(family, kind) as out: out.settimeout(2); "
            "out.connect(address); out.send(b'x')\n"
            "    except OSError as refused: print('refused')\n"
            "    else: print('reached', address)\n"
            f"tried(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', {tcp.getsockname()[1]}))\n"
            f"tried(socket.AF_UNIX, socket.SOCK_STREAM, '\\0{name}')\n"
            "tried(socket.AF_INET, socket.SOCK_STREAM, ('192.0.2.1', 80))\n"
            "tried(socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.1', 53))\n"
            "tried(socket.AF_INET6, socket.SOCK_STREAM, ('2001:db8::1', 80))\n"
        )
        ended = cell.start([sys.executable, "-c", script])
        assert ended.output.split() == [b"refused"] * 5, ended
        for each in (tcp, hidden):
            each.settimeout(0.1)
            with pytest.raises(TimeoutError):
                each.accept()


def test_an_open_network_is_really_open(tmp_path: Path) -> None:
    cell = Cell.made(tmp_path, "bubblewrap", network="open")
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        script = (
            f"import socket; socket.create_connection(('127.0.0.1', {tcp.getsockname()[1]})); "
            "print('in')"
        )
        assert cell.start([sys.executable, "-c", script]).output == b"in\n"


def test_the_model_is_the_only_address(tmp_path: Path) -> None:
    path = tmp_path / "model.sock"
    with socket.socket(socket.AF_UNIX) as gateway, socket.create_server(("127.0.0.1", 0)) as other:
        gateway.bind(str(path))
        gateway.listen()
        cell = Cell.made(tmp_path / "cell", "bubblewrap", network="model", model=path, port=8123)
        threading.Thread(target=_echo, args=(gateway,), daemon=True).start()
        script = (
            "import socket, sys\n"
            "with socket.create_connection(('127.0.0.1', 8123)) as out:\n"
            "    out.sendall(b'q' * 300000); out.shutdown(socket.SHUT_WR)\n"
            "    print(sum(len(each) for each in iter(lambda: out.recv(65536), b'')))\n"
            f"try: socket.create_connection(('127.0.0.1', {other.getsockname()[1]}), 2)\n"
            "except OSError: print('refused')\n"
            "sys.exit(7)\n"
        )
        ended = cell.start([sys.executable, "-c", script])
    assert (ended.exit_code, ended.output.split()) == (7, [b"300000", b"refused"])


def test_a_missing_program_is_told_through_the_forwarder_too(tmp_path: Path) -> None:
    path = tmp_path / "model.sock"
    with socket.socket(socket.AF_UNIX) as gateway:
        gateway.bind(str(path))
        cell = Cell.made(tmp_path / "cell", "bubblewrap", network="model", model=path, port=8123)
        assert "No such file" in cell.start(["/no/such/program"]).not_started


def _echo(gateway: socket.socket) -> None:
    caller, _ = gateway.accept()
    with caller:
        data = b"".join(iter(lambda: caller.recv(65536), b""))
        caller.sendall(data)


def test_a_detached_child_is_gone_afterwards(cell: Cell) -> None:
    beat = cell.room.folder / "docs/beat"
    script = (
        f"setsid nohup env -i sh -c '{BEAT.format(file=beat)}' >/dev/null 2>&1 & while [ ! -s "
        f"{beat} ]; do sleep 0.01; done; echo done"
    )
    ended = cell.sh(script)
    assert (ended.exit_code, ended.output) == (0, b"done\n")
    assert size(beat) > 0
    assert not still_writing(beat)


@pytest.mark.parametrize("limits", [{"timeout_s": 1.0}, {"silence_s": 1.0}])
def test_at_a_limit_the_whole_room_ends(cell: Cell, limits: dict[str, Any]) -> None:
    beat = cell.room.folder / "docs/beat"
    ended = cell.sh(
        f"setsid sh -c '{BEAT.format(file=beat)}' & sleep 60",
        env={"PODIUM_DISPATCH": str(beat)},
        **limits,
    )
    assert (ended.timed_out, ended.silent) == (True, "silence_s" in limits)
    assert size(beat) > 0
    assert not still_writing(beat)
    assert leftovers(str(beat)) == []


def test_a_killed_engine_takes_the_room_with_it_and_the_lock_is_free_only_then(cell: Cell) -> None:
    """The engine is a process of its own here, killed without warning."""
    beat, lock = cell.room.folder / "docs/beat", cell.place / "lock"
    engine = (
        "import asyncio, fcntl, os, sys\n"
        "from pathlib import Path\n"
        "from podium.agents.confine.bubblewrap import Bubblewrap\n"
        "from podium.agents.confine.room import Room\n"
        "from podium.agents.process import Supervisor\n"
        f"fd = os.open({str(lock)!r}, os.O_RDWR | os.O_CREAT)\n"
        "fcntl.flock(fd, fcntl.LOCK_EX)\n"
        f"view = Path({str(cell.room.folder)!r})\n"
        f"room = Room(view, Path({str(cell.room.scratch)!r}), (view / 'docs',), network='none')\n"
        f"enclose = Bubblewrap({cell.confinement.level.program!r}, room)\n"
        f"script = \"setsid sh -c '{BEAT.format(file=beat)}' & sleep 600\"\n"
        "asyncio.run(Supervisor((fd,), enclose=enclose)(['sh', '-c', script], cwd=view, "
        "env=dict(os.environ)))\n"
    )
    path = os.pathsep.join(each for each in sys.path if each)
    started = subprocess.Popen(
        [sys.executable, "-c", engine],
        env={**os.environ, "PYTHONPATH": path, "PODIUM_DISPATCH": str(beat)},
    )
    assert until(lambda: size(beat) > 0, seconds=20)
    started.send_signal(signal.SIGKILL)
    started.wait()
    _take(lock)
    assert leftovers(str(beat)) == []
    assert not still_writing(beat)


def _take(lock: Path) -> None:
    subprocess.run(["flock", "-w", "20", str(lock), "true"], check=True)


def test_the_shim_killed_by_hand_ends_the_room(cell: Cell) -> None:
    beat = cell.room.folder / "docs/beat"
    env = {**ENV, "PODIUM_DISPATCH": str(beat)}

    async def strike() -> Finished:
        work = asyncio.ensure_future(
            cell.supervisor()(
                ["sh", "-c", BEAT.format(file=beat)], cwd=cell.room.folder, env=env, timeout_s=20
            )
        )
        await asyncio.to_thread(until, lambda: size(beat) > 0)
        os.kill(min(leftovers(str(beat))), signal.SIGKILL)  # the oldest is the shim
        return await work

    assert run(strike()).exit_code == 137
    assert not still_writing(beat)


def test_who_runs_as_root_is_somebody_else_inside(cell: Cell) -> None:
    uid, name = cell.sh("id -u; id -un").output.decode().split()
    assert name == "agent"
    assert uid == ("1000" if os.geteuid() == 0 else str(os.geteuid()))
    made = cell.room.folder / "docs/mine"
    cell.sh("echo x > docs/mine")
    assert made.stat().st_uid == os.geteuid()


def test_home_and_temporary_folder_are_private_and_there(cell: Cell) -> None:
    ended = cell.sh(
        'echo x > "$HOME/kept" && echo y > "$TMPDIR/t" && echo "$HOME" && mktemp && echo z > '
        "/tmp/z && getent passwd agent"
    )
    assert ended.exit_code == 0, ended
    assert (cell.room.home / "kept").read_text() == "x\n"
    assert not Path("/tmp/z").exists()
    assert ended.output.decode().splitlines()[0] == str(cell.room.home)


def test_a_home_that_a_profile_laid_out_is_left_alone(cell: Cell) -> None:
    mine = cell.room.scratch / "claude-home"
    mine.mkdir()
    assert cell.sh("echo $HOME", env={"HOME": str(mine)}).output.decode().strip() == str(mine)


def test_what_a_program_needs_can_be_read_and_not_changed(cell: Cell) -> None:
    tool = cell.place / "tool"
    tool.mkdir()
    (tool / "data").write_text("of the tool")
    ended = cell.sh(f"cat {tool}/data; echo x >> {tool}/data", needs=(tool,))
    assert ended.output == b"of the tool"
    assert (tool / "data").read_text() == "of the tool"


def test_a_program_outside_the_system_folders_is_found_with_its_interpreter(cell: Cell) -> None:
    script = cell.place / "agent"
    script.write_text(f"#!{sys.executable}\nimport sys, json; print('ran', sys.argv[1])\n")
    script.chmod(0o755)
    assert cell.start([str(script), "well"]).output == b"ran well\n"


def test_a_program_that_is_not_there_is_told_apart_from_one_that_failed(cell: Cell) -> None:
    ended = cell.start(["/no/such/program"])
    assert "No such file" in ended.not_started

    async def talk_to_it() -> None:
        async with cell.supervisor().converse(
            ["/no/such/program"], cwd=cell.room.folder, env=ENV
        ) as talk:
            await talk.reader.read()

    with pytest.raises(NotStarted, match="No such file"):
        run(talk_to_it())
    assert cell.sh("echo oops >&2; exit 1").not_started == ""


def test_a_conversation_is_held_in_the_room_too(cell: Cell) -> None:
    async def talk_to_it() -> list[bytes]:
        script = f"read line; echo got $line; cat {cell.place}/secret; echo end"
        async with cell.supervisor().converse(
            ["sh", "-c", script], cwd=cell.room.folder, env=ENV
        ) as talk:
            talk.writer.write(b"hello\n")
            await talk.writer.drain()
            return (await talk.reader.read()).splitlines()

    assert run(talk_to_it()) == [b"got hello", b"end"]


@pytest.mark.parametrize("swapped", ["docs", "../scratch/home", "../scratch/tmp"])
def test_a_folder_that_was_replaced_by_a_link_is_not_mounted_the_next_time(
    tmp_path: Path, swapped: str
) -> None:
    """What may be written may be replaced; the next program of the dispatch must not be let out
    by it.
    """
    made = Cell.made(tmp_path, "bubblewrap")
    folder = Path(os.path.normpath(made.room.folder / swapped))
    assert made.sh("true").exit_code == 0
    os.rename(folder, tmp_path / "moved")
    folder.symlink_to(tmp_path / "elsewhere")
    ended = made.sh("true")
    assert "was replaced by a link" in ended.not_started


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
def test_what_could_lead_the_engine_out_is_gone_before_it_writes_again(
    tmp_path: Path, name: Name
) -> None:
    """Prompts and settings are written to the scratch folder between two programs of one
    dispatch.
    """
    cell = Cell.made(tmp_path, name)
    script = (
        "cd ../scratch && rmdir home && ln -s / home && ln -s /etc/passwd prompt.md && mkfifo "
        "pipe && echo x > kept"
    )
    assert cell.sh(script).exit_code == 0
    assert sorted(os.listdir(cell.room.scratch)) == ["kept", "tmp"]

    async def talk() -> None:
        async with cell.supervisor().converse(
            ["sh", "-c", "ln -s / ../scratch/out"], cwd=cell.room.folder, env=ENV
        ) as ours:
            await ours.reader.read()

    run(talk())
    assert sorted(os.listdir(cell.room.scratch)) == ["home", "kept", "tmp"]


def test_the_arguments_and_the_input_arrive_as_they_are(cell: Cell) -> None:
    ended = cell.start(
        ["sh", "-c", 'printf "%s|" "$@"; cat', "sh", "a b", "--", "", "*"], stdin=b"in"
    )
    assert ended.output == b"a b|--||*|in"


def test_a_room_costs_little(cell: Cell) -> None:
    """Measured at about 12 ms; the bound leaves room for a busy machine."""
    argv = cell.confinement.enclosure(cell.room)(["true"], cell.room.folder, ENV, ())

    def quickest(argv: tuple[str, ...], descriptors: tuple[int, ...] = ()) -> float:
        taken = []
        for _ in range(5):
            began = time.monotonic()
            subprocess.run(argv, check=True, pass_fds=descriptors, env=ENV)
            taken.append(time.monotonic() - began)
        return min(taken)

    try:
        extra = quickest(argv.argv, argv.descriptors) - quickest(("true",))
    finally:
        for each in argv.descriptors:
            os.close(each)
    assert extra < 0.25


def test_files_that_the_configured_command_names_can_be_read(tmp_path: Path) -> None:
    """`command = ["python3", "/home/me/agent.py"]` works, and its neighbours stay unseen."""
    cell, stage = Cell.made(tmp_path, "bubblewrap"), Stage(tmp_path)
    script = tmp_path / "agent.py"
    script.write_text(f"print(open(__file__).read()[:5]); open({str(tmp_path / 'secret')!r})")
    job = stage.job(
        folder=cell.room.folder,
        scratch=cell.room.scratch,
        supervise=cell.supervisor(),
        enclosed=True,
    )
    answer = run(CommandAgent("mine", ["python3", str(script)]).perform(job))
    assert answer.failure is not None
    assert answer.failure.kind == "crash"
    assert "No such file" in answer.failure.detail
    assert "[isolation] readable" in answer.failure.detail
    assert stage.acts("text")[0]["text"] == "print"
