from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from podium.formats.markdown import scan
from podium.workflows.feature.memory import memory
from podium.workflows.feature.memory.memory import Artifact, Entry, Memory, TaskResult

PHASES = ("0", "1", "2", "3", "3b", "4", "5", "6", "7")
HOSTILE = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="ab.,;|[]()`*_#-—:!? \n\t<>\\{}→STEPstep19", max_size=60),
    st.sampled_from(
        [
            "\n## Lessons Learned\n- [spec, step-2] forged",
            "[INVALIDATED — x] y",
            "y [INVALIDATED: x]",
            "[INVALIDATED] [INVALIDATED] z",
            "A. B [INVALIDATED — x.] C. D. E.",
            "<!-- hidden",
            "--> shown",
            "```",
            "| a | b |",
            "- [x] done",
            "First one. Second one. Third one.",
            "a" * 500,
            "None",
            "step-step-3",
            "[spec, step-2] told",
        ]
    ),
)
ENTRIES = st.lists(st.builds(Entry, HOSTILE, HOSTILE, HOSTILE, HOSTILE), max_size=3).map(tuple)
ROWS = st.lists(
    st.builds(Artifact, HOSTILE, st.lists(HOSTILE, max_size=3).map(tuple), HOSTILE), max_size=3
).map(tuple)
MEMORIES = st.builds(Memory, ROWS, ENTRIES, ENTRIES, ENTRIES)


def read(text: str) -> Memory:
    found, _ = memory.parse(text)
    assert found is not None
    return found


def told(**sections: str) -> str:
    text = "# Operational Memory\n"
    for name, title in (
        ("artifacts", "Artifact Index"),
        ("decisions", "Recent Decisions"),
        ("lessons", "Lessons Learned"),
        ("updates", "Recent Updates"),
    ):
        text += f"\n## {title}\n\n{sections.get(name, '')}\n"
    return text


SAMPLE = Memory(
    (Artifact("analysis.md", ("Summary", "Risks"), "researcher"),),
    (
        Entry("researcher", "1.2", "Keep the parser. Rationale: it is tested."),
        Entry("spec", "2", "Two modes only. Rationale: the request names two."),
    ),
    (Entry("implementer", "5.2", "Fixture order mattered → sorted it."),),
    (Entry("spec", "2", "Updated `feature.md` — first version."),),
)


# The codec


@settings(max_examples=300, deadline=None)
@given(MEMORIES)
@example(Memory(artifacts=(Artifact("Artifact", ("Key Sections",), "Last Updated By"),)))
def test_a_memory_is_read_back_as_it_was_written(given_memory: Memory) -> None:
    text = memory.render(given_memory)
    assert memory.parse(text) == (given_memory, ())
    assert memory.render(read(text)) == text


@settings(max_examples=100, deadline=None)
@given(MEMORIES)
def test_no_text_forges_a_heading_of_the_file(given_memory: Memory) -> None:
    titles = [heading.title for heading in scan(memory.render(given_memory)).headings]
    assert titles == [
        *("Operational Memory", "Artifact Index", "Recent Decisions"),
        *("Lessons Learned", "Recent Updates"),
    ]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.lists(HOSTILE, max_size=6))
def test_any_file_is_read_or_refused_and_nothing_is_lost_the_second_time(
    noise: str, parts: list[str]
) -> None:
    text = told(decisions="\n".join(parts)) + noise
    found, faults = memory.parse(text)
    if found is None:
        assert faults
    else:
        assert read(memory.render(found)) == found


@settings(max_examples=100, deadline=None)
@given(MEMORIES)
def test_the_record_gives_the_same_memory_back(given_memory: Memory) -> None:
    assert memory.from_data(json.loads(json.dumps(memory.to_data(given_memory)))) == given_memory


def test_an_empty_memory_has_the_title_the_table_and_the_three_lists() -> None:
    text = memory.render(memory.initial())
    assert text.startswith(
        "# Operational Memory\n\n## Artifact Index\n\n| Artifact | Key Sections | Last "
        "Updated By |\n"
    )
    assert "- [agent-name, step-N] Decision. Rationale: …" in text
    assert "- [agent-name, step-N] Issue → Resolution." in text
    assert "- [agent-name, step-N] Updated `path` — summary." in text


def test_entries_are_written_in_the_one_format() -> None:
    text = memory.render(SAMPLE)
    assert "| analysis.md | Summary, Risks | researcher |" in text
    assert "- [researcher, step-1.2] Keep the parser. Rationale: it is tested." in text
    assert "- [spec, step-2] Updated `feature.md` — first version." in text


def test_an_invalidated_entry_says_why_in_front() -> None:
    text = memory.render(memory.invalidated(SAMPLE, "researcher", "the design changed"))
    assert "- [researcher, step-1.2] [INVALIDATED — the design changed] Keep the parser." in text


@pytest.mark.parametrize(
    "line",
    [
        "- [spec, step-2] Two modes only.",
        "* [spec, step-2] Two modes only.",
        "1. [spec, step 2] Two modes only.",
        "- [ spec ,  Step-2 ]: Two modes only.",
        "- **[spec, step-2]** Two modes only.",
        "- **[spec, step-2]** — Two modes only.",
        "- `[spec, step-2]` Two modes only.",
        "- [x] [spec, step-2] Two modes only.",
        "- (spec, step-2) Two modes only.",
        "- [spec; 2] Two modes only.",
        "- [spec, step-2] Two\n  modes only.",
        "- [spec, step-2] Two\nmodes only.",
        "- [spec, step-2] Two modes\n  - only.",
        "-   [spec, step-2]   Two   modes only.  ",
        "[spec, step-2] Two modes only.",
    ],
)
def test_small_variations_of_an_entry_mean_the_same(line: str) -> None:
    assert read(told(decisions=line)).decisions == (Entry("spec", "2", "Two modes only."),)


@pytest.mark.parametrize(
    "line",
    [
        "- [spec, step-2] [INVALIDATED — new request] Two modes.",
        "- [spec, step-2] [INVALIDATED: new request] Two modes.",
        "- [spec, step-2] **[Invalidated - new request]** Two modes.",
        "- [spec, step-2] Two modes. [INVALIDATED — new request]",
        "- [INVALIDATED — new request] [spec, step-2] Two modes.",
    ],
)
def test_a_mark_is_read_wherever_people_put_it(line: str) -> None:
    assert read(told(decisions=line)).decisions == (
        Entry("spec", "2", "Two modes.", "new request"),
    )


def test_an_entry_that_names_nobody_is_kept_and_said() -> None:
    found, faults = memory.parse(told(lessons="- Caches lie.\n"))
    assert found is not None
    assert found.lessons == (Entry("unknown", "?", "Caches lie."),)
    assert faults == ("'Caches lie.' names no agent and step",)


def test_words_for_nothing_are_no_entries() -> None:
    assert (
        read(
            told(artifacts="None yet.", decisions="None", lessons="_None yet._", updates="- (none)")
        )
        == Memory()
    )


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            "| Artifact | Key Sections | Last Updated By |\n| `a.md` | X, Y | spec |",
            Artifact("a.md", ("X", "Y"), "spec"),
        ),
        (
            "| Artifact | Key Sections | Last Updated By |\n|:--|---|--:|\n| a.md | | |",
            Artifact("a.md"),
        ),
        ("| a.md | `X` | spec", Artifact("a.md", ("X",), "spec")),
        ("a.md | X | spec", Artifact("a.md", ("X",), "spec")),
        ("- a.md", Artifact("a.md")),
    ],
)
def test_rows_of_the_index_are_read_with_and_without_frames(rows: str, expected: Artifact) -> None:
    assert read(told(artifacts=rows)).artifacts == (expected,)


def test_text_in_code_quotes_and_comments_is_no_entry() -> None:
    hidden = "```\n- [a, step-1] no\n```\n\n> - [a, step-1] no\n\n<!-- - [a, step-1] no -->\n"
    assert read(told(decisions=hidden)).decisions == ()


def test_more_than_two_sentences_are_cut_with_a_warning() -> None:
    found, faults = memory.parse(told(decisions="- [spec, step-2] One. Two. Three. Four."))
    assert found is not None
    assert found.decisions == (Entry("spec", "2", "One. Two."),)
    assert len(faults) == 1
    assert "longer than two sentences" in faults[0]


@pytest.mark.parametrize(
    "text",
    ["One, e.g. this. Two v1.2.3 of it.", "Keep it. Rationale: it is i.e. short.", "What? Yes!"],
)
def test_two_sentences_are_two_whatever_dots_are_in_them(text: str) -> None:
    assert Entry("a", "1", text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing like it",
        "# Operational Memory\n",
        "# Notes\n\n- [a, step-1] x\n",
        "\0" + told(),
    ],
)
def test_a_file_without_any_of_its_sections_is_corrupt(text: str) -> None:
    found, faults = memory.parse(text)
    assert found is None
    assert len(faults) == 1


def test_a_missing_or_foreign_section_is_said_and_the_rest_is_read() -> None:
    found, faults = memory.parse(
        "## Recent Decisions\n\n- [spec, step-2] Yes.\n\n## Diary\n\n- rain\n"
    )
    assert found is not None
    assert found.decisions == (Entry("spec", "2", "Yes."),)
    assert "section 'Recent Updates' is missing" in faults
    assert "section 'Diary' is none of the memory's; it was not read" in faults


@pytest.mark.parametrize(
    "part",
    [
        "[INVALIDATED] ",
        "- [a, step-1] x\n",
        ". A",
        "[a, step-1] ",
        "| a ",
        "((((",
        "<!-- ",
        "**[",
        "- ",
    ],
)
def test_long_hostile_files_are_read_in_time(part: str) -> None:
    text = told(decisions=(part * 190_000)[:190_000])
    began = time.process_time()
    memory.parse(text)
    assert time.process_time() - began < 5


def test_a_file_beyond_the_limit_is_not_read() -> None:
    found, faults = memory.parse(told(decisions="x" * memory.MAX_TEXT))
    assert found is None
    assert "the limit is 200,000" in faults[0]


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"artefacts": []},
        {"decisions": "x", "lessons": None, "updates": 3},
        {"decisions": [1, None, "x"]},
        {"artifacts": [{"path": 1}, {}, 2]},
    ],
)
def test_what_is_damaged_in_a_record_is_left_out(data: object) -> None:
    assert memory.from_data(data) == Memory()


def test_a_record_edited_by_hand_gives_what_can_be_read() -> None:
    record = memory.to_data(SAMPLE)
    record["lessons"].append("not an entry")
    record["artifacts"][0]["sections"].append(7)
    record["diary"] = ["rain"]
    assert memory.from_data(record) == SAMPLE


# The lifecycle


@pytest.mark.parametrize(
    ("phase", "kept"),
    [
        ("0", ["0", "1.1", "1.2", "2", "3", "3b.1", "4a", "5.2", "later"]),
        ("1", ["0", "1.1", "1.2", "2", "3", "3b.1", "4a", "5.2", "later"]),
        ("2", ["1.1", "1.2", "2", "3", "3b.1", "4a", "5.2", "later"]),
        ("3b", ["3", "3b.1", "4a", "5.2", "later"]),
        ("4", ["3b.1", "4a", "5.2", "later"]),
        ("7", ["later"]),
        ("nowhere", ["0", "1.1", "1.2", "2", "3", "3b.1", "4a", "5.2", "later"]),
    ],
)
def test_pruning_keeps_this_phase_and_the_one_before(phase: str, kept: list[str]) -> None:
    steps = ("0", "1.1", "1.2", "2", "3", "3b.1", "4a", "5.2", "later")
    entries = tuple(Entry("spec", step, f"at {step}") for step in steps)
    before = Memory((Artifact("a.md"),), entries, entries, entries)
    after = memory.pruned(before, phase, PHASES)
    assert [each.step for each in after.decisions] == kept
    assert [each.step for each in after.updates] == kept
    assert after.lessons == entries
    assert after.artifacts == before.artifacts


@pytest.mark.parametrize("meant", ["v-tests", "v-*", "6", "step-6", "6.2"])
def test_invalidation_marks_decisions_and_updates_of_an_agent_or_a_step(meant: str) -> None:
    one, other = Entry("v-tests", "6.2", "Suite is red."), Entry("spec", "2", "Two modes.")
    after = memory.invalidated(Memory((), (one, other), (one,), (one,)), meant, "replanned")
    assert after.decisions == (Entry("v-tests", "6.2", "Suite is red.", "replanned"), other)
    assert after.updates[0].invalidated == "replanned"
    assert after.lessons == (one,)
    assert memory.cleaned(after) == Memory((), (other,), (one,), ())


def test_a_first_reason_is_not_replaced_and_no_reason_is_still_a_mark() -> None:
    once = memory.invalidated(SAMPLE, "spec", "")
    assert once.decisions[1].invalidated == "no reason given"
    assert memory.invalidated(once, "spec", "later") == once
    assert memory.invalidated(SAMPLE, "", "whatever") == SAMPLE


def test_lessons_come_from_arrows_fields_and_failures() -> None:
    outcomes = [
        TaskResult("01-a", "implementer", "5.2", "DONE", "01-a"),
        TaskResult(
            "02-b",
            "implementer",
            "5.2",
            "DONE",
            text="## Lessons Learned\n\n- Clock was read twice -> read once\n- no arrow\n",
        ),
        TaskResult(
            "03-c",
            "implementer",
            "5.2",
            "DONE",
            text="**Issue:** Flaky port\n**Resolution:** Let the system choose\n",
        ),
        TaskResult("04-d", "implementer", "5.2", "ERROR", "cannot import x. It is gone."),
    ]
    lessons = memory.lessons_from(SAMPLE, outcomes).lessons[1:]
    assert [each.text for each in lessons] == [
        "Clock was read twice → read once.",
        "Flaky port → Let the system choose.",
        "task 04-d failed: cannot import x. It is gone → not resolved.",
    ]
    assert memory.lessons_from(
        memory.lessons_from(SAMPLE, outcomes), outcomes
    ) == memory.lessons_from(SAMPLE, outcomes)


def test_a_document_of_the_documentation_writer_is_indexed() -> None:
    result = TaskResult(
        "05-doc",
        "documentation-writer",
        "5.2",
        "DONE",
        "Usage explained",
        path="docs/use.md",
        sections=("Usage",),
    )
    after = memory.lessons_from(memory.initial(), [result])
    assert after.artifacts == (Artifact("docs/use.md", ("Usage",), "documentation-writer"),)
    assert after.updates == (
        Entry("documentation-writer", "5.2", "Updated `docs/use.md` — Usage explained."),
    )


def test_a_failed_task_is_not_indexed() -> None:
    result = TaskResult("05-doc", "documentation-writer", "5.2", "ERROR", "no", path="docs/use.md")
    assert memory.lessons_from(memory.initial(), [result]).artifacts == ()


def test_recording_an_artifact_again_keeps_one_row_and_its_sections() -> None:
    after = memory.recorded(SAMPLE, "designer", "3", "analysis.md", "risk added.")
    assert after.artifacts == (Artifact("analysis.md", ("Summary", "Risks"), "designer"),)
    assert after.updates[-1] == Entry("designer", "3", "Updated `analysis.md` — risk added.")


def test_writing_is_seen_by_signature() -> None:
    assert not memory.wrote(SAMPLE, SAMPLE, "spec")
    assert memory.wrote(memory.initial(), SAMPLE, "spec")
    assert memory.wrote(memory.initial(), SAMPLE, "researcher")
    assert not memory.wrote(memory.initial(), SAMPLE, "designer")


def test_a_memory_is_rebuilt_from_verified_artifacts() -> None:
    facts = [
        ("research/impact", "researcher", "research/impact.md"),
        ("design", "designer", "design.md"),
        ("design/2", "designer", "design.md"),
    ]
    found = memory.rebuilt(facts)
    assert [each.path for each in found.artifacts] == ["research/impact.md", "design.md"]
    assert [each.step for each in found.updates] == ["research/impact", "design", "design/2"]
    assert memory.parse(memory.render(found)) == (found, ())


# What an agent wrote


def test_an_agent_may_add_entries_and_rows() -> None:
    new = Entry("designer", "3", "One table. Rationale: simple.")
    after = Memory(
        (*SAMPLE.artifacts, Artifact("design.md", ("Data Model",), "designer")),
        (*SAMPLE.decisions, new),
        SAMPLE.lessons,
        SAMPLE.updates,
    )
    assert memory.accepted(SAMPLE, memory.render(after), "designer", "3") == (after, ())


def test_what_others_wrote_cannot_be_removed_or_changed() -> None:
    text = (
        memory.render(SAMPLE)
        .replace("Two modes only.", "Nine modes.")
        .replace("Fixture order", "Nothing")
    )
    text = "\n".join(
        line
        for line in text.splitlines()
        if "Keep the parser" not in line and "analysis.md" not in line
    )
    found, warnings = memory.accepted(SAMPLE, text, "designer", "3")
    assert found == SAMPLE
    assert len(warnings) == 3
    assert any("Recent Decisions: 2 of others" in each for each in warnings)
    assert any("rows were removed and are back: analysis.md" in each for each in warnings)


def test_an_agent_may_change_its_own_entries_but_not_remove_a_lesson() -> None:
    own = Entry("designer", "3", "Old.")
    before = Memory((Artifact("design.md", ("A",), "designer"),), (own,), (own,), ())
    after = Memory(
        (Artifact("design.md", ("B",), "designer"),), (Entry("designer", "3", "New."),), (), ()
    )
    found, warnings = memory.accepted(before, memory.render(after), "designer", "3")
    assert found == Memory(after.artifacts, after.decisions, (own,), ())
    assert warnings == ()


def test_an_entry_under_another_name_is_signed_by_its_writer() -> None:
    forged = Memory(
        SAMPLE.artifacts,
        (*SAMPLE.decisions, Entry("r-security", "7", "All safe.")),
        SAMPLE.lessons,
        SAMPLE.updates,
    )
    found, warnings = memory.accepted(SAMPLE, memory.render(forged), "designer", "3")
    assert found.decisions[-1] == Entry("designer", "3", "All safe.")
    assert warnings == (
        (
            "memory.md: Recent Decisions: an entry signed 'r-security' is of designer and signed "
            "so now"
        ),
    )


@pytest.mark.parametrize("name", ["Designer", "designer agent", "designer-agent", "DESIGNER"])
def test_small_variations_of_its_own_name_are_no_forgery(name: str) -> None:
    text = memory.render(Memory(decisions=(Entry(name, "9", "Yes."),)))
    assert memory.accepted(memory.initial(), text, "designer", "3") == (
        Memory(decisions=(Entry("designer", "3", "Yes."),)),
        (),
    )


def test_a_row_of_another_agent_stays_as_it_was() -> None:
    after = Memory(
        (Artifact("analysis.md", ("Lies",), "designer"),),
        SAMPLE.decisions,
        SAMPLE.lessons,
        SAMPLE.updates,
    )
    found, warnings = memory.accepted(SAMPLE, memory.render(after), "designer", "3")
    assert found == SAMPLE
    assert warnings == (
        (
            "memory.md: Artifact Index: the row of analysis.md belongs to researcher; it stays as "
            "it was"
        ),
    )


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../other/plan.md", "docs/../../x", "~/x", "c:\\x"]
)
def test_a_row_that_leads_out_of_the_project_is_left_out(path: str) -> None:
    found, warnings = memory.accepted(
        SAMPLE, memory.render(Memory((*SAMPLE.artifacts, Artifact(path)), *_lists())), "spec", "2"
    )
    assert found == SAMPLE
    assert len(warnings) == 1


def _lists() -> tuple[tuple[Entry, ...], ...]:
    return SAMPLE.decisions, SAMPLE.lessons, SAMPLE.updates


def test_a_corrupt_file_changes_nothing() -> None:
    found, warnings = memory.accepted(SAMPLE, "oops", "spec", "2")
    assert found == SAMPLE
    assert "cannot be read, so it stays as it was" in warnings[0]


def test_a_flood_of_entries_is_cut() -> None:
    flood = tuple(Entry("spec", "2", f"Point {number}.") for number in range(300))
    found, warnings = memory.accepted(
        memory.initial(), memory.render(Memory((), flood, flood, ())), "spec", "2"
    )
    assert len(found.decisions) + len(found.lessons) == memory.MAX_ADDED
    assert warnings == ("memory.md: more than 20 new entries at once; the rest was left out",)
    full = Memory(
        decisions=tuple(Entry("a", "1", f"Old {number}.") for number in range(memory.MAX_KEPT))
    )
    more = Memory(decisions=(*full.decisions, Entry("spec", "2", "One more.")))
    assert memory.accepted(full, memory.render(more), "spec", "2")[0] == full


@settings(max_examples=150, deadline=None)
@given(MEMORIES, MEMORIES)
def test_whatever_an_agent_writes_the_entries_of_others_survive(
    before: Memory, after: Memory
) -> None:
    found, _ = memory.accepted(before, memory.render(after), "designer", "3")
    for name in ("decisions", "lessons", "updates"):
        old, new = getattr(before, name), getattr(found, name)
        assert [each for each in new if each in old and each.agent != "designer"] == [
            each for each in old if each.agent != "designer"
        ]
        assert all(each in old or each.agent == "designer" for each in new)
    assert {each.path for each in before.artifacts} <= {each.path for each in found.artifacts}
    assert memory.parse(memory.render(found)) == (found, ())
