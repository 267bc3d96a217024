"""Whether a test file was only added to: the blocks of both texts, compared.

A block is a line with what is indented below it and what closes it. Where blocks may be added
without any effect on others (at the top, in a class, in `describe`), additions are allowed; inside
of a test they are not, except for rows of a table and whole subtests.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from podium.project.source_lines import Line, balance

MOST = 4000
"""Blocks side by side that are compared in order; of more, only how often they occur."""
_DEEPEST = 20


@dataclass(frozen=True)
class Block:
    lines: tuple[Line, ...]
    head: int
    """Which of the lines is the head, after decorators."""
    children: tuple[Block, ...]
    first: int
    """Which of the lines is the first below the head."""
    last: int
    """Which of the lines is the first after the children."""

    @property
    def name(self) -> str:
        return self.lines[self.head].text

    @property
    def is_group(self) -> bool:
        """Whether more may be added to it without changing what is in it."""
        return bool(self.children) and bool(_GROUP.match(self.name))

    def texts(self) -> tuple[tuple[str, str], ...]:
        return tuple((line.text, line.inside) for line in self.lines)

    @property
    def key(self) -> tuple[object, ...]:
        lines = (
            (*self.lines[: self.first], *self.lines[self.last :]) if self.is_group else self.lines
        )
        return (self.is_group, *((line.text, line.inside) for line in lines))


@dataclass(frozen=True)
class Comparison:
    """What became of the old text in the new one."""

    changed: tuple[str, ...] = ()
    """Lines of the old text that are gone or changed (`-…`) and what stands there now (`+…`)."""
    added: tuple[Line, ...] = ()
    """All lines that are new."""


_GROUP = re.compile(
    r"^((export\s+)?(default\s+)?(describe|context|suite|fixture|QUnit\.module|(test|t|Deno|tap)"
    r"\.describe|RSpec\.\w*describe|shared_examples\w*|feature|defmodule|describe)\b(?!\.(skip|only)"
    r")[^;]*([({]|\bdo(\s*\|[^|]*\|)?|=>)$|(public|private|internal|protected|static|final|abstract|"
    r"sealed|open|export|default|partial|data|pub|\s)*\b(class|module|namespace|object|interface|"
    r"trait|impl|mod|extension|struct|enum)\b[^;=()]*\{?$|extern\s+\"C\"\s*\{|(import|var|const|"
    r"type)\s+\($|class\s[\w.:]+.*|module\s[\w.:]+$)"
)
_HOOK = re.compile(
    r"^(\(?\s*)?((export\s+)?(beforeEach|afterEach|beforeAll|afterAll|before|after|setup|teardown|"
    r"setup_file|teardown_file|setup_suite|teardown_suite|suiteSetup|suiteTeardown|around|"
    r"(test|t|tap|hooks|QUnit)\.(before|after|beforeEach|afterEach|serial\.before|teardown|setup|"
    r"hooks|testStart|testDone|onFinish|on))\s*(\(|\{|do\b|\|)|func\s+(TestMain|init)\s*\(|"
    r"(BEGIN|END|INIT|CHECK|UNITCHECK)\s*\{|def\s+(setup|teardown|self\.\w*|setUp|tearDown|"
    r"before_\w+|after_\w+|method_missing)\b|.*\b(SetUp|TearDown|setUp|tearDown|setUpBeforeClass|"
    r"tearDownAfterClass|SetUpTestSuite|beforeTest|afterTest)\s*\(|.*__attribute__\s*\(\(\s*"
    r"(constructor|destructor)|@(Before|After|BeforeEach|AfterEach|BeforeAll|AfterAll|BeforeClass|"
    r"AfterClass|BeforeMethod|Rule|ClassRule|ExtendWith|RunWith)\b|\[(SetUp|TearDown|OneTimeSetUp|"
    r"OneTimeTearDown|TestInitialize|TestCleanup)\]|setup_all\b|on_exit\b)"
)
_CLOSER = re.compile(
    r"^([)\]}]|\{$|end\b|done\b|fi\b|esac\b|else\b|elsif\b|elif\b|rescue\b|ensure\b|catch"
    r"\b|finally\b|then\b|do$|when\b|EOF$)"
)
_CLOSES = re.compile(r"^([)\]}]+[;,)]*|end|done|fi|esac)$")
_DECORATOR = re.compile(r"^(#\[|@[\w.:]+|\[[A-Z]\w*[\](]|template\s*<)")
_DEFINES = re.compile(
    r"^(?:export\s+|default\s+|async\s+|pub(?:\([\w: ]+\))?\s+|public\s+|private\s+|static\s+|"
    r"protected\s+|final\s+|inline\s+|unsafe\s+)*(?:function\*?|def|sub|fn|"
    r"func|fun|class|struct|enum|interface|macro_rules!|defp?|defmacro|method|"
    r"type|#define)\s+(?:\([^)]*\)\s*)?(?:self\.)?([\w$]+[?!]?)|^(?:static\s+|inline\s+|const\s+|"
    r"unsigned\s+)*[A-Za-z_]\w*[\s*]+([A-Za-z_]\w*)\s*\([^;]*$|^([\w:-]+)\s*\(\)"
)
_ASSIGNS = re.compile(
    r"^(?:const|let|var|my|our|local|global|export)?\s*([$@%*]?[\w$][\w$.:>\[\]'\"-]*)\s*:?=(?![=>~])"
)
_BASE = re.compile(r"(?<=\w)(?:\.|\[|::|->)")
_IMPORT = re.compile(
    r"^(import|from|use|require|const\s.*\brequire\(|let\s.*\brequire\(|var\s.*\brequire)"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_ROW = re.compile(r"^[\[{(\"'\d-]|^\w[\w.:]*\s*[{\[]|^&?[\w.]+\{|^[\w\"'-]+\s*(=>|:)\s")
_SUBTEST = re.compile(
    r"^(await\s+)?(\w+\.(test|it|Run|step|subtest|should|describe)\s*\(|(it|test|specify|subtest|"
    r"should|section|SECTION|SUBCASE|WHEN|THEN|AND_WHEN)\b\s*[(\"'])"
)
_REGISTERED = re.compile(
    r"^(failures?\s*[+|]=\s*|r(esult|c|et)?\s*[&|+]=\s*)?&?(RUN_TEST|TEST_RUN|RUN|CU_\w+|tcase_add_\w+"
    r"|suite_add_\w+|srunner_add_suite|mu_run_test|UNITY_\w+|cmocka_unit_test\w*|g_test_add\w*|"
    r"test_\w+|run_\w*test\w*|\w+_tests?|add_test)\s*\([^;{}]*\)?\s*[;,]?$"
)


def compare(old: Sequence[Line], new: Sequence[Line]) -> Comparison:
    """How the new text differs from the old one; `changed` is empty if it was only added to."""
    changed: list[str] = []
    added: list[Line] = []
    _level(_tree(old), _tree(new), changed, added, 0)
    return Comparison(tuple(changed), tuple(added))


def _tree(lines: Sequence[Line]) -> tuple[Block, ...]:
    """The blocks of a text by how far its lines are indented."""
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        end = _end(lines, at)
        blocks.append(_block(lines[at:end]))
        at = end
    return tuple(blocks)


def _end(lines: Sequence[Line], start: int) -> int:
    """Where the block that starts here ends: after what is indented below it, and its closer."""
    at = start
    while at < len(lines) - 1 and _is_decorator(lines[at]) and not lines[at + 1].inside:
        if lines[at + 1].indent != lines[start].indent:
            break
        at += 1
    indent = lines[at].indent
    at += 1
    while at < len(lines):
        line = lines[at]
        below = line.indent > indent or bool(line.inside)
        if not below and not (line.indent == indent and _CLOSER.match(line.text)):
            break
        at += 1
    return at


def _block(lines: Sequence[Line]) -> Block:
    head = 0
    while (
        head < len(lines) - 1
        and _is_decorator(lines[head])
        and (lines[head + 1].indent == lines[head].indent)
    ):
        head += 1
    first = head + 1
    while first < len(lines) and lines[first].text == "{":
        first += 1
    last = len(lines)
    indent = lines[head].indent
    while last > first and lines[last - 1].indent <= indent and not lines[last - 1].inside:
        last -= 1
    inner = lines[first:last]
    # Something like `} else {` in between: then the block is one whole.
    plain = all(line.indent > indent or line.inside for line in inner)
    group = plain and bool(inner) and bool(_GROUP.match(lines[head].text))
    children = _tree(inner) if group else ()
    return Block(tuple(lines), head, children, first, last)


def _is_decorator(line: Line) -> bool:
    return bool(_DECORATOR.match(line.text)) and not line.text.endswith(("{", "do"))


def _level(
    old: Sequence[Block],
    new: Sequence[Block],
    changed: list[str],
    added: list[Line],
    depth: int,
) -> None:
    before, after = [block.key for block in old], [block.key for block in new]
    if max(len(before), len(after)) > MOST:
        _counted(old, new, changed, added)
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    additions: set[int] = set()
    for tag, i, j, k, end in matcher.get_opcodes():
        if tag == "equal":
            for one, other in zip(old[i:j], new[k:end], strict=True):
                if one.is_group and depth < _DEEPEST:
                    _level(one.children, other.children, changed, added, depth + 1)
                elif one.texts() != other.texts():
                    changed += _difference([one], [other])
            continue
        gone = list(old[i:j])
        for block in new[k:end]:
            added += _new_lines(block, gone)
        rest = _after_extensions(gone, range(k, end), new)
        if rest is None:
            changed += _difference(gone, new[k:end])
        else:
            changed += _harm([new[at] for at in rest])
            additions |= set(rest)
    changed += _shadowing(old, new, additions, depth)


def _counted(
    old: Sequence[Block], new: Sequence[Block], changed: list[str], added: list[Line]
) -> None:
    before, after = Counter(b.texts() for b in old), Counter(b.texts() for b in new)
    gone = [block for block in old if (before - after)[block.texts()]]
    fresh = [block for block in new if (after - before)[block.texts()]]
    added += [line for block in fresh for line in block.lines]
    if gone:
        changed += _difference(gone, fresh)
    else:
        changed += _harm(fresh)


def _new_lines(block: Block, gone: Sequence[Block]) -> Iterator[Line]:
    """Lines of a new block that none of the blocks it replaces has."""
    before = Counter(line.text for other in gone for line in other.lines)
    for line in block.lines:
        if before[line.text] > 0:
            before[line.text] -= 1
        else:
            yield line


def _difference(gone: Sequence[Block], fresh: Sequence[Block]) -> list[str]:
    """The lines of both sides that the other one does not have."""
    old = [line.text for block in gone for line in block.lines]
    new = [line.text for block in fresh for line in block.lines]
    before, after = Counter(old), Counter(new)
    only_old, only_new = before - after, after - before
    shown = [f"-{text}" for text in old if only_old[text] and not only_old.subtract([text])]
    shown += [f"+{text}" for text in new if only_new[text] and not only_new.subtract([text])]
    return shown or [f"-{old[0]}", "+(the same lines in another place)"]


def _after_extensions(
    gone: Sequence[Block], fresh: Sequence[int], new: Sequence[Block]
) -> list[int] | None:
    """The new blocks without those that only extend an old one; None if an old one is changed."""
    rest = list(fresh)
    for block in gone:
        successor = next((at for at in rest if _extends(block, new[at])), None)
        if successor is None:
            return None
        rest.remove(successor)
    return rest


def _extends(old: Block, new: Block) -> bool:
    if (old.is_group, old.head) != (new.is_group, new.head):
        return False
    one, other = _joined(old), _joined(new)
    return (
        _more_names(one, other)
        or _higher_plan(one, other)
        or (old.name == new.name and len(old.lines) > 1 and _only_rows(old, new))
    )


def _joined(block: Block) -> str:
    return " ".join(line.text for line in block.lines)[:20_000]


_NAMES = re.compile(
    r"^((?:import|export|const|let|var|use|from|alias|pub use)\b[^{}]*)\{([^{}]*)\}([^{}]*)$"
)
_LIST = re.compile(r"^(use\s+[\w:]+\s+(?:qw\())([^)]*)(\).*)$")
_ALIASED = re.compile(r"^(import\s+[\w.]+,\s*only:\s*\[)([^\]]*)(\].*)$")


def _more_names(old: str, new: str) -> bool:
    """The same import with more names."""
    for form in (_NAMES, _LIST, _ALIASED):
        one, other = form.match(old), form.match(new)
        if one and other and (one[1], one[3]) == (other[1], other[3]):
            before, after = ({part.strip() for part in _parts(m[2])} for m in (one, other))
            return before <= after
    return False


def _parts(names: str) -> list[str]:
    return names.split(",") if "," in names else names.split()


_PLAN = re.compile(
    r"^(use\s+Test::\w+\s+tests\s*=>\s*|plan\s*\(?\s*tests\s*=>\s*|\w+\.plan\(\s*|plan\s+|1\.\.|"
    r"print\s+[\"']1\.\.)(\d+)(.*)$"
)


def _higher_plan(old: str, new: str) -> bool:
    one, other = _PLAN.match(old), _PLAN.match(new)
    if not one or not other or (one[1], one[3]) != (other[1], other[3]):
        return False
    return len(one[2]) < 9 and len(other[2]) < 9 and int(one[2]) <= int(other[2])


def _only_rows(old: Block, new: Block) -> bool:
    """The same block with more rows in a table, more whole subtests, or more tests registered."""
    before = [(line.text, line.inside) for line in old.lines]
    after = [(line.text, line.inside) for line in new.lines]
    if max(len(before), len(after)) > MOST:
        return False
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        fresh = list(new.lines[k:end])
        if tag == "replace" and j - i == 1 and fresh[0].text == f"{before[i][0]},":
            fresh = fresh[1:]  # the comma that a further row needs
        elif tag != "insert":
            return False
        turned, start = _turned(fresh, new.lines, end - len(fresh))
        if fresh and not _is_addition(turned, new.lines, start):
            return False
    return True


def _turned(fresh: list[Line], lines: Sequence[Line], start: int) -> tuple[list[Line], int]:
    """The same insertion, begun where its brackets open: a difference may also begin with the end
    of the block before it, where both end with the same line.
    """
    turned = list(fresh)
    while turned and balance(turned)[1] < 0 and start > 0:
        if lines[start - 1].text != turned[-1].text:
            break
        start -= 1
        turned = [lines[start], *turned[:-1]]
    return turned, start


def _is_addition(fresh: list[Line], lines: Sequence[Line], start: int) -> bool:
    if balance(fresh) != (0, 0) or any(
        line.open_quote or line.inside == "comment" for line in fresh
    ):
        return False
    after = lines[start + len(fresh) :]
    if after and all(not line.inside and _CLOSES.match(line.text) for line in after):
        return True  # all that was there has run before
    if all(_REGISTERED.match(line.text) for line in fresh):
        return True
    indent = min(line.indent for line in fresh)
    heads = [line for line in fresh if line.indent == indent and not _CLOSER.match(line.text)]
    if all(_SUBTEST.match(line.text) for line in heads):
        return True
    if _opener(lines[:start]) not in {"[", "{"}:
        return False
    return all(_ROW.match(line.text) for line in heads) and fresh[-1].text.endswith((",", "}", "]"))


def _opener(lines: Sequence[Line]) -> str:
    """The bracket that is open at the end of these lines."""
    depth = 0
    for line in reversed(lines):
        for char in reversed(line.code if not line.inside else ""):
            if char in ")]}":
                depth += 1
            elif char in "([{":
                if not depth:
                    return char
                depth -= 1
    return ""


def _harm(fresh: Sequence[Block]) -> list[str]:
    """Additions that change what stands around them; empty if they do not."""
    lines = [line for block in fresh for line in block.lines]
    if balance(lines) != (0, 0) or any(line.open_quote for line in lines):
        return [f"+{line.text}" for line in lines]
    return [
        f"+{line.text}"
        for block in fresh
        for line in block.lines
        if _HOOK.match(line.text) and line.indent == block.lines[block.head].indent
    ]


def _shadowing(
    old: Sequence[Block], new: Sequence[Block], additions: set[int], depth: int
) -> list[str]:
    """New definitions of names that the old text has, and that its blocks then mean."""
    functions = {name for block in old for name in _defined(block.lines[block.head].text)}
    names = functions | {name for block in old for name in _bound(block)}
    code = "\n".join(line.code for block in old for line in block.lines) if depth == 0 else ""
    shown: list[str] = []
    for at in sorted(additions):
        text = new[at].lines[new[at].head].text
        again = [name for name in _defined(text) if name in functions or _calls(name, code)]
        target = _ASSIGNS.match(text)
        if target and (base := _BASE.split(target[1])[0]) in names:
            word = re.compile(rf"(?<![\w$]){re.escape(base)}(?![\w$])")
            later = (new[k] for k in range(at + 1, len(new)) if k not in additions)
            deep = base != target[1]
            again += [base] if deep or any(word.search(_joined(block)) for block in later) else []
        shown += [f"+{text}"] if again else []
    return shown


def _calls(name: str, code: str) -> bool:
    """Whether the code uses the name, and not as a member of something."""
    return bool(code and re.search(rf"(?<![\w.$>:@]){re.escape(name)}(?![\w$])", code))


def _defined(text: str) -> tuple[str, ...]:
    match = _DEFINES.match(text)
    return tuple(name for name in match.groups() if name) if match else ()


def _bound(block: Block) -> Iterator[str]:
    """Names that a block binds: what it imports, and what stands left of its `=`."""
    text = _joined(block)
    if _IMPORT.match(text):
        yield from _NAME.findall(text)
    elif match := _ASSIGNS.match(text):
        yield _BASE.split(match[1])[0]
