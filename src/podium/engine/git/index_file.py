"""A throw-away index written and read without git: a process per index costs more than the file.

Only what git's format requires: version 2, without file times, so that git reads every file again that it
compares with such an entry. Git keeps the version when it rewrites the file.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping
from pathlib import Path

Entry = tuple[str, str]
"""Mode and object id."""

_HEADER = struct.Struct(">4sLL")
_SIGNATURE = b"DIRC"
_VERSION = 2
_MODE, _FLAGS = struct.Struct(">L"), struct.Struct(">H")
_BEFORE_MODE, _AFTER_MODE = 24, 12
"""Bytes of times, device and inode, and of owner, group and size: all zero here."""
_LONGEST = 0xFFF
"""A name of this length or longer ends at its NUL."""
_STAGE = 0x3000
_SHA1 = 40
"""Hexadecimal digits."""


def algorithm_of(name: str) -> str:
    """The hash algorithm of a repository, told by the length of one object name."""
    return "sha1" if len(name) == _SHA1 else "sha256"


def write(path: Path, entries: Mapping[str, Entry]) -> None:
    """An index with these entries, at least one: for an empty index git needs no file."""
    rows = sorted((os.fsencode(name), mode, key) for name, (mode, key) in entries.items())
    parts = [_HEADER.pack(_SIGNATURE, _VERSION, len(rows))]
    for name, mode, key in rows:
        flags = _FLAGS.pack(min(len(name), _LONGEST))
        row = b"\0" * _BEFORE_MODE + _MODE.pack(int(mode, 8)) + b"\0" * _AFTER_MODE + bytes.fromhex(key) + flags + name
        parts.append(row + b"\0" * (8 - len(row) % 8))
    data = b"".join(parts)
    path.write_bytes(data + hashlib.new(algorithm_of(rows[0][2]), data, usedforsecurity=False).digest())


def read(path: Path) -> dict[str, Entry] | None:
    """The entries of an index; None if it is of a kind that only git reads."""
    data = path.read_bytes()
    signature, version, count = _HEADER.unpack_from(data)
    size = _size_of_ids(data)
    if signature != _SIGNATURE or version != _VERSION or not size:
        return None
    found, at = {}, _HEADER.size
    for _ in range(count):
        (mode,) = _MODE.unpack_from(data, at + _BEFORE_MODE)
        key = at + _BEFORE_MODE + _MODE.size + _AFTER_MODE
        (flags,) = _FLAGS.unpack_from(data, key + size)
        if flags & _STAGE:
            return None
        name = key + size + _FLAGS.size
        length = flags & _LONGEST
        end = name + length if length < _LONGEST else data.index(b"\0", name)
        found[os.fsdecode(data[name:end])] = (f"{mode:06o}", data[key : key + size].hex())
        at += (end - at) // 8 * 8 + 8
    return found


def _size_of_ids(data: bytes) -> int:
    """Told by the checksum at the end; 0 if there is none, since git can be configured to omit it."""
    for algorithm in ("sha1", "sha256"):
        size = hashlib.new(algorithm, usedforsecurity=False).digest_size
        if hashlib.new(algorithm, data[:-size], usedforsecurity=False).digest() == data[-size:]:
            return size
    return 0
