"""A web server on this machine that keeps what it is sent and answers as it is told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    port: int = 0
    answers: list[int] = field(default_factory=list)
    """Status codes for the next requests; 200 when there are none left, 0 hangs up without an
    answer.
    """
    heard: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def receiving() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.heard.append((self.path, dict(self.headers), body))
            status = found.answers.pop(0) if found.answers else 200
            if status:
                self.send_response(status)
                if status in {301, 302, 307}:
                    self.send_header("Location", f"{found.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self.close_connection = True

        def log_message(self, *words: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
