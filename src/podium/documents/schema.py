"""A value whose shape is a JSON Schema (draft 2020-12), for files that bring one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from podium.core.nearest import nearest
from podium.documents.issues import Issue, Path, shown, spelled
from podium.documents.values import Value

_MOST = 20
"""Issues: a wrong file is wrong in one way many times."""
_TYPES: Mapping[str, Any] = {
    "string": "…",
    "number": 0,
    "integer": 0,
    "boolean": False,
    "array": [],
    "object": {},
    "null": None,
}


@dataclass(frozen=True)
class Schema(Value):
    of: Mapping[str, Any]

    def __post_init__(self) -> None:
        # It takes a tenth of a second to import, and few documents have a schema.
        from jsonschema import Draft202012Validator  # noqa: PLC0415
        from jsonschema.exceptions import SchemaError  # noqa: PLC0415

        try:
            Draft202012Validator.check_schema(self.of)
        except SchemaError as fault:
            place = spelled(tuple(fault.absolute_path))
            raise ValueError(f"is no JSON Schema: {place}: {fault.message[:200]}") from None

    @cached_property
    def validator(self) -> Any:
        from jsonschema import Draft202012Validator  # noqa: PLC0415
        from referencing import Registry  # noqa: PLC0415

        # Its own registry: without one, a reference to another place is fetched from there.
        return Draft202012Validator(
            self.of, registry=Registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
        )

    def describe(self) -> str:
        return str(self.of.get("description") or self.of.get("title") or "what its schema says")

    def fits(self, data: Any) -> bool:
        return next(self.check(data, ()), None) is None

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        errors = sorted(
            self.validator.iter_errors(data), key=lambda error: list(map(str, error.path))
        )
        issues = [issue for error in errors for issue in _issues(error, path)]
        yield from issues[:_MOST]
        if len(issues) > _MOST:
            yield Issue(path, f"{len(issues) - _MOST} more faults")

    def schema(self) -> dict[str, Any]:
        return dict(self.of)

    def example(self) -> Any:
        return _example(self.of, self.of, 0)

    def blank(self) -> Any:
        return None


def _issues(error: Any, path: Path) -> Iterator[Issue]:
    place = (*path, *error.absolute_path)
    limit, value = error.validator_value, error.instance
    match error.validator:
        case "required":
            # One error for each name, and each of them has the whole list.
            name = next(name for name in limit if repr(name) in error.message)
            yield Issue((*place, name), f"{spelled((*place, name))} is missing", "write it")
        case "additionalProperties" if isinstance(value, Mapping):
            names = list(error.schema.get("properties", {}))
            for other in (name for name in value if name not in names):
                near = nearest(str(other), names)
                remedy = f"did you mean {near!r}?" if near else f"names are: {', '.join(names)}"
                yield Issue((*place, other), f"{spelled((*place, other))} is not known", remedy)
        case "enum":
            words = ", ".join(map(str, limit))
            near = nearest(value, map(str, limit)) if isinstance(value, str) else ""
            remedy = f"expected one of {words}" + (f"; did you mean {near!r}?" if near else "")
            yield Issue(place, f"{spelled(place)} is {shown(value)}", remedy)
        case "type":
            kinds = limit if isinstance(limit, str) else " or ".join(limit)
            yield Issue(place, f"{spelled(place)} is {shown(value)}", f"expected {kinds}")
        case _:
            yield Issue(place, f"{spelled(place)}: {error.message[:200]}")


def _example(schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    """The shortest value that the usual words of a schema ask for."""
    if not isinstance(schema, Mapping) or depth > 20:
        return None
    if reference := _referenced(schema, root):
        return _example(reference, root, depth + 1)
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    for word in ("enum", "examples"):
        if schema.get(word):
            return schema[word][0]
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            return _example({**schema[word][0], **_without(schema, word)}, root, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        properties = schema.get("properties", {})
        names = schema.get("required", ())
        return {name: _example(properties.get(name, {}), root, depth + 1) for name in names}
    if kind == "array":
        return [_example(schema.get("items"), root, depth + 1)] * schema.get("minItems", 0)
    if kind in {"number", "integer"}:
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    return "…" * max(1, schema.get("minLength", 1)) if kind == "string" else _TYPES[kind]


def _referenced(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    reference = schema.get("$ref", "")
    if not reference.startswith("#/"):
        return None
    place: Any = root
    for step in reference[2:].split("/"):
        place = place.get(step.replace("~1", "/").replace("~0", "~"), {})
    return place


def _without(schema: Mapping[str, Any], word: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != word}
