"""A decision is left once, whole, and read back under its key."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.disk import every_cut

from podium.core.errors import InputError, UsageError
from podium.state import inbox
from podium.state.disk import Disk


def test_messages_come_back_by_key_in_key_order(tmp_path: Path) -> None:
    folder = str(tmp_path / "inbox")
    for key in ("b", "a/2", "a/10", "Ärger & Co"):
        assert inbox.post(folder, key, {"key": key}, Disk())
    assert list(inbox.messages(folder)) == ["a/10", "a/2", "b", "Ärger & Co"]
    assert inbox.messages(folder)["a/2"] == {"key": "a/2"}


def test_a_run_nobody_wrote_to_has_no_messages(tmp_path: Path) -> None:
    assert inbox.messages(str(tmp_path / "inbox")) == {}


def test_the_first_message_of_a_key_wins(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert [inbox.post(folder, "gate", {"n": n}, Disk()) for n in (1, 2, 2)] == [True, False, False]
    assert inbox.messages(folder) == {"gate": {"n": 1}}


@given(st.text(min_size=1, max_size=20))
def test_any_text_is_a_key_and_stays_inside_the_folder(
    tmp_path_factory: pytest.TempPathFactory, key: str
) -> None:
    folder = tmp_path_factory.mktemp("run") / "inbox"
    inbox.post(str(folder), key, {"n": 1}, Disk())
    assert inbox.messages(str(folder)) == {key: {"n": 1}}
    assert len(list(folder.iterdir())) == 1
    assert [each.name for each in folder.parent.iterdir()] == ["inbox"]


@pytest.mark.parametrize("key", ["", "x" * 201, "é" * 40])
def test_a_key_that_no_file_can_have_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(UsageError, match="cannot be the key"):
        inbox.post(str(tmp_path), key, {}, Disk())


def test_a_message_cut_at_any_operation_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "inbox"
    for _ in every_cut(lambda disk: inbox.post(str(folder), "gate", {"decision": "approve"}, disk)):
        found = inbox.messages(str(folder))
        assert found in ({}, {"gate": {"decision": "approve"}})
        for path in folder.glob("*.json"):
            path.unlink()
    assert inbox.messages(str(folder)) == {"gate": {"decision": "approve"}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ":1: is not JSON"),
        (b'{"decision":\n "app', ":2: is not JSON"),
        (b"[]", ":1: is a list, expected an object"),
        (b'{\n"a": "\xff"}', ":2: is not UTF-8 text"),
        (b"[" * 60_000, ":1: is not JSON"),
        (b'"' + b"x" * inbox.MAX_BYTES + b'"', ": has more than 65536 bytes"),
    ],
)
def test_a_damaged_message_is_refused_by_its_name(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "gate.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as fault:
        inbox.messages(str(tmp_path))
    assert str(fault.value).startswith(f"{path}{said}")


def test_a_message_may_have_64_kib_and_no_more(tmp_path: Path) -> None:
    frame = len(json.dumps({"text": ""}, indent=2)) + 1
    fits = {"text": "x" * (inbox.MAX_BYTES - frame)}
    assert inbox.post(str(tmp_path), "fits", fits, Disk())
    assert inbox.messages(str(tmp_path)) == {"fits": fits}
    with pytest.raises(InputError, match="has 65537 bytes, at most 65536"):
        inbox.post(str(tmp_path), "more", {"text": fits["text"] + "x"}, Disk())
    assert list(inbox.messages(str(tmp_path))) == ["fits"]
