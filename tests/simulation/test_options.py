"""What may follow at a state: the workflow says what is possible, the model how likely it is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.workflows import Sample

from podium.core.run import Run
from podium.simulation.model import StepModel
from podium.simulation.options import Options, options


class Imagines(Sample):
    """QA that sends back may set the counter, and passes only at the start."""

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        if run.step != "qa":
            return ({},)
        return ({"remediations": 1}, {"remediations": 2}) if outcome == "revise" else ()


def at(step: str) -> Run:
    return Sample.run_type(step=step)


def drawn(found: Options | None) -> Counter[tuple[str, str]]:
    assert found is not None
    chance = random.Random(1).random
    places = [found.choices[found.draw(chance)] for _ in range(1000)]
    return Counter((each.outcome, str(dict(each.sets))) for each in places)


def test_shares_are_as_the_model_says() -> None:
    seen = drawn(options(Sample(), at("qa"), StepModel({"ok": 3, "revise": 1}), ""))
    assert 700 < seen["ok", "{}"] < 800


def test_without_a_word_the_first_outcome_is_the_usual_one() -> None:
    assert 800 < drawn(options(Sample(), at("qa"), StepModel(), ""))["ok", "{}"] < 900


def test_what_cannot_happen_is_never_drawn() -> None:
    seen = drawn(options(Imagines(), at("qa"), StepModel({"ok": 99, "revise": 1}), ""))
    assert {outcome for outcome, _ in seen} == {"revise"}


def test_where_all_that_the_model_knows_is_impossible_all_that_is_possible_is_as_likely() -> None:
    assert (
        drawn(options(Imagines(), at("qa"), StepModel({"ok": 1}), ""))[
            "revise", "{'remediations': 1}"
        ]
        > 400
    )


def test_what_a_result_sets_is_weighed_by_member_and_by_word() -> None:
    seen = drawn(
        options(Imagines(), at("qa"), StepModel(sets={"remediations": {"1": 9, "2": 1}}), "")
    )
    assert 850 < seen["revise", "{'remediations': 1}"] < 950


def test_the_outcome_before_may_matter() -> None:
    model = StepModel({"ok": 1}, {"revise": {"revise": 1}})
    assert set(drawn(options(Sample(), at("qa"), model, "revise"))) == {("revise", "{}")}
    assert set(drawn(options(Sample(), at("qa"), model, "ok"))) == {("ok", "{}")}
