"""A real server: sockets, slow clients, events as they happen."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.fakes.project import Project
from tests.web.conftest import GATE, Running, serve

from podium.core.errors import UsageError
from podium.web import feed, patience
from podium.web.serving import Served, Wanted, hosts, listening


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project.at(tmp_path_factory.mktemp("served"))
    made.run()
    return made


@pytest.fixture
def running(project: Project) -> Iterator[Running]:
    yield from serve(project.root, project.environ)


def _raw(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(data)
        return connection.recv(65536)


def _closed(connection: socket.socket, within: float) -> bool:
    connection.settimeout(within)
    try:
        return connection.recv(4096) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_it_listens_at_this_machine_only(running: Running) -> None:
    assert running.served.address == f"http://127.0.0.1:{running.port}/"
    assert running.client.get("/").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/static/../../serving.py",
        "/static/..%2fserving.py",
        "/runs/../../x",
        "//etc/passwd",
        "/runs/%2e%2e/%2e%2e",
    ],
)
def test_a_raw_address_that_climbs_leads_nowhere(running: Running, path: str) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in running.client.cookies.items())
    answer = _raw(
        running.port,
        (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nCookie: {cookie}\r\n"
            "Connection: close\r\n\r\n"
        ).encode(),
    )
    assert b" 404 " in answer.split(b"\r\n")[0]
    assert b"root:" not in answer


def test_a_head_without_end_is_refused(running: Running) -> None:
    answer = _raw(
        running.port, b"GET / HTTP/1.1\r\nX: " + b"a" * (2 * patience.MOST_HEAD) + b"\r\n"
    )
    assert b" 400 " in answer.split(b"\r\n")[0]


def test_a_client_that_never_asks_is_cut_off(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "ASK_S", 0.4)
    for running in serve(project.root, project.environ):
        with socket.create_connection(("127.0.0.1", running.port)) as silent:
            assert _closed(silent, 5)
        with socket.create_connection(("127.0.0.1", running.port)) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\n")
            began = time.monotonic()
            gone = False
            while not gone and time.monotonic() - began < 5:
                try:
                    slow.sendall(b"X: y\r\n")  # a byte now and then wins no time
                    gone = _closed(slow, 0.1)
                except OSError:
                    gone = True
            assert gone


def test_a_client_that_does_not_read_is_cut_off(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "READ_S", 0.5)
    project.step("specification", "evidence.log").write_bytes(b"x" * 20_000_000)
    for running in serve(project.root, project.environ):
        cookie = "; ".join(f"{name}={value}" for name, value in running.client.cookies.items())
        with socket.socket() as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.connect(("127.0.0.1", running.port))
            path = f"/runs/{project.run_id}/files/steps/specification/evidence.log"
            lazy.sendall(
                (
                    f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nCookie: {cookie}\r\n"
                    "\r\n"
                ).encode()
            )
            state = running.served._server.server_state
            deadline = time.monotonic() + 10
            while len(state.connections) > 1 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(state.connections) <= 1, "only our own connection is left"
    project.step("specification", "evidence.log").unlink()


def _events(
    running: Running, path: str, headers: dict[str, str] | None = None
) -> Iterator[dict[str, str]]:
    with running.client.stream("GET", path, headers=headers or {}, timeout=15) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        block: dict[str, str] = {}
        for line in answer.iter_lines():
            if not line and "event" in block:
                yield block
                block = {}
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                block[name] = value


def test_a_decision_is_heard_by_who_listens_and_can_be_heard_again(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.run()
    os.utime(
        project.folder / "journal.jsonl", (1, 1)
    )  # long ago, so that the first thing heard is the decision
    for running in serve(project.root, project.environ):
        path = f"/runs/{project.run_id}/events"
        threading.Timer(1.0, project.approve).start()
        heard = next(_events(running, path))
        assert heard["event"] == "change"
        told = json.loads(heard["data"])
        assert told["run"] == project.run_id
        assert "gate.decided" in [each["type"] for each in told["events"]]
        seq = int(heard["id"].partition(".")[0])
        again = next(_events(running, path, {"last-event-id": f"{seq - 1}.0"}))
        assert [each["seq"] for each in json.loads(again["data"])["events"]] == [seq]


def test_the_list_hears_of_a_new_event(project: Project) -> None:
    for running in serve(project.root, project.environ):
        threading.Timer(1.0, lambda: os.utime(project.folder / "state.json")).start()
        heard = next(_events(running, "/events"))
        assert (heard["event"], json.loads(heard["data"])) == ("change", {"run": project.run_id})


def test_there_is_a_heartbeat_and_a_last_word(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "BEAT_S", 0.2)
    for running in serve(project.root, project.environ):
        with running.client.stream("GET", "/events", timeout=15) as answer:
            lines = answer.iter_lines()
            assert any(line.startswith(": ") for _, line in zip(range(20), lines, strict=False))
            running.served.stop()
            assert "event: bye" in list(lines)


def test_too_many_listeners_are_told_to_come_later(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "LISTENERS", 1)
    with running.client.stream("GET", "/events", timeout=15) as first:
        lines = first.iter_lines()  # who lets go of it hangs up
        next(lines)
        with running.client.stream("GET", "/events") as second:
            assert second.status_code == 503
    deadline = time.monotonic() + 5
    while running.served.site.feeds._listeners and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running.served.site.feeds._listeners == 0, "who left makes room"


def test_a_taken_port_is_said_and_the_next_one_is_found(running: Running) -> None:
    with pytest.raises(UsageError, match="is taken"):
        listening("127.0.0.1", running.port)
    free = listening("127.0.0.1", 0)
    assert free.getsockname()[1] != running.port
    free.close()


def test_an_agent_cannot_open_it(project: Project) -> None:
    with pytest.raises(UsageError, match="decisions are for people"):
        Served(Wanted(project.root, "Ada"), {"PODIUM_AGENT": "1"}, lambda _: None)


def test_only_names_of_this_machine_are_answered_unless_others_are_given() -> None:
    assert hosts("127.0.0.1", 1, ()) == ["127.0.0.1:1", "[::1]:1", "localhost:1"]
    assert hosts("0.0.0.0", 1, ["box.example"]) == ["box.example", "box.example:1"]
    assert hosts("10.0.0.5", 1, ["box.example:443"]) == ["10.0.0.5:1", "box.example:443"]


@pytest.fixture
def environ(project: Project) -> dict[str, str]:
    return {**project.environ, "PODIUM_USER": "Ada", "PYTHONPATH": os.pathsep.join(sys.path)}


def _podium(environ: dict[str, str], project: Project, *words: str) -> subprocess.Popen[str]:
    argv = [
        sys.executable,
        "-m",
        "podium",
        "ui",
        "--no-browser",
        "--project",
        str(project.root),
        *words,
    ]
    return subprocess.Popen(
        argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_the_command_prints_a_link_that_opens_and_ends_by_an_interrupt(
    project: Project, environ: dict[str, str]
) -> None:
    with _podium(environ, project, "--json") as process:
        deadline = threading.Timer(30, process.kill)
        deadline.start()
        assert process.stdout is not None
        said = process.stdout.readline()
        while not said.rstrip().endswith("}"):
            said += (line := process.stdout.readline())
            assert line, said
        told = json.loads(said)
        assert told["url"].startswith(f"http://127.0.0.1:{told['port']}/?token=")
        for _ in range(100):
            try:
                opened = httpx.get(told["url"])
                break
            except httpx.TransportError:
                time.sleep(0.1)
        assert opened.status_code == 303
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=20)
        deadline.cancel()
    assert process.returncode in {0, 130}
    assert "Traceback" not in words
    assert "For another browser: http://127.0.0.1" in words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--host", "0.0.0.0"], "say --remote"),
        (["--host", "0.0.0.0", "--remote"], "--allow-host"),
        (["--host", "0.0.0.0", "--remote", "--allow-host", "box"], "needs a password"),
        (["--remote", "--password-file", "/nowhere"], "cannot be read"),
        (["--trust-header", "not a header"], "is not the name of a header"),
        (["--port", "70000"], "65535"),
    ],
)
def test_an_open_door_must_be_asked_for_in_full(
    project: Project, environ: dict[str, str], words: list[str], says: str
) -> None:
    with _podium(environ, project, *words) as process:
        out, err = process.communicate(timeout=20)
    assert process.returncode == 2, out
    assert says in err


def test_a_run_that_goes_on_has_a_process_of_its_own_and_never_two(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.run()
    environ = {
        **project.environ,
        "PODIUM_USER": "Ada",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PODIUM_PASSWORD": "secret",
    }
    for running in serve(project.root, environ):
        site = running.served.site
        project.approve()
        assert site.actions.resume(project.run_id, {}).say == "The run continues."
        assert "already" in site.actions.resume(project.run_id, {}).say
        going = site.actions._going
        assert "PODIUM_PASSWORD" not in going._environ
        process = going._started[project.run_id]
        process.wait(60)
        assert os.getsid(0) != process.pid
    assert "phase.entered" in project.types()
    assert project.app.summary(project.run_id).step != GATE.replace("-", "_")
    assert (project.folder / "ui-resume.log").read_text()
