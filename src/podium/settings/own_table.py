"""pyproject.toml is the whole project's and code may change it; the table in it that Podium obeys is people's."""

from __future__ import annotations

import json
from typing import Any

from podium.core.errors import InputError
from podium.formats import toml_text

SHARED = "pyproject.toml"
MOST = 1_000_000
"""Bytes that are parsed: a longer one is read by nobody, and takes its time."""


def same_table(was: bytes | None, now: bytes | None) -> bool:
    """Whether both say the same to Podium, in whatever spelling; None is a file that is not there.

    Of a file that cannot be read nobody knows what the next edit makes of it: it is the same as itself only.
    """
    if was == now:
        return True
    before, after = _table(was), _table(now)
    return before is not None and before == after


def _table(data: bytes | None) -> str | None:
    """The table as one text, "" where there is none; None where that cannot be said."""
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
        # As text, because to Python 1 and true are the same.
        return json.dumps(found, sort_keys=True, default=repr)
    except InputError:
        return None if "podium" in text else ""
    except RecursionError:
        return None
