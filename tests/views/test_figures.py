"""Numbers in words."""

import pytest

from podium.views.figures import plural, share


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (1, "dispatch", "1 dispatch"),
        (2, "dispatch", "2 dispatches"),
        (0, "run", "0 runs"),
        (3, "box", "3 boxes"),
        (2, "phase", "2 phases"),
    ],
)
def test_a_number_of_things_is_said_as_people_say_it(number: int, noun: str, said: str) -> None:
    assert plural(number, noun) == said


def test_a_share_is_in_percent_and_an_unknown_one_is_a_dash() -> None:
    assert (share(0.256), share(0.0), share(None)) == ("26%", "0%", "–")
