"""`re.compile`, except that the expression is compiled when it is first used.

Modules define their expressions at the top, where they are easiest to read. Showing a run imports a
hundred of them with the workflow and uses none, and compiling one takes as long as importing a
small module.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # type checkers know this name
if TYPE_CHECKING:
    from re import compile as regex

__all__ = ["regex"]

if not TYPE_CHECKING:

    class regex:  # noqa: N801 - for readers and for mypy it is the function
        def __init__(self, text, flags=0) -> None:  # noqa: ANN001
            self._said = text, flags

        def __getattr__(self, name: str):  # noqa: ANN204
            found = getattr(re.compile(*self._said), name)
            self.__dict__[name] = found  # the next access finds it directly
            return found
