"""DBOS on SQLite, as shipped."""

from __future__ import annotations

from typing import Any

from dbos import DBOS, SetWorkflowID
from telling import Told

told = Told()
size = 1 if told.mode == "one" else told.size
where = f"sqlite:///{told.folder / 'dbos.sqlite'}"
config: Any = {
    "name": "bench",
    "system_database_url": where,
    "application_version": "1",
    "log_level": "ERROR",
}
DBOS(config=config)


@DBOS.step()
def work(number: int) -> int:
    told.executed(number)
    return number


@DBOS.workflow()
def chain(count: int) -> int:
    for number in range(count):
        work(number)
    return count


@DBOS.workflow()
def child(number: int) -> int:
    return work(number)


@DBOS.workflow()
def fan(count: int) -> int:
    handles = [DBOS.start_workflow(child, number) for number in range(count)]
    return len([each.get_result() for each in handles])


DBOS.launch()
told.begin()
if told.mode == "rest":
    DBOS.retrieve_workflow("bench").get_result()
else:
    with SetWorkflowID("bench"):
        (fan if told.mode == "fan" else chain)(size)
told.end()
told.tell()
DBOS.destroy()
