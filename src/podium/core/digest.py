"""Content is identified by its digest: one way to write a digest, one canonical JSON."""

from __future__ import annotations

import hashlib
import json
from typing import Any

MISSING = "missing"
"""Stands for the digest of a file that does not exist."""


def digest(data: bytes | str) -> str:
    raw = data.encode() if isinstance(data, str) else data
    return "sha256:" + hashlib.sha256(raw).hexdigest()


_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical(value: Any) -> str:
    """One line of JSON with sorted keys and no spaces: the same value, the same bytes."""
    return _CANONICAL.encode(value)


def digest_of(value: Any) -> str:
    return digest(canonical(value))
