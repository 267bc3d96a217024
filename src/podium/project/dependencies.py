"""What git ignores and a project needs: installed packages, generated files, caches, and secrets
that nobody needs to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.core import globs
from podium.project.kinds import name_of

Role = Literal["installed", "generated", "cache", "secret", "other"]
LARGE = 2 * 2**30
"""Bytes from which an ignored folder that no ecosystem knows is only brought if it is named."""


@dataclass(frozen=True)
class Ignored:
    """A path of `git ls-files -oi --directory --exclude-standard`, or a folder of dependencies that
    lies elsewhere, with what can be seen of it.
    """

    path: str
    """A folder ends with `/`, as git prints it."""
    names: frozenset[str] = frozenset()
    """What lies directly in a folder."""
    target: str = ""
    """Where a symbolic link leads."""
    size: int = 0
    """Bytes, if somebody has counted them."""
    text: str = ""
    """The text of a small file, if somebody has read it."""


@dataclass(frozen=True)
class Item:
    """What becomes of one ignored path."""

    path: str
    role: Role
    bring: bool
    why: str
    target: str = ""
    """Where the link leads; it is brought at that place too."""
    without: tuple[str, ...] = ()
    """Names directly in the folder that look like secrets and stay behind."""


_INSTALLED = {
    "node_modules": "packages of Node",
    "bower_components": "packages of Bower",
    "jspm_packages": "packages of jspm",
    ".venv": "a virtual environment",
    "venv": "a virtual environment",
    ".tox": "environments of tox",
    ".nox": "environments of nox",
    ".hatch": "environments of hatch",
    "__pypackages__": "packages of PDM",
    ".pixi": "an environment of pixi",
    ".conda": "an environment of conda",
    ".eggs": "packages of setuptools",
    ".pnp.cjs": "packages of Yarn",
    ".pnp.js": "packages of Yarn",
    ".pnp.loader.mjs": "packages of Yarn",
    ".pnp.data.json": "packages of Yarn",
    ".yarn": "packages of Yarn",
    ".pnpm-store": "packages of pnpm",
    "vendor": "vendored packages",
    ".bundle": "settings and packages of Bundler",
    "Pods": "packages of CocoaPods",
    "Carthage": "packages of Carthage",
    "deps": "packages of mix",
    "local": "modules of Perl",
    "extlib": "modules of Perl",
    "lua_modules": "modules of Lua",
    "_opam": "packages of opam",
    ".opam": "packages of opam",
    "elm-stuff": "packages of Elm",
    "packages": "packages",
    ".dart_tool": "packages of Dart",
    ".packages": "packages of Dart",
    "vcpkg_installed": "packages of vcpkg",
    ".conan": "packages of Conan",
    "third_party": "vendored packages",
    "external": "vendored packages",
    "submodules": "vendored packages",
    ".python_packages": "packages of Python",
}
_CACHES = {
    "target": "build products of cargo, Maven or sbt",
    "build": "build products",
    "_build": "build products",
    "dist": "build products",
    "out": "build products",
    "bin": "build products",
    "obj": "build products",
    "classes": "build products",
    "Debug": "build products",
    "Release": "build products",
    "builddir": "build products",
    "DerivedData": "build products",
    ".build": "build products",
    "blib": "build products of Perl",
    ".libs": "build products of libtool",
    ".deps": "dependency files of automake",
    "autom4te.cache": "cache of autoconf",
    ".gradle": "cache of Gradle",
    ".kotlin": "cache of Kotlin",
    ".next": "build products of Next",
    ".nuxt": "build products of Nuxt",
    ".output": "build products of Nitro",
    ".svelte-kit": "build products of Svelte",
    ".angular": "cache of Angular",
    ".astro": "cache of Astro",
    ".parcel-cache": "cache of Parcel",
    ".turbo": "cache of turbo",
    ".nx": "cache of Nx",
    ".vite": "cache of Vite",
    ".cache": "a cache",
    ".rpt2_cache": "cache of Rollup",
    ".swc": "cache of swc",
    ".eslintcache": "cache of ESLint",
    ".stylelintcache": "cache of stylelint",
    ".mypy_cache": "cache of mypy",
    ".pytest_cache": "cache of pytest",
    ".ruff_cache": "cache of ruff",
    ".hypothesis": "examples of hypothesis",
    ".import_linter_cache": "cache of import-linter",
    ".pytype": "cache of pytype",
    ".pyre": "cache of pyre",
    ".ipynb_checkpoints": "checkpoints of Jupyter",
    "__pycache__": "compiled Python",
    "htmlcov": "a coverage report",
    "coverage": "a coverage report",
    ".nyc_output": "a coverage report",
    ".coverage": "a coverage report",
    ".tap": "results of tap",
    "test-results": "results of tests",
    "playwright-report": "results of tests",
    ".phpunit.cache": "cache of PHPUnit",
    ".phpunit.result.cache": "cache of PHPUnit",
    ".php-cs-fixer.cache": "cache of PHP CS Fixer",
    ".rspec_status": "results of rspec",
    ".elixir_ls": "cache of an editor",
    ".zig-cache": "cache of zig",
    "zig-cache": "cache of zig",
    "zig-out": "build products of zig",
    "dist-newstyle": "build products of cabal",
    ".stack-work": "build products of stack",
    ".bloop": "cache of bloop",
    ".metals": "cache of metals",
    ".bsp": "cache of sbt",
    "bazel-bin": "build products of Bazel",
    "bazel-out": "build products of Bazel",
    "bazel-testlogs": "build products of Bazel",
    ".terraform": "cache of Terraform",
    ".serverless": "build products of Serverless",
    ".aws-sam": "build products of SAM",
    "cmake-build-debug": "build products of CMake",
    "cmake-build-release": "build products of CMake",
    "tmp": "temporary files",
    "temp": "temporary files",
    "log": "logs",
    "logs": "logs",
    ".DS_Store": "left by a desktop",
    "Thumbs.db": "left by a desktop",
    ".idea": "settings of an editor",
    ".vscode": "settings of an editor",
    ".vs": "settings of an editor",
    ".direnv": "cache of direnv",
}
_CACHE_FILE = re.compile(
    r"(\.(o|lo|la|obj|gch|pch|d|gcda|gcno|pyc|pyo|class|log|trs|swp|swo|tmp|bak|orig|rej|"
    r"tsbuildinfo|prof|profraw|map|beam)|~|^\.coverage\..+|^config\.(log|cache)|"
    r"^cmake-build-.*|^bazel-.*|-debug\.log|^core(\.\d+)?)$"
)
_GENERATED = re.compile(
    r"(^(_?version\.(py|go|js|ts|rb|h)|__version__\.py|_version_info\.py|parser\.out|"
    r"(parsetab|lextab|yacctab)\.py|config\.(h|status|mk|mak)|stamp-h\d*|libtool|Makefile|"
    r"GNUmakefile|pm_to_blib|MYMETA\.(json|yml)|Build|CMakeCache\.txt|\.env\.php|"
    r"compile_commands\.json|CTestTestfile\.cmake|.*_pb2(_grpc)?\.pyi?|.*\.pb\.(go|h|cc)|"
    r".*\.(g|freezed)\.dart|.*\.generated\.\w+|.*_generated\.\w+|.*\.gen\.\w+|next-env\.d\.ts|"
    r"local\.properties|local_settings\.py|settings\.local\.\w+|\.npmrc|\.yarnrc\.yml|"
    r"pip\.conf|Cargo\.lock|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|"
    r"Gemfile\.lock|composer\.lock|\.python-version|\.tool-versions|\.nvmrc|\.ruby-version)"
    r"|\.(egg-info|dist-info|egg-link|so|pyd|dylib|dll|node|a|lib|jar|mo|qm|wasm)|\.so\.[\d.]+)$"
)
_GENERATED_FOLDERS = frozenset(
    {
        "generated",
        "__generated__",
        "gen",
        "generated-sources",
        "codegen",
        "_generated",
        ".generated",
    }
)
_SECRET = re.compile(
    r"(?i)^(\.env|\.env\..+|.+\.env|\.envrc\.local|env\.local|.+\.(pem|key|p12|pfx|jks|keystore|"
    r"kdbx|ppk|asc|gpg|age|ovpn|mobileprovision|p8)|id_(rsa|dsa|ecdsa|ed25519)(\..+)?|"
    r"(.*[-_.])?credentials?([-_.].*)?|client_secrets?.*|(.*[-_.])?secrets?([-_.].*)?|"
    r"service[-_]?account.*\.json|.*firebase-adminsdk.*\.json|gcloud.*\.json|application_default_.*"
    r"|\.netrc|_netrc|\.pypirc|\.pgpass|\.my\.cnf|\.htpasswd|htpasswd|auth\.json|\.dockercfg|"
    r"\.docker|\.aws|\.azure|\.gcloud|\.ssh|\.gnupg|\.kube|kubeconfig.*|\.vault[-_].*|vault\.txt|"
    r"vault[-_]pass.*|master\.key|.+\.tfvars(\.json)?|terraform\.tfstate.*|\.git-credentials|"
    r"passwords?(\..+)?|tokens?\.(json|txt|ya?ml)|\.token|api[-_]?keys?(\..+)?|wp-config\.php|"
    r"\.dev\.vars|secring\..*|\.boto|\.s3cfg|rclone\.conf|\.sentryclirc|\.cargo-credentials.*)$"
)
_TEMPLATE = re.compile(r"(?i)[._-](example|sample|template|dist|defaults?|tpl|schema)(\.\w+)?$")
_PUBLIC = re.compile(r"(?i)\.(py|js|ts|go|rs|rb|java|kt|php|c|h|cs|ex|md|rst|html|so|pyd)$")
_HAS_TOKEN = re.compile(
    r"(?im)(_auth(token)?|_password|npmauthtoken|npmauthident|password|token)\s*[=:]"
)
_MAYBE_SECRET = frozenset(
    {
        ".npmrc",
        ".yarnrc.yml",
        ".yarnrc",
        "pip.conf",
        "nuget.config",
        "NuGet.Config",
        "settings.xml",
        "gradle.properties",
        ".condarc",
    }
)


def looks_secret(name: str, text: str = "") -> bool:
    """Whether a file or folder of this name is one that nobody else should see."""
    name = name.rstrip("/").rpartition("/")[2]
    if name in _MAYBE_SECRET:
        return not text or bool(_HAS_TOKEN.search(text))
    if _TEMPLATE.search(name) or (_PUBLIC.search(name) and name != "wp-config.php"):
        return False
    return bool(_SECRET.match(name))


def dependencies(
    ignored: Iterable[Ignored], bring: Sequence[str] = (), leave: Sequence[str] = ()
) -> tuple[Item, ...]:
    """What every ignored path is, and whether views get it; `leave` wins over `bring`."""
    return tuple(_item(path, bring, leave) for path in sorted(ignored, key=lambda each: each.path))


def _item(one: Ignored, bring: Sequence[str], leave: Sequence[str]) -> Item:
    path = name_of(one.path)
    name = path.rstrip("/").rpartition("/")[2]
    role, why = _role(path, name, one)
    known = role in {"installed", "generated"}
    too_large = not known and one.size >= LARGE
    taken = role != "secret" and not too_large
    if too_large:
        why = f"{why}, {one.size / 2**30:.1f} GB: name it in [view] bring"
    if role == "secret":
        why = f"{why}: not brought unless [view] bring names it"
    if _named(path, bring):
        taken, why = True, f"{why.partition(':')[0]}; [view] bring"
    if _named(path, leave):
        taken, why = False, f"{why.partition(':')[0]}; [view] leave"
    hidden = tuple(
        sorted(
            inner
            for inner in one.names
            if looks_secret(inner)
            and role not in {"installed", "cache"}
            and not globs.matches(f"{path.rstrip('/')}/{inner}", bring)
        )
    )
    return Item(path, role, taken, why, one.target, hidden)


def _named(path: str, patterns: Sequence[str]) -> bool:
    """Whether patterns name a path; `data` and `data/**` both name the folder `data/`."""
    return globs.matches(path.rstrip("/"), patterns) or globs.matches(path, patterns)


def _role(path: str, name: str, one: Ignored) -> tuple[Role, str]:
    folder = path.endswith("/") or bool(one.names)
    inside = path.rstrip("/").split("/")[:-1]
    if "pyvenv.cfg" in one.names or "conda-meta" in one.names:
        return "installed", "a virtual environment (pyvenv.cfg)"
    if known := next((part for part in inside if part in _INSTALLED and part != "packages"), ""):
        return "installed", _INSTALLED[known]
    if looks_secret(name, one.text):
        return "secret", "looks like a secret"
    if name.endswith((".egg-info", ".dist-info")):
        return "generated", "metadata of an installed package"
    if name in {"venv", ".venv"} and one.names and "bin" not in one.names:
        return "other", "no virtual environment: no pyvenv.cfg"
    if name == ".venv" and not folder and not one.target:
        return "generated", "names the virtual environment"
    if name == "_build" and one.names and not one.names & {"dev", "test", "prod", "lib"}:
        return "cache", _CACHES["_build"]
    if name in _INSTALLED and (folder or one.target or name.startswith(".pnp")):
        return "installed", _INSTALLED[name]
    if name in _CACHES:
        return "cache", _CACHES[name]
    if name in _GENERATED_FOLDERS or _GENERATED.search(name):
        return "generated", "generated"
    if _CACHE_FILE.search(name):
        return "cache", "a build product"
    return "other", "ignored by git"


def virtual_environment(text: str) -> str:
    """The folder that a `.venv` file names: its only line; empty if it names none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0].removesuffix("/pyvenv.cfg") if len(lines) == 1 else ""
