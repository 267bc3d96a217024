"""Two files exchange their names in one step, on systems that support it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

_HERE = -100
"""AT_FDCWD: paths are used as given."""
_EXCHANGE = 2
"""RENAME_EXCHANGE"""


def exchange(one: str, other: str) -> None:
    """OSError if one of them is missing, or if the system or the file system cannot exchange
    names.
    """
    call = _renameat2()
    number = errno.ENOSYS if call is None else call(os.fsencode(one), os.fsencode(other))
    if number:
        raise OSError(number, os.strerror(number), other)


@cache
def _renameat2() -> Callable[[bytes, bytes], int] | None:
    """Loaded when first needed, so that `podium --version` does not pay for it."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415

    found = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if found is None:
        return None
    found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def call(one: bytes, other: bytes) -> int:
        return 0 if found(_HERE, one, _HERE, other, _EXCHANGE) == 0 else ctypes.get_errno()

    return call
