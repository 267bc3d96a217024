"""A scenario as the YAML text that scenario_file.py reads: the same scenario, the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agents.protocol import Question, Usage
from podium.agents.scenario import Call, Content, Copy, Document, Scenario, Template
from podium.documents import yaml_text


def text(scenario: Scenario, remarks: Sequence[str] = ()) -> str:
    """The whole file; remarks become comment lines at its top."""
    parts: dict[str, Any] = {}
    for name, table in (("agents", scenario.agents), ("keys", scenario.keys)):
        if table:
            parts[name] = {
                each: [call_data(call) for call in calls] for each, calls in table.items()
            }
    if scenario.defaults != Call(behave_well=True):
        parts["defaults"] = call_data(scenario.defaults)
    return document(parts, remarks)


def document(parts: Mapping[str, Any], remarks: Sequence[str] = ()) -> str:
    """The same from plain data."""
    head = "".join(f"# {' '.join(line.split())}\n" for line in remarks)
    return head + yaml_text.dump_yaml(parts)


def call_data(call: Call) -> dict[str, Any]:
    """One call in the words of a scenario, without fields that have their default value."""
    found: dict[str, Any] = {
        "behave": "well" if call.behave_well else None,
        "sleep": call.sleep or None,
        "read": list(call.read),
        "write": {path: _content(content) for path, content in call.write},
        "append": dict(call.append),
        "delete": list(call.delete),
        "chmod": {path: f"{mode:04o}" for path, mode in call.chmod},
        "symlink": dict(call.symlink),
        "run": list(call.run),
        "verdict": dict(call.verdict) if call.verdict else None,
        "usage": _usage(call.usage),
        "say": call.say,
        "ask": _question(call.ask) if call.ask else None,
        "fail": call.fail,
        "retry_after": call.retry_after,
    }
    told = {
        name: value for name, value in found.items() if value is not None and value not in ([], {})
    }
    return {**told, "verdict": {}} if call.verdict is not None and not call.verdict else told


def _content(content: Content) -> Any:
    match content:
        case str():
            return content
        case Copy(file):
            return {"copy": file}
        case Template(name, members):
            return {"template": name, **members}
        case Document(data):
            return data


def _usage(usage: Usage) -> Mapping[str, Any]:
    return {name: value for name, value in vars(usage).items() if value is not None}


def _question(question: Question) -> Any:
    choices = [
        {"id": ident, "description": said} if said else ident for ident, said in question.choices
    ]
    found = {"prompt": question.prompt, "choices": choices, "recommended": question.recommended}
    return {name: value for name, value in found.items() if value}
