"""pyproject.toml belongs to the whole project and code may change it, but its table for Podium
belongs to people.
"""

from __future__ import annotations

import json
from typing import Any

from podium.core.errors import InputError
from podium.formats import toml_text

SHARED = "pyproject.toml"
MOST = 1_000_000
"""Bytes that are parsed: nobody writes a longer file by hand, and parsing one takes long."""


def same_table(was: bytes | None, now: bytes | None) -> bool:
    """Whether both mean the same to Podium, however they are spelled; None is a missing file.

    If a file cannot be parsed, nobody knows what the next edit makes of it: it equals only itself.
    """
    if was == now:
        return True
    before, after = _table(was), _table(now)
    return before is not None and before == after


def _table(data: bytes | None) -> str | None:
    """The table as text, "" if there is none; None if that cannot be determined."""
    if data is None:
        return ""
    if len(data) > MOST:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    try:
        found: Any = toml_text.parse(text.replace("\r\n", "\n"), SHARED)
        for name in ("tool", "podium"):
            if not isinstance(found, dict) or name not in found:
                return ""
            found = found[name]
        # As text, because in Python 1 equals True.
        return json.dumps(found, sort_keys=True, default=repr)
    except InputError:
        return None if "podium" in text else ""
    except RecursionError:
        return None
