"""An S3-compatible server of the package index (moto's), as a process that can be stopped and
started again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from podium.fleet.servers.postgres_server import free_port

KEYS = {
    "AWS_ACCESS_KEY_ID": "key-of-the-worker",
    "AWS_SECRET_ACCESS_KEY": "secret-of-the-worker",
    "AWS_DEFAULT_REGION": "us-east-1",
}
SERVE = """
import sys
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, create_backend_app
make_server("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=True).serve_forever()
"""  # noqa: E501


class S3Server:
    """Its objects live in its memory: `stop` freezes it behind a closed door, `start` opens it
    again.
    """

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("boto3", reason="boto3 is not installed (pip install 'podium[s3]')")
        pytest.importorskip(
            "moto", reason="moto is not installed (pip install 'moto[s3]' flask flask-cors)"
        )
        inner = free_port()
        self._log = open(folder / "s3.log", "w")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(inner)],
            stdout=self._log,
            stderr=self._log,
            env={"PATH": os.environ["PATH"], **KEYS},
        )
        deadline = time.monotonic() + 60
        while not _answers(inner):
            if time.monotonic() > deadline or self._process.poll() is not None:
                self._end()
                pytest.fail((folder / "s3.log").read_text())
            time.sleep(0.1)
        self._door = Door(inner)
        self.endpoint = f"http://127.0.0.1:{self._door.port}"

    def make_bucket(self, name: str) -> None:
        boto3 = pytest.importorskip("boto3")
        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
        )
        client.create_bucket(Bucket=name)

    def away(self) -> None:
        self._door.shut()

    def back(self) -> None:
        self._door.open()

    def close(self) -> None:
        self._door.shut()
        self._end()

    def _end(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._log.close()


class Door:
    """A port before the server's: shut, nobody listens there; `after` cuts a connection when so
    many bytes went in.
    """

    def __init__(self, inner: int) -> None:
        self._inner, self.port = inner, free_port()
        self._listener: socket.socket | None = None
        self.after = 0
        self.open()

    def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def shut(self) -> None:
        if self._listener is not None:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                outside, _ = listener.accept()
            except OSError:
                return
            inside = socket.create_connection(("127.0.0.1", self._inner))
            left = [self.after] if self.after else None
            threading.Thread(target=_carry, args=(outside, inside, left), daemon=True).start()
            threading.Thread(target=_carry, args=(inside, outside, None), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket, left: list[int] | None) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
            if left is not None:
                left[0] -= len(data)
                if left[0] <= 0:
                    break
    except OSError:
        pass
    finally:
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
