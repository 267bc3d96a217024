"""A JSON object in a file that a person may have edited: parsed, or refused with the line of the
fault.
"""

from __future__ import annotations

import json
import re
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats import strict_json


def parse_object(data: bytes, path: str, mend: str = "") -> dict[str, Any]:
    try:
        value = strict_json.parse(data.decode())
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise InputError(Fault(f"{path}:{line}", "is not UTF-8 text", mend)) from None
    except json.JSONDecodeError as fault:
        where = f"{path}:{fault.lineno}"
        raise InputError(
            Fault(where, f"is not JSON: {fault.msg}, column {fault.colno}", mend)
        ) from None
    except strict_json.Twice as fault:
        raise InputError(
            Fault(f"{path}:{line_of(data, fault.name)}", f"is not JSON: {fault}", mend)
        ) from None
    except ValueError as fault:
        raise InputError(Fault(f"{path}:1", f"is not JSON: {fault}", mend)) from None
    if not isinstance(value, dict):
        raise InputError(Fault(f"{path}:1", f"is {_kind(value)}, expected an object", mend))
    return value


def line_of(data: bytes, field: str) -> int:
    """The line of a top-level member, 1 if it is not found: Podium indents by two, a person may
    not.
    """
    text = data.decode(errors="replace")
    name = re.escape(json.dumps(field, ensure_ascii=False))
    found = re.search(rf"^  {name}\s*:", text, re.MULTILINE) or re.search(rf"{name}\s*:", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(value), repr(value))
