"""What a run has come to, for whoever decides on it: what is proven, and every file of the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.proof.evidence import STATES, from_json
from podium.proof.sentences import line_of, sentence

Record = Mapping[str, Any]
Tone = Literal["good", "ask", "bad", "plain"]

NOTHING_RAN = "NOT PROVEN: no command ran on this code"
_TONES: dict[str, Tone] = {"passed": "good", "failed_before": "ask"}
KINDS = {
    "machinery": "machinery file",
    "test": "test",
    "code": "code file",
    "document": "document",
}
_MARKS = {"machinery": "test machinery", "test": "test", "document": "document"}


@dataclass(frozen=True)
class ChangedFile:
    """One file of the code as a run leaves it."""

    path: str
    status: str
    """A, M, D, or R for one that was only moved."""
    added: int | None = None
    """Lines; None: it is no text."""
    removed: int | None = None
    kind: str = "code"
    was: str = ""
    """Where it was before, if it was moved."""

    @property
    def name(self) -> str:
        return " → ".join(printable(path) for path in (self.was, self.path) if path)

    @property
    def counts(self) -> str:
        """`+12 −3`; for what is no text that."""
        if self.added is None or self.removed is None:
            return "binary"
        counted = [f"+{self.added}"] if self.added else []
        counted += [f"−{self.removed}"] if self.removed else []
        return " ".join(counted)

    @property
    def mark(self) -> str:
        """What a person should look at twice, or need not look at first; code is not marked."""
        return _MARKS.get(self.kind, "")


@dataclass(frozen=True)
class WeakenedTest:
    """What a step did to a test, or to what decides how tests run."""

    key: str
    path: str
    how: str
    lines: tuple[str, ...] = ()
    by: str = ""
    """Who accepted it; nobody yet if empty."""

    @property
    def words(self) -> str:
        return f"{self.path}: {self.how}{_by(self.by)}"


def _by(person: str) -> str:
    return f"; accepted by {person}" if person else ""


@dataclass(frozen=True)
class Delivery:
    evidence: tuple[Record, ...] = ()
    """What commands proved about the code as it is."""
    baseline: tuple[Record, ...] = ()
    """What they proved before anything was changed."""
    files: tuple[ChangedFile, ...] = ()
    """Those that matter most first."""
    total: int = 0
    """How many files there are; of very many only some are named."""
    weakened: tuple[WeakenedTest, ...] = ()

    @property
    def proof(self) -> list[tuple[str, Tone]]:
        """One sentence for each command, the worst first; before there is code, how it was then."""
        if self.evidence:
            return [_spoken(record) for record in _ranked(_compared(self.evidence, self.baseline))]
        if any(file.kind != "document" for file in self.files):
            return [(NOTHING_RAN, "bad")]
        return [
            (f"before the run: {sentence}", "plain" if tone == "good" else "ask")
            for sentence, tone in map(_spoken, _ranked(self.baseline))
        ]

    @property
    def weakened_files(self) -> list[str]:
        """`tests/test_x.py: edited, skipped; accepted by ada`, a line for each file."""
        hows: dict[tuple[str, str], list[str]] = {}
        for finding in self.weakened:
            known = hows.setdefault((finding.path, finding.by), [])
            known += [] if finding.how in known else [finding.how]
        return [f"{path}: {', '.join(how)}{_by(by)}" for (path, by), how in hows.items()]

    @property
    def summary(self) -> str:
        """`5 files changed, +7 −2: 1 test, 1 document`; of no change nothing."""
        if not self.files:
            return ""
        lines = ChangedFile(
            "",
            "M",
            sum(file.added or 0 for file in self.files),
            sum(file.removed or 0 for file in self.files),
        ).counts
        kinds = kinds_of(file for file in self.files if file.kind != "code")
        changed = f"{plural(self.total, 'file')} changed"
        counted = ", ".join([changed, *([lines] if lines else [])])
        return f"{counted}{': ' if kinds else ''}{kinds}"


def delivery_of(fields: Mapping[str, Any]) -> Delivery:
    """From an event, a gate, or a summary's gate; whatever is not as it should be is left out."""
    told = fields.get("changes")
    changes: Record = told if isinstance(told, Mapping) else {}
    known = [file for row in _list(changes.get("files")) if (file := _file(row)) is not None]
    weak = tuple(_weakened(row) for row in _list(changes.get("weakened")) if _is_record(row))
    total = changes.get("total")
    touched = {finding.path for finding in weak}
    return Delivery(
        evidence=_records(fields.get("evidence")),
        baseline=_records(fields.get("baseline")),
        files=tuple(sorted(known, key=lambda file: (_rank(file, touched), file.path))),
        total=max(len(known), total if isinstance(total, int) else 0),
        weakened=weak,
    )


def _weakened(row: Record) -> WeakenedTest:
    return WeakenedTest(
        key=str(row.get("key", "")),
        path=str(row.get("path", "")),
        how=str(row.get("how", "")),
        lines=tuple(map(str, _list(row.get("lines")))),
        by=str(row.get("by") or ""),
    )


def _is_record(row: object) -> bool:
    return isinstance(row, Mapping)


def kinds_of(files: Iterable[ChangedFile]) -> str:
    """`1 machinery file, 3 tests, 180 code files`."""
    counted = Counter(file.kind for file in files)
    return ", ".join(plural(counted[kind], KINDS[kind]) for kind in KINDS if counted[kind])


def plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def as_text(delivery: Delivery, most: int = 50) -> list[str]:
    """The proof, the weakened tests and the files, a line for each, where nothing can be drawn;
    files beyond `most` are counted.
    """
    lines = [text for text, _ in delivery.proof]
    lines += [f"weakened {text}" for text in delivery.weakened_files]
    lines += [delivery.summary] if delivery.files else []
    for file in delivery.files[:most]:
        lines.append(" ".join(word for word in (file.status, file.name, file.counts) if word))
        lines[-1] += f" ({file.mark})" if file.mark else ""
    left = delivery.total - min(most, len(delivery.files))
    lines += [f"… and {plural(left, 'more file')}"] if left else []
    return [printable(line) for line in lines]


def printable(path: str) -> str:
    """A path in which nothing is hidden: what has no picture is written as in a program."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in path)


def _rank(file: ChangedFile, touched: set[str]) -> int:
    """What decides how much the proof is worth comes first, documents last."""
    if file.path in touched or file.was in touched:
        return 0
    if file.kind == "machinery":
        return 1
    if file.kind == "test":
        return 4 if file.status == "A" else 2
    return 3 if file.kind == "code" else 5


def _file(row: object) -> ChangedFile | None:
    if not isinstance(row, Mapping) or not row.get("path"):
        return None
    kind = str(row.get("kind", "code"))
    return ChangedFile(
        path=str(row["path"]),
        status=str(row.get("status", "M")),
        added=_number(row.get("added")),
        removed=_number(row.get("removed")),
        kind=kind if kind in KINDS else "code",
        was=str(row.get("was") or ""),
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _records(value: object) -> tuple[Record, ...]:
    known = [row for row in _list(value) if isinstance(row, Mapping)]
    return tuple(row for row in known if _sentence(row))


def _sentence(record: Record) -> str:
    try:
        return line_of(record)
    except (ValueError, TypeError):
        return ""


def _compared(evidence: Iterable[Record], baseline: Iterable[Record]) -> list[Record]:
    """Records that do not know how it was before get that from the baseline, if the command is the
    same.
    """
    before = {(row.get("name"), row.get("command")): row.get("tests") for row in baseline}
    return [
        row
        if row.get("before") or not (tests := before.get((row.get("name"), row.get("command"))))
        else {**row, "before": tests}
        for row in evidence
    ]


def _ranked(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=lambda row: -STATES.index(row["state"]))


def _spoken(record: Record) -> tuple[str, Tone]:
    evidence = from_json(record)
    tone: Tone = _TONES.get(evidence.state, "bad")
    if evidence.fewer or evidence.newly_skipped:
        tone = "bad" if tone == "bad" else "ask"
    return sentence(evidence), tone
