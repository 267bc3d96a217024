"""The memory's life in a run: who may add what, what is pruned, marked and cleaned, and that
none of it blocks.
"""

from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.feature import remembering
from podium.workflows.feature.memory import memory
from podium.workflows.feature.memory.memory import Entry, Memory
from podium.workflows.feature.run import FeatureRun

PATH = "docs/feature/words/feature.md"


def run(found: Memory | None = None) -> FeatureRun:
    made = FeatureRun(step="x", slug="words")
    if found is not None:
        remembering.keep(made, found)
    return made


def test_a_run_begins_with_an_empty_memory() -> None:
    assert remembering.known(run()) == memory.initial()


def test_what_an_agent_that_works_alone_adds_is_merged_and_its_document_recorded_with_its_sections() -> (  # noqa: E501
    None
):
    before = run()
    text = memory.render(Memory(decisions=(Entry("spec", "2", "Split at spaces."),)))
    data, warnings = remembering.taken_in(
        before,
        "spec",
        "2",
        PATH,
        "# F\n\n## Background\n\n### Deep\n\n## Constraints\n",
        text,
        "words are counted.",
    )
    after = memory.from_data(data)
    assert after.decisions == (Entry("spec", "2", "Split at spaces."),)
    assert [(each.path, each.sections) for each in after.artifacts] == [
        (PATH, ("Background", "Constraints"))
    ]
    assert after.updates == (Entry("spec", "2", f"Updated `{PATH}` — words are counted."),)
    assert warnings == ()


@pytest.mark.parametrize("text", [None, memory.render(memory.initial())])
def test_one_that_adds_nothing_is_told(text: str | None) -> None:
    _, warnings = remembering.taken_in(run(), "spec", "2", PATH, "# F\n", text)
    assert warnings == ("spec (step 2) added nothing to the memory",)


@pytest.mark.parametrize("text", ["", "garbage", "\0", "x" * (memory.MAX_TEXT + 1)])
def test_a_memory_that_cannot_be_read_changes_nothing_and_blocks_nothing(text: str) -> None:
    old = Memory(lessons=(Entry("planner", "4", "A → B."),))
    data, warnings = remembering.taken_in(run(old), "spec", "2", PATH, "# F\n", text)
    assert memory.from_data(data).lessons == old.lessons
    assert "cannot be read" in warnings[0]


def test_what_was_marked_before_a_revision_is_gone_after_it() -> None:
    made = run(
        Memory(
            updates=(
                Entry("ct-aggregator", "3b", "Updated `x`."),
                Entry("spec", "2", "Updated `y`."),
            )
        )
    )
    remembering.invalidate(made, "ct-*", "the design is revised")
    assert [each.invalidated for each in remembering.known(made).updates] == [
        "the design is revised",
        "",
    ]
    data, _ = remembering.taken_in(
        made, "designer", "3", "docs/feature/words/design.md", "# D\n", None
    )
    assert [each.agent for each in memory.from_data(data).updates] == ["spec", "designer"]


def test_pruning_keeps_this_phase_and_the_one_before_and_always_lessons_and_the_index() -> None:
    entries = tuple(Entry("a", step, step) for step in ("1.2", "2", "3", "3b", "4"))
    made = run(Memory(decisions=entries, lessons=entries, updates=entries))
    remembering.prune(made, "4")
    found = remembering.known(made)
    assert (
        [each.step for each in found.decisions]
        == [each.step for each in found.updates]
        == ["3", "3b", "4"]
    )
    assert len(found.lessons) == 5


def result(status: str = "DONE", **more: Any) -> dict[str, Any]:
    return {"status": status, "summary": "s", "said": "", "changed": [], **more}


def test_tasks_teach_lessons_and_documents_of_the_documentation_writer_are_indexed() -> None:
    made = run()
    made.tasks = {
        "01-a": {"agent": "implementer"},
        "02-b": {"agent": "documentation-writer"},
        "03-c": {"agent": "implementer"},
    }
    remembering.lessons(
        made,
        {
            "01-a": result(said="Lesson: tabs break → expand them"),
            "02-b": result(changed=["src/x.py", "docs/guide.md"]),
            "03-c": result("ERROR", summary="no compiler"),
            "09-unknown": result(said="Lesson: a → b"),
        },
    )
    found = remembering.known(made)
    assert [each.text for each in found.lessons] == [
        "tabs break → expand them.",
        "task 03-c failed: no compiler → not resolved.",
    ]
    assert [(each.path, each.updated_by) for each in found.artifacts] == [
        ("docs/guide.md", "documentation-writer")
    ]


def test_a_cluster_judged_by_code_leaves_its_row() -> None:
    data = remembering.judged(
        run(), "v-aggregator", "6", "docs/feature/words/verifier.md", "# V\n\n## Summary\n", "DONE"
    )
    found = memory.from_data(data)
    assert found.artifacts[0].sections == ("Summary",)
    assert found.updates[0].text == "Updated `docs/feature/words/verifier.md` — DONE."
