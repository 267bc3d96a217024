"""What a file system refuses: reported as such, with what to do about it, and how to continue if
there is a run.
"""

from __future__ import annotations

import errno
import os
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
_STATES: Mapping[int, str] = {
    errno.EACCES: "let your user read and write it",
    errno.EPERM: "let your user change it",
    errno.ENOENT: "put it back, or make the folder that it belongs in",
    errno.EISDIR: "move the folder away, a file belongs there",
    errno.ENOTDIR: "move the file away, a folder belongs there",
    errno.EEXIST: "move away what is in its place",
    errno.ENOTEMPTY: "move the folder away",
    errno.ELOOP: "remove the link that leads to itself",
    errno.ENAMETOOLONG: "shorten the name",
    errno.ENXIO: "remove it, a plain file belongs there",
}
"""What a place can be like that nothing can be read from or written to, and the same about it."""


def told(error: OSError, *, begun: bool = False) -> Halted | None:
    """The error to report; None if it is about no place on a disk. `begun`: whether there is a run
    that can be resumed.
    """
    # Of two places, the second is where something was to be put.
    place = error.filename2 or error.filename
    at = f": {os.fsdecode(place)}" if isinstance(place, str | bytes) else ""
    if mend := _MENDS.get(error.errno or 0):
        what = f"the disk failed: {error.strerror}{at}"
    elif at and (mend := _STATES.get(error.errno or 0)):
        what = f"{at[2:]}: {error.strerror}"
    else:
        return None
    on = f"Everything recorded is safe; {mend}, then `podium resume` continues from there."
    return Halted(f"{what}. {on if begun else f'{mend.capitalize()}, and give the command again.'}")


@contextmanager
def of_a_run(begun: Callable[[], bool]) -> Iterator[None]:
    """Report what a disk refuses in the block as of the run, as soon as there is a run."""
    try:
        yield
    except OSError as error:
        found = told(error, begun=True) if begun() else None
        if found is None:
            raise
        raise found from error
