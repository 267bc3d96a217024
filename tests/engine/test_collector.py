"""What is loaded is not gone through for garbage; what a run leaves behind is."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import gc, weakref
from podium.engine.collector import spare_what_is_loaded

class Loaded: pass
loaded = Loaded(); loaded.self = loaded; known = weakref.ref(loaded); del loaded
spare_what_is_loaded()
first = gc.get_freeze_count()
made = Loaded(); made.self = made; garbage = weakref.ref(made); del made
spare_what_is_loaded()
gc.collect()
print(first > 1000, gc.get_freeze_count() <= first, known() is not None, garbage() is None)
"""


def test_what_is_loaded_is_spared_once_and_later_garbage_is_found() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 4
