"""A roadmap of a hundred items, done one by one; about twenty seconds on a quiet machine, nearly
all of it git.
"""

from __future__ import annotations

import json

import pytest
from tests.fakes.roadmap import FILE, Make, item


@pytest.mark.timeout(300)
def test_a_hundred_items_are_done_in_order_each_with_its_commit(road: Make) -> None:
    items = [
        item(
            f"US-{number}",
            priority=number % 7,
            verification=[],
            dependencies=[f"US-{number // 2}"] if number > 1 else [],
            x=[number],
        )
        for number in range(1, 101)
    ]
    text = json.dumps({"owner": "Ada", "items": items}, indent=4) + "\n"
    project = road(text=text)
    ended = project.go()
    assert (ended.exit_code, ended.closing) == (0, "<promise>COMPLETE</promise>")
    picked = project.picked()
    assert sorted(picked) == sorted(each["id"] for each in items)
    done: set[str] = set()
    for name in picked:
        free = [
            each
            for each in items
            if each["id"] not in done and done.issuperset(each["dependencies"])
        ]
        first = min(free, key=lambda each: (each["priority"], int(each["id"][3:])))
        assert name == first["id"]
        done.add(name)
    assert len(project.dispatched()) == 300
    assert [each.split(":")[0] for each in project.commits()] == picked
    assert project.text(FILE) == text.replace('"ready"', '"done"').replace(
        '"passes": false', '"passes": true'
    )
    assert project.git_status() == []
