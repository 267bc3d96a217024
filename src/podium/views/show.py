"""One step in full: what it was told, what it did, what it wrote, and how it was judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.core.records import GateRecord, StepRecord
from podium.proof.delivery import delivery_of
from podium.views import figures, safe
from podium.views.board.activity import did
from podium.views.board.row import OUTCOMES
from podium.views.board.spent import Spent
from podium.views.delivery_lines import file_lines
from podium.views.look import Line, Tone, spoken
from podium.views.proving import proof_sentence, proof_state, proved
from podium.views.style import PLAIN, Style

ARTIFACT = "artifact~"
"""Prefix of an artifact's copy among the files of its step; `/` becomes `~` in the name."""
SOME = 40
"""How many lines of an artifact are printed; the file in the project has the rest."""
LONG = 400
"""How many lines of a patch or a transcript are printed; the file has the rest."""
MOST_BYTES = 5_000_000
"""No file is read beyond this: an agent decides how long its answer is, not how much memory we
use.
"""


@dataclass(frozen=True)
class Material:
    """The files of `steps/<key>/`, after reading."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """Texts of existing files, by file name."""

    def data(self, name: str) -> Mapping[str, Any]:
        try:
            found = json.loads(self.texts.get(name, "{}"))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def read_step(folder: Path) -> Material:
    """Everything a step left in its folder, except what is not a plain file."""
    known = (
        "brief.json",
        "prompt.md",
        "transcript.jsonl",
        "output.md",
        "verdict.json",
        "changes.patch",
        "quarantine.patch",
    )
    found = [folder / name for name in known]
    found += sorted(
        [*folder.glob("evidence*"), *folder.glob("evidence/*"), *folder.glob(f"{ARTIFACT}*")]
    )
    texts = {}
    for path in found:
        if path.is_file() and not path.is_symlink() and not path.parent.is_symlink():
            with path.open("rb") as file:
                texts[path.relative_to(folder).as_posix()] = file.read(MOST_BYTES).decode(
                    errors="replace"
                )
    return Material(texts)


def shown(
    record: StepRecord,
    material: Material,
    *,
    where: str = "",
    style: Style = PLAIN,
    full: bool = False,
) -> str:
    most = None if full else LONG
    lines: list[Line] = [*_head(record), *_view(record, material)]
    for title, name in (("prompt", "prompt.md"), ("answer", "output.md")):
        lines += _section(title, material.texts.get(name, ""))
    lines += _section("transcript", "\n".join(_transcript(material)), most)
    lines += _verdict(material)
    lines += _patch("changes", material.texts.get("changes.patch", ""), most)
    lines += _patch("quarantined", material.texts.get("quarantine.patch", ""), most)
    lines += _evidence(record, material, most)
    lines += _documents(record, material, None if full else SOME)
    lines += _troubles(record)
    if where:
        lines += [(), [("files  ", "dim"), (safe.line(where, 400), "plain")]]
    return "\n".join(style.lines(lines)) + "\n"


def shown_gate(gate: GateRecord, *, style: Style = PLAIN) -> str:
    """A decision: what was asked, about which content, and who said what when."""
    lines: list[Line] = [
        [(safe.line(gate.key), "strong"), (f"  {safe.line(gate.kind, 60)}", "dim")]
    ]
    delivery = delivery_of(vars(gate))
    for place, (text, tone) in enumerate(delivery.proof):
        lines.append(_fact("" if place else "proof", text, tone))
    first, *more = gate.prompt.strip().splitlines() or [""]
    lines += [
        _fact("question", first),
        *(_fact("", each) for each in safe.block("\n".join(more), lines=40) if each.strip()),
    ]
    lines.append(_fact("choices", ", ".join(gate.choices)))
    lines.append(_fact("opened", f"{figures.day(gate.opened)} UTC"))
    if gate.open:
        lines.append(
            _fact("decision", "open again, its subject changed" if gate.stale else "open", "ask")
        )
    else:
        lines.append(
            _fact(
                "decision", f"{gate.decision} by {gate.by}, {figures.day(gate.decided)} UTC", "good"
            )
        )
    if gate.note:
        lines.append(_fact("note", gate.note))
    for finding in delivery.weakened:
        lines += _patch(finding.words, "\n".join(finding.lines) or "(no lines)", LONG)
    if delivery.files:
        lines += [*_title(f"code: {delivery.summary}"), *file_lines(delivery.files, 110)]
    subject = gate.subject if gate.open else gate.decided_subject
    lines += (
        [*_title("subject"), *(_digested(path, "", mark) for path, mark in sorted(subject.items()))]
        if subject
        else []
    )
    return "\n".join(style.lines(lines)) + "\n"


def _title(title: str) -> list[Line]:
    return [(), [(f"── {title} ", "strong"), ("─" * max(3, 60 - len(title)), "dim")]]


def _section(title: str, text: str, most: int | None = None) -> list[Line]:
    body = safe.block(text, lines=most)
    return [*_title(title), *map(spoken, body)] if body else []


def _fact(label: str, value: str, tone: Tone = "plain") -> Line:
    return [(f"{label:<10} ", "dim"), (safe.line(value, 400), tone)]


def _head(record: StepRecord) -> list[Line]:
    spent = Spent()
    if record.finished and record.kind == "dispatch":
        spent.add(record.usage)
    bad = OUTCOMES.get(record.outcome) == "failed"
    ended = (
        f"{record.outcome} ({record.verdict})"
        if record.verdict not in {"", record.outcome}
        else record.outcome
    )
    lines: list[Line] = [
        [
            (safe.line(record.key), "strong"),
            (f"  {safe.line(record.role or record.kind, 60)}", "dim"),
        ]
    ]
    lines.append(_fact("state", record.state, "ask" if record.state != "finished" else "plain"))
    if record.finished:
        lines.append(_fact("outcome", ended, "bad" if bad else "good"))
    if record.reason:
        lines.append(_fact("reason", record.reason))
    took = figures.between(record.started, record.finished)
    lines.append(_fact("time", f"{figures.day(record.started)} UTC, {figures.seconds(took)}"))
    if record.kind in CHECKS:
        return [*lines, _fact("by", CHECKS[record.kind]), *_decided(record)]
    lines.append(
        _fact("attempt", f"{record.attempt}, dispatched {figures.plural(record.calls, 'time')}")
    )
    lines.append(_fact("usage", spent.short()))
    if record.assurance:
        lines.append(
            _fact("assurance", ", ".join(f"{k} {v}" for k, v in sorted(record.assurance.items())))
        )
    if record.commit:
        lines.append(_fact("commit", f"{record.base[:12]}..{record.commit[:12]}"))
    return lines


CHECKS = {
    "decision": "the program, from its rules",
    "document": "the program, which wrote the documents below",
    "git": "the program, which made a commit",
    "command": "the program, which ran the commands below",
}
"""Kinds of steps that no agent does, and who does them."""


def _decided(record: StepRecord) -> list[Line]:
    """What a check set in the run's state, as far as it is a word or a number."""
    plain = {
        name: value
        for name, value in record.sets.items()
        if isinstance(value, str | int)
        and value not in ("", False)
        and not str(value).startswith("sha256:")
    }
    return (
        [_fact("set", ", ".join(f"{name} {value}" for name, value in sorted(plain.items())))]
        if plain
        else []
    )


def _documents(record: StepRecord, material: Material, most: int | None) -> list[Line]:
    """The artifacts as they were verified."""
    lines: list[Line] = []
    for path in sorted(record.outputs):
        lines += _section(
            safe.line(path, 200), material.texts.get(ARTIFACT + path.replace("/", "~"), ""), most
        )
    return lines


def _view(record: StepRecord, material: Material) -> list[Line]:
    """What it could read, by digest, and what it had to write."""
    brief = material.data("brief.json")
    inputs = _triples(brief.get("inputs")) or [
        (name, name, mark) for name, mark in sorted(record.inputs.items())
    ]
    lines: list[Line] = []
    if inputs:
        lines += [
            *_title("read" if record.kind in CHECKS else "view"),
            *(_digested(path, name if name != path else "", mark) for name, path, mark in inputs),
        ]
    if code := brief.get("code"):
        lines.append(_fact("code", str(code)))
    if record.outputs:
        lines += [
            *_title("written"),
            *(_digested(path, "", mark) for path, mark in sorted(record.outputs.items())),
        ]
    return lines


def _triples(value: object) -> list[tuple[str, str, str]]:
    if not isinstance(value, list):
        return []
    return [
        (str(each[0]), str(each[1]), str(each[2]))
        for each in value
        if isinstance(each, list) and len(each) == 3
    ]


def _digested(path: str, name: str, mark: str) -> Line:
    label = f"  ({safe.line(name, 60)})" if name else ""
    return [
        (safe.pad(safe.line(figures.digest(mark), 12), 14), "dim"),
        (safe.line(path, 200) + label, "plain"),
    ]


def _transcript(material: Material) -> Iterable[str]:
    for raw in material.texts.get("transcript.jsonl", "").splitlines():
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError):
            said = raw
        if isinstance(said, dict):
            kind = str(said.get("kind") or said.get("type") or "")
            rest = {k: v for k, v in said.items() if k not in {"kind", "type", "ts", "seq"}}
            inner = rest.get("fields")
            yield (
                f"{figures.clock(said.get('ts'))} "
                f"{did(kind, inner if isinstance(inner, dict) else rest)}"
            )
        else:
            yield str(said)


def _verdict(material: Material) -> list[Line]:
    raw = material.texts.get("verdict.json", "")
    said = material.data("verdict.json")
    text = json.dumps(said, indent=2, ensure_ascii=False, sort_keys=True) if said else raw
    # The head has the word already; without an object there is no more to say.
    return _section("verdict", text)


def _patch(title: str, text: str, most: int | None) -> list[Line]:
    tones: dict[str, Tone] = {"+": "good", "-": "bad", "@": "link"}
    body = safe.block(text, lines=most)
    return (
        [*_title(title), *(spoken(each, tones.get(each[:1], "plain")) for each in body)]
        if body
        else []
    )


def _evidence(record: StepRecord, material: Material, most: int | None) -> list[Line]:
    lines: list[Line] = []
    for each in record.evidence:
        if each.get("name") == "commit":
            lines += _commit(each)
            continue
        state, command = proof_state(each), str(each.get("command", ""))
        said = each.get("refused") or each.get("said") or (proved(each) if command else "")
        text = proof_sentence(each) or f"{each.get('name', '')}{f': {said}' if said else ''}"
        signs: dict[str, tuple[str, Tone]] = {
            "failed_before": ("! ", "ask"),
            "failed": ("✗ ", "bad"),
            "not_run": ("✗ ", "bad"),
        }
        bad = bool(each.get("refused")) or (not state and each.get("exit") not in {None, 0})
        sign = ("✗ ", "bad") if bad else signs.get(state, ("✓ ", "good"))
        lines.append([sign, (safe.line(text, 300), "plain")])  # type: ignore[list-item]
        if command:
            lines.append([("    ", "dim"), (safe.line(command, 300), "dim")])
        names = each.get("new") or each.get("failing") or ()
        lines += [[("    ", "dim"), (safe.line(name, 300), "bad")] for name in names]
    out = [*_title("evidence"), *lines] if lines else []
    for name in sorted(material.texts):
        if name.startswith("evidence"):
            out += _section(safe.line(name, 60), material.texts[name], most)
    return out


def _commit(each: Mapping[str, Any]) -> list[Line]:
    """A commit on the branch that is checked out."""
    if not each.get("commit"):
        return [[("– ", "dim"), ("nothing to commit", "plain")]]
    paths = each.get("paths")
    files: list[Line] = (
        [[("    ", "plain"), (safe.line(path, 200), "plain")] for path in paths]
        if isinstance(paths, list)
        else []
    )
    return [[("✓ ", "good"), (safe.line(f"commit {each['commit']}", 80), "plain")], *files]


def _troubles(record: StepRecord) -> list[Line]:
    lines = [
        *(f"refused {path}: {failure}: {detail}" for path, failure, detail in record.rejected),
        *(f"quarantined {path}" for path in record.violated),
        *(f"cannot be merged with parallel work: {path}" for path in record.conflicts),
        *(
            f"try {each.attempt} ended as {each.classification}: {'; '.join(each.detail)}"
            for each in record.tried
        ),
    ]
    return (
        [*_title("what went wrong"), *(spoken(safe.line(each, 400), "bad") for each in lines)]
        if lines
        else []
    )
