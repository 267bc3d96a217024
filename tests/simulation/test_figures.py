"""Many runs as figures, bars and a picture."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podium.simulation.dispatching import Tally
from podium.simulation.figures import MEASURES, Sample, Spreading, edges, sampled, significant
from podium.simulation.picture import svg
from podium.simulation.telling import bar, comparison, shown, spoken, text
from podium.simulation.virtual import Lived


def runs(*seconds: float, end: str = "complete") -> list[Lived]:
    return [
        Lived(end, each, Tally(dispatches=int(each) % 7, cost_usd=each / 100, tokens=each * 1000))
        for each in seconds
    ]


def sample(count: int = 100) -> Sample:
    return sampled([*runs(*range(1, count)), *runs(7200, end="blocked: rule")])


def test_ends_are_counted_most_frequent_first() -> None:
    assert list(sample().ends.items()) == [("complete", 99), ("blocked: rule", 1)]
    assert sample().share("complete") == 0.99


def test_percentiles_are_values_that_so_many_runs_do_not_exceed() -> None:
    spread = Spreading(tuple(map(float, range(1, 101))))
    assert (spread.at(0.5), spread.at(0.9), spread.at(1.0), spread.at(0.0), spread.mean) == (
        50,
        90,
        100,
        1,
        50.5,
    )


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=20), st.sampled_from(sorted(MEASURES)))
def test_every_run_is_in_one_bin_and_the_bins_are_few(values: list[float], name: str) -> None:
    spread = Spreading(tuple(sorted(values)))
    places = edges(name, spread)
    assert sum(spread.counts(places)) == len(values)
    assert 2 <= len(places) <= 40 or places[-1] > 86_400 * 16
    assert places == sorted(places)


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-320, 1e-12, 1e-9])
def test_a_number_too_small_to_be_divided_has_one_bin_or_few(value: float) -> None:
    assert 2 <= len(edges("cost_usd", Spreading((value,)))) <= 40


def test_a_report_has_bars_for_what_is_plotted_and_a_line_for_the_rest() -> None:
    told = text("sample", sample())
    assert told.startswith("sample: 100 runs\n\nEnds\n  complete        99.0%  ████")
    assert "Duration, people included: half within 50 s, 90 % within 2 min, at most 2 h" in told
    assert "Cost: half within $0.50" in told
    assert "Retries and repairs: half within 0" in told
    assert " on  " in told


def test_two_policies_stand_side_by_side_with_their_difference() -> None:
    told = comparison(("one", sample()), ("two", sampled(runs(10, 20, end="blocked: rule"))))
    assert "99.0%" in told
    assert "-99.0 points" in told
    assert "░" in told


def test_a_picture_is_well_formed_and_says_the_same_in_words() -> None:
    for samples in ([("one", sample())], [("one & <two>", sample()), ("other", sample(50))]):
        root = ET.fromstring(svg("title & more", samples))
        described = root.find("{http://www.w3.org/2000/svg}desc")
        assert described is not None
        assert "complete 99.0%" in str(described.text)
        assert len(root.findall(".//{http://www.w3.org/2000/svg}rect")) > 10


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (90, "2 min"),
        (3600, "1 h"),
        (5400, "1 h 30 min"),
        (200_000, "2.3 days"),
    ],
)
def test_times_are_told_as_people_say_them(seconds: float, said: str) -> None:
    assert spoken(seconds) == said


def test_numbers_are_told_in_their_unit() -> None:
    assert [
        shown("cost_usd", 1234.5),
        shown("tokens", 2_500_000),
        shown("tokens", 2500),
        shown("visits", 3),
    ] == ["$1,234.50", "2.5 M", "2 k", "3"]


def test_a_bar_is_seen_wherever_there_is_something() -> None:
    assert [bar(0, 10), bar(0.0001, 10), bar(0.5, 10), bar(1, 10)] == ["", "▏", "█████", "█" * 10]


def test_figures_for_programs_have_six_digits() -> None:
    assert significant(1.23456789) == 1.23457
    assert isinstance(significant(3.0), int)
    told = sample().told()
    assert told["duration_s"]["p50"] == 50
    assert sum(count for _, _, count in told["duration_s"]["histogram"]) == 100
