"""Parts of manifests that are programs or have no form of their own, judged line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from podium.project.source_lines import source_lines, style_of
from podium.project.versions import moved

Lines = tuple[str, str, tuple[str, ...], bool]
"""Name of the part, its kind, its lines, and whether a dependency only went up."""


@dataclass(frozen=True)
class _Form:
    """What lines of one kind of manifest look like."""

    tests: str
    """A line that says how tests are built or run: it may be added, and not changed."""
    harm: str = r"(?!)"
    """A line that takes effect on tests wherever it is added."""
    dependency: str = r"(?!)"
    """A line that asks for a package: its name, and what of it."""
    strict: bool = False
    """Any line that is gone or changed may be about tests."""


_CMAKE = _Form(
    r"(?i)\b(add_test|enable_testing|include\s*\(\s*ctest|set_tests_properties|gtest_\w+|"
    r"catch_discover\w*|doctest_discover\w*|add_subdirectory\s*\([^)]*test"
    r"|option\s*\(\s*\w*test|if\s*"
    r"\(\s*(not\s+)?\w*test|create_test\w*|add_\w*test\w*|target_\w+\s*\(\s*\w*test)",
    r"(?i)\b(WILL_FAIL|DISABLED|SKIP_RETURN_CODE|SKIP_REGULAR_EXPRESSION|PASS_REGULAR_EXPRESSION|"
    r"CTEST_CUSTOM\w*|BUILD_TESTING\b.*\bOFF|ENABLE_\w*TEST\w*\b.*\bOFF|return\s*\(\s*\)|NDEBUG|"
    r"LD_PRELOAD)\b",
    r"(?i)^\s*(?:GIT_TAG|URL|find_package\s*\(\s*)\s*(\S+)\s*(.*)$",
)
_AUTOMAKE = _Form(
    r"^(TESTS|XFAIL_TESTS|check_\w+|\w*TESTS_ENVIRONMENT|\w*LOG_\w+|TEST_\w+|installcheck\S*|"
    r"check\S*\s*:|\w*tests?_\w+\s*=)|AC_CONFIG_TESTDIR|AT_\w+|test|check",
    r"^(XFAIL_TESTS|\w*TESTS_ENVIRONMENT|\w*LOG_COMPILER|\w*LOG_FLAGS|TEST_LOG_DRIVER)\b",
)
_GRADLE = _Form(
    r"(?i)test|junit|\b(check|verification)\b",
    r"(?i)\b(useJUnit\w*|ignoreFailures|exclude\w*|enabled\s*=|onlyIf|maxHeapSize|failFast|"
    r"includeTestsMatching|filter\s*\{|finalizedBy|systemProperty|jvmArgs|forkEvery|retry|"
    r"dependsOn)\b.*|\btasks\.\w+\(.*test|\btest\s*\{",
    r"^(?:\w*(?:implementation|api|only|classpath|processor)\w*|[\w-]+\s*=)\s*[( ]*[{]?.*?['\"]"
    r"([\w.-]+:[\w.-]+|[\w.-]+)[:'\"=, ]+(.*)$",
)
_MAVEN = _Form(
    r"surefire|failsafe|<(skip\w*|exclude\w*|include\w*|test\w*|argLine|groups|parallel|phase|"
    r"goal|module|rerun\w*|forkCount)\b",
    r"surefire|failsafe|<(skip\w*|exclude\w*|testFailureIgnore|testSourceDirectory|rerun\w*|groups|"
    r"excludedGroups|failIfNoTests)\b",
    r"^<([\w.-]*version)>\s*([^<]*)<",
)
_MIX = _Form(
    r"\b(test_\w+|aliases|elixirc_paths|preferred_cli_env|cli)\b|\"?test\"?:",
    r"\b(test_paths|test_pattern|test_ignore_filters|warn_test_pattern)\b|\btest:\s",
    r"^\{:(\w+),\s*(.*)\}",
)
_GEMFILE = _Form(
    r"\b(test_files|Rake::TestTask|RSpec)\b",
    dependency=(r"^(?:gem|\w+\.add_(?:\w+_)?dependency)[\s(]+['\"]([\w-]+)['\"],?\s*(.*?)\)?$"),
)
_DOTNET = _Form(
    r"IsTestProject|VSTest|<Compile\s+Remove|Project\(|\.Tests?\b|TreatWarnings|NoWarn",
    r"IsTestProject>\s*false|<Compile\s+Remove|VSTestTestCaseFilter|RunSettings",
    r"<Package(?:Reference|Version)\s+(?:Include|Update)=\"([\w.-]+)\"\s+(.*?)/?>",
)
_SETUP_PY = _Form(
    r"\b(test_suite|tests_require|cmdclass|pytest11|test_loader|TestCommand)\b",
    r"\b(test_suite|cmdclass|pytest11|test_loader)\b|os\._exit|\.pth\b",
    r"^['\"]([A-Za-z][\w.-]*)\s*((?:[<>=!~]=?|\[).*)['\"],?\]?,?$",
)
_PERL = _Form(
    r"\b(TESTS|test|MY::|test_\w+|recursive_test_files|prove)\b",
    r"\bMY::|\btest_files\b|\bTESTS\b|ACTION_test",
    r"^(?:requires\s+|recommends\s+)?['\"]?([A-Z][\w:]*[a-z][\w:]*)['\"]?\s*(?:=>|="
    r"|,)\s*(.*?),?;?$",
)
_GO = _Form(
    r"^(?!.*)",
    r"^(replace\b|exclude\b|retract\b)|=>",
    r"^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\S+)",
)
_REQUIREMENTS = _Form(
    r"^-",
    r"^(-e|--(index-url|extra-index-url|find-links|no-index|pre|trusted-host))",
    r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(.*)$",
)
_WORKSPACE = _Form(r".", dependency=r"^['\"]?(@?[\w./-]+)['\"]?:\s*(['\"]?[\^~\d].*)$")
_SCRIPT = _Form(r".", strict=True)
_MESON = _Form(
    r"\b(test|benchmark|add_test_setup)\s*\(",
    r"\b(should_fail|exe_wrapper|exclude_suites)"
    r"\b|meson\.add_\w+_script",
)
_FORMS: Mapping[str, _Form] = {
    "CMakeLists.txt": _CMAKE,
    "Makefile.am": _AUTOMAKE,
    "configure.ac": _AUTOMAKE,
    "configure.in": _AUTOMAKE,
    "configure": _SCRIPT,
    "pom.xml": _MAVEN,
    "mix.exs": _MIX,
    "Gemfile": _GEMFILE,
    "setup.py": _SETUP_PY,
    "Makefile.PL": _PERL,
    "Build.PL": _PERL,
    "cpanfile": _PERL,
    "dist.ini": _PERL,
    "go.mod": _GO,
    "go.work": _GO,
    "pnpm-workspace.yaml": _WORKSPACE,
    "meson.build": _MESON,
}
_BY_ENDING: Mapping[str, _Form] = {
    ".gradle": _GRADLE,
    ".gradle.kts": _GRADLE,
    ".versions.toml": _GRADLE,
    ".gemspec": _GEMFILE,
    ".csproj": _DOTNET,
    ".fsproj": _DOTNET,
    ".vbproj": _DOTNET,
    ".sln": _DOTNET,
    ".slnx": _DOTNET,
    ".props": _DOTNET,
    ".txt": _REQUIREMENTS,
    ".in": _REQUIREMENTS,
    ".sbt": _GRADLE,
}
_VERSION = re.compile(
    r"(?i)^(version|__version__|\w*_VERSION\b|project\s*\(|AC_INIT|set\s*\(\s*\w*VERSION)"
)


def line_parts(name: str, old: str, new: str) -> Iterator[Lines]:
    """The parts of a manifest of this name that changed."""
    form = _FORMS.get(name) or next(
        (form for ending, form in _BY_ENDING.items() if name.endswith(ending)), _SCRIPT
    )
    before = [line.text for line in source_lines(old, style_of(name))]
    after = [line.text for line in source_lines(new, style_of(name))]
    gone, fresh = Counter(before) - Counter(after), Counter(after) - Counter(before)
    removed = [line for line in dict.fromkeys(before) if gone[line]]
    added = [line for line in dict.fromkeys(after) if fresh[line]]
    yield from _dependencies(form, removed, added, after)
    yield from _machinery(form, removed, added)


def _dependencies(
    form: _Form, removed: list[str], added: list[str], after: list[str]
) -> Iterator[Lines]:
    asked = _compiled(form.dependency)
    now = {match[1]: (match[2], line) for line in added if (match := asked.search(line))}
    stays = {match[1] for line in after if (match := asked.search(line))}
    for line in removed:
        match = asked.search(line)
        if not match or (match[1] in stays and match[1] not in now):
            continue
        version, text = now.get(match[1], ("", ""))
        change = moved(match[1], match[2].strip() or "*", version.strip() or ("*" if text else ""))
        if change:
            shown = (f"-{line}", f"+{text}") if text else (f"-{line}",)
            yield match[1], "dependency", shown, change.move in {"raised", "removed"}


def _machinery(form: _Form, removed: list[str], added: list[str]) -> Iterator[Lines]:
    tests, harm, asked = (_compiled(text) for text in (form.tests, form.harm, form.dependency))
    gone = [
        line
        for line in removed
        if (form.strict or tests.search(line))
        and not asked.search(line)
        and not _VERSION.match(line)
    ]
    fresh = [line for line in added if harm.search(line) and not asked.search(line)]
    if form.strict or gone:
        fresh += [
            line
            for line in added
            if line not in fresh and (form.strict or tests.search(line)) and not asked.search(line)
        ]
    if gone or fresh:
        lines = (*(f"-{line}" for line in gone), *(f"+{line}" for line in fresh))
        yield "how tests are built and run", "machinery", lines, False


@cache
def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(text)
