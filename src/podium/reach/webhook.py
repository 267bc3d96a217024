"""A signed POST. Retried only if the receiver cannot have accepted it: no connection, or it said
so.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult

import podium
from podium.reach import posting
from podium.reach.channel import Undelivered
from podium.reach.notice import Notice
from podium.reach.signing import DELIVERY, SIGNATURE, TIMESTAMP, signature

TRIES = 3
PAUSES_S = (1.0, 4.0)
REFUSED = frozenset({429, 500, 502, 503, 504})
"""Answers after which the same request may be accepted a moment later."""


@dataclass(frozen=True)
class Webhook:
    url: str
    secret_env: str
    """The variable with the secret; "" means unsigned."""
    timeout_s: float
    environ: Mapping[str, str]
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    name: str = "webhook"

    def send(self, notice: Notice) -> None:
        place = checked(self.url)
        body = json.dumps(notice.body(), ensure_ascii=False, sort_keys=True).encode(
            errors="backslashreplace"
        )
        for number in range(TRIES):
            why = self._try(place, body, notice.id)
            if not why:
                return
            if number < TRIES - 1:
                self.sleep(PAUSES_S[number])
        raise Undelivered(f"{why} ({TRIES} times)")

    def _try(self, place: SplitResult, body: bytes, ident: str) -> str:
        """Why it was not accepted and may be tried again; "" if it was. What may have arrived is
        not repeated.
        """
        try:
            status = posting.post(place, body, self._headers(body, ident), self.timeout_s)
        except posting.NoConnection as fault:
            return str(fault)
        if status in REFUSED:
            return f"{place.hostname} answered {status}"
        if not 200 <= status < 300:
            hint = ", and redirects are not followed" if 300 <= status < 400 else ""
            raise Undelivered(f"{place.hostname} answered {status}{hint}")
        return ""

    def _headers(self, body: bytes, ident: str) -> dict[str, str]:
        stamp = str(int(self.clock()))
        found = {
            "Content-Type": "application/json",
            "User-Agent": f"podium/{podium.__version__}",
            TIMESTAMP: stamp,
            DELIVERY: ident,
        }
        if not self.secret_env:
            return found
        secret = self.environ.get(self.secret_env, "")
        if not secret:
            raise Undelivered(f"{self.secret_env} is not set, and nothing is sent unsigned")
        return {**found, SIGNATURE: signature(secret, stamp, body)}


def checked(url: str) -> SplitResult:
    return posting.checked(url, "[notify] webhook", "sign with webhook_secret_env")
