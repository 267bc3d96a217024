"""What of a change talks tests down: each finding with path, way, and the lines that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.project import example_tests
from podium.project.blocks import Comparison, compare
from podium.project.called import called
from podium.project.kinds import Kind, Patterns, kind_of
from podium.project.libraries import shadows
from podium.project.manifests import Part, manifest_parts
from podium.project.python_tests import compare_python
from podium.project.sign_forms import Sign
from podium.project.signs import answers, comparisons, language_of, literals, shows, signs
from podium.project.source_lines import Line, source_lines, style_of
from podium.project.versions import lock_changes

Status = Literal["A", "M", "D", "T", "R", "C"]
How = Literal[
    "deleted",
    "renamed",
    "edited",
    "golden answer changed",
    "not run any more",
    "replaced by a link",
    "added",
    "machinery changed",
    "CI changed",
    "only CI changed",
    "dependency changed",
    "test library shadowed",
    "report left behind",
    "special case",
    "old tests fail",
    "fewer tests",
    "no test notices",
    Sign,
]
LINK, EXECUTABLE = 0o120000, 0o111


@dataclass(frozen=True)
class Change:
    """One path of a difference, as git tells it."""

    status: Status
    path: str
    was: str = ""
    """The path before, if it was renamed or copied."""
    mode: int = 0
    """The mode after, as git writes it (`0o100644`); 0 = not known."""
    old_mode: int = 0
    link: str = ""
    """Where a symbolic link leads."""


@dataclass(frozen=True)
class Policy:
    """What the contract of a step says about tests, and the settings about their names."""

    tests: Literal["add", "edit", "protect"] = "add"
    patterns: Patterns = Patterns()
    commands: tuple[str, ...] = ()
    """The commands that the project is built, tested and linted with."""


DEFAULT = Policy()


@dataclass(frozen=True)
class Finding:
    path: str
    how: How
    lines: tuple[str, ...] = ()
    """Lines of the difference, `-` before and `+` after; all of them."""
    blocks: bool = True
    """False: shown, and no reason to ask a person."""


Text = Callable[[str], str | None]
"""The text of a path; None where there is none, or where it is no text."""


def weakened(
    changes: Iterable[Change],
    before: Text,
    after: Text,
    policy: Policy = DEFAULT,
    tests: Iterable[str] = (),
) -> tuple[Finding, ...]:
    """What of these changes a person should see before tests are believed: first what blocks, then
    notices, each group in the order of the paths.

    `tests` are paths of tests that the change leaves alone: their literals tell special cases.
    """
    listed = sorted(changes, key=lambda change: change.path)
    look = _Look(listed, before, after, policy, tests)
    findings = list(dict.fromkeys(look.findings()))
    return tuple(sorted(findings, key=lambda finding: not finding.blocks))


class _Look:
    """One look at a whole change."""

    def __init__(
        self,
        changes: Sequence[Change],
        before: Text,
        after: Text,
        policy: Policy,
        tests: Iterable[str],
    ) -> None:
        self.changes, self.before, self.after, self.policy = changes, before, after, policy
        self.called = called(policy.commands, before)
        self.tests = tests

    def findings(self) -> Iterator[Finding]:
        for change in self.changes:
            yield from self._of_change(change)
        yield from self._folders()
        kinds = {self.kind(change.path) for change in self.changes}
        if "ci" in kinds and not kinds - {"ci", "document", "text", "other"}:
            yield Finding(
                next(c.path for c in self.changes if self.kind(c.path) == "ci"), "only CI changed"
            )
        yield from self._special_cases()

    def kind(self, path: str) -> Kind:
        """A script that a command runs decides how tests run, whatever it is called."""
        kind = kind_of(path, self.policy.patterns)
        return "machinery" if path in self.called and kind in {"code", "other"} else kind

    def _of_change(self, change: Change) -> Iterator[Finding]:
        kind, path = self.kind(change.path), change.path
        if change.status == "R" and self.kind(change.was) in {"test", "golden", "machinery"}:
            yield from self._renamed(change)
        if change.mode == LINK or change.status == "T":
            yield from self._linked(change)
            return
        if library := shadows(path) if change.status in {"A", "R", "C"} else "":
            yield Finding(path, "test library shadowed", (f"+{library}",))
        match kind:
            case "test":
                yield from self._test(change)
            case "golden":
                yield from self._golden(change)
            case "machinery" | "ci":
                yield from self._machinery(change, kind)
            case "manifest" | "lock":
                yield from self._manifest(change, kind)
            case "report" if change.status == "A":
                yield Finding(path, "report left behind")
            case "code":
                yield from self._code(change)

    def _texts(self, change: Change) -> tuple[str, str]:
        old = self.before(change.was or change.path) if change.status != "A" else None
        new = self.after(change.path) if change.status != "D" else None
        return old or "", new or ""

    def _may_edit(self) -> bool:
        return self.policy.tests == "edit"

    def _renamed(self, change: Change) -> Iterator[Finding]:
        away = self.kind(change.path) != self.kind(change.was)
        lines = (f"-{change.was}", f"+{change.path}")
        yield Finding(change.was, "renamed", lines, away or not self._may_edit())

    def _linked(self, change: Change) -> Iterator[Finding]:
        """A link in the place of a test, of machinery, or of a folder that had tests."""
        leads = (f"+{change.path} -> {change.link}",) if change.link else ()
        judged = self.kind(change.path) not in {"code", "document", "text", "other", "report"}
        below = f"{change.path}/"
        replaced = any(other.path.startswith(below) for other in self.changes)
        leaves = change.link.startswith("/") or _climbs_out(change)
        if judged or replaced or leaves:
            blocks = change.status != "A" or replaced or leaves or self.policy.tests != "edit"
            yield Finding(change.path, "replaced by a link", leads, blocks)

    def _folders(self) -> Iterator[Finding]:
        """A test folder that is a link now: its files are gone one by one."""
        links = {change.path: change for change in self.changes if change.mode == LINK}
        for change in self.changes:
            if change.status == "D" and self.kind(change.path) in {"test", "golden"}:
                parts = change.path.split("/")
                above = ("/".join(parts[:size]) for size in range(1, len(parts)))
                if link := next((links[path] for path in above if path in links), None):
                    lines = (f"+{link.path} -> {link.link}",)
                    yield Finding(link.path, "replaced by a link", lines)

    def _test(self, change: Change) -> Iterator[Finding]:
        path = change.path
        old, new = self._texts(change)
        if change.status == "D":
            lines = tuple(f"-{line.text}" for line in _lines(path, old))
            yield Finding(path, "deleted", lines, not self._may_edit())
            return
        if change.old_mode & EXECUTABLE and change.mode and not change.mode & EXECUTABLE:
            lines = (f"-mode {change.old_mode:o}", f"+mode {change.mode:o}")
            yield Finding(path, "not run any more", lines)
        if change.status in {"A", "C"}:
            if self.policy.tests == "protect":
                yield Finding(path, "added")
            yield from self._signs(path, _lines(path, new), fresh=True)
            return
        comparison = compare_tests(path, old, new)
        if comparison.changed:
            yield Finding(path, "edited", comparison.changed, not self._may_edit())
        elif comparison.added and self.policy.tests == "protect":
            yield Finding(path, "added", tuple(f"+{line.text}" for line in comparison.added))
        yield from self._signs(path, comparison.added, fresh=False)

    def _signs(self, path: str, lines: Sequence[Line], *, fresh: bool) -> Iterator[Finding]:
        """Signs in what is new in a test."""
        wanted: list[Sign] = ["skipped", "retried", "assertions patched", "runner hooked"]
        # A script that is a test of its own may end as it likes; one in a suite may not.
        own = language_of(path) in {"shell", "perl", "c", "php"}
        wanted += ["writes past the runner", *(() if fresh and own else ("ends early",))]
        for sign in wanted:
            yield from _of_sign(path, sign, signs(sign, lines, path))
        yield from _of_sign(path, "prints a summary", signs("prints a summary", lines, path), False)

    def _golden(self, change: Change) -> Iterator[Finding]:
        if change.status in {"A", "C"}:
            return
        old, new = self._texts(change)
        grown = change.path.endswith((".snap", ".ambr")) and _only_added(old, new)
        if not grown and change.status != "R":
            lines = _difference(old, new)
            yield Finding(change.path, "golden answer changed", lines, not self._may_edit())

    def _machinery(self, change: Change, kind: Kind) -> Iterator[Finding]:
        path = change.path
        old, new = self._texts(change)
        lines = _difference("\n".join(_said(path, old)), "\n".join(_said(path, new)))
        mode = (
            (change.mode ^ change.old_mode) & EXECUTABLE if change.mode and change.old_mode else 0
        )
        if lines or mode or change.status == "D" or not (old or new):
            yield Finding(path, "CI changed" if kind == "ci" else "machinery changed", lines)
        added = _added(path, old, new)
        wanted: tuple[Sign, ...] = ("ignores failure",)
        if kind != "ci":
            wanted += ("retried", "skipped", "assertions patched")
        for sign in wanted:
            yield from _of_sign(path, sign, signs(sign, added, path))

    def _manifest(self, change: Change, kind: Kind) -> Iterator[Finding]:
        path = change.path
        old, new = self._texts(change)
        if change.status == "D":
            yield Finding(path, "machinery changed", (f"-{path}",))
        elif kind == "lock":
            moves = lock_changes(path, old, new) if change.status != "A" else ()
            low = tuple(f"-{move}" for move in moves if move.move in {"lowered", "replaced"})
            rest = tuple(f"-{move}" for move in moves if f"-{move}" not in low)
            yield from (Finding(path, "dependency changed", low),) if low else ()
            yield from (Finding(path, "dependency changed", rest, blocks=False),) if rest else ()
        elif change.status != "A" or "/" not in path:
            for part in manifest_parts(path, old, new, self.policy.commands):
                yield from _of_part(path, part)

    def _code(self, change: Change) -> Iterator[Finding]:
        path = change.path
        old, new = self._texts(change)
        inside = example_tests.inside(path, old)
        if inside and (gone := example_tests.changed(path, old, new)):
            how: How = "deleted" if change.status == "D" else "edited"
            yield Finding(path, how, gone, not self._may_edit())
        if change.status == "D":
            return
        added = _added(path, old, new)
        own = example_tests.numbers(path, new)
        code = [line for line in added if line.number not in own]
        tests = [line for line in added if line.number in own]
        judged: tuple[Sign, ...] = ("asks for tests", "exits as if passed", "assertions patched")
        for sign in judged:
            had = shows(sign, old, path)
            shown = [line for line in signs(sign, code, path) if shows(sign, line.text, path) - had]
            # A test library defines assertions all the time.
            if not (had and sign == "assertions patched"):
                yield from _of_sign(path, sign, shown)
        yield from _of_sign(path, "skipped", signs("skipped", tests, path))
        yield from _of_sign(path, "asks for tests", example_tests.built_for_tests(path, code, new))
        chance = signs("left to chance", code, path)
        yield from _of_sign(path, "left to chance", chance, blocks=False)
        past = signs("writes past the runner", code, path)
        yield from _of_sign(path, "writes past the runner", past, blocks=False)
        if language_of(path) == "shell":
            shown = list(signs("ignores failure", code, path))
            yield from _of_sign(path, "ignores failure", shown, blocks=False)

    def _special_cases(self) -> Iterator[Finding]:
        """Code that compares with what only tests know, whether the tests are new or not."""
        compared = {
            path: (added, cases)
            for path, old, added in self._added_code()
            if (cases := comparisons(added, old))
        }
        known = self._known() if compared else frozenset()
        for path, (added, cases) in compared.items():
            shown = [line for line, shown in cases if not known.isdisjoint(shown)]
            made = answers(added, shown, known)
            yield from _of_sign(path, "special case", made)
            rest = [line for line in shown if line not in made]
            yield from _of_sign(path, "special case", rest, blocks=False)

    def _added_code(self) -> Iterator[tuple[str, str, list[Line]]]:
        for change in self.changes:
            if self.kind(change.path) == "code" and change.status != "D":
                old, new = self._texts(change)
                own = example_tests.numbers(change.path, new)
                added = [line for line in _added(change.path, old, new) if line.number not in own]
                yield change.path, old, added

    def _known(self) -> frozenset[str]:
        """The literals of all tests that were there before."""
        paths = [change.was or change.path for change in self.changes if change.status != "A"]
        texts = (self.before(path) for path in {*paths, *self.tests} if self.kind(path) == "test")
        return frozenset(literal for text in texts if text for literal in literals(text))


def compare_tests(path: str, old: str, new: str) -> Comparison:
    """What became of the tests in one file."""
    style = style_of(path)
    if style == "python" and (comparison := compare_python(old, new)) is not None:
        return comparison
    return compare(source_lines(old, style), source_lines(new, style))


def _of_sign(path: str, how: How, lines: Iterable[Line], blocks: bool = True) -> Iterator[Finding]:
    shown = tuple(f"+{line.text}" for line in lines)
    if shown:
        yield Finding(path, how, shown, blocks)


def _of_part(path: str, part: Part) -> Iterator[Finding]:
    if part.kind == "dependency":
        yield Finding(path, "dependency changed", part.lines, not part.update)
        return
    yield Finding(path, "machinery changed", part.lines)
    added = [Line(0, 0, text[1:]) for text in part.lines if text.startswith("+")]
    wanted: tuple[Sign, ...] = ("ignores failure", "retried", "skipped")
    for sign in wanted:
        yield from _of_sign(path, sign, signs(sign, added, "Makefile"))


def _climbs_out(change: Change) -> bool:
    """Whether a relative link leads out of the project."""
    depth = change.path.count("/")
    for part in change.link.split("/"):
        depth += -1 if part == ".." else 1 if part not in {"", "."} else 0
        if depth < 0:
            return True
    return False


def _lines(path: str, text: str) -> list[Line]:
    return source_lines(text, style_of(path))


def _said(path: str, text: str) -> list[str]:
    return [line.text for line in _lines(path, text)]


def _added(path: str, old: str, new: str) -> list[Line]:
    """Lines that are new, wherever they stand."""
    before = set(_said(path, old))
    return [line for line in _lines(path, new) if line.text not in before and not line.inside]


def _only_added(old: str, new: str) -> bool:
    """Whether all old lines are there still, in order."""
    lines = iter(new.split("\n"))
    return all(any(line == other for other in lines) for line in old.split("\n"))


def _difference(old: str, new: str) -> tuple[str, ...]:
    """Lines that only one of the texts has."""
    before, after = old.split("\n"), new.split("\n")
    first, second = set(before), set(after)
    gone = [f"-{line}" for line in before if line not in second and line.strip()]
    fresh = [f"+{line}" for line in after if line not in first and line.strip()]
    if gone or fresh or old == new:
        return (*gone, *fresh)
    return ("-(the same lines in another order or number)",)
