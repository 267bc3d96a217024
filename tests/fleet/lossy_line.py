"""A line to PostgreSQL that can be cut in the moment between a commit and its answer, or swallow
everything.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class LossyLine:
    """Passes all on; once `armed` the answer to the next commit is thrown away and the line is cut.

    `awaited`: it arms itself when these bytes pass.
    """

    def __init__(self, url: str, address: str = "127.0.0.1") -> None:
        """`address`: the one of this machine at which it is found."""
        parts = urlsplit(url)
        self._target = (parts.hostname, parts.port)
        self._door = socket.create_server((address, 0))
        here = f"{address}:{self._door.getsockname()[1]}"
        self.url = url.replace(f"{parts.hostname}:{parts.port}", here)
        self.armed, self.cut = False, 0
        self.awaited = b""
        self.light = threading.Event()
        """Without it nothing passes in either direction, and nobody is told: a network that is
        cut.
        """
        self.light.set()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            losing = threading.Event()
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(*pair, losing), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, losing: threading.Event) -> None:
        try:
            while data := source.recv(65536):
                self.light.wait()
                if self.awaited and self.awaited in data:
                    self.armed, self.awaited = True, b""
                if self.armed and b"COMMIT" in data and b"Q" in data[:1]:
                    losing.set()
                    self.armed = False
                elif losing.is_set():
                    self.cut += 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
