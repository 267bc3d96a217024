from __future__ import annotations

import pytest

from podium.workflows.ecosystems import detect, nearest, parallelism, wanted


def found(tree: dict[str, str]):
    """The tree with only those contents that detection asks for."""
    return detect(tree, {path: tree[path] for path in wanted(tree)})


MONOREPO = {
    "package.json": '{"workspaces": ["web"], "scripts": {"test": "turbo test"}}',
    "pnpm-lock.yaml": "",
    "web/package.json": '{"scripts": {"test": "vitest", "build": "vite build"}}',
    "web/src/app.ts": "",
    "api/pyproject.toml": "[tool.pytest.ini_options]\n",
    "api/app/main.py": "",
    "jvm/pom.xml": "<modules/>",
    "jvm/core/pom.xml": "",
    "node_modules/x/package.json": '{"scripts": {"test": "x"}}',
}


def test_a_monorepo_has_several_projects_and_modules_belong_to_their_root():
    assert [(each.directory, each.ecosystem) for each in found(MONOREPO)] == [
        ("", "node"),
        ("api", "python"),
        ("jvm", "maven"),
        ("web", "node"),
    ]


@pytest.mark.parametrize(
    ("likely", "directory"),
    [
        (["web/src/app.ts"], "web"),
        (["api/app/main.py", "api/x.py", "web/src/app.ts"], "api"),
        (["jvm/core/src/A.java"], "jvm"),
        (["README.md"], ""),
        ([], ""),
        (["web/a", "api/b"], "api"),
    ],
)
def test_each_group_gets_the_project_nearest_to_its_files(likely: list[str], directory: str):
    picked = nearest(found(MONOREPO), likely)
    assert picked is not None
    assert picked.directory == directory


def test_the_lock_file_above_names_the_tool_of_a_package():
    picked = nearest(found(MONOREPO), ["web/src/app.ts"])
    assert picked is not None
    assert (picked.build, picked.test) == ("pnpm run build", "pnpm run test")
    assert "pnpm by pnpm-lock.yaml" in picked.why


def test_nothing_known_is_nothing_found():
    assert found({"a.txt": "", "src/b.txt": ""}) == ()
    assert nearest((), ["a"]) is None


def test_the_first_with_tests_wins_and_the_others_are_named():
    only = found({"package.json": "{}", "Makefile": "test:\n\tx\n"})
    assert [(each.ecosystem, each.test) for each in only] == [("make", "make test")]
    assert "also found: node" in only[0].why


def test_only_files_that_matter_are_opened():
    assert wanted(
        [
            "src/a.py",
            "api/pyproject.toml",
            "node_modules/a/package.json",
            "Cargo.lock",
            "Makefile",
            "tests/test_a.py",
        ]
    ) == (
        "Makefile",
        "api/pyproject.toml",
        "tests/test_a.py",
    )


@pytest.mark.parametrize(
    ("cores", "limit", "tasks"),
    [(8, None, 8), (8, 4, 4), (2, 4, 2), (None, None, 2), (0, None, 2), (None, 1, 1), (1, 0, 1)],
)
def test_tasks_run_side_by_side_as_the_machine_allows(
    cores: int | None, limit: int | None, tasks: int
):
    assert parallelism(cores, limit) == tasks
