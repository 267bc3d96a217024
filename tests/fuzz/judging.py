"""Readers of what a project prints and of what a change does to it: any text is read, none is
refused, and the same text twice is no change.
"""

from __future__ import annotations

import json
import shlex
from typing import Any

from podium.project import example_tests
from podium.project.blocks import compare
from podium.project.dependencies import Ignored, dependencies, virtual_environment
from podium.project.findings import Change, Policy, compare_tests, weakened
from podium.project.kinds import LOCKS, MANIFESTS, kind_of
from podium.project.libraries import shadows
from podium.project.makefile import changed_targets, read_makefile
from podium.project.manifests import manifest_parts
from podium.project.programs import commands_of, programs, scripts
from podium.project.python_tests import compare_python
from podium.project.signs import literals
from podium.project.source_lines import Style, source_lines
from podium.project.toolchain import for_commands, is_secret
from podium.project.versions import lock_changes
from podium.proof.complaints import complaints
from podium.proof.evidence import Execution, decide, from_json, preflight, to_json
from podium.proof.mutants import changed_lines, mutants
from podium.proof.output import lines, plain, printable
from podium.proof.report import TestReport, read_report
from podium.proof.scopes import streams
from podium.proof.sentences import sentence
from podium.proof.startup import fault_at_start

STYLES: tuple[Style, ...] = ("c", "hash", "perl", "ruby", "shell", "dash", "python")
PATHS = (
    *("tests/test_a.py", "test/a.test.js", "src/lib.rs", "a_test.go", "t/a.t", "test/a.bats"),
    *("conftest.py", "package.json", "Makefile", ".github/workflows/a.yml", "tests/a.snap"),
    *("package-lock.json", "src/a.py", "src/a.c", "spec/a_spec.rb", "pom.xml", "src/A.java"),
)


def report_holds(text: str, report: TestReport) -> bool:
    """Names are of one line, a failure is never lost, and the numbers agree with the names."""
    failed = report.count.failed if report.count else 0
    return (
        all(printable(name) == name for name in report.failing)
        and report.coarse <= set(report.failing)
        and failed >= len(report.failing)
        and report.complaints == tuple(sorted(report.complaints))
        and (report.count is None or min(vars_of(report)) >= 0)
        and _decided(text, report)
    )


def vars_of(report: TestReport) -> tuple[int, ...]:
    count = report.count
    assert count is not None
    return (count.passed, count.failed, count.skipped, report.unnamed, report.reruns)


def _decided(text: str, report: TestReport) -> bool:
    """A failure that is counted is never a pass, whatever the exit code; and what was decided is
    the same after the journal.
    """
    for code in (0, 1, 127, -9, None):
        ran = Execution("test", "x", code, report)
        for evidence in (decide(ran), decide(ran, ran), preflight(ran)):
            counted = report.count is not None and report.count.failed
            if evidence.state == "passed" and (code != 0 or counted):
                return False
            if "\n" in sentence(evidence):
                return False
            if from_json(json.loads(json.dumps(to_json(evidence)))).state != evidence.state:
                return False
    return True


def unchanged(text: str, _found: Any) -> bool:
    """No reader sees a change between a text and itself."""
    change = [Change("M", path) for path in PATHS]
    policies = (Policy(), Policy("protect"), Policy("edit"))
    # What has no text may be no text: then nobody can tell.
    return not text or not any(
        weakened(change, lambda _path: text, lambda _path: text, policy) for policy in policies
    )


def reviewed(text: str) -> Any:
    """All that a change from, or to, a text makes people see."""
    policy = Policy("add", commands=(text.partition("\n")[0], "make test", "npm test"))
    return [
        weakened([Change(status, path)], lambda _p, a=old: a, lambda _p, b=new: b, policy)
        for path in PATHS
        for status, old, new in (("A", None, text), ("D", text, None), ("M", "x = 1\n", text))
    ]


def parts_of(text: str) -> Any:
    return [
        (manifest_parts(name, "", text), manifest_parts(name, text, ""))
        for name in sorted(MANIFESTS)
    ]


def locks_of(text: str) -> Any:
    return [(lock_changes(name, "", text), lock_changes(name, text, "")) for name in sorted(LOCKS)]


def lines_hold(text: str, found: Any) -> bool:
    return all(
        1 <= line.number <= text.count("\n") + 1 and line.text == line.text.strip()
        for group in found
        for line in group
    )


def words_of(text: str) -> Any:
    return programs(text), scripts(text), commands_of(text)


def _words_hold(text: str, found: Any) -> bool:
    try:
        shlex.split(text.replace("\n", " ; "), comments=True)
    except ValueError:
        return found == ((), (), ())
    return all(words and all(isinstance(word, str) for word in words) for words in found[2])


def of_a_path(text: str) -> Any:
    text = text[:300]
    return (
        kind_of(text),
        kind_of(text.encode(errors="surrogatepass")),
        shadows(text),
        dependencies([Ignored(text), Ignored(f"{text}/")]),
        virtual_environment(text),
        for_commands({text: text, "PATH": text}),
        is_secret(text, text),
        literals(text),
    )


def broken_lines(text: str) -> Any:
    numbers = range(1, len(text.splitlines()) + 1)
    return mutants({"a.py": (text, numbers), "b.js": (text, numbers)}, 50)


TABLE: dict[str, tuple[str, Any, Any]] = {
    "output of a command": ("proof.report", read_report, report_holds),
    "lines of an output": (
        "proof.output",
        lambda text: list(lines(plain(text))),
        lambda _text, found: all("\n" not in line and len(line) <= 2000 for line in found),
    ),
    "complaints": (
        "proof.complaints",
        complaints,
        lambda _text, found: all(line == " ".join(line.split()) for line in found),
    ),
    "streams of an output": (
        "proof.scopes",
        streams,
        lambda text, found: (
            sum(part.count("\n") + 1 for part in found.values()) >= text.count("\n")
        ),
    ),
    "fault at the start": (
        "proof.startup",
        lambda text: (fault_at_start(text, tests_ran=False), fault_at_start(text, tests_ran=True)),
        lambda _text, found: all("\n" not in line and len(line) <= 200 for line in found),
    ),
    "patch of a step": (
        "proof.mutants",
        changed_lines,
        lambda _text, found: all(number >= 0 for numbers in found.values() for number in numbers),
    ),
    "broken lines": (
        "proof.mutants",
        broken_lines,
        lambda text, found: all(
            each.applied(text) != text and each.before != each.after for each in found
        ),
    ),
    "change of a project": ("project.findings", reviewed, unchanged),
    "tests that were edited": (
        "project.findings",
        lambda text: compare_tests("tests/test_a.py", "def test():\n    assert f() == 3\n", text),
        lambda text, _found: not any(compare_tests(path, text, text).changed for path in PATHS),
    ),
    "Python tests": (
        "project.python_tests",
        lambda text: compare_python("", text),
        lambda text, _found: (same := compare_python(text, text)) is None or not same.changed,
    ),
    "lines of source": (
        "project.source_lines",
        lambda text: [source_lines(text, style) for style in STYLES],
        lines_hold,
    ),
    "blocks of source": (
        "project.blocks",
        lambda text: [compare([], source_lines(text, style)) for style in STYLES],
        lambda text, _found: (
            not any(
                compare(source_lines(text, style), source_lines(text, style)).changed
                for style in STYLES
            )
        ),
    ),
    "tests inside of code": (
        "project.example_tests",
        lambda text: [example_tests.changed(path, text, "") for path in PATHS],
        lambda text, _found: not any(example_tests.changed(path, text, text) for path in PATHS),
    ),
    "Makefile": (
        "project.makefile",
        read_makefile,
        lambda text, _found: not changed_targets(text, text, ("make", "make test")),
    ),
    "manifests": (
        "project.manifests",
        parts_of,
        lambda text, _found: not any(manifest_parts(name, text, text) for name in MANIFESTS),
    ),
    "lock files": (
        "project.versions",
        locks_of,
        lambda text, _found: not any(lock_changes(name, text, text) for name in LOCKS),
    ),
    "shell command": ("project.programs", words_of, _words_hold),
    "names of a project": (
        "project.kinds",
        of_a_path,
        lambda _text, found: found[0] in {*_KINDS} and found[5].get("PATH") is not None,
    ),
}
_KINDS = ("test", "golden", "machinery", "ci", "lock", "manifest", "code", "document", "report")
_KINDS = (*_KINDS, "other")
