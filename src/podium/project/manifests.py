"""Which part of a shared manifest changed: one that decides how tests run, a dependency, or
something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.project.makefile import changed_targets
from podium.project.manifest_lines import line_parts
from podium.project.programs import commands_of
from podium.project.versions import moved

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of a manifest that is not what it was."""

    name: str
    """Such as `scripts.test` or `tool.pytest.ini_options`."""
    kind: Literal["machinery", "dependency"]
    lines: tuple[str, ...]
    """What was there (`-…`) and what is (`+…`)."""
    update: bool = False
    """A dependency that went up or is gone, as in any update."""


def manifest_parts(path: str, old: str, new: str, commands: Iterable[str] = ()) -> tuple[Part, ...]:
    """The parts that changed and that a person should see; a new dependency, a version of the
    project's own or a new script is none. `commands` are those that the project is tested with.
    """
    if old == new:
        return ()
    name = path.rpartition("/")[2]
    commands = tuple(commands)
    if name in {"Makefile", "makefile", "GNUmakefile", "Makefile.in"} or name.endswith(".mk"):
        lines = changed_targets(old, new, commands)
        return (Part("targets that tests run", "machinery", lines),) if lines else ()
    reader = _READERS.get(name)
    if reader is None:
        return tuple(
            Part(part.name, part.kind, part.lines, part.update)
            for part in map(_of_lines, line_parts(name, old, new))
        )
    before, after = reader(old), reader(new)
    if before is None or after is None:
        return (Part(f"{name} cannot be read", "machinery", (f"+{new[:200]}",)),) if new else ()
    return tuple(_PARTS[name](before, after, commands))


def _of_lines(part: tuple[str, str, tuple[str, ...], bool]) -> Part:
    name, kind, lines, raised = part
    return Part(name, "dependency" if kind == "dependency" else "machinery", lines, raised)


def _package_json(old: Table, new: Table, commands: Sequence[str]) -> Iterator[Part]:
    yield from _scripts(old, new, commands, "scripts")
    for key in sorted(_PACKAGE_KEYS & (old.keys() | new.keys())):
        yield from _whole(key, old.get(key), new.get(key))
    yield from _members("workspaces", old.get("workspaces"), new.get("workspaces"))
    for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        yield from _dependencies(key, _table(old.get(key)), _table(new.get(key)))
    for key in ("overrides", "resolutions", "pnpm"):
        yield from _whole(key, old.get(key), new.get(key), "dependency")


_PACKAGE_WORDS = """
jest mocha ava tap nyc c8 vitest babel xo standard eslintConfig prettier tsd borp testling
browserify karma stylelint imports bundleDependencies packageManager volta nx turbo wireit husky
lint-staged
"""
_PACKAGE_KEYS = frozenset(_PACKAGE_WORDS.split())
_TEST_SCRIPT = re.compile(
    r"(?i)^(pre|post)?(test|tests|unit|spec|check|ci|cov|coverage|verify|validate|e2e|integration|"
    r"lint|typecheck|types|tsc)([:._-].*|s|-only)?$|[:._-](test|tests|unit|spec|check|ci|e2e)$"
)
_LIFECYCLE = frozenset(
    {"preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare", "dependencies"}
)
_RUN = frozenset(
    {
        "run",
        "run-script",
        "t",
        "tst",
        "test",
        "exec",
        "workspace",
        "workspaces",
        "-s",
        "--silent",
        "-w",
        "-r",
        "--recursive",
        "-ws",
        "--workspaces",
        "--if-present",
    }
)
_MANAGERS = frozenset(
    {
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "composer",
        "deno",
        "run-s",
        "run-p",
        "npm-run-all",
        "concurrently",
        "yarnpkg",
        "run-script-os",
        "wireit",
    }
)


def _scripts(old: Table, new: Table, commands: Sequence[str], key: str) -> Iterator[Part]:
    """Scripts that run tests: those that a command names, those that are called so, and all that
    they call.
    """
    before, after = _table(old.get(key)), _table(new.get(key))
    for name in _reached(before, after, commands):
        was, now = before.get(name), after.get(name)
        if was != now and (was is not None or name in _reached(after, after, commands)):
            yield Part(f"{key}.{name}", "machinery", _shown(f"{key}.{name}", was, now))


def script_lines(text: str, commands: Sequence[str]) -> list[str]:
    """What the scripts of a `package.json` run that commands call; of no commands, `test`."""
    scripts = _table((read_json(text) or {}).get("scripts"))
    named = [name for line in commands or ("npm test",) for name in _called(line, scripts)]
    return [_command(scripts.get(name)) for name in _closed(named, scripts, scripts)]


def _reached(before: Table, after: Table, commands: Sequence[str]) -> list[str]:
    names = before.keys() | after.keys()
    level = [name for name in names if _TEST_SCRIPT.search(name) and name in before]
    level += [name for name in names if name in _LIFECYCLE]
    level += [name for command in commands for name in _called(command, names)]
    return _closed(level, before, after)


def _closed(level: list[str], before: Table, after: Table) -> list[str]:
    """These scripts and all that they call."""
    names, reached = before.keys() | after.keys(), set[str]()
    while level:
        name = level.pop()
        if name in reached or name not in names:
            continue
        reached.add(name)
        level += [f"pre{name}", f"post{name}"]
        for table in (before, after):
            level += _called(_command(table.get(name)), names)
    return sorted(reached)


def _called(command: str, names: Iterable[str]) -> list[str]:
    """The scripts that a command runs through a package manager."""
    known = set(names)
    called: list[str] = []
    for words in commands_of(command):
        if words[0].rpartition("/")[2] not in _MANAGERS:
            continue
        called += [word for word in words[1:] if word in known]
        called += ["test"] if {"t", "tst"} & set(words[1:2]) else []
        # `run-s test:*` names all scripts that begin so.
        starts = tuple(word.rstrip("*") for word in words[1:] if word.endswith("*"))
        called += [name for name in known if starts and name.startswith(starts)]
    return called


def _command(value: object) -> str:
    return " && ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _composer(old: Table, new: Table, commands: Sequence[str]) -> Iterator[Part]:
    yield from _scripts(old, new, commands, "scripts")
    yield from _whole("autoload-dev", old.get("autoload-dev"), new.get("autoload-dev"))
    yield from _whole(
        "repositories", old.get("repositories"), new.get("repositories"), "dependency"
    )
    for key in ("require", "require-dev"):
        yield from _dependencies(key, _table(old.get(key)), _table(new.get(key)))


def _deno(old: Table, new: Table, commands: Sequence[str]) -> Iterator[Part]:
    yield from _scripts(old, new, commands, "tasks")
    for key in ("test", "lint", "exclude", "compilerOptions", "nodeModulesDir"):
        yield from _whole(key, old.get(key), new.get(key))
    yield from _dependencies("imports", _table(old.get("imports")), _table(new.get("imports")))


_PYTHON_WORDS = """
pytest coverage tox nox poe taskipy ruff mypy black isort flake8 pylint pyright basedpyright bandit
doit invoke cibuildwheel hypothesis nose2 behave robot pytest-enabler mutmut ty thx unittest green
"""
_PYTHON_TOOLS = frozenset(_PYTHON_WORDS.split())


def _pyproject(old: Table, new: Table, _commands: Sequence[str]) -> Iterator[Part]:
    tools, now = _table(old.get("tool")), _table(new.get("tool"))
    for tool in sorted(_PYTHON_TOOLS & (tools.keys() | now.keys())):
        yield from _whole(f"tool.{tool}", *_less_markers(tools.get(tool), now.get(tool)))
    for tool, key in (("hatch", "envs"), ("pdm", "scripts"), ("rye", "scripts"), ("uv", "sources")):
        yield from _whole(
            f"tool.{tool}.{key}", _table(tools.get(tool)).get(key), _table(now.get(tool)).get(key)
        )
    for path in _PYTHON_DEPENDENCIES:
        before, after = _at(old, path), _at(new, path)
        yield from _dependencies(".".join(path), _requirements(before), _requirements(after))
    for key in ("build-backend", "backend-path"):
        was, is_now = _at(old, ("build-system", key)), _at(new, ("build-system", key))
        yield from _whole(f"build-system.{key}", was, is_now)
    for plugins in _PYTEST_PLUGINS:
        yield from _whole(".".join(plugins), _at(old, plugins), _at(new, plugins))


_PYTEST_PLUGINS = (
    ("project", "entry-points", "pytest11"),
    ("tool", "poetry", "plugins", "pytest11"),
)
_PYTHON_DEPENDENCIES: tuple[tuple[str, ...], ...] = (
    ("project", "dependencies"),
    ("project", "optional-dependencies"),
    ("dependency-groups",),
    ("build-system", "requires"),
    ("tool", "poetry", "dependencies"),
    ("tool", "poetry", "dev-dependencies"),
    ("tool", "poetry", "group"),
    ("tool", "pdm", "dev-dependencies"),
    ("tool", "uv", "dev-dependencies"),
    ("tool", "uv", "override-dependencies"),
    ("tool", "uv", "constraint-dependencies"),
)


def _less_markers(old: object, new: object) -> tuple[object, object]:
    """The table of pytest without new markers: to register one changes nothing."""
    before, after = _table(_table(old).get("ini_options")), _table(_table(new).get("ini_options"))
    was, now = before.get("markers"), after.get("markers")
    if isinstance(was, list) and isinstance(now, list) and set(map(str, was)) <= set(map(str, now)):
        return (
            {**_table(old), "ini_options": {**before, "markers": None}},
            {**_table(new), "ini_options": {**after, "markers": None}},
        )
    return old, new


def _cargo(old: Table, new: Table, _commands: Sequence[str]) -> Iterator[Part]:
    for key in ("profile", "lints"):
        yield from _whole(key, old.get(key), new.get(key))
    for key in ("test", "bench", "bin", "example"):
        yield from _whole(key, *_additive(key, old.get(key), new.get(key)))
    library, changed = (_tested([_table(table.get("lib"))]) for table in (old, new))
    yield from _whole("lib", library, changed)
    for key in ("autotests", "autobins", "autobenches", "autoexamples", "build"):
        was, now = _at(old, ("package", key)), _at(new, ("package", key))
        yield from _whole(f"package.{key}", was, now)
    for key in ("members", "default-members"):
        yield from _members(f"workspace.{key}", *(_at(t, ("workspace", key)) for t in (old, new)))
    exclude = ("workspace", "exclude")
    yield from _whole("workspace.exclude", _at(old, exclude), _at(new, exclude))
    for key in ("patch", "replace"):
        yield from _whole(key, old.get(key), new.get(key), "dependency")
    kinds = ("dependencies", "dev-dependencies", "build-dependencies")
    for path in (*((kind,) for kind in kinds), ("target",), ("workspace", "dependencies")):
        before, after = _flat(_table(_at(old, path))), _flat(_table(_at(new, path)))
        yield from _dependencies(".".join(path), before, after)


def _additive(key: str, old: object, new: object) -> tuple[object, object]:
    """Two lists of tables without the new ones: a further one changes no other. One that turns
    tests off may be about a file that was a test without any table.
    """
    known = old if isinstance(old, list) else []
    names = {table.get("name") for table in known if isinstance(table, dict)}
    return _tested(old), [
        table
        for table in _tested(new)
        if table.get("name") in names
        or (key == "test" and False in {table.get("harness"), table.get("test")})
    ]


def _tested(tables: object) -> list[Table]:
    """What libraries, programs and examples say about their tests."""
    keys = ("test", "doctest", "harness", "path", "required-features")
    return [
        {"name": table.get("name"), **{key: table[key] for key in keys if key in table}}
        for table in (tables if isinstance(tables, list) else ())
        if isinstance(table, dict) and any(key in table for key in keys)
    ]


def _pipfile(old: Table, new: Table, _commands: Sequence[str]) -> Iterator[Part]:
    yield from _whole("scripts", old.get("scripts"), new.get("scripts"))
    yield from _whole("source", old.get("source"), new.get("source"), "dependency")
    for key in ("packages", "dev-packages"):
        yield from _dependencies(key, _table(old.get(key)), _table(new.get(key)))


_CFG_MACHINERY = re.compile(
    r"^(tool:pytest|pytest|coverage:.*|tox.*|testenv.*|nosetests|aliases|unittest|flake8|mypy.*|"
    r"isort|pycodestyle|pydocstyle|pylint.*|pep8|bdist_wheel|test|develop|build_ext)$"
)


def _cfg(old: Table, new: Table, _commands: Sequence[str]) -> Iterator[Part]:
    for section in sorted(old.keys() | new.keys()):
        before, after = _table(old.get(section)), _table(new.get(section))
        if _CFG_MACHINERY.match(section):
            yield from _whole(section, before or None, after or None)
        elif section == "options":
            for key in ("install_requires", "tests_require", "setup_requires"):
                was, now = (_requirements(t.get(key, "").split("\n")) for t in (before, after))
                yield from _dependencies(f"{section}.{key}", was, now)
        elif section == "options.extras_require":
            for key in before:
                was, now = (_requirements(t.get(key, "").split("\n")) for t in (before, after))
                yield from _dependencies(f"{section}.{key}", was, now)
        elif section == "options.entry_points" and "pytest11" in {*before, *after}:
            yield from _whole(section, before.get("pytest11"), after.get("pytest11"))


def _whole(
    name: str, old: object, new: object, kind: Literal["machinery", "dependency"] = "machinery"
) -> Iterator[Part]:
    """A part that is the same, or changed as a whole."""
    before, after = _flat_lines(name, old), _flat_lines(name, new)
    gone = tuple(f"-{line}" for line in before if line not in after)
    fresh = tuple(f"+{line}" for line in after if line not in before)
    if gone or fresh:
        yield Part(name, kind, (*gone, *fresh))


def _flat_lines(name: str, value: object) -> list[str]:
    if value is None or value in ({}, []):
        return []
    if isinstance(value, Mapping):
        return [line for key, each in value.items() for line in _flat_lines(f"{name}.{key}", each)]
    return [f"{name} = {json.dumps(value, ensure_ascii=False, default=str)}"]


def _members(name: str, old: object, new: object) -> Iterator[Part]:
    """A list that may grow."""
    before, after = _entries(old), _entries(new)
    if [each for each in before if each not in after] or (
        [each for each in after if each not in before and each.startswith("!")]
    ):
        yield Part(name, "machinery", _shown(name, old, new))


def _entries(value: object) -> list[str]:
    listed = value.get("packages") if isinstance(value, Mapping) else value
    return [str(each) for each in listed] if isinstance(listed, list) else []


def _dependencies(name: str, old: Table, new: Table) -> Iterator[Part]:
    for package, before in old.items():
        change = moved(package, _asked(before), _asked(new.get(package)))
        if change:
            yield Part(
                f"{name}.{package}",
                "dependency",
                _shown(f"{name}.{package}", before, new.get(package)),
                change.move in {"raised", "removed"},
            )


def _asked(value: object) -> str:
    """What is asked for of a dependency, as text."""
    if isinstance(value, Mapping) and set(value) == {"version"}:
        value = value["version"]
    if value is None or isinstance(value, str):
        return value or ("" if value is None else "*")
    return json.dumps(value, sort_keys=True, default=str)


_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)\s*(\[[^\]]*\])?\s*(.*?)\s*(;.*)?$")


def _requirements(value: object) -> dict[str, str]:
    """Requirements by name: of a list, or of a table of lists, or as poetry writes them."""
    named: dict[str, str] = {}
    if isinstance(value, list):
        for line in value:
            match = _REQUIREMENT.match(str(line)) if isinstance(line, str) else None
            if match:
                name = re.sub(r"[-_.]+", "-", match[1]).lower()
                key = f"{name} {match[4]}".strip() if match[4] else name
                named[key] = f"{match[3]}".strip() or "*"
    elif isinstance(value, Mapping):
        for key, each in value.items():
            inner = _requirements(each) if isinstance(each, list | Mapping) else {}
            if isinstance(each, Mapping) and "version" in each:
                named[key] = _asked(each)
            elif inner or isinstance(each, list | Mapping):
                named |= {f"{key}: {package}": asked for package, asked in inner.items()}
            else:
                named[key] = _asked(each)
    return named


def _flat(table: Table, depth: int = 0) -> dict[str, object]:
    """Dependencies of Cargo, also those below `target.'cfg(…)'`."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        inner = _table(value)
        kinds = {"dependencies", "dev-dependencies", "build-dependencies"}
        if depth < 3 and (kinds & inner.keys() or key in kinds):
            flat |= {f"{key}.{name}": each for name, each in _flat(inner, depth + 1).items()}
        else:
            flat[key] = value
    return flat


def _shown(name: str, old: object, new: object) -> tuple[str, ...]:
    """Both values, as lines of a difference."""
    return tuple(
        f"{sign}{name}: {value if isinstance(value, str) else json.dumps(value, default=str)}"
        for sign, value in (("-", old), ("+", new))
        if value is not None
    )


def _at(table: object, path: Sequence[str]) -> object:
    for key in path:
        table = _table(table).get(key)
    return table


def _table(value: object) -> Table:
    return value if isinstance(value, Mapping) else {}


def read_json(text: str) -> Table | None:
    if not text.strip():
        return {}
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_toml(text: str) -> Table | None:
    import tomllib  # noqa: PLC0415  # compiles what it reads with

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


_SECTION = re.compile(r"^\[([^\]]+)\]\s*$")
_KEY = re.compile(r"^([\w.:{}*, -]+?)\s*[=:]\s*(.*)$")


def read_cfg(text: str) -> Table | None:
    """Sections of an ini file; a line that is indented goes on with the value before it."""
    sections: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    key = ""
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        if match := _SECTION.match(line):
            section = sections.setdefault(match[1].strip(), {})
        elif line[0].isspace() and key:
            section[key] = f"{section.get(key, '')}\n{line.strip()}"
        elif match := _KEY.match(line):
            key = match[1].strip()
            section[key] = match[2].strip()
    return sections


_READERS: Mapping[str, Callable[[str], Table | None]] = {
    "package.json": read_json,
    "composer.json": read_json,
    "deno.json": read_json,
    "pyproject.toml": read_toml,
    "Cargo.toml": read_toml,
    "Pipfile": read_toml,
    "setup.cfg": read_cfg,
}
_PARTS: Mapping[str, Callable[[Table, Table, Sequence[str]], Iterator[Part]]] = {
    "package.json": _package_json,
    "composer.json": _composer,
    "deno.json": _deno,
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "Pipfile": _pipfile,
    "setup.cfg": _cfg,
}
