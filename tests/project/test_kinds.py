"""What a file is by its name, in projects of every ecosystem."""

from __future__ import annotations

import pytest

from podium.project.kinds import Patterns, kind_of, name_of

KINDS = {
    "test": """
        tests/test_a.py test_a.py a_test.py pkg/tests/helpers.py src/pkg/test_x.py tests/a.py
        test/a.js src/a.test.ts src/a.spec.tsx __tests__/a.jsx test-a.js a-test.mjs
        cypress/e2e/a.cy.ts
        pkg/a_test.go tests/a.rs src/a_test.rs t/00-load.t xt/a.t spec/a_spec.rb test/test_a.rb
        src/test/java/com/a/ATest.java src/ATests.kt ASpec.groovy FooIT.java a/FooTests.cs tests/a.c
        test_a.c a_unittest.cc a_test.cpp test/a.bats tests/run.sh tests/check-it a.phpt
        tests/ATest.php test/a_test.exs a_test.dart features/a.feature tests/testsuite.at
        spec/a_spec.lua
        tests/data.py unit-tests.js runtests.c.d/tests/a.py
    """,
    "golden": """
        tests/fixtures/expected.txt src/__snapshots__/a.test.js.snap testdata/a.json a.golden
        tests/expected/a.out tests/data/a.csv test/fixtures/a.py tests/a.ambr x.approved.txt
        spec/cassettes/a.yml tests/input.xml snapshots/a.bin
    """,
    "machinery": """
        conftest.py tests/conftest.py pytest.ini tox.ini noxfile.py .coveragerc sitecustomize.py
        jest.config.js vitest.config.ts .mocharc.yml test/mocha.opts .taprc .nycrc karma.conf.js
        playwright.config.ts babel.config.js tsconfig.json .eslintrc.json .npmrc .cargo/config.toml
        rust-toolchain.toml .config/nextest.toml .proverc .rspec spec/spec_helper.rb Rakefile
        phpunit.xml.dist CTestConfig.cmake gradlew gradle/wrapper/gradle-wrapper.jar
        .mvn/maven.config
        test/test_helper.exs ruff.toml mypy.ini .python-version tasks.py run-tests runtests.sh
        jest.setup.ts test/support/case.ex a.pth __mocks__/fs.js magefile.go
    """,
    "ci": """
        .github/workflows/test.yml .gitlab-ci.yml .travis.yml .circleci/config.yml Jenkinsfile
        azure-pipelines.yml .pre-commit-config.yaml .husky/pre-commit .drone.yml appveyor.yml
    """,
    "lock": """
        package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock Cargo.lock go.sum
        Gemfile.lock
        composer.lock mix.lock Pipfile.lock crates/a/Cargo.lock
    """,
    "manifest": """
        package.json packages/a/package.json pyproject.toml setup.cfg setup.py Cargo.toml go.mod
        Makefile src/Makefile.am CMakeLists.txt configure.ac pom.xml build.gradle.kts composer.json
        Gemfile mix.exs requirements.txt requirements-dev.txt requirements/test.txt a.gemspec
        App.csproj
        cpanfile Makefile.PL deno.json meson.build rules.mk
    """,
    "code": """
        src/a.py lib/a.js a.go src/lib.rs a.c include/a.h app/a.rb lib/A.pm src/A.java a.sql a.sh
        bin/tool scripts/deploy latest.py contest.py attestation.js protest/a.c src/testing_tools.py
        index.html Dockerfile
    """,
    "document": """
        README.md docs/a.md CHANGELOG LICENSE a.rst notes.txt tests/README.md docs/a.txt
        LICENSE.txt
    """,
    "report": """
        junit.xml TEST-a.xml coverage.xml test-results.json lcov.info .coverage report.tap
    """,
    "text": """
        words.txt src/messages.txt
    """,
    "other": """
        .gitignore a.png data/a.csv tests/.gitkeep docs/Makefile config.json
    """,
}
EACH = [(kind, path) for kind, paths in KINDS.items() for path in paths.split()]


@pytest.mark.parametrize(("kind", "path"), EACH)
def test_a_file_is_known_by_its_name(kind: str, path: str) -> None:
    assert kind_of(path) == kind
    assert kind_of(path.encode()) == kind


def test_a_project_names_more_tests_and_machinery() -> None:
    own = Patterns(tests=("checks/**", "*.chk"), machinery=("tools/**",))
    assert kind_of("checks/a.c", own) == "test"
    assert kind_of("a.chk", own) == "test"
    assert kind_of("tools/run.py", own) == "machinery"
    assert kind_of("src/a.py", own) == "code"


def test_names_that_are_not_utf_8_are_names_like_any_other() -> None:
    one, other = b"tests/test_\xff.py", b"tests/test_\xfe.py"
    assert kind_of(one) == kind_of(other) == "test"
    assert name_of(one) != name_of(other)
