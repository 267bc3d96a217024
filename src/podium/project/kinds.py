"""What a file is by its name: a test, something that decides how tests run, code, a document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from podium.core import globs


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Kind = Literal[
    "test",
    "golden",
    "machinery",
    "ci",
    "lock",
    "manifest",
    "code",
    "document",
    "text",
    "report",
    "other",
]
"""`golden`: what tests compare with or read. `manifest`: a file of which only some parts decide how
tests run. `text`: a .txt file, which may be prose or what a program reads. `report`: what a test
run leaves behind.
"""


@dataclass(frozen=True)
class Patterns:
    """What the project's own settings say on top: `[proof] tests` and `machinery`."""

    tests: tuple[str, ...] = ()
    machinery: tuple[str, ...] = ()


NO_PATTERNS = Patterns()


def name_of(path: str | bytes) -> str:
    """A path as text; bytes that are not UTF-8 are kept as lone surrogates, so that no two names
    become one.
    """
    return path if isinstance(path, str) else path.decode("utf-8", "surrogateescape")


def kind_of(path: str | bytes, own: Patterns = NO_PATTERNS) -> Kind:
    """The kind of one path, relative to the top of the project."""
    name = name_of(path).strip("/")
    if globs.matches(name, own.tests):
        return "test"
    if globs.matches(name, own.machinery):
        return "machinery"
    return _by_name(name)


_TEST_FOLDERS = _words(
    """
    test tests spec specs t xt unittest unittests unit_test unit_tests unit-tests
    __tests__ __test__ e2e functional_tests integration_tests integration-tests androidtest
    commontest jvmtest cypress step_definitions testsuite test_suite feature_tests acceptance
    """
)
_GOLDEN_FOLDERS = _words(
    """
    fixtures fixture __fixtures__ __snapshots__ snapshots snapshot testdata test-data test_data
    golden goldens golden_files cassettes expected approvals baselines __image_snapshots__
    """
)
_DOCUMENT_FOLDERS = frozenset({"doc", "docs", "documentation", "man"})
_CODE_ENDINGS = _words(
    """
    py pyi pyx pxd js mjs cjs jsx ts mts cts tsx vue svelte astro go rs c h cc cpp cxx hh hpp hxx
    m mm java kt kts groovy scala clj cljs cs fs fsx vb rb rake php pl pm t psgi sh bash zsh fish
    bats ps1 lua ex exs erl hrl hs ml mli swift dart r jl nim zig d pas sql s asm el tcl cmake mk
    awk proto graphql html htm css scss sass less erb ejs hbs twig jinja j2 tmpl tpl in am ac m4 y l
    coffee elm purs cr v sv vhd wat gd cu cl glsl hlsl
    """
)
_DOCUMENT_ENDINGS = _words(
    """
    md mkd mkdn markdown rst adoc asciidoc org tex pod pdf rtf textile rdoc mdx 1 3 5 7 8
    """
)
_WORDS = frozenset({"", "txt", "text"})
"""Endings of documents where their name or folder says so; elsewhere programs read such files."""
_DOCUMENT_NAMES = re.compile(
    r"(?i)^(readme|changes|changelog|news|history|authors|contributors|contributing|copying|notes?|"
    r"licen[cs]e|notice|install|todo|thanks|security|code_of_conduct|maintainers|manifest|"
    r"release[a-z_-]*|upgrading)([.-].*)?$"
)

LOCKS = _words(
    """
    package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock
    poetry.lock uv.lock pdm.lock Pipfile.lock pylock.toml conda-lock.yml Cargo.lock go.sum
    go.work.sum Gemfile.lock composer.lock mix.lock gradle.lockfile packages.lock.json
    Package.resolved pubspec.lock flake.lock cpanfile.snapshot Podfile.lock
    """
)
MANIFESTS = _words(
    """
    package.json pyproject.toml setup.cfg setup.py Cargo.toml go.mod go.work composer.json Gemfile
    mix.exs pom.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts
    libs.versions.toml gradle.properties CMakeLists.txt Makefile makefile GNUmakefile Makefile.am
    Makefile.in configure configure.ac configure.in Pipfile Makefile.PL Build.PL cpanfile dist.ini
    deno.json deno.jsonc meson.build pnpm-workspace.yaml Package.swift build.sbt justfile Justfile
    .justfile Taskfile.yml Taskfile.yaml Directory.Build.props Directory.Packages.props bunfig.toml
    environment.yml WORKSPACE MODULE.bazel
    """
)
_MANIFEST = re.compile(
    r"^(.+\.(mk|csproj|fsproj|vbproj|sln|slnx|gemspec|cabal)|requirements.*\.(txt|in)"
    r"|constraints.*\.txt)$"
)
_REQUIREMENTS = re.compile(r"(^|/)requirements/[^/]+\.(txt|in)$")
_MACHINERY = _words(
    """
    pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml noxfile.py conftest.py
    sitecustomize.py usercustomize.py .coveragerc nose.cfg .noserc unittest.cfg .testr.conf
    .stestr.conf hatch.toml
    .mocharc .mocharc.js .mocharc.cjs .mocharc.mjs .mocharc.json .mocharc.jsonc .mocharc.yml
    .mocharc.yaml mocha.opts .taprc .tap.yaml .nycrc .nycrc.json .nycrc.yml .nycrc.yaml .c8rc
    .c8rc.json .babelrc .swcrc turbo.json nx.json lerna.json .npmrc .yarnrc
    .yarnrc.yml .pnpmfile.cjs pnpmfile.js .pnp.cjs .pnp.loader.mjs .borp.yaml .borp.yml
    tsconfig.json jsconfig.json
    .proverc .perlcriticrc .perltidyrc .rspec .rspec-local Rakefile rakefile Guardfile .simplecov
    spec_helper.rb rails_helper.rb test_helper.rb minitest_helper.rb .minitest
    phpunit.xml phpunit.xml.dist phpunit.dist.xml behat.yml pest.php codeception.yml infection.json
    junit-platform.properties testng.xml mvnw gradlew mvnw.cmd gradlew.bat maven.config jvm.config
    gradle-wrapper.properties maven-wrapper.properties gradle-wrapper.jar
    .runsettings test.runsettings global.json xunit.runner.json
    test_helper.exs .formatter.exs .credo.exs coveralls.json
    CTestConfig.cmake CTestCustom.cmake CTestCustom.cmake.in CTestCustom.ctest DartConfiguration.tcl
    meson_options.txt meson.options rust-toolchain rust-toolchain.toml clippy.toml .clippy.toml
    rustfmt.toml .rustfmt.toml nextest.toml tarpaulin.toml .tarpaulin.toml
    .golangci.yml .golangci.yaml .golangci.toml magefile.go
    ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini .pylintrc pylintrc pyrightconfig.json
    pycodestyle.cfg .bandit .eslintrc .eslintignore .prettierrc .prettierignore biome.json
    biome.jsonc .jshintrc .jscsrc .rubocop.yml phpstan.neon phpstan.neon.dist psalm.xml
    .php-cs-fixer.php checkstyle.xml detekt.yml .shellcheckrc .clang-tidy
    .envrc .tool-versions mise.toml .mise.toml
    .python-version .nvmrc .node-version .ruby-version .java-version .sdkmanrc
    run-tests runtests runtests.sh run_tests.sh run-tests.sh runtests.py run_tests.py
    test_helper.bash test_helper.sh setup_suite.bash
    """
)
_TASKS = frozenset({"tasks.py", "dodo.py", "fabfile.py"})
"""Task runners at the top; below it such files are code."""
_MACHINERY_NAME = re.compile(
    r"^(.+\.pth|(jest|vitest|vite|karma|playwright|cypress|ava|wallaby|mocha|nyc|babel|"
    r"webpack|rollup|stryker|protractor|nightwatch|wdio|tap|borp|eslint|prettier|stylelint|tstyche|"
    r"jasmine|testcafe|codecept|web-test-runner|commitlint|wtr|uvu)([.-][\w.-]+)?\.(config|conf|"
    r"workspace|setup|projects?)\.[cm]?[jt]s(on)?|(jest|vitest|test)[.-]?setup\.[cm]?[jt]sx?|"
    r"setup[-_.]?(tests?|jest|vitest)\.[cm]?[jt]sx?|ava\.config\.[cm]?js|"
    r"(jest|vitest|vite|karma|playwright|cypress|ava|eslint|babel|webpack|rollup)\.(config|conf)"
    r"(\.\w+)?\.([cm]?[jt]s|json)|\.eslintrc\.\w+|\.prettierrc\.\w+|tsconfig\..+\.json|"
    r"global-?setup\.[cm]?[jt]s|global-?teardown\.[cm]?[jt]s|jasmine\.json|.*_test_runner\.dart|"
    r"phpunit\..*\.xml|.+\.runsettings|docker-compose.*test.*\.ya?ml)$"
)
_MACHINERY_PLACE = re.compile(
    r"(^|/)(\.cargo/config(\.toml)?|\.config/nextest\.toml|\.bundle/config|config/environments/"
    r"test\.rb|gradle/wrapper/.*|\.mvn/.*|test/support/.*\.exs?|spec/support/.*\.rb|"
    r"__mocks__/.*|build-aux/test-driver|test-driver|\.yarn/(plugins|releases|sdks)/.*|"
    r"buildSrc/.*|patches/.*\.patch|test/bats/.*|test/lib/bats-.*|tests?/libs?/bats-.*)$"
)
_CI = re.compile(
    r"^(\.pre-commit-config\.yaml|\.?lefthook\.ya?ml|\.lintstagedrc.*|\.husky/.*|"
    r"\.github/(workflows|actions)/.*|\.ci/.*|\.gitlab-ci\.ya?ml|\.gitlab/ci/.*|\.travis\.ya?ml|"
    r"\.circleci/.*|\.appveyor\.ya?ml|appveyor\.ya?ml|azure-pipelines.*\.ya?ml|\.azure-pipelines/"
    r".*|Jenkinsfile.*|\.drone\.(ya?ml|star|jsonnet)|\.woodpecker(\.ya?ml|/.*)|\.buildkite/.*|"
    r"bitbucket-pipelines\.ya?ml|\.cirrus\.(ya?ml|star)|\.teamcity/.*|\.semaphore/.*|"
    r"cloudbuild\.ya?ml|buildspec\.ya?ml|\.forgejo/workflows/.*|\.gitea/workflows/.*|\.builds?/"
    r".*\.ya?ml|\.build\.ya?ml|codecov\.ya?ml|\.codecov\.ya?ml|\.coveralls\.ya?ml|wercker\.ya?ml)$"
)
_TEST_NAME = re.compile(
    r"^(test_.+\.py|.+_test\.py|tests?\.py|test_.+\.pyx|.+[._-](test|spec|tests|cy|e2e|tst)"
    r"(-d)?\.[cm]?[jt]sx?|tests?\.[cm]?[jt]sx?|(unit|integration)-?tests?\.[cm]?[jt]sx?|"
    r"test[-_].+\.[cm]?[jt]sx?|"
    r".+_test\.go|.+\.t|.+\.bats|.+_(spec|test)\.rb|test_.+\.rb|.+_(spec|test)\.lua|"
    r".+_test\.exs|.+\.feature|.+(Test|Tests|TestCase|Spec|[a-z0-9]IT)\.(java|kt|groovy|scala"
    r"|cs|fs|vb|"
    r"swift|php|hs)|Test[A-Z].*\.(java|kt|scala|cs)|.+_tests?\.(c|cc|cpp|cxx|rs|dart|sh|clj|jl|zig|"
    r"erl|hs|pl)|.+-tests?\.(c|cc|cpp|sh)|test[-_].+\.(c|cc|cpp|cxx|sh|bash|pl|ml|r|R|cmake)|"
    r"tests?\.(c|cc|cpp|rs|sh|bash|pl|rb|php|go|swift|zig)|.+_unittest\.(c|cc|cpp)|.+\.phpt|"
    r".+Tests?\.(cpp|cc|m|mm|h)|.+\.at|.+\.sh\.test)$"
)
_SNAPSHOT = re.compile(
    r"^.+(\.snap|\.snap\.new|\.ambr|\.approved\.\w+|\.golden|\.verified\.\w+|\.snapshot|\.expected|"
    r"\.expect\.txt|[.-]golden\.\w+)$"
)
_TEST_SUPPORT = _words(
    """
    py pyi pyx js mjs cjs jsx ts mts cts tsx go rs c h cc cpp cxx hh hpp m mm java kt groovy scala
    cs fs vb rb php pl pm t sh bash zsh bats ps1 lua ex exs erl swift dart r jl nim zig clj coffee
    """
)
_RUNNER_ENDINGS = frozenset({"ini", "toml", "yml", "yaml", "json", "cfg", "conf", "mk", "cmake"})
_REPORT = re.compile(
    r"^(junit.*\.xml|TEST-.+\.xml|nosetests\.xml|test-?_?results?.*\.(xml|json|tap|trx|txt)|"
    r"test-?_?report.*\.(xml|json|html|tap)|.+\.trx|coverage\.(xml|json|out)|coverage-final\.json|"
    r"lcov\.info|\.coverage(\..+)?|results?\.tap|report\.tap|\.report\.json|jest-results.*\.json|"
    r"mochawesome.*\.json|cobertura.*\.xml|clover\.xml|\.last-run\.json)$"
)


@lru_cache(maxsize=65536)
def _by_name(path: str) -> Kind:
    folders, _, name = path.rpartition("/")
    around = folders.split("/") if folders else []
    lower = [folder.lower() for folder in around]
    ending = name.rpartition(".")[2] if "." in name.lstrip(".") else ""
    below_tests = any(folder in _TEST_FOLDERS for folder in lower) or lower[:1] == ["testing"]
    if kind := _fixed(path, name):
        return kind
    if _SNAPSHOT.match(name) or "__snapshots__" in lower:
        return "golden"
    if any(folder in _GOLDEN_FOLDERS for folder in lower) and (
        below_tests or "testdata" in lower or lower[0] in _GOLDEN_FOLDERS
    ):
        return "golden"
    if _TEST_NAME.match(name):
        return "test"
    if below_tests:
        return _below_tests(name, ending, lower)
    return _ordinary(name, ending, lower)


def _fixed(path: str, name: str) -> Kind | None:
    """Files whose name alone decides."""
    if _CI.match(path):
        return "ci"
    if path in _TASKS:
        return "machinery"
    if name in LOCKS:
        return "lock"
    if name in _MACHINERY or _MACHINERY_NAME.match(name) or _MACHINERY_PLACE.search(path):
        return "machinery"
    if name in MANIFESTS or _MANIFEST.match(name) or _REQUIREMENTS.search(path):
        return "other" if path.partition("/")[0] in _DOCUMENT_FOLDERS else "manifest"
    return "report" if _REPORT.match(name) else None


def _below_tests(name: str, ending: str, folders: list[str]) -> Kind:
    """A file in a folder of tests: code there is a test, all else is what tests read."""
    if ending in _TEST_SUPPORT:
        return "test"
    if _DOCUMENT_NAMES.match(name) and ending in _DOCUMENT_ENDINGS | _WORDS:
        return "document"
    if folders[-1] in _DOCUMENT_FOLDERS and ending in _DOCUMENT_ENDINGS | _WORDS:
        return "document"
    if name in {".gitkeep", ".gitignore", ".gitattributes", "py.typed"}:
        return "other"
    # Scripts without an ending are tests in many shell and C projects; data beside them is golden.
    return "golden" if ending else "test"


def _ordinary(name: str, ending: str, folders: list[str]) -> Kind:
    if ending in _DOCUMENT_ENDINGS or (ending in _WORDS and _DOCUMENT_NAMES.match(name)):
        return "document"
    if ending in _WORDS - {""}:
        below = any(folder in _DOCUMENT_FOLDERS for folder in folders)
        return "document" if below else "text"
    if ending in _CODE_ENDINGS or name in {"Dockerfile", "Containerfile", "Vagrantfile"}:
        return "code"
    if not ending and any(folder in {"bin", "libexec", "scripts", "script"} for folder in folders):
        return "code"
    return "other"
