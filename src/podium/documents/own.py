"""A value whose Markdown no declaration can describe: a function reads it, and so one writes it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.documents.issues import Issue, Path
from podium.documents.values import Value

if TYPE_CHECKING:
    from podium.documents.markdown import Outline
    from podium.documents.passages import Entry, Passage


@dataclass(frozen=True)
class Own(Value):
    """Of the kind `of`, in Markdown in a form of its own."""

    of: Value

    @abstractmethod
    def read(self, passages: Sequence[Passage], entry: Entry, outline: Outline) -> Any:
        """The data in what follows its labels, or elsewhere in the entry; None if there is none."""

    @abstractmethod
    def write(self, data: Any) -> Sequence[str]:
        """The lines under its heading from which `read` reads this data."""

    def describe(self) -> str:
        return self.of.describe()

    def fits(self, data: Any) -> bool:
        return self.of.fits(data)

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        return self.of.check(data, path)

    def schema(self) -> dict[str, Any]:
        return self.of.schema()

    def example(self) -> Any:
        return self.of.example()

    def blank(self) -> Any:
        return self.of.blank()

    def build(self, data: Any) -> Any:
        return self.of.build(data)

    def plain(self, value: Any) -> Any:
        return self.of.plain(value)
