"""A record in the words of a workflow file: `sections`, `fields`, `list`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podium.core.nearest import nearest
from podium.core.waves import Cycle, waves
from podium.documents.groups import Many
from podium.documents.issues import Issue, Path
from podium.documents.record import Part, Record, Table
from podium.documents.values import Bands, Flag, Number, Prose, Text, Value, Word

KEY = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"


def path_fault(path: str) -> str:
    """Why a text is no path of this project; empty if it is one."""
    if path != path.strip() or re.search(r"[\\\x00-\x1f\x7f]", path):
        return "has signs that no path of this project has"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        return "is absolute"
    if ".." in path.split("/"):
        return "leads upwards"
    return "means the whole project" if posixpath.normpath(path) == "." else ""


_WORDS: Mapping[str, Value] = {
    "text": Text(),
    "key": Text(pattern=KEY, like="A1"),
    "path": Text(refuse=path_fault, like="src/main.py"),
    "number": Number(least=None, whole=False),
    "flag": Flag(),
}
KINDS = (*_WORDS, *(f"{word}s" for word in _WORDS))
"""What may stand for a value; a plural is a list. Brackets mean one of these words, and a table of
words and conditions is a number in bands.
"""


def value_in_words(kind: Any, name: str) -> Value:
    """The kind of value that a workflow file means; ValueError says what is wrong with it."""
    if isinstance(kind, str) and kind in KINDS:
        word = kind if kind in _WORDS else kind.removesuffix("s")
        return _WORDS[word] if word == kind else Many(_WORDS[word])
    if isinstance(kind, list | tuple) and kind and all(isinstance(word, str) for word in kind):
        return Word(tuple(kind))
    if isinstance(kind, Mapping) and kind:
        return Bands(bands={str(word): str(condition) for word, condition in kind.items()})
    near = nearest(kind, KINDS) if isinstance(kind, str) else ""
    hint = f"did you mean {near!r}?" if near else f"write one of {', '.join(KINDS)}, or [words]"
    raise ValueError(f"{name}: {kind!r} is no kind of value; {hint}")


def record_in_words(
    sections: Sequence[str] = (), fields: Mapping[str, Any] | None = None, title: str = ""
) -> Record:
    """Headings with text, and `Key: value` lines anywhere in the document."""
    parts = [
        Part(
            name,
            name,
            value_in_words(kind, name),
            (name,),
            at="line",
            remedy=f"add a line '{name}: …'",
        )
        for name, kind in (fields or {}).items()
    ]
    parts += [
        Part(name, name, Prose(), (name,), at="section", remedy=f"write it under '## {name}'")
        for name in sections
    ]
    names = [part.name.casefold() for part in parts]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError(f"{twice!r} stands there twice; keep one of them")
    return Record(tuple(parts), title=title)


def list_in_words(members: Mapping[str, Any]) -> Table:
    """One entry of a list; its first `key` tells the entries apart."""
    first = next((name for name, kind in members.items() if kind == "key"), "")
    return Table(
        Record(
            tuple(
                Part(
                    name,
                    name,
                    value_in_words(kind, name),
                    (name,),
                    identity=name == first,
                    like=[] if kind == "keys" else None,
                )
                for name, kind in members.items()
            )
        )
    )


def links(members: Mapping[str, Any]) -> Callable[[Any], Iterator[Issue]]:
    """The check of a list as a whole: each key once, and `keys` name other entries, in no cycle."""
    ident = next((name for name, kind in members.items() if kind == "key"), "")
    references = [name for name, kind in members.items() if kind == "keys"]

    def check(entries: Sequence[Mapping[str, Any]]) -> Iterator[Issue]:
        keys = [entry[ident] for entry in entries] if ident else []
        for at, key in enumerate(keys):
            if key in keys[:at]:
                yield Issue((at, ident), f"the {ident} {key} stands there twice", "each its own")
        for name in references if ident else ():
            yield from _references(entries, keys, ident, name)

    return check


def _references(
    entries: Sequence[Mapping[str, Any]], keys: Sequence[str], ident: str, name: str
) -> Iterator[Issue]:
    for at, entry in enumerate(entries):
        for number, other in enumerate(entry[name]):
            path: Path = (at, name, number)
            if other == entry[ident]:
                yield Issue(path, f"{entry[ident]} names itself in {name}", "take it out")
            elif other not in keys:
                near = nearest(other, keys)
                remedy = f"did you mean {near!r}?" if near else f"a {ident} of this list"
                yield Issue(path, f"{entry[ident]} names {other}, which is no entry", remedy)
    graph = {
        entry[ident]: [other for other in entry[name] if other in keys and other != entry[ident]]
        for entry in entries
    }
    order = waves(graph)
    if isinstance(order, Cycle):
        place = (list(keys).index(order.ids[0]), name)
        yield Issue(place, f"entries wait for each other in a cycle: {order}", "take one out")
