"""Messages for a run, left by anyone: `inbox/<key>.json`, each written once and never changed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from podium.core.errors import Fault, InputError, UsageError
from podium.state.disk import Disk
from podium.state.json_file import parse_object
from podium.state.regular import read_regular

MAX_BYTES = 64 * 1024
_MAX_NAME = 200  # file systems allow 255, and temporary names are longer
_UNSAFE = re.compile(rb"[^A-Za-z0-9_.-]|^\.")


def post(folder: str, key: str, message: Mapping[str, Any], disk: Disk) -> bool:
    """Leave a message; the first for a key wins. Durable on return."""
    path = os.path.join(folder, _file_name(key))
    data = (json.dumps(message, indent=2, ensure_ascii=False) + "\n").encode(
        errors="backslashreplace"
    )
    if len(data) > MAX_BYTES:
        raise InputError(
            Fault(path, f"the message has {len(data)} bytes, at most {MAX_BYTES} are allowed")
        )
    disk.make_dirs(folder)
    return disk.publish(path, data)


def messages(folder: str) -> dict[str, dict[str, Any]]:
    """Every message by key, in key order."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return {}
    # A leading dot marks a message that is being written, or what a crash left of one.
    keys = {
        unquote(name[:-5]): name
        for name in names
        if name.endswith(".json") and not name.startswith(".")
    }
    paths = {key: os.path.join(folder, keys[key]) for key in sorted(keys)}
    return {key: _read(path) for key, path in paths.items() if os.path.isfile(path)}


def withdraw(folder: str, key: str, disk: Disk) -> bool:
    """Remove a message; whether there was one."""
    path = os.path.join(folder, _file_name(key))
    if not os.path.lexists(path):
        return False
    disk.unlink(path)
    return True


def _read(path: str) -> dict[str, Any]:
    data = read_regular(path) or b""
    mend = "remove it, and decide again"
    if len(data) > MAX_BYTES:
        raise InputError(Fault(path, f"has more than {MAX_BYTES} bytes", mend))
    return parse_object(data, path, mend)


def _file_name(key: str) -> str:
    name = _UNSAFE.sub(
        lambda found: b"%%%02X" % found[0][0], key.encode(errors="backslashreplace")
    ).decode()
    if not name or len(name) > _MAX_NAME:
        raise UsageError(
            f"{key!r} cannot be the key of a message: 1 to {_MAX_NAME} characters are allowed"
        )
    return name + ".json"
