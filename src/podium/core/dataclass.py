"""`dataclass` as in the standard library, except that a class's methods are made when it is first
used.

`dataclasses` writes the methods of a class as text and compiles them, which takes a millisecond per
class. A command imports a hundred classes and uses a third of them, and this took half of its
start-up time. So the decorator installs a provisional `__init__` and `__dataclass_fields__`; using
either makes `dataclasses` do the work. To everything that inspects the class (mypy, `fields`,
`replace`, a subclass, `match`) it is an ordinary dataclass.
"""

from __future__ import annotations

from threading import RLock, active_count

TYPE_CHECKING = False  # type checkers know this name; importing `typing` would be half of what `podium --help` imports  # noqa: E501
if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import dataclass
    from typing import Any

__all__ = ["dataclass"]

_ONE_AT_A_TIME = (
    RLock()
)  # two threads may need a class at the same time, and it can be made only once


class _Later:
    """Stands in for `__dataclass_fields__` until the class is made."""

    def __init__(self, cls: type[Any], how: Mapping[str, Any]) -> None:
        self.cls, self.how, self.made = cls, how, False

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        self.make()
        return self.cls.__dict__["__dataclass_fields__"]

    def make(self) -> None:
        # it imports `inspect`, and `podium --help` needs neither
        import dataclasses  # noqa: PLC0415

        with _ONE_AT_A_TIME:
            if self.made:
                return
            cls = self.cls
            cls.__doc__ = (
                cls.__doc__ or cls.__name__
            )  # otherwise `dataclasses` computes the signature with `inspect`
            if active_count() == 1:
                del cls.__init__  # `dataclasses` does not replace an existing one
                dataclasses.dataclass(**self.how)(cls)
            else:
                # Deleting the provisional `__init__` would leave other threads without one for a
                # moment. So a
                # subclass without fields of its own gets the real one, which then replaces it.
                dataclasses.dataclass(**self.how, init=False)(cls)
                heir = type(
                    cls.__name__, (cls,), {"__doc__": cls.__doc__, "__qualname__": cls.__qualname__}
                )
                frozen = bool(self.how.get("frozen"))
                dataclasses.dataclass(frozen=frozen, repr=False, eq=False, match_args=False)(heir)
                cls.__init__ = heir.__dict__["__init__"]
            self.made = True


if not TYPE_CHECKING:

    def dataclass(cls: type[Any] | None = None, /, **how: Any) -> Any:
        """Like `dataclasses.dataclass`, for classes that have no `__init__` of their own."""
        if cls is None:
            return lambda given: dataclass(given, **how)
        assert "__init__" not in cls.__dict__, f"{cls.__qualname__} makes itself"
        later = _Later(cls, how)

        # what the class has until it is made
        def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: N807
            later.make()
            cls.__init__(self, *args, **named)

        cls.__init__, cls.__dataclass_fields__ = __init__, later
        return cls
