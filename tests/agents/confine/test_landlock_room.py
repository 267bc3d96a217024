"""The second choice: the same shell under Landlock, as far as Landlock holds. Real processes."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from tests.agents.confine.rooms import SECRET, Cell
from tests.agents.jobs import size, still_writing

from podium.agents.confine.landlock import rights


@pytest.fixture
def cell(tmp_path: Path) -> Cell:
    return Cell.made(tmp_path, "landlock")


def test_a_program_reads_its_view_and_writes_its_outputs(cell: Cell) -> None:
    ended = cell.sh(
        "cat input.md && echo made > docs/spec.md && mv docs/spec.md docs/final.md && git "
        "--version >&2"
    )
    assert (ended.exit_code, ended.output) == (0, b"the task"), ended
    assert b"unable to access" not in ended.errors
    assert (cell.room.folder / "docs/final.md").read_text() == "made\n"


@pytest.mark.parametrize(
    "way",
    [
        "cat {place}/secret",
        "ln -s {place}/secret docs/link && cat docs/link",
        "cat ../secret",
        "ls {place}",
        "cat /proc/{engine}/root{place}/secret",
        "cat /proc/{engine}/environ",
        "ln {place}/secret docs/hard && cat docs/hard",
        "cat /etc/shadow",
        "ls /root",
        "ls /dev/shm",
    ],
)
def test_nothing_outside_can_be_read(cell: Cell, way: str) -> None:
    ended = cell.sh(way.format(place=cell.place, engine=os.getpid()))
    assert ended.exit_code != 0
    assert SECRET.encode() not in ended.output


@pytest.mark.parametrize(
    "way",
    [
        "echo x > {place}/elsewhere/x",
        "echo x > {place}/secret",
        "ln -s {place}/elsewhere docs/link && echo x > docs/link/x",
        "echo x > input.md",
        "echo x > new.md",
        "rm -rf input.md",
        "mv {place}/secret docs/taken",
        "echo x > /tmp/podium-escaped",
        "truncate -s 0 {place}/secret",
    ],
)
def test_nothing_but_the_outputs_can_be_written(cell: Cell, way: str) -> None:
    assert cell.sh(way.format(place=cell.place)).exit_code != 0
    assert (cell.place / "secret").read_text() == SECRET
    assert list((cell.place / "elsewhere").iterdir()) == []
    assert (cell.room.folder / "input.md").read_text() == "the task"
    assert sorted(os.listdir(cell.room.folder)) == ["docs", "input.md"]
    assert not Path("/tmp/podium-escaped").exists()


def _reaching(port: int, name: str = "") -> str:
    return (
        "import socket\n"
        f"for family, address in ((socket.AF_INET, ('127.0.0.1', {port})), (socket.AF_UNIX, "
        f"'\\0{name}')):\n"
        "    try:\n"
        "        with socket.socket(family) as out: out.settimeout(2); out.connect(address)\n"
        "    except OSError as refused: print('refused')\n"
        "    else: print('reached')\n"
    )


def test_no_tcp_connection_and_no_abstract_socket_where_the_kernel_can_hold_that(
    cell: Cell,
) -> None:
    abi = cell.confinement.level.abi
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as hidden:
        name = f"podium-landlock-{os.getpid()}"
        hidden.bind(f"\0{name}")
        hidden.listen()
        said = cell.start(
            [sys.executable, "-c", _reaching(tcp.getsockname()[1], name)]
        ).output.split()
    assert said == [b"refused" if abi >= 4 else b"reached", b"refused" if abi >= 6 else b"reached"]


def test_the_port_of_the_model_is_the_only_one(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as model,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        port = model.getsockname()[1]
        cell = Cell.made(tmp_path, "landlock", network="model", port=port)
        if cell.confinement.level.abi < 4:
            pytest.skip("this kernel's Landlock does not know TCP")
        assert cell.start([sys.executable, "-c", _reaching(port)]).output.split()[0] == b"reached"
        assert (
            cell.start([sys.executable, "-c", _reaching(other.getsockname()[1])]).output.split()[0]
            == b"refused"
        )


def test_a_detached_child_is_gone_afterwards(cell: Cell) -> None:
    beat = cell.room.folder / "docs/beat"
    loop = f"while :; do echo x >> {beat}; sleep 0.02; done"
    ended = cell.sh(
        f"setsid env -i PATH=$PATH sh -c '{loop}' & while [ ! -s {beat} ]; do sleep 0.01; "
        "done; echo done"
    )
    assert (ended.exit_code, ended.output) == (0, b"done\n")
    assert size(beat) > 0
    assert not still_writing(beat)


def test_root_inside_has_no_powers_left(cell: Cell) -> None:
    held = next(
        line
        for line in cell.sh("cat /proc/self/status").output.decode().splitlines()
        if line.startswith("CapEff")
    )
    assert int(held.split()[1], 16) == 0


def test_a_program_that_is_not_there_is_told_apart_from_one_that_failed(cell: Cell) -> None:
    assert "No such file" in cell.start(["/no/such/program"]).not_started
    assert cell.sh("exit 126").not_started == ""


def test_what_is_fixed_among_outputs_is_left_to_the_audit_and_that_is_known(cell: Cell) -> None:
    assert cell.sh("echo x > docs/given.md").exit_code == 0


@pytest.mark.parametrize(("abi", "number"), [(1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (7, 16)])
def test_every_version_is_asked_only_for_what_it_knows(abi: int, number: int) -> None:
    assert rights(abi) == (1 << number) - 1
