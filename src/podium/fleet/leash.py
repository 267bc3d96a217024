"""The leash: a small process next to a driver that kills it when it cannot end itself. Run as a
script, never imported.

    python -I -S leash.py LIMIT < times

The driver writes the time of its last successful query to the database. If the latest time is more
than LIMIT seconds ago, the leash kills the driver, even one that hangs or was stopped. Its agents
end with it, so nothing of an attempt is alive when the next one begins. The end of the input means
that the driver is already gone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The same as the heart's: it keeps running while the machine sleeps."""


def main(limit_s: float) -> int:
    driver = os.getppid()
    # A process id may be reused; a descriptor of the process is not.
    held = _descriptor(driver)
    if os.getppid() != driver:
        return 0
    last, rest = time.clock_gettime(_CLOCK), b""
    while True:
        left_s = last + limit_s - time.clock_gettime(_CLOCK)
        # Never long: the clock of a timeout stops while the machine sleeps.
        ready, _, _ = select.select([0], [], [], max(0.0, min(left_s, limit_s / 10)))
        if ready:
            data = os.read(0, 4096)
            if not data:
                return 0
            *told, rest = (rest + data).split(b"\n")
            last = max([last, *map(float, told)])
        elif left_s <= 0:
            _kill(driver, held)
            return 0


def _descriptor(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # not available on this system
        return -1


def _kill(driver: int, held: int) -> None:
    try:
        if held >= 0:
            signal.pidfd_send_signal(held, signal.SIGKILL)
        elif os.getppid() == driver:
            os.kill(driver, signal.SIGKILL)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
