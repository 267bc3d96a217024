"""A document: from one declaration come reading, checking, rendering, changing in place, the
shortest example, the words of the prompt and the JSON Schema of the report.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar, overload

from podium.core.errors import Fault, InputError
from podium.documents import prompt, shorthand
from podium.documents.edit import IDENTITIES, merge_json, merge_yaml, overlaid
from podium.documents.groups import FAULTY, Many, inner
from podium.documents.issues import Issue, Path
from podium.documents.json_tree import load_json, parse_json
from podium.documents.record import Table, identities
from podium.documents.schema import Schema
from podium.documents.tree import Node, TreeError, named
from podium.documents.values import Bands, Flag, Value, Word
from podium.documents.yaml_text import dump_yaml
from podium.documents.yaml_tree import parse_yaml

T = TypeVar("T")
Form = Literal["markdown", "yaml", "json"]
Check = Callable[[Any], Iterable[Issue]]
_FORMS: Mapping[str, Form] = {"yaml": "yaml", "yml": "yaml", "json": "json"}


@dataclass(frozen=True)
class Reading(Generic[T]):
    """What a text says, as far as it can be read."""

    value: T
    """With blanks where there is a fault."""
    data: Any
    """The same as plain data, as it was written."""
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    line_of: Callable[[Path], int] = field(default=lambda _: 1, repr=False, compare=False)
    """The line of the value at a path, or of the innermost one on the way to it."""

    def sound(self) -> T:
        """The value; InputError with every fault if there is one."""
        if self.faults:
            raise InputError(self.faults)
        return self.value


@dataclass(frozen=True)
class _Source:
    """The data of a text, before anything is checked."""

    data: Any
    line_of: Callable[[Path], int] | None
    contradictions: Sequence[Issue] = ()


class Document(Generic[T]):
    """A named file with a shape: a record made with `record`, any dataclass, or the words of a
    workflow file.

        PLAN = Document("plan.md", sections=["Goal"], fields={"Risk": ["low", "high"]})
        PLAN.read(text).sound()["Risk"]
    """

    @overload
    def __init__(
        self,
        path: str,
        kind: type[T],
        *,
        form: Form | None = None,
        checks: Sequence[Check] = (),
        notes: Sequence[str] = (),
        root: Value | None = None,
        contradictions: Literal["fault", "warning"] = "warning",
    ) -> None: ...

    @overload
    def __init__(
        self: Document[Any],
        path: str,
        *,
        sections: Sequence[str] = (),
        fields: Mapping[str, Any] | None = None,
        list: Mapping[str, Any] | None = None,
        schema: Mapping[str, Any] | None = None,
        form: Form | None = None,
        checks: Sequence[Check] = (),
        notes: Sequence[str] = (),
        contradictions: Literal["fault", "warning"] = "warning",
    ) -> None: ...

    def __init__(
        self,
        path: str,
        kind: Any = None,
        *,
        sections: Sequence[str] = (),
        fields: Mapping[str, Any] | None = None,
        list: Mapping[str, Any] | None = None,
        schema: Mapping[str, Any] | None = None,
        form: Form | None = None,
        checks: Sequence[Check] = (),
        notes: Sequence[str] = (),
        root: Value | None = None,
        contradictions: Literal["fault", "warning"] = "warning",
    ) -> None:
        """`checks`: what must hold for the value as a whole. `notes`: sentences for the prompt.
        `root`: the kind of value, where it is no single record.
        """
        self.path = path
        self.form: Form = form or _FORMS.get(path.rpartition(".")[2], "markdown")
        self.checks, self.notes = tuple(checks), tuple(notes)
        self.contradictions = contradictions
        if kind is not None:
            self.root = root or Table(kind)
        else:
            self.root = _in_words(path, self.form, sections, fields, list, schema)
            self.checks += (shorthand.links(list),) if list else ()

    # --- reading

    def read(self, text: str, where: str = "") -> Reading[T]:
        """Everything that the text says, with every fault at its line and the way out."""
        where = where or self.path
        try:
            source = self._source(text)
        except TreeError as fault:
            return Reading(self.root.build(self._nothing()), None, tuple(fault.at(where).faults))
        return self._checked(source, where)

    def read_object(self, data: Any, where: str = "the report") -> Reading[T]:
        """The same for what an agent sends as an object."""
        return self._checked(_Source(data, None), where)

    def check(self, text: str, where: str = "") -> tuple[str, ...]:
        """Every fault in words."""
        return tuple(map(str, self.read(text, where).faults))

    def excerpt(self, text: str, *path: str | int) -> str:
        """The lines of one value of a YAML or JSON file; empty if it is not there."""
        node = self._tree(text).at(*path)
        if node is None:
            return ""
        column = node.start - (text.rfind("\n", 0, node.start) + 1)
        first, *rest = text[node.start : node.end].splitlines()
        return "\n".join([first, *(line.removeprefix(" " * column) for line in rest)]) + "\n"

    def _nothing(self) -> Any:
        return [] if isinstance(inner(self.root), Many) else {}

    def _tree(self, text: str) -> Node:
        plain = text.removeprefix("\ufeff")
        return parse_yaml(plain) if self.form == "yaml" else parse_json(plain)

    def _source(self, text: str) -> _Source:
        if self.form == "markdown":
            return _Source(*_markdown().read(text, self.root))
        if self.form == "yaml":
            root = self._tree(text)
            return _Source(root.data, root.line_of)
        try:
            data = load_json(text)
        except (ValueError, RecursionError):
            self._tree(text)  # names the line
            raise TreeError([(1, "is not JSON", "")]) from None
        tree = cache(lambda: self._tree(text))  # its places are needed only where there is a fault
        return _Source(data, lambda path: tree().line_of(path))

    def _checked(self, source: _Source, where: str) -> Reading[T]:
        issues = [*self.root.check(source.data, ())]
        broken = {issue.path for issue in issues}
        if any(not issue.path for issue in issues):
            value = self.root.build(self._nothing())
        else:
            value = self.root.build(_sound(source.data, [issue.path for issue in issues]))
            for check in self.checks:
                issues += [issue for issue in check(value) if not _follows(issue, broken)]
        if self.contradictions == "fault":
            issues += source.contradictions
        lax = self._lax(issues)
        notes = [*lax, *(source.contradictions if self.contradictions == "warning" else ())]
        line_of = source.line_of

        def fault(issue: Issue) -> Fault:
            place = f"{where}:{line_of(issue.path)}" if line_of else where
            return Fault(place, issue.what, issue.remedy)

        if line_of:
            issues.sort(key=lambda issue: line_of(issue.path))
        faults = tuple(fault(issue) for issue in issues if issue not in lax)
        warnings = tuple(map(fault, notes))
        return Reading(value, source.data, faults, warnings, line_of or (lambda _: 1))

    def _lax(self, issues: Sequence[Issue]) -> list[Issue]:
        table = inner(self.root)
        parts = table.parts if isinstance(table, Table) else ()
        warned = {part.key for part in parts if part.warn}
        return [issue for issue in issues if issue.path and issue.path[0] in warned]

    # --- writing

    def render(self, value: T) -> str:
        """The document; reading it gives the same value."""
        return self.render_data(self.root.plain(value))

    def render_data(self, data: Any) -> str:
        if self.form == "yaml":
            return dump_yaml(data)
        if self.form == "json":
            return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        return str(_markdown().render(self.root, data))

    def update(self, text: str, value: T | Mapping[str, Any], where: str = "") -> str:
        """The text with this value, or with only these members of it. People's words, comments,
        order and spelling stay; items of lists that it does not name stay too.
        """
        wanted: Any = value if isinstance(value, Mapping | list | tuple) else self.root.plain(value)
        if self.form == "markdown":
            return str(_markdown().update(text, self.root, wanted))
        merge = merge_yaml if self.form == "yaml" else merge_json
        with named(where or self.path):
            return merge(text, wanted, identities(self.root) or IDENTITIES)

    # --- telling

    def example(self, members: Mapping[str, Any] | None = None) -> str:
        """The shortest document that passes, with these members instead of its own."""
        data = self.root.example()
        return self.render_data(overlaid(data, members) if members else data)

    def prompt(self) -> tuple[str, ...]:
        """What an agent is told about the form, in sentences."""
        return (*prompt.sentences(self.root, self.form), *self.notes)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the report tool."""
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **self.root.schema()}

    # --- for rules and conditions

    def domains(self) -> dict[str, tuple[str, ...]]:
        """For every field with a closed set of words: the words."""
        table = inner(self.root)
        parts = table.parts if isinstance(table, Table) else ()
        words = {part.name: _words_of(part.value) for part in parts}
        return {name: domain for name, domain in words.items() if domain}

    def words(self, value: T) -> dict[str, str]:
        """For each of these fields: the word that the value has."""
        table = inner(self.root)
        if not isinstance(table, Table):
            return {}
        parts = {part.name: part for part in table.parts}
        members = {name: table.record.member(value, parts[name]) for name in self.domains()}
        return {name: getattr(each, "word", None) or _word(each) for name, each in members.items()}


def _markdown() -> ModuleType:
    # It takes as long to import as everything else here, and no YAML or JSON file needs it.
    from podium.documents import markdown_form  # noqa: PLC0415

    return markdown_form


def _in_words(
    path: str,
    form: Form,
    sections: Sequence[str],
    fields: Mapping[str, Any] | None,
    entries: Mapping[str, Any] | None,
    schema: Mapping[str, Any] | None,
) -> Value:
    """The root of a document in the words of a workflow file; ValueError if they contradict."""
    used = [name for name, part in (("list", entries), ("schema", schema)) if part is not None]
    used += ["sections and fields"] if sections or fields else []
    if len(used) != 1:
        what = " and ".join(used) or "nothing"
        raise ValueError(f"a document has sections and fields, or a list, or a schema, not {what}")
    if schema is not None:
        root: Value = Schema(schema)
    elif entries is not None:
        root = Many(shorthand.list_in_words(entries))
    else:
        return Table(shorthand.record_in_words(sections, fields, _title(path)))
    if form == "markdown":
        raise ValueError(f"a {used[0]} is YAML or JSON; give the path one of these endings")
    return root


def _title(path: str) -> str:
    """What a document of that path is called, in letters: `notes/risk-plan.md`, `Risk plan`."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    words = re.findall(r"\w+", re.sub(r"\{\{.*?\}\}", "", name).replace("_", " "))
    return " ".join(words).capitalize() or "Document"


def _words_of(value: Value) -> tuple[str, ...]:
    value = inner(value)
    if isinstance(value, Word):
        return value.words
    if isinstance(value, Bands):
        return tuple(value.bands)
    return ("yes", "no") if isinstance(value, Flag) else ()


def _word(member: Any) -> str:
    return ("yes" if member else "no") if isinstance(member, bool) else str(member)


def _follows(issue: Issue, broken: Collection[Path]) -> bool:
    """Whether an issue may only follow from a part that is faulty itself."""
    own = issue.path
    return any(
        fault[: len(own)] == own[: len(fault)]
        or any(place[: len(fault)] == fault for place in issue.needs)
        for fault in broken
    )


def _sound(data: Any, faulty: Sequence[Path]) -> Any:
    """The data without the parts that have a fault; other items of a list keep their places."""
    if not faulty:
        return data
    data = copy.deepcopy(data)
    for path in sorted(faulty, key=_deepest_last_item_first, reverse=True):
        holder = data
        try:
            for step in path[:-1]:
                holder = holder[step]
            if isinstance(holder, list) and isinstance(path[-1], int):
                holder[path[-1]] = FAULTY
            else:
                del holder[path[-1]]
        except (LookupError, TypeError):
            continue
    return data


def _deepest_last_item_first(path: Path) -> list[tuple[bool, int]]:
    return [(isinstance(step, int), step if isinstance(step, int) else 0) for step in path]
