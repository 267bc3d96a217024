"""Records: dataclasses whose members say where they stand in a document.

@record(title="Issue")
class Issue:
    description: str = part("Description", "Issue", at=Titled())
    severity: str = part("Severity", value=Word(("Low", "Medium", "High")))
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache, partial
from typing import Any, Literal, TypeVar, dataclass_transform, get_args, get_origin

from podium.core.nearest import nearest
from podium.documents.groups import Collection, Many, Maybe, Named
from podium.documents.issues import Issue, Path, shown, spelled
from podium.documents.text import fold
from podium.documents.values import Anything, Flag, Number, Text, Value, Word

T = TypeVar("T")
Merge = Literal["first", "once", "worst", "join"]
_BOLD_START = re.compile(r"\*\*([^*]+)\*\*")


@dataclass(frozen=True)
class Within:
    """`Key: value` lines inside the sections with one of these titles."""

    titles: tuple[str, ...]


@dataclass(frozen=True)
class Titled:
    """The title of the document or of the entry; a pattern takes a part of it, by the member's
    name as its group.
    """

    pattern: str = ""


Place = Literal["label", "line", "section", "head", "anywhere", "body"] | Within | Titled
"""Where a part stands: after its label (a heading, or a plain or bold key; `line`: written as such
a key), in a section of its own, in a `Key: value` line before the second heading, in such a line
anywhere, or it is the whole body of its entry.
"""


@dataclass(frozen=True)
class Entries:
    """How the entries of a list may be written; each form is read wherever it occurs."""

    headings: bool = True
    items: bool = True
    rows: bool = True
    fields: bool = True
    """Whether a first key that occurs again begins the next entry."""
    anywhere: bool = False
    """Whether they may stand anywhere in the document, and not only in their own section."""
    among: str = ""
    """Pattern of folded titles under which everything is an entry."""
    aside: str = ""
    """Pattern of folded titles that are no entries, nor anything under them without a mark."""
    resolved: str = ""
    """Pattern of words in a title or a status that mean that the entry no longer counts."""
    bare: bool = True
    """Whether a title or an item alone is an entry; else one of its parts must be stated."""
    sure: str = ""
    """Pattern of titles that are entries in any case."""
    only: str = ""
    """Pattern of the only titles that begin an entry."""


@dataclass(frozen=True)
class Part:
    """One member of a record."""

    name: str
    key: str
    """Its name in YAML and JSON."""
    value: Value
    labels: tuple[str, ...] = ()
    """Its spellings in Markdown; the first one is written."""
    at: Place = "label"
    otherwise: Callable[[], Any] | None = None
    """Makes its value where it is left out; None: it must be there."""
    always: bool = False
    """Whether it must be in the file, although the program may leave it to `otherwise`."""
    merge: Merge = "first"
    """What counts if it stands there several times; `once`: that is a fault."""
    about: str = ""
    """What it means, for agents."""
    like: Any = None
    """Its value in the example."""
    remedy: str = ""
    """What to do if it is missing, or refused without another way out."""
    program: bool = False
    """Whether only the program writes it: agents are not asked for it."""
    identity: bool = False
    """Whether it tells the items of a list apart when a file is changed in place."""
    mark: bool | Literal["tail"] = False
    """Whether a title may state it: `[Severity: High] …`, `High: …`; `tail`: also `… — Pass`."""
    warn: bool = False
    """Whether a fault of it is only worth a warning."""
    entries: Entries = Entries()

    @property
    def required(self) -> bool:
        return self.always or self.otherwise is None

    @property
    def label(self) -> str:
        return self.labels[0] if self.labels else self.key

    @property
    def folded(self) -> frozenset[str]:
        return frozenset(map(fold, self.labels))

    def empty(self) -> Any:
        """The value of a record that does not state it."""
        return self.otherwise() if self.otherwise else self.value.blank()

    def spelled(self, path: Path) -> str:
        return f"'{self.labels[0]}'" if self.labels and not path else spelled((*path, self.key))


@dataclass(frozen=True)
class Record:
    """The parts of a table, how it is made, and how it is written in Markdown."""

    parts: tuple[Part, ...]
    make: Callable[..., Any] = dict
    title: str = ""
    """A template for its heading, with the names of its parts: `Task {id} — {title}`."""
    line: str = ""
    """A template for the record on one line."""
    patterns: tuple[str, ...] = ()
    """Expressions that read the record from one line, with the names of its parts as groups."""
    alone: str = ""
    """The part that a single value stands for where a whole table could."""
    closed: bool = False
    """Whether other names are faults; else they belong to people."""

    def part(self, name: str) -> Part:
        return next(part for part in self.parts if part.name == name)

    def member(self, value: Any, part: Part) -> Any:
        return value[part.name] if isinstance(value, Mapping) else getattr(value, part.name)


def part(
    *labels: str,
    value: Value | None = None,
    at: Place = "label",
    key: str = "",
    default: Any = MISSING,
    factory: Any = MISSING,
    **more: Any,
) -> Any:
    """A member of a record; `labels` are its spellings in Markdown. `more`: members of Part."""
    options = {"labels": labels, "value": value, "at": at, "key": key, **more}
    field: dict[str, Any] = {"metadata": {"part": options}}
    if default is not MISSING:
        field["default"] = default
    if factory is not MISSING:
        field["default_factory"] = factory
    return dataclasses.field(**field)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(part,))
def record(
    *patterns: str,
    title: str = "",
    line: str = "",
    alone: str = "",
    closed: bool = False,
    whole: bool = False,
) -> Callable[[type[T]], type[T]]:
    """A frozen dataclass that can be read from a document; for the arguments see Record. `whole`:
    every member is always in the file, unless it says otherwise.
    """

    def decorated(kind: type[T]) -> type[T]:
        made: Any = dataclass(frozen=True, kw_only=True)(kind)
        made.__record__ = cache(
            lambda: Record(_parts(made, whole=whole), made, title, line, patterns, alone, closed)
        )
        return kind

    return decorated


def record_of(kind: Any) -> Record:
    """The record that a class stands for; any dataclass is one."""
    if isinstance(kind, Record):
        return kind
    reader = kind.__dict__.get("__record__")
    return reader() if reader else Record(parts=_parts(kind), make=kind)


def _parts(kind: Any, *, whole: bool = False) -> tuple[Part, ...]:
    hints = typing.get_type_hints(kind)
    return tuple(_part(each, hints[each.name], whole) for each in dataclasses.fields(kind))


def _part(field: dataclasses.Field[Any], hint: Any, whole: bool) -> Part:
    options = {"always": whole, **(field.metadata.get("part") or {})}
    options["value"] = options.get("value") or value_of(hint)
    options["key"] = options.get("key") or field.name
    otherwise: Any = None if field.default_factory is MISSING else field.default_factory
    if field.default is not MISSING:
        otherwise = partial(_itself, field.default)
    return Part(name=field.name, otherwise=otherwise, **options)


def _itself(value: Any) -> Any:
    return value


def value_of(hint: Any) -> Value:
    """The kind of value that a type stands for."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {types.UnionType, typing.Union}:
        rest = [each for each in arguments if each is not types.NoneType]
        return Maybe(value_of(rest[0])) if len(rest) == 1 else Anything()
    if origin is Literal:
        return Word(arguments)
    if origin in {tuple, list}:
        return Many(value_of(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return Named(value_of(arguments[1]))
    plain = {str: Text(), int: Number(), float: Number(whole=False), bool: Flag()}
    if hint in plain:
        return plain[hint]
    return Table(hint) if dataclasses.is_dataclass(hint) else Anything()


@dataclass(frozen=True)
class Table(Collection):
    """A record: a class made with `record`, a dataclass, or a Record."""

    kind: Any

    @property
    def record(self) -> Record:
        return record_of(self.kind)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.record.parts

    def describe(self) -> str:
        required = ", ".join(part.key for part in self.parts if part.required)
        return f"a table with {required}" if required else "a table"

    def _whole(self, data: Any) -> Any:
        alone = self.record.alone
        return {alone: data} if alone and isinstance(data, str) else data

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        data = self._whole(data)
        if not isinstance(data, Mapping):
            yield Issue(path, f"{spelled(path)} is {shown(data)}", f"expected {self.describe()}")
            return
        for part in self.parts:
            place = (*path, part.key)
            if part.key in data:
                for issue in part.value.check(data[part.key], place):
                    yield issue._replace(remedy=issue.remedy or part.remedy)
            elif part.required:
                yield Issue(place, f"{part.spelled(path)} is missing", self._remedy(part, data))
        if self.record.closed:
            yield from self._unknown(data, path)

    def _others(self, data: Mapping[str, Any]) -> list[str]:
        keys = {part.key for part in self.parts}
        return [name for name in data if name not in keys]

    def _remedy(self, part: Part, data: Mapping[str, Any]) -> str:
        near = nearest(part.key, self._others(data), 0.8)
        if near:
            return f"is {near!r} meant for it?"
        return part.remedy or f"expected {part.value.describe()}"

    def _unknown(self, data: Mapping[str, Any], path: Path) -> Iterator[Issue]:
        keys = [part.key for part in self.parts]
        for name in self._others(data):
            near = nearest(name, keys)
            remedy = f"did you mean {near!r}?" if near else f"names are: {', '.join(keys)}"
            yield Issue((*path, name), f"{spelled((*path, name))} is not known", remedy)

    def schema(self) -> dict[str, Any]:
        parts = [part for part in self.parts if not part.program]
        properties = {
            part.key: {**part.value.schema(), **({"description": part.about} if part.about else {})}
            for part in parts
        }
        required = [part.key for part in parts if part.required]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def example(self) -> Any:
        return {
            part.key: part.value.example() if part.like is None else part.like
            for part in self.parts
            if part.required or part.like is not None
        }

    def blank(self) -> Any:
        return self.build({})

    def build(self, data: Any) -> Any:
        data = self._whole(data)
        data = data if isinstance(data, Mapping) else {}
        members = {
            part.name: part.value.build(data[part.key]) if part.key in data else part.empty()
            for part in self.parts
        }
        return self.record.make(**members)

    def plain(self, value: Any) -> Any:
        """Only what differs from what leaving it out means."""
        data = {}
        for part in self.parts:
            member = self.record.member(value, part)
            if part.required or member != part.empty():
                data[part.key] = part.value.plain(member)
        return data

    def from_text(self, text: str) -> Any:
        """The record on one line of text, by the first of its patterns that fits."""
        plain = _BOLD_START.sub(r"\1", text.strip(), count=1)
        for pattern in self.record.patterns:
            if match := regex_of(pattern).fullmatch(plain):
                groups = [(name, text) for name, text in match.groupdict().items() if text]
                parts = [(self.record.part(name), text.strip()) for name, text in groups]
                return {part.key: part.value.from_text(text) for part, text in parts}
        return text


@cache
def regex_of(pattern: str) -> re.Pattern[str]:
    """An expression of a declaration: without case, over line breaks."""
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def identities(value: Value) -> Sequence[str]:
    """The keys that tell items of lists apart, anywhere in a value."""
    names: dict[str, None] = {}
    _collect(value, names, frozenset())
    return tuple(names)


def _collect(value: Value, names: dict[str, None], above: frozenset[int]) -> None:
    for attribute in ("of", "one", "other"):
        if isinstance(below := getattr(value, attribute, None), Value):
            _collect(below, names, above)
    if isinstance(value, Table) and id(value.kind) not in above:
        for part in value.parts:
            if part.identity:
                names[part.key] = None
            _collect(part.value, names, above | {id(value.kind)})
