"""Single acts on files, as a scenario asks for them: read, write, delete, change a mode, link.

Also a program (`python -I -S acts.py < ACTS`, one JSON list in, one out), so that the acts of a
scripted agent happen where its view is mounted. What the system refuses is a result like any
other: the call continues, as with an agent whose tool failed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from typing import Any

Act = Mapping[str, Any]
Result = dict[str, Any]


def read(path: str) -> Act:
    return {"act": "read", "path": path}


def write(path: str, data: bytes, *, append: bool = False) -> Act:
    act = "append" if append else "write"
    return {"act": act, "path": path, "data": base64.b64encode(data).decode()}


def add_line(path: str, data: bytes, *, in_folder: str = "") -> Act:
    """Append a line of its own; if the path is a folder, to the file `in_folder` in it."""
    return {**write(path, data, append=True), "line": True, "in_folder": in_folder}


def delete(path: str) -> Act:
    return {"act": "delete", "path": path}


def chmod(path: str, mode: int) -> Act:
    return {"act": "chmod", "path": path, "mode": mode}


def symlink(path: str, target: str) -> Act:
    return {"act": "symlink", "path": path, "target": target}


def perform(acts: Iterable[Act], folder: str) -> list[Result]:
    """Do them in order, each as a program would; paths are relative to the folder."""
    return [_result(act, folder) for act in acts]


def _result(act: Act, folder: str) -> Result:
    fields: Result = {"act": act["act"], "path": act["path"]}
    at = os.path.join(folder, act["path"])
    home = os.path.normpath(folder)
    if os.path.commonpath([os.path.normpath(at), home]) != home:
        fields["outside"] = True
    try:
        fields |= _DO[act["act"]](at, act)
    except OSError as fault:
        fields["failed"] = fault.strerror or str(fault)
    except ValueError as fault:  # a NUL in the path
        fields["failed"] = str(fault)
    return fields


def _read(at: str, _act: Act) -> Result:
    try:
        if os.path.isdir(at):
            return {"entries": len(os.listdir(at))}
        with open(at, "rb") as file:
            return {"bytes": len(file.read())}
    except (FileNotFoundError, NotADirectoryError):
        return {"failed": "not there"}


def _write(at: str, act: Act) -> Result:
    data = base64.b64decode(act["data"])
    if act.get("in_folder") and os.path.isdir(at):
        at = os.path.join(at, act["in_folder"])
    os.makedirs(os.path.dirname(at), exist_ok=True)
    if act.get("line") and not _ends_with_line(at):
        data = b"\n" + data
    with open(at, "wb" if act["act"] == "write" else "ab") as file:
        file.write(data)
    return {"bytes": len(data)}


def _ends_with_line(at: str) -> bool:
    try:
        with open(at, "rb") as file:
            text = file.read()
    except OSError:
        return True
    return not text or text.endswith(b"\n")


def _delete(at: str, _act: Act) -> Result:
    if os.path.isdir(at) and not os.path.islink(at):
        shutil.rmtree(at)
    else:
        os.unlink(at)
    return {}


def _chmod(at: str, act: Act) -> Result:
    os.chmod(at, act["mode"])
    return {"mode": f"{act['mode']:04o}"}


def _symlink(at: str, act: Act) -> Result:
    os.makedirs(os.path.dirname(at), exist_ok=True)
    if os.path.lexists(at):
        _delete(at, act)
    os.symlink(act["target"], at)
    return {"target": act["target"]}


_DO = {
    "read": _read,
    "write": _write,
    "append": _write,
    "delete": _delete,
    "chmod": _chmod,
    "symlink": _symlink,
}

if __name__ == "__main__":
    json.dump(perform(json.load(sys.stdin), os.getcwd()), sys.stdout)
