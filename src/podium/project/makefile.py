"""The targets of a Makefile that a command runs, and whether they are still what they were."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podium.project.programs import commands_of
from podium.project.source_lines import LONGEST

TESTS = ("test", "check", "tests", "unittest", "unit-test", "unit", "spec", "ci", "verify", "lint")
"""Targets that run tests, if nobody says which."""
_RULE = re.compile(r"^([^\s#:=][^#:=]*?)\s*(&?::?)(?!=)\s*([^#=]*?)(?:\s*;\s*(.*))?(?:\s*#.*)?$")
_TARGET_VARIABLE = re.compile(
    r"^([^\s#:=][^#:=]*?)\s*:\s*(?:export\s+|override\s+|private\s+)?"
    r"([\w.-]+)\s*([?+:!]?=|::=)\s*(.*)$"
)
_VARIABLE = re.compile(
    r"^(?:export\s+|override\s+|unexport\s+)*([\w.-]+)\s*([?+!]?=|:{1,3}=)\s*(.*?)(?:\s+#.*)?$"
)
_EXPORT = re.compile(r"^([^\s#:=][^#:=]*:)?\s*(override\s+)?export\s")
_COMPILES = re.compile(
    r"^(\$[({](CC|CXX|LD|AR|\w*COMPILE\w*|\w*LINK\w*)[)}]|cc|gcc|g\+\+|clang(\+\+)?|ar|ranlib|mkdir)"
    r"(\s[^;&|]*)?$"
)
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}:]|\$\$?(\w)")
_WHOLE = re.compile(r"\$[({]([\w.-]+)[)}]")
_HARMLESS = re.compile(r"(?i)(version|release|date|year|name|author|url|prefix|dir)$")
_GLOBAL = frozenset({"SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKE", "VPATH", "PATH"})
_SPECIAL = frozenset({".IGNORE", ".SILENT", ".ONESHELL", ".POSIX", ".DEFAULT", ".DEFAULT_GOAL"})


@dataclass
class Makefile:
    recipes: dict[str, list[str]] = field(default_factory=dict)
    wanted: dict[str, list[str]] = field(default_factory=dict)
    """What each target needs."""
    variables: dict[str, list[str]] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    """Variables that programs read."""
    lines: list[str] = field(default_factory=list)
    """Includes and conditions."""
    first: str = ""


def read_makefile(text: str) -> Makefile:
    makefile = Makefile()
    targets: list[str] = []
    for line in _joined(text):
        if line.startswith("\t"):
            for target in targets:
                if line.strip() and not line.strip().startswith("#"):
                    makefile.recipes[target].append(line.strip())
            continue
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if _EXPORT.search(line) and (
            match := _TARGET_VARIABLE.match(line) or _VARIABLE.match(bare)
        ):
            makefile.exported.add(match[2] if match.re is _TARGET_VARIABLE else match[1])
        if match := _TARGET_VARIABLE.match(line):
            makefile.variables.setdefault(match[2], []).append(f"{match[1]}: {match[4]}")
        elif match := _VARIABLE.match(bare):
            makefile.variables.setdefault(match[1], []).append(match[3])
        elif match := _RULE.match(line):
            targets = match[1].split()
            makefile.first = makefile.first or next(
                (t for t in targets if not t.startswith(".")), ""
            )
            for target in targets:
                makefile.wanted.setdefault(target, []).extend(match[3].split())
                makefile.recipes.setdefault(target, []).extend([match[4]] if match[4] else [])
        else:
            makefile.lines.append(bare)
    return makefile


def _joined(text: str) -> Iterator[str]:
    """Lines, with those that end in a backslash joined."""
    start = ""
    for line in text.split("\n"):
        if line.endswith("\\"):
            start += line[:-1] + " "
        else:
            yield (start + line)[:LONGEST]
            start = ""
    if start:
        yield start[:LONGEST]


def targets_of(commands: Iterable[str]) -> tuple[str, ...]:
    """The targets that commands name; `""` for the first one of the file."""
    targets: list[str] = []
    for words in (words for command in commands for words in commands_of(command)):
        if words[0].rpartition("/")[2] in {"make", "gmake", "just", "task"}:
            named = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
            targets += named or [""]
    return tuple(targets)


def changed_targets(old: str, new: str, commands: Iterable[str] = ()) -> tuple[str, ...]:
    """What changed in the targets that test commands run: lines of the old text (`-…`) and of the
    new one (`+…`). What is added elsewhere, or to a list, is nothing.
    """
    before, after = read_makefile(old), read_makefile(new)
    named = targets_of(commands)
    roots = {target or before.first for target in (*named, *TESTS)}
    reached = _reached(before, roots)
    exported = {each for each in before.exported | after.exported if not _HARMLESS.search(each)}
    shown: list[str] = []
    for target in sorted(reached):
        shown += _of_target(target, before, after)
    for target in sorted((roots & after.recipes.keys()) - before.recipes.keys()):
        if target in named:
            shown += [f"+{target}: {line}" for line in after.recipes[target]]
    used = _used(before, [t for t in reached if "." not in t and "/" not in t])
    used |= _GLOBAL | exported
    for name in sorted(used):
        shown += _of_variable(name, before.variables.get(name, []), after.variables.get(name, []))
    for special in sorted(_SPECIAL):
        if before.wanted.get(special) != after.wanted.get(special):
            shown.append(f"+{special}: {' '.join(after.wanted.get(special, []))}")
    shown += [f"-{line}" for line in before.lines if line not in after.lines]
    shown += [f"+{line}" for line in after.lines if line not in before.lines]
    return tuple(shown)


def recipe_lines(text: str, commands: Sequence[str]) -> list[str]:
    """What the targets that commands name call, with the file's variables filled in."""
    makefile = read_makefile(text)
    named = targets_of(commands) if commands else TESTS
    roots = {target or makefile.first for target in named}
    return [
        _WHOLE.sub(lambda name: makefile.variables.get(name[1], [name[0]])[-1], line)
        for target in sorted(_reached(makefile, roots))
        for line in _recipe_lines(makefile, target)
    ]


def _reached(makefile: Makefile, roots: Iterable[str]) -> set[str]:
    """The roots that exist, with all that they need and all that their recipes make."""
    reached: set[str] = set()
    level = [target for target in roots if target in makefile.recipes]
    while level:
        target = level.pop()
        if target in reached:
            continue
        reached.add(target)
        words = [*makefile.wanted[target], *targets_of(_recipe_lines(makefile, target))]
        expanded = [word for name in words for word in _expanded(name, makefile.variables)]
        level += [word for word in expanded if word in makefile.recipes]
    return reached


def _recipe_lines(makefile: Makefile, target: str) -> list[str]:
    return [
        line.lstrip("@-+ ").replace("$(MAKE)", "make").replace("${MAKE}", "make")
        for line in makefile.recipes[target]
    ]


def _expanded(word: str, variables: Mapping[str, Sequence[str]], depth: int = 0) -> list[str]:
    names = [match[1] for match in _REFERENCE.finditer(word) if match[1]]
    if not names or depth > 5:
        return [word]
    values = [value for name in names for text in variables.get(name, ()) for value in text.split()]
    return [part for value in values for part in _expanded(value, variables, depth + 1)]


def _of_target(target: str, before: Makefile, after: Makefile) -> list[str]:
    if target not in after.recipes:
        return [f"-{target}:"]
    shown = [
        f"-{target}: {word}" for word in before.wanted[target] if word not in after.wanted[target]
    ]
    shown += _before_it(target, before, after)
    old, new = before.recipes[target], after.recipes[target]
    if old == new:
        return shown
    if set(old) <= set(new) and not shown and len(new) > len(old) and new[: len(old)] == old:
        fresh = new[len(old) :]
        return [f"+{target}: {line}" for line in fresh]
    shown += [f"-{target}: {line}" for line in old if line not in new]
    return shown + [f"+{target}: {line}" for line in new if line not in old]


def _before_it(target: str, before: Makefile, after: Makefile) -> list[str]:
    """What runs before a target since it needs something new, unless that is only compiled."""
    fresh = [word for word in after.wanted[target] if word not in before.wanted[target]]
    return [
        f"+{name}: {line}"
        for word in fresh
        for name in _expanded(word, after.variables)
        if name not in before.recipes
        for line in after.recipes.get(name, ())
        if not _COMPILES.match(line.lstrip("@-+ "))
    ]


def _used(makefile: Makefile, targets: Iterable[str]) -> set[str]:
    """Variables that the recipes of targets use, directly or through others."""
    texts = [line for target in targets for line in makefile.recipes[target]]
    used: set[str] = set()
    while texts:
        for match in _REFERENCE.finditer(texts.pop()):
            name = match[1] or ""
            if name and name not in used and not _HARMLESS.search(name):
                used.add(name)
                texts += makefile.variables.get(name, [])
    return used


def _of_variable(name: str, old: Sequence[str], new: Sequence[str]) -> list[str]:
    if list(old) == list(new):
        return []
    before = [word for value in old for word in value.split()]
    after = [word for value in new for word in value.split()]
    fresh = [word for word in after if word not in before]
    gone = [word for word in before if word not in after]
    if before and not gone and not any(word.startswith("-") or "=" in word for word in fresh):
        return []
    return [f"-{name} = {' '.join(old)}", f"+{name} = {' '.join(new)}"] if old or new else []
