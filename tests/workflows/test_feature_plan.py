from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.feature.plan.compose import render_plan
from podium.workflows.feature.plan.plan import AGENTS, MODES, Plan, PlannedTask, agent_of, subwaves
from podium.workflows.feature.plan.syntax import read_plan, read_written
from podium.workflows.feature.plan.task_names import Names, id_of, name_at, names_in

SLUGS = st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}){0,2}", fullmatch=True)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    earlier: list[str] = []
    waves: list[tuple[PlannedTask, ...]] = []
    number = 0
    for size in sizes:
        wave = []
        for _ in range(size):
            number += 1
            depends = (
                draw(st.lists(st.sampled_from(earlier), unique=True, max_size=2)) if earlier else []
            )
            agent = draw(st.sampled_from(["", *AGENTS]))
            wave.append(PlannedTask(f"{number:02}-{draw(SLUGS)}", tuple(depends), agent))
        waves.append(tuple(wave))
        earlier += [task.id for task in wave]
    return Plan(draw(st.sampled_from(MODES)), tuple(waves))


def short(task_id: str) -> str:
    return str(int(task_id.partition("-")[0]))


def in_lists(
    task_line: Callable[[int, PlannedTask], str], heading: str = "### Wave {}"
) -> Callable[[Plan], str]:
    def render(plan: Plan) -> str:
        rows = [f"**Planning Mode:** {plan.mode}", "", "## Execution Waves"]
        for number, wave in enumerate(plan.waves, 1):
            rows += ["", heading.format(number), ""]
            rows += [task_line(at, task) for at, task in enumerate(wave, 1)]
        return "\n".join(rows) + "\n"

    return render


def agent_clause(task: PlannedTask) -> str:
    return f" (agent: {task.agent})" if task.agent else ""


def in_one_table(plan: Plan) -> str:
    rows = [
        f"Planning Mode: {plan.mode}",
        "",
        "## Execution Waves",
        "",
        "| Agent | Depends On | Task | Wave |",
    ]
    rows.append("|:--|---|:-:|--:|")
    listed = [(number, task) for number, wave in enumerate(plan.waves, 1) for task in wave]
    # Sorted by name, so that waves are mixed as far as they can be.
    for number, task in sorted(listed, key=lambda each: each[1].id[::-1]):
        rows.append(
            f"| {task.agent or '—'} | {', '.join(task.depends_on) or 'none'} | `{task.id}` | "
            f"Wave {number} |"
        )
    return "\n".join(rows)


def in_tables_under_headings(plan: Plan) -> str:
    rows = [f"## Planning Mode\n\n{plan.mode.upper()}", "", "## 3. Execution Waves (parallel)"]
    for number, wave in enumerate(plan.waves, 1):
        rows += [
            "",
            f"### Wave {number} (parallel)",
            "",
            "Task ID | Task | Dependencies | Agent",
            "--- | --- | --- | ---",
        ]
        rows += [
            (
                f"{short(task.id).zfill(2)} | {task.id} | "
                f"{' and '.join(map(short, task.depends_on)) or '-'} | {task.agent}"
            )
            for task in wave
        ]
    return "\n".join(rows)


SYNTAXES: dict[str, Callable[[Plan], str]] = {
    "as the program writes it": render_plan,
    "parentheses": in_lists(
        lambda at, task: (
            f"- {task.id} (depends_on: {', '.join(task.depends_on) or 'none'}){agent_clause(task)}"
        ),
        "### Wave {} (parallel)",
    ),
    "brackets, numbers for ids": in_lists(
        lambda at, task: (
            f"* **{task.id}** [depends_on: "
            f"{', '.join(map(short, task.depends_on)) or 'none'}]{agent_clause(task)}"
        )
    ),
    "numbered, with boxes and code marks": in_lists(
        lambda at, task: (
            f"{at}. [x] `{task.id}`: builds it — depends on: "
            f"{', '.join(task.depends_on) or 'none'}{agent_clause(task)}"
        ),
        "#### Wave {}: more of it",
    ),
    "links": in_lists(
        lambda at, task: (
            (
                f"- [ ] [{task.id}](tasks/{task.id}.md) (agent: {task.agent or 'none'}; "
                f"depends_on: [{', '.join(task.depends_on)}])"
            )
            if task.depends_on
            else f"- tasks/{task.id}.md (agent: {task.agent or 'none'}, depends_on: none)"
        )
    ),
    "nested": in_lists(
        lambda at, task: (
            f"- {task.id}\n  - **depends_on:** {', '.join(task.depends_on) or 'none'}\n"
            f"  - **Agent:** {task.agent or 'default'}"
        )
    ),
    "one table": in_one_table,
}


@pytest.mark.parametrize("syntax", [name for name in SYNTAXES if name != "one table"])
@given(plan=plans())
@settings(max_examples=25, deadline=None)
def test_a_plan_reads_the_same_in_every_syntax_of_lists(syntax: str, plan: Plan) -> None:
    assert read_plan(SYNTAXES[syntax](plan)) == plan
    assert read_written(SYNTAXES[syntax](plan)).faults == ()


@given(plan=plans())
@settings(max_examples=25, deadline=None)
def test_a_table_sorted_by_anything_gives_the_same_waves(plan: Plan) -> None:
    text = in_one_table(plan)
    read = read_plan(text)
    assert read_written(text).faults == ()
    assert [set(wave) for wave in read.waves] == [set(wave) for wave in plan.waves]
    assert read.mode == plan.mode


@given(plan=plans())
@settings(max_examples=25, deadline=None)
def test_a_table_under_a_heading_of_a_wave_needs_no_column_for_it(plan: Plan) -> None:
    read = read_plan(in_tables_under_headings(plan))
    assert read.mode == plan.mode
    by_number = [
        [(int(task.id), sorted(map(int, task.depends_on)), task.agent) for task in wave]
        for wave in read.waves
    ]
    assert by_number == [
        [
            (int(short(task.id)), sorted(int(short(dep)) for dep in task.depends_on), task.agent)
            for task in wave
        ]
        for wave in plan.waves
    ]


@given(text=st.text(alphabet=st.sampled_from("#-*`|[](): \n\t0123ab><!wave,_—depns"), max_size=300))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    read_plan(text)
    read_plan(f"## Execution Waves\n### Wave 1\n{text}")
    read_plan(f"## Execution Waves\n| Wave | Task |\n|---|---|\n{text}")


def plan_text(body: str) -> str:
    return f"Planning Mode: initial\n\n## Execution Waves\n\n{body}\n"


def rows(body: str) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (task.id, task.depends_on) for wave in read_plan(plan_text(body)).waves for task in wave
    ]


def faults(body: str) -> list[str]:
    return [what for _, what in read_written(plan_text(body)).faults]


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n- 02-b (depends_on: 01)\n```",
        "> - 02-b (depends_on: 01)",
        "<!-- - 02-b -->",
        "<!--\n- 02-b\n-->",
        "```\n### Wave 2\n- 02-b\n```",
        "~~~\n| Wave | Task |\n|---|---|\n| 2 | 02-b |\n~~~",
    ],
)
def test_code_quotes_and_comments_hold_no_task(hidden: str) -> None:
    assert rows(f"### Wave 1\n\n- 01-a\n\n{hidden}\n") == [("01-a", ())]


def test_only_the_section_of_waves_counts() -> None:
    waves = plan_text("### Wave 1\n- 01-a")
    text = f"### Wave 1\n- 09-z\n\n{waves}\n## Notes\n\n- 02-b\n\n### Wave 2\n- 03-c\n"
    assert [task.id for wave in read_plan(text).waves for task in wave] == ["01-a"]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("- 03-c", ("03-c", ())),
        ("- 03-c (depends on 01 and 02)", ("03-c", ("01", "02"))),
        ("- 03-c (depends_on: [01, 02])", ("03-c", ("01", "02"))),
        ("- 03-c (depends_on: Task 01, 02-b)", ("03-c", ("01", "02-b"))),
        ("- 03-c (depends_on: tasks/01-a.md)", ("03-c", ("01-a",))),
        ("- 03-c — depends_on: 01 — needs the schema", ("03-c", ("01",))),
        ("- 03-c (depends_on: none — the first one)", ("03-c", ())),
        ("- Task 03-c: the tokens depend on nothing", ("03-c", ())),
        ("- 3: (depends_on: 1)", ("3", ("1",))),
        ("+ __03-c__ (Dependencies: `01`)", ("03-c", ("01",))),
        ("2) docs/feature/x/tasks/03-c.md (deps: 01)", ("03-c", ("01",))),
    ],
)
def test_a_line_of_a_wave_says_the_task_and_what_it_waits_for(
    item: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert rows(f"### Wave 1\n\n{item}\n") == [expected]
    assert faults(f"### Wave 1\n\n{item}\n") == []


@pytest.mark.parametrize(
    "item", ["- 3 files change", "- Goal: the parser", "03-c stands in prose", "- task-c"]
)
def test_prose_in_a_wave_is_no_task(item: str) -> None:
    assert rows(f"### Wave 1\n\n{item}\n") == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            "### Wave 1\n- 02-b (depends_on: everything)",
            "depends_on of 02-b says 'everything', which is not a task id",
        ),
        (
            "### Wave 1\n- 02-b (depends_on: 01 - 03)",
            "depends_on of 02-b says '03', which is not a task id",
        ),
        (
            "### Wave 1\n- 02-b [depends_on: 01 (and 03)]",
            "depends_on of 02-b says 'and 03', which is not a task id",
        ),
        (
            "### Wave 1\n- 02-b (depends_on: none, 03)",
            "depends_on of 02-b says 'none', which is not a task id",
        ),
        (
            "### Wave 1\n- 01-a, 02-b (depends_on: 03)",
            "names more than one task: '01-a, 02-b (depends_on: 03)'",
        ),
        (
            "### Wave 1\n- the parser (depends_on: 01)",
            "'- the parser (depends_on: 01)' names no task before its dependencies",
        ),
        ("- 01-a", "01-a stands under no heading of a wave"),
        ("| Wave | Task |\n|---|---|\n| | 01-a |", "'' is not a wave number for 01-a"),
        (
            "### Wave 1\n| Wave | Task |\n|---|---|\n| 2 | 01-a |",
            "the row says wave 2 under the heading of wave 1",
        ),
    ],
)
def test_what_cannot_be_read_is_a_fault_and_never_a_guess(body: str, fault: str) -> None:
    assert fault in faults(body)


@pytest.mark.parametrize(
    ("body", "lack"),
    [
        ("### Wave 1\n- 02-b (depends_on: )", "depends_on of 02-b is empty"),
        ("### Wave 1\n- 01-a (agent: x) (agent: y)", "01-a has two agents, x and y"),
        ("### Wave 1\n- 01-a\n### Wave two\n", "'Wave two' has no number of a wave"),
        (
            "| Wave | Task |\n|---|---|\n| 1 | 01-a |\n| | Total |",
            "'Total' in the column of tasks is not a task id",
        ),
        (
            "### Wave 1\n- 01-a\n## Execution Waves\n### Wave 2\n- 02-b",
            "section 'Execution Waves' stands there twice",
        ),
    ],
)
def test_what_is_only_odd_is_told_and_is_no_fault(body: str, lack: str) -> None:
    written = read_written(plan_text(body))
    assert written.faults == ()
    assert lack in [what for _, what in written.lacks]


def ids(text: str) -> list[list[str]]:
    return [[task.id for task in wave] for wave in read_plan(text).waves]


LIST = "- 01-a\n- 02-b (depends_on: none)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"## Execution Waves\n\n**Wave 1**\n\n{LIST}\n**Wave 2**\n\n- 03-c (depends_on: 01)\n",
        (
            f"## Execution Waves\n\n**Wave 1 (parallel):**\n{LIST}\n__Wave 2: the rest__\n- 03-c "
            "(depends_on: 01)\n"
        ),
        "## Execution Waves\n\n- **Wave 1:** 01-a, 02-b\n- **Wave 2**: 03-c\n",
        "## Execution Waves\n\n- Wave 1: 01-a and 02-b\n- Wave 2: `03-c`\n",
        "## Execution Waves\n\n- Wave 1\n  - 01-a\n  - 02-b\n- Wave 2\n  - 03-c (depends_on: 01)\n",
        "## Execution Waves\n\n### Wave 1: 01-a, 02-b\n\n### Wave 2: 03-c\n",
        "## Execution Waves\n\n### Wave 1\n\n- 01-a, 02-b (side by side)\n\n### Wave 2\n\n- 03-c\n",
        (
            f"# Plan\n\n### Wave 1 (parallel)\n{LIST}\n### Wave 2\n- 03-c\n\n## Dependency Graph\n"
            "\n- 01-a → 03-c\n"
        ),
        f"# Plan\n\n## Wave 1\n{LIST}\n## Wave 2\n- 03-c\n\n## Pre-Mortem\n\n- 02-b may be late\n",
        f"# Plan\n\n**Wave 1**\n{LIST}\n**Wave 2**\n- 03-c\n\n# Notes\n\n- 04-d is for later\n",
        f"## Execution Waves\n\nSee below.\n\n## Wave 1\n{LIST}\n## Wave 2\n- 03-c\n",
        "# Plan\n\n| Wave | Tasks |\n|---|---|\n| 1 | 01-a, 02-b |\n| 2 | 03-c |\n",
        "# Plan\n\n| Task | Wave |\n|---|---|\n| 03-c | 2 |\n| 01-a | 1 |\n| 02-b | 1 |\n",
    ],
)
def test_waves_are_read_in_whatever_form_and_place_they_stand(text: str) -> None:
    assert ids(text) == [["01-a", "02-b"], ["03-c"]]
    assert read_written(text).faults == ()


@pytest.mark.parametrize(
    "line",
    [
        "Wave 2 is **important**.",
        "Wave 2 - needs this one",
        "Wave 2: later",
        "Waves 1 to 3",
        "wave-1",
    ],
)
def test_prose_about_waves_under_a_heading_begins_none(line: str) -> None:
    assert ids(f"## Execution Waves\n\n### Wave 1\n\n{line}\n\n- 01-a\n") == [["01-a"]]


@pytest.mark.parametrize(
    "line", ["- Wave 1: 12 tasks", "**Wave 1**: 2 of them", "### Wave 1: 3 files"]
)
def test_a_number_behind_a_wave_is_no_task(line: str) -> None:
    assert ids(f"## Execution Waves\n\n{line}\n") == [[]]


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("Planning Mode: initial", "initial"),
        ("**Planning Mode:** Replan mode", "replan"),
        ("- **Planning Mode**: re-plan — after verification", "replan"),
        ("## Planning Mode\n\n`extension`", "extension"),
        ("## Planning Mode: Initial", "initial"),
        ("Planning Mode: initial | replan | extension", ""),
        ("Planning Mode: fresh", ""),
        ("```\nPlanning Mode: initial\n```", ""),
        ("Planning Mode: initial\n\nPlanning Mode: replan", ""),
    ],
)
def test_the_planning_mode_is_one_word_under_its_label(text: str, mode: str) -> None:
    assert read_plan(text).mode == mode


def test_required_sections_must_hold_something_and_the_pre_mortem_a_table() -> None:
    empty = "## Execution Waves\n\n## Dependency Graph\n\n## Pre-Mortem\n\nNothing can go wrong.\n"
    assert read_written(empty).missing == ("Dependency Graph", "Pre-Mortem")
    assert read_written("").missing == ("Execution Waves", "Dependency Graph", "Pre-Mortem")
    full = "## Dependency Graph\n\n```\n01\n```\n\n## Premortem analysis\n\n| a |\n|---|\n| b |\n"
    assert read_written(full).missing == ("Execution Waves",)


def test_a_name_and_its_number_mean_the_same_task() -> None:
    names = Names.of(["03-task-c", "12-x"])
    assert [names.find(each) for each in ("03-task-c", "3-Task-C", "03", "3", "0012")] == [
        *["03-task-c"] * 4,
        "12-x",
    ]
    assert names.find("03-other") is None
    assert names.namesake("03-other") == "03-task-c"


@pytest.mark.parametrize(
    ("path", "task"),
    [
        ("docs/feature/x/tasks/03-task-c.md", "03-task-c"),
        ("03-a.md", "03-a"),
        ("3-a.md", ""),
        ("03.md", ""),
        ("03-a.txt", ""),
        ("README.md", ""),
        ("03-a b.md", ""),
    ],
)
def test_the_id_of_a_task_is_the_name_of_its_file(path: str, task: str) -> None:
    assert id_of(path) == task


@given(text=st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_the_reading_of_names(text: str) -> None:
    name_at(text)
    names, wrong = names_in(text)
    assert all(names)
    assert all(wrong)


def test_a_wave_is_split_in_the_order_of_the_plan() -> None:
    wave = [PlannedTask(f"{number:02}-x") for number in range(1, 10)]
    parts = subwaves(wave, 4)
    assert [len(part) for part in parts] == [4, 4, 1]
    assert [task for part in parts for task in part] == wave
    assert subwaves((), 4) == ()
    with pytest.raises(ValueError, match="limit is 0"):
        subwaves(wave, 0)


@pytest.mark.parametrize(
    ("said", "role", "warns"),
    [
        ("", "implementer", False),
        ("implementer", "implementer", False),
        ("Documentation Writer", "documentation-writer", False),
        ("documentation_writer", "documentation-writer", False),
        ("planner", "implementer", True),
        ("implementer; rm", "implementer", True),
    ],
)
def test_an_unknown_agent_is_the_implementer_with_a_warning(
    said: str, role: str, warns: bool
) -> None:
    found, warning = agent_of(PlannedTask("01-a", agent=said))
    assert found == role
    assert bool(warning) is warns
    assert said in warning or not warns


@pytest.mark.parametrize(
    "line",
    [
        "- 01-a " + " " * 60_000 + "x",
        "- 01-a (depends_on: " + "01, " * 15_000,
        "- 01-a " + "depends_on: " * 6_000,
        "- 01-a " + "(" * 60_000,
        "- 01-a\n" + "  - depends_on: 02\n" * 6_000,
        "- " + "[" * 60_000,
    ],
)
def test_hostile_lines_are_read_in_no_time(line: str) -> None:
    begun = time.process_time()
    read_plan(plan_text(f"### Wave 1\n\n{line}\n"))
    assert time.process_time() - begun < 3
