"""A disk failure: reported as such, with what to do about it, and how to continue if there is a
run.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from podium.core.errors import Halted

_MENDS: Mapping[int, str] = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EROFS: "make it writable again",
    errno.EIO: "see to the disk",
}
"""Errors of a failing disk, and what a person does about each."""


def told(error: OSError, *, begun: bool = False) -> Halted | None:
    """The error to report; None if it is not the disk. `begun`: whether there is a run that can
    be resumed.
    """
    mend = _MENDS.get(error.errno or 0)
    if mend is None:
        return None
    what = f"the disk failed: {error.strerror}" + (f": {error.filename}" if error.filename else "")
    on = f"Everything recorded is safe; {mend}, then `podium resume` continues from there."
    return Halted(f"{what}. {on if begun else f'{mend.capitalize()}, and give the command again.'}")


@contextmanager
def of_a_run(begun: Callable[[], bool]) -> Iterator[None]:
    """Report a disk failure in the block as one of the run, as soon as there is a run."""
    try:
        yield
    except OSError as error:
        found = told(error, begun=True) if begun() else None
        if found is None:
            raise
        raise found from error
