"""Dataclasses whose methods are made late must be the dataclasses that they say."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import Any

import pytest

from podium.core.dataclass import dataclass


def point() -> Any:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2
        marks: list[str] = field(default_factory=list, compare=False)

    return Point


def is_made(cls: Any) -> bool:
    return isinstance(cls.__dict__["__dataclass_fields__"], dict)


def test_a_class_that_nobody_uses_is_never_made() -> None:
    assert not is_made(point())


@pytest.mark.parametrize(
    "use", [lambda cls: cls(1), fields, is_dataclass, lambda cls: cls.__dataclass_fields__]
)
def test_any_use_makes_it(use: Callable[[Any], Any]) -> None:
    cls = point()
    assert use(cls)
    assert is_made(cls)


def test_it_is_what_the_standard_library_makes() -> None:
    late = point()
    one, same, other = late(1), late(x=1, y=2, marks=["seen"]), late(1, 3)
    assert (one, hash(one)) == (same, hash(same))
    assert one != other
    assert repr(other) == f"{late.__qualname__}(x=1, y=3, marks=[])"
    assert replace(one, y=3) == other
    assert dataclasses.asdict(one) == {"x": 1, "y": 2, "marks": []}
    assert one.marks is not other.marks
    assert [each.name for each in fields(late)] == ["x", "y", "marks"]
    match other:
        case late(1, y):
            assert y == 3
        case _:
            pytest.fail("it is matched by place")


def test_what_is_frozen_stays_so_and_what_is_wrong_is_named() -> None:
    late = point()
    with pytest.raises(FrozenInstanceError):
        late(1).x = 5
    with pytest.raises(
        TypeError, match=r"Point.__init__\(\) missing 1 required positional argument: 'x'"
    ):
        late()


def test_subclasses_inherit_fields_whoever_is_used_first() -> None:
    base = point()

    @dataclass(frozen=True, kw_only=True)
    class Named(base):
        name: str

        def __post_init__(self) -> None:
            assert self.name

    class Plain(Named):
        pass

    assert not is_made(base)
    made = Plain(1, name="n")
    assert (made.x, made.y, made.name) == (1, 2, "n")
    assert is_made(base)
    assert base(1) != made
    assert [each.name for each in fields(Plain)] == ["x", "y", "marks", "name"]


def test_threads_that_need_a_class_at_once_all_get_it() -> None:
    for _ in range(20):
        cls, ready, made = point(), threading.Barrier(8), []

        def use(cls: Any = cls, ready: threading.Barrier = ready, made: list[Any] = made) -> None:
            ready.wait()
            made.append(cls(1, marks=["m"]))

        threads = [threading.Thread(target=use) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert made == [cls(1)] * 8


def test_a_class_that_makes_itself_is_refused() -> None:
    with pytest.raises(AssertionError, match="makes itself"):

        @dataclass
        class _Own:
            x: int

            def __init__(self) -> None:
                self.x = 1
