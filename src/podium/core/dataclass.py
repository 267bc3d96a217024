"""`dataclass` as the standard library has it, whose methods are made when a class is first used.

Making the methods of one class takes a millisecond: they are written as text and compiled. A command imports a
hundred classes and uses a third of them, and that was half of the time before it did anything. So the decorator
leaves a first `__init__` and a first `__dataclass_fields__` behind, and either of them has `dataclasses` do the
work. For everybody who looks (mypy, `fields`, `replace`, a subclass, `match`) it is the dataclass that it says.
"""

from __future__ import annotations

from threading import RLock, active_count

TYPE_CHECKING = False  # as type checkers know it; `typing` itself would be half of what `podium --help` imports
if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import dataclass
    from typing import Any

__all__ = ["dataclass"]

_ONE_AT_A_TIME = RLock()  # two threads may need a class at once, and it can be made only once


class _Later:
    """Stands as `__dataclass_fields__` until the class is made."""

    def __init__(self, cls: type[Any], how: Mapping[str, Any]) -> None:
        self.cls, self.how, self.made = cls, how, False

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        self.make()
        return self.cls.__dict__["__dataclass_fields__"]

    def make(self) -> None:
        import dataclasses  # noqa: PLC0415 - it imports `inspect`, and `podium --help` needs neither

        with _ONE_AT_A_TIME:
            if self.made:
                return
            cls = self.cls
            cls.__doc__ = cls.__doc__ or cls.__name__  # else the signature is computed for it, by way of `inspect`
            if active_count() == 1:
                del cls.__init__  # `dataclasses` leaves one alone that is there
                dataclasses.dataclass(**self.how)(cls)
            else:
                # Without the first `__init__` another thread would find none for a moment. So a subclass without
                # fields of its own gets the true one, which then takes its place.
                dataclasses.dataclass(**self.how, init=False)(cls)
                heir = type(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__qualname__": cls.__qualname__})
                frozen = bool(self.how.get("frozen"))
                dataclasses.dataclass(frozen=frozen, repr=False, eq=False, match_args=False)(heir)
                cls.__init__ = heir.__dict__["__init__"]
            self.made = True


if not TYPE_CHECKING:

    def dataclass(cls: type[Any] | None = None, /, **how: Any) -> Any:
        """As `dataclasses.dataclass`, for classes that have no `__init__` of their own."""
        if cls is None:
            return lambda given: dataclass(given, **how)
        assert "__init__" not in cls.__dict__, f"{cls.__qualname__} makes itself"
        later = _Later(cls, how)

        def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: N807 - what the class has until it is made
            later.make()
            cls.__init__(self, *args, **named)

        cls.__init__, cls.__dataclass_fields__ = __init__, later
        return cls
