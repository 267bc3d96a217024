"""The documentation says what the program does: generated pages are fresh, commands parse, links
lead somewhere.
"""

from __future__ import annotations

import gc
import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from scripts.pages.parts import MAKERS, Part, parts
from scripts.pages.workflow_figures import forget
from tests.fakes.scripts import script

from podium.agents import scenario_file
from podium.cli import main as command_line
from podium.cli import table
from podium.cli.parser import Parser
from podium.core import errors
from podium.engine import outcome

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "AGENTS.md")),
        *(ROOT / "docs").rglob("*.md"),
    ]
)
PARTS = list(parts(ROOT))
INLINE = re.compile(r"`((?:[A-Z_]+=\S+ )?podium [^`]+)`")
PLACEHOLDER = re.compile(r"podium (COMMAND|help|--)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ENDS_A_COMMAND = {"|", "||", "&&", ";", ">", "&"}


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[str]:
    for token in MarkdownIt().parse(text):
        if token.type == "fence" and token.info.strip() in {"sh", "console"}:
            yield token.content


def commands(text: str) -> Iterator[list[str]]:
    """The words of every `podium …` in shell blocks and in inline code."""
    lines = [line for block in blocks(text) for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines += [found for found in INLINE.findall(prose) if not PLACEHOLDER.match(found)]
    for line in lines:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;>")
        lexer.whitespace_split = True
        words = list(lexer)
        while "podium" in words:
            words = words[words.index("podium") + 1 :]
            end = next((at for at, word in enumerate(words) if word in ENDS_A_COMMAND), len(words))
            yield words[:end]


def every_command() -> list[tuple[str, list[str]]]:
    return [(name_of(page), words) for page in PAGES for words in commands(text_of(page))]


@pytest.fixture
def walked() -> Iterator[None]:
    """What parts have in common is made once; looking through it for garbage would take as long
    as making it.
    """
    gc.disable()
    yield
    forget()
    gc.enable()


def together() -> dict[str, list[Part]]:
    """Those that share something dear by its name, every other one alone."""
    found: dict[str, list[Part]] = {}
    for part in PARTS:
        found.setdefault(part.shares or str(part), []).append(part)
    return found


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("walked")
@pytest.mark.parametrize(
    "found", [pytest.param(found, id=name) for name, found in together().items()]
)
def test_what_is_generated_is_as_the_program_says_it_now(found):
    assert [str(part) for part in found if part.made() != part.there] == [], (
        "run: python scripts/docs.py"
    )


def test_all_that_can_be_generated_stands_somewhere():
    assert {part.block or part.path for part in PARTS} == set(MAKERS)


def test_a_page_out_of_date_is_written_with_the_rest_of_it_as_it_was(tmp_path):
    table = next(part.there for part in PARTS if part.block == "stages")
    page, other = tmp_path / "docs" / "page.md", tmp_path / "docs" / "other.md"
    page.parent.mkdir()
    page.write_text("# Page\n\n<!-- generated: stages -->\nold\n<!-- /generated -->\nby hand\n")
    other.write_text(page.read_text())
    (tmp_path / "README.md").write_text("# Readme\n")
    fresh = f"# Page\n\n<!-- generated: stages -->\n{table}<!-- /generated -->\nby hand\n"
    assert script("docs").stale(tmp_path, ["docs/page.md"]) == {"docs/page.md": fresh}
    page.write_text(fresh)
    assert script("docs").stale(tmp_path, ["docs/page.md"]) == {}


def test_the_documentation_names_commands():
    assert len(every_command()) > 50


@pytest.mark.parametrize(
    ("page", "words"),
    [
        pytest.param(page, words, id=f"{page}: {shlex.join(words)}")
        for page, words in every_command()
    ],
)
def test_every_command_in_the_documentation_parses(page, words):
    name, rest = command_line.split(words)
    assert name in table.COMMANDS, f"{page} names podium {name}"
    parser = Parser(name, table.COMMANDS[name])
    import_module(table.module(name)).configure(parser)
    if rest or not page.startswith("docs/reference"):
        try:
            parser.read(rest)
        except errors.UsageError as fault:
            # A page may name a command (`podium approve`) without saying what it is called with.
            if rest:
                pytest.fail(f"{page}: podium {shlex.join(words)}: {fault}")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_resolves(page):
    prose = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            assert anchor in anchors(text_of(there)), f"{name_of(page)} links to {target}"


def anchors(text: str) -> set[str]:
    """Headings as hosts of Markdown spell them in links."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_can_be_reached_from_the_index():
    index = ROOT / "docs" / "index.md"
    linked = {
        (index.parent / target.partition("#")[0]).resolve()
        for target in LINK.findall(text_of(index))
    }
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert pages - linked == {index}


def test_the_first_commands_of_the_readme_are_the_demo_and_the_tests():
    first = next(blocks(text_of(ROOT / "README.md")))
    assert [line.partition("#")[0].strip() for line in first.splitlines()] == [
        "make demo",
        "make test",
    ]


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    for page in PAGES:
        named = {
            found
            for block in blocks(text_of(page))
            for found in re.findall(r"^make ([a-z]+)", block, re.MULTILINE)
        }
        named |= set(re.findall(r"`make ([a-z]+)`", text_of(page)))
        assert named <= targets, f"{name_of(page)} names make {', '.join(named - targets)}"


def test_the_readme_has_every_exit_code():
    section = text_of(ROOT / "README.md").partition("## Exit codes")[2].partition("\n## ")[0]
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    errors_of = {
        each.exit_code
        for each in vars(errors).values()
        if isinstance(each, type) and hasattr(each, "exit_code")
    }
    own = {
        *outcome.EXIT.values(),
        outcome.BUDGET,
        outcome.INTERRUPTED,
        command_line.BUG,
        command_line.INTERRUPTED,
    }
    assert listed == own | errors_of


def test_the_page_about_scenarios_has_every_action_and_every_failure():
    text = text_of(ROOT / "docs" / "how-to" / "write-a-scenario.md")
    listed = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert listed == {*scenario_file._READERS, *scenario_file._FAILURES}


def test_the_scenarios_in_the_documentation_are_valid():
    text = text_of(ROOT / "docs" / "how-to" / "write-a-scenario.md")
    found = [
        each.content
        for each in MarkdownIt().parse(text)
        if each.type == "fence" and each.info == "yaml"
    ]
    assert found
    for each in found:
        scenario_file.parse(each, "write-a-scenario.md")


def test_agents_md_is_short():
    assert len(text_of(ROOT / "AGENTS.md").splitlines()) < 60


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_a_machine_or_a_registry(page):
    assert not re.search(r"/root/|/home/\w|/work/|\bpypi\.org|index-url", text_of(page))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_paragraph_is_taken_for_code_because_it_is_indented(page):
    """Code is always fenced."""
    assert [
        each.content for each in MarkdownIt().parse(text_of(page)) if each.type == "code_block"
    ] == []


def test_pictures_fetch_nothing():
    for picture in (ROOT / "docs" / "images").glob("*.svg"):
        text = text_of(picture).replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?:|url\((?!#)|<script|@import|href", text), picture.name
