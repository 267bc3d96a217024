"""Reads an answer as it passes: the bytes go by, the figures are kept."""

from __future__ import annotations

import json
import zlib
from typing import Any

from podium.agents.gateway.shapes.events import Events
from podium.agents.gateway.shapes.figures import Figures, Meter, Shape

LARGEST = 64 * 1024 * 1024
"""Of an answer that comes in one piece; nothing is known about a longer one."""
DONE = "[DONE]"


class Reading:
    """Reads one answer on its way to the agent. It never fails: what cannot be read is unknown."""

    def __init__(self, shape: Shape, content_type: str = "", encoding: str = "") -> None:
        self.meter = Meter(shape)
        self.size = 0
        """Bytes received, before decompression."""
        self._events = (
            Events() if content_type.partition(";")[0].strip() == "text/event-stream" else None
        )
        self._whole: bytearray | None = bytearray() if self._events is None else None
        self._unpack = _unpacker(encoding)

    def feed(self, data: bytes) -> None:
        self.size += len(data)
        plain = self._unpacked(data)
        if self._events is not None:
            self._take(self._events.feed(plain))
        elif self._whole is not None:
            self._whole += plain
            if len(self._whole) > LARGEST:
                self._whole = None

    def finish(self) -> Figures:
        """Nothing more will come, whether it ended or broke off."""
        if self._events is not None:
            self._take(self._events.finish())
        elif self._whole is not None:
            for each in objects(self._whole.decode(errors="replace")):
                self.meter.take(each)
            self._whole = None
        return self.meter.figures

    @property
    def ended(self) -> bool:
        return self.meter.ended

    def _take(self, events: list[str]) -> None:
        for each in events:
            if each.strip() == DONE:
                self.meter.ended = True
                continue
            try:
                part = json.loads(each)
            except (ValueError, RecursionError):
                continue
            self.meter.take(part)

    def _unpacked(self, data: bytes) -> bytes:
        if self._unpack is None:
            return data
        try:
            return bytes(self._unpack.decompress(data))
        except zlib.error:
            return b""


def objects(text: str) -> list[Any]:
    """The object in a text, or the complete objects of a list that may be cut off."""
    text = text.strip()
    if not text.startswith("["):
        try:
            return [json.loads(text)]
        except (ValueError, RecursionError):
            return []
    found: list[Any] = []
    at, decoder = 1, json.JSONDecoder()
    while True:
        while at < len(text) and text[at] in ", \t\r\n":
            at += 1
        try:
            each, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found
        found.append(each)


def guessed(size: int) -> int:
    """Estimated tokens in that many bytes. Four bytes each is usual for text and code, and errs
    on the high side.
    """
    return -(-size // 4)


def _unpacker(encoding: str) -> Any:
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        case "deflate":
            return zlib.decompressobj()
        case _:
            return _Blind()


class _Blind:
    """Stands in for encodings that we cannot read."""

    @staticmethod
    def decompress(_data: bytes) -> bytes:
        return b""
