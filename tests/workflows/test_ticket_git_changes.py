from __future__ import annotations

import pytest

from podium.workflows.ticket.git.changes import dirt, foreign


@pytest.mark.parametrize(
    ("paths", "kind"),
    [
        ([], "clean"),
        (["README.md"], "docs"),
        (["docs/a.png", "src/notes.md", "docs/docs_cache_state.yaml"], "docs"),
        (["docs/ü b.txt"], "docs"),
        (["README.md", "src/a.py"], "mixed"),
        (["documents/a.txt"], "mixed"),
        (["a.md.py"], "mixed"),
        (["src/docs/a.txt"], "mixed"),
        (["a.mdx"], "mixed"),
    ],
)
def test_a_tree_is_clean_holds_documents_or_more(paths: list[str], kind: str):
    assert dirt(paths) == kind


def test_what_the_program_wrote_is_no_change_of_a_person():
    paths = ["prompts/PROJ-1/progress.yaml", ".podium/runs/x", ".gitignore", "src/a.py"]
    assert foreign(paths, {".gitignore"}) == ("src/a.py",)
    assert foreign(paths) == (".gitignore", "src/a.py")
