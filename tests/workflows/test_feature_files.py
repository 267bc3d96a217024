"""The documents of a feature that the program keeps, and a person's edits of them."""

from __future__ import annotations

import pytest

from podium.core.history import History
from podium.workflows.feature import files, remembering
from podium.workflows.feature.memory import memory
from podium.workflows.feature.memory.memory import Entry, Memory
from podium.workflows.feature.run import FeatureRun

FOLDER = "docs/feature/words"


def run() -> FeatureRun:
    return FeatureRun(
        step="x", slug="words", request="Count words\n\nAll of them.", began="2026-03-01"
    )


def test_the_program_keeps_the_request_and_the_memory_and_nothing_else() -> None:
    assert [each.path for each in files.projections(run(), History())] == [
        f"{FOLDER}/initial-request.md",
        f"{FOLDER}/memory.md",
    ]


def test_the_request_is_written_once_and_belongs_to_people_from_then_on() -> None:
    request, _ = files.projections(run(), History())
    made = request.render(None, "")
    assert "All of them." in made
    assert request.render(made + "\nMore.\n", "") == made + "\nMore.\n"


def test_the_memory_is_written_from_the_run_and_its_loss_stops_nothing() -> None:
    _, kept = files.projections(run(), History())
    assert kept.render("whatever", "") == memory.render(memory.initial())
    assert not kept.needed


def test_a_persons_memory_replaces_the_runs() -> None:
    at = run()
    _, kept = files.projections(at, History())
    assert kept.read_back is not None
    mine = Memory(lessons=(Entry("Ada", "3", "Disk is slow → Batch."),))
    after, changes = kept.read_back(memory.render(mine), at)
    assert isinstance(after, FeatureRun)
    assert (remembering.known(after), changes) == (mine, ("memory.md was edited",))
    assert kept.read_back(memory.render(mine), after)[1] == ()


@pytest.mark.parametrize("text", ["garbage", "\0", "# Operational Memory\n"])
def test_one_that_cannot_be_read_costs_nothing_of_what_the_run_knows(text: str) -> None:
    at = run()
    known = Memory(lessons=(Entry("planner", "4", "A → B."),))
    remembering.keep(at, known)
    _, kept = files.projections(at, History())
    assert kept.read_back is not None
    after, changes = kept.read_back(text, at)
    assert isinstance(after, FeatureRun)
    assert remembering.known(after) == known
    assert changes == ("memory.md could not be read and was rebuilt from the journal",)
    assert "could not be read" in after.warnings[0]


def test_every_document_has_a_name_and_a_place_in_the_features_folder() -> None:
    found = files.artifacts(run())
    assert found["r-security"] == f"{FOLDER}/review/r-security.md"
    assert found["design_critical_review"] == f"{FOLDER}/design_critical_review.md"
    assert all(each.startswith(f"{FOLDER}/") for each in found.values())


def test_every_role_is_known() -> None:
    assert len(files.ROLES) == len(set(files.ROLES)) == 18
