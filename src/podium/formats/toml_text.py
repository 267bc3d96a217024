"""TOML that people write: a table, or an InputError that names the place, also where the library
raises another error.
"""

from __future__ import annotations

from typing import Any

from podium.core.errors import Fault, InputError


def parse(text: str, where: str) -> dict[str, Any]:
    # importing it compiles expressions, and a run under way has already read its files
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # with which some editors begin a file
    except RecursionError:
        raise InputError(Fault(where, "is not TOML: it is nested too deeply")) from None
    except ValueError as fault:  # TOMLDecodeError, and numbers with too many digits
        raise InputError(Fault(where, f"is not TOML: {fault}")) from None
