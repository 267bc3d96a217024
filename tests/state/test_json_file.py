"""A file that is no JSON object is refused with its line."""

import pytest

from podium.core.errors import InputError
from podium.state.json_file import line_of, parse_object


def test_an_object_is_returned() -> None:
    assert parse_object(b'{"a": 1}', "f") == {"a": 1}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{\n  "a": 1,\n}', "f:3: is not JSON"),
        (b"null", "f:1: is null, expected an object"),
        (b"7", "f:1: is 7, expected an object"),
        (
            b'{\n  "a": 1,\n  "step": "qa",\n  "step": "build"\n}',
            "f:3: is not JSON: 'step' occurs twice in one object",
        ),
        (b'{"a": NaN}', "f:1: is not JSON: NaN is not a JSON value"),
        (b'{"a": 1e999}', "f:1: is not JSON: 1e999 is too large a number"),
        (b"[" * 100_000, "f:1: is not JSON: it is nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "f:1: is not JSON"),
    ],
)
def test_anything_else_is_refused_with_its_line_and_the_way_out(data: bytes, said: str) -> None:
    with pytest.raises(InputError) as fault:
        parse_object(data, "f", "mend it")
    assert str(fault.value).startswith(said)
    assert str(fault.value).endswith("(mend it)")


def test_the_line_of_a_member_is_found_also_where_an_inner_one_has_its_name() -> None:
    data = b'{\n  "visits": {\n    "step": 1\n  },\n  "step": "x"\n}'
    assert [line_of(data, name) for name in ("visits", "step", "none")] == [2, 5, 1]
    assert line_of(b'{"a": 1,\n"b": 2}', "b") == 2
