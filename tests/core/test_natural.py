from __future__ import annotations

from podium.core.natural import natural


def test_ids_stand_in_the_order_in_which_people_count():
    assert sorted(["TASK-10", "TASK-2", "10", "9", "01-b", "TASK-02", f"TASK-{'9' * 5000}"], key=natural) == [
        "01-b", "9", "10", "TASK-02", "TASK-2", "TASK-10", f"TASK-{'9' * 5000}",
    ]  # fmt: skip
