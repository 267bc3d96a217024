"""The figures for a monitoring system: as text, and served over HTTP."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from podium.core.errors import UsageError
from podium.fleet.figures.census import census, totals
from podium.fleet.figures.counts import figures
from podium.fleet.figures.openmetrics import TYPE, openmetrics
from podium.fleet.journal.link import Unreachable
from podium.fleet.journal.postgres_journal import PostgresJournal


def exposition(journal: PostgresJournal, window_s: float) -> str:
    now = figures(census(journal.link, journal.lease_s, window_s))
    return openmetrics(now, totals(journal.link))


def served(journal: PostgresJournal, window_s: float, host: str, port: int) -> ThreadingHTTPServer:
    """A read-only server with one address. Whoever can reach it sees the names of workers and
    workflows.
    """

    class Answer(BaseHTTPRequestHandler):
        timeout = 20

        def do_GET(self) -> None:
            if self.path.partition("?")[0] != "/metrics":
                self._send(404, "text/plain; charset=utf-8", "There is only /metrics.\n")
                return
            try:
                self._send(200, TYPE, exposition(journal, window_s))
            except Unreachable as fault:
                self._send(503, "text/plain; charset=utf-8", f"{fault}\n")

        def _send(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Logs nothing: a scrape every few seconds is no news."""

    try:
        return ThreadingHTTPServer((host, port), Answer)
    except OSError as fault:
        raise UsageError(
            f"cannot listen at {host}, port {port}: {fault.strerror or fault}"
        ) from None
