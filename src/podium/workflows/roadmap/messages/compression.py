"""What is made of one agent's answer before the next agent sees it.

Kept: full file paths, findings, interface signatures, verdicts, the first three lines of each
error. Dropped: tool output, diffs, stack traces, passing tests, rejected alternatives, praise. The
same text always gives the same result, and compressing a result again leaves it unchanged. The
result is flat, with titles in bold and one item per line, so that it cannot pass for structure of
the document it is put into.

Limits: a line has at most 300 characters, a text 60 lines and 6000 characters, a list of failures
20 entries of 3 lines, a list of files 300 entries with notes of 160 characters. Cuts fall between
words; a path or a text in backquotes is kept whole or dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podium.formats.field_lines import one_line
from podium.formats.markdown import scan
from podium.workflows.roadmap.messages.compressed_lines import MAX_LINE, Line, clean, cut, readable
from podium.workflows.roadmap.messages.dropping import ERROR_LINES, error_lines, is_important

MAX_LINES = 60
MAX_CHARS = 6000
MAX_FAILURES = 20
MAX_FILES = 300
MAX_NOTE = 160
_PASSES = 8
_WIDE = 10
"""Text up to this multiple of the limits is examined closely; what exceeds it could not fit into
the result.
"""


def compress(text: str, *, lines: int = MAX_LINES, chars: int = MAX_CHARS) -> str:
    """The answer as it is passed on to the next agent."""
    found = readable(scan(text))
    total = len(found)
    found = _chosen(found, _WIDE * lines, _WIDE * chars)
    for _ in range(_PASSES):
        # Out of its context a line may be read differently; repeat until nothing changes any more.
        again = readable(scan(_joined(found)))
        if again == found:
            break
        total -= len(found) - len(again)
        found = again
    if total == len(found) <= lines and len(_joined(found)) <= chars:
        return _joined(found)
    kept = _chosen(found, lines - 1, chars - len(_left_out(total)) - 4)
    return _joined([*kept, Line(_left_out(total - len(kept)))])


def compress_error(text: str) -> str:
    """The first three meaningful lines of an error, each cut to length."""
    raw = [clean(line) for line in text.splitlines()]
    return "\n".join(cut(line, MAX_LINE) for line in error_lines(raw)[:ERROR_LINES])


def compress_failures(failures: Iterable[str]) -> tuple[str, ...]:
    """The distinct failures in order, each compressed."""
    found = list(dict.fromkeys(error for each in failures if (error := compress_error(each))))
    if len(found) <= MAX_FAILURES:
        return tuple(found)
    left = len(found) - MAX_FAILURES + 1
    return (*found[: MAX_FAILURES - 1], f"… and {left} more failures")


def compress_files(
    changed: Sequence[str], claimed: Iterable[Mapping[str, str]]
) -> tuple[dict[str, str], ...]:
    """What Implement passes on: each changed file with one line about it, and nothing else.

    The program determines the list; the agent only contributes notes on these files.
    """
    notes = {_same(each["path"]): each.get("note", "") for each in reversed(list(claimed))}
    paths = sorted(set(changed))
    found = [
        {"path": path, "note": cut(one_line(notes.get(_same(path), "")), MAX_NOTE)}
        for path in paths
    ]
    if len(found) <= MAX_FILES:
        return tuple(found)
    left = len(found) - MAX_FILES + 1
    return (*found[: MAX_FILES - 1], {"path": "", "note": f"… and {left} more files"})


def _same(path: str) -> str:
    return path.strip().removeprefix("./")


def _left_out(number: int) -> str:
    return f"… {number} more lines left out"


def _chosen(found: Sequence[Line], lines: int, chars: int) -> list[Line]:
    """As many lines as fit, in order; lines that carry facts take precedence."""
    if len(found) <= lines and len(_joined(found)) <= chars:
        return list(found)
    kept: set[int] = set()
    titles = _titles(found)
    for at in sorted(range(len(found)), key=lambda at: (not is_important(found[at].text), at)):
        # A title costs nothing until a line under it is kept; then it is kept too.
        wanted = {at, titles[at]} - kept - {-1} if not found[at].is_title else set()
        cost = sum(len(found[each].shown()) + 2 for each in wanted)
        if wanted and cost <= chars and len(wanted) <= lines:
            kept |= wanted
            chars, lines = chars - cost, lines - len(wanted)
    return [found[at] for at in sorted(kept)]


def _titles(found: Sequence[Line]) -> list[int]:
    """For each line the position of the title above it, -1 if there is none."""
    above, current = [], -1
    for at, line in enumerate(found):
        current = at if line.is_title else current
        above.append(current if not line.is_title else -1)
    return above


def _joined(found: Sequence[Line]) -> str:
    parts = [("\n" if line.is_title and at else "") + line.shown() for at, line in enumerate(found)]
    return "\n".join(parts)
