from __future__ import annotations

from podium.workflows.ticket.briefs import SCOPE, planning_notes
from podium.workflows.ticket.progress.document import ImpactScan
from podium.workflows.ticket.request.naming import DOCS


def test_each_role_has_a_scope():
    assert set(SCOPE) == {"interpreter", "initializer", "planner", "splitter", "task-executor", "developer", "reviewer"}


def test_a_planner_sees_the_beginning_of_long_documents_and_all_findings():
    long = "".join(f"line {number}\n" for number in range(1, 101))
    notes = planning_notes(ImpactScan(likely_files=("a.py",)), dict.fromkeys(DOCS, long))
    assert notes[0] == "Affected areas: none found\nLikely files: a.py"
    assert notes[1].endswith("line 80\n(20 more lines in the file)")
    assert notes[2].endswith("line 40\n(60 more lines in the file)")
    assert notes[3].endswith("line 100")


def test_a_document_that_is_not_there_says_so():
    assert planning_notes(ImpactScan(), {DOCS[0]: " "})[1:] == tuple(f"{path}:\nnot available" for path in DOCS)
