"""Hot: no hook outlives its time: a thread ends it with status 0, an alarm ends it if the thread cannot."""

from __future__ import annotations

from _signal import (  # type: ignore[import-not-found]
    ITIMER_REAL,
    SIG_DFL,
    SIG_UNBLOCK,
    SIGALRM,
    pthread_sigmask,
    setitimer,
    signal,
)
from _thread import start_new_thread
from posix import _exit
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = (0.33, 0.37)
END_LIMITS = (1.3, 1.45)


def start(limits: tuple[float, float], expired: Callable[[], object]) -> None:
    """End this process with status 0 after `limits[0]` seconds, `expired()` called first; by SIGALRM after `limits[1]`.

    The alarm is for a thread that never gets to run, so it is unblocked and has its default action whatever
    the parent left behind.
    """
    signal(SIGALRM, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, (SIGALRM,))
    setitimer(ITIMER_REAL, limits[1])
    start_new_thread(_wait, (limits[0], expired))


def _wait(seconds: float, expired: Callable[[], object]) -> None:
    try:
        sleep(seconds)
        expired()
    finally:
        _exit(0)
