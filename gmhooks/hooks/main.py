"""Hot: one hook run, from stdin to the answer; the edge where everything that goes wrong ends in silence."""

from __future__ import annotations

import posix
from time import monotonic_ns, sleep

from gmhooks.hooks.clock import now_us
from gmhooks.hooks.conf import paused
from gmhooks.hooks.conf import read as read_conf
from gmhooks.hooks.context import Context
from gmhooks.hooks.route import RouteError, for_hook, prepared
from gmhooks.hooks.watch import END_LIMITS, LIMITS
from gmhooks.hooks.watch import start as watch
from gmhooks.hooks.wire import LONGEST_ANSWER, NAMES, Event, WireError, encode, receive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MACHINE = (
    "<task-notification",
    "<teammate-message",
    "<cross-session-message",
    "<scheduled-task",
    "<bash-input",
    "<bash-stdout",
    "<local-command-",
)


class Run:
    """What the edge knows so far: enough to leave a receipt whenever the run ends."""

    __slots__ = ("ctx", "data_dir", "event", "notes", "started", "turn")

    def __init__(self, event: str) -> None:
        self.event = event
        self.data_dir = ""
        self.ctx: Context | None = None
        self.turn = [None]  # taken by whoever writes the answer: the run or, when it is out of time, its watchdog
        self.notes: list[tuple[str, str]] = []
        self.started = monotonic_ns()

    def receipt(self, code: str, detail: str = "") -> None:
        """Note `code` in hooks.log, in the project of the surroundings if the payload named none."""
        from gmhooks.hooks.trail import note

        if not self.data_dir:
            self.data_dir = for_hook(posix.environ, "").data_dir
        if prepared(self.data_dir):
            note(self.data_dir, self.event, code, (monotonic_ns() - self.started) // 1_000_000, detail)

    def expire(self) -> None:
        """The last thing a run does that is out of time: a receipt, and what the user must know of a save."""
        self.speak_last()
        self.receipt("deadline")

    def speak_last(self) -> None:
        """What the user must know of a save, if there was one, instead of an answer."""
        if self.ctx is not None and self.ctx.last_words is not None:
            self.turn.pop()
            posix.write(1, self.ctx.last_words())

    def leave_receipts(self) -> None:
        """Write what was noted."""
        for code, detail in self.notes:
            self.receipt(code, detail)

    def serve(self, user_dir: str) -> bytes:
        """The answer to the payload on stdin. Raises WireError and RouteError with the code of their receipt."""
        asked = self.event
        watch(END_LIMITS if asked == "session-end" else LIMITS, self.expire)  # the client may send slowly
        event = Event(receive())
        event.name = self.event = event.name or asked
        known = event.name in NAMES.values()
        if known and asked in ("", event.name) and event.name == "user-prompt" and not by_a_person(event.prompt):
            return b""
        return self.respond(event, asked, user_dir)

    def respond(self, event: Event, asked: str, user_dir: str) -> bytes:
        """The answer to an event, however it arrived. Raises WireError, RouteError and whatever a runner raises."""
        known = event.name in NAMES.values()
        environ = posix.environ
        route = for_hook(environ, event.cwd)
        if not prepared(route.data_dir):
            return _unsaved(event, "This project has no memory", "`graymatter init` in a shell makes one")
        self.data_dir = route.data_dir
        if not known or asked not in ("", event.name):
            raise WireError("event_mismatch" if known and asked in NAMES.values() else "unknown_event")
        now = now_us(environ)
        if paused(route.data_dir, now) and event.prompt.strip().lower() != "memory on":
            return _unsaved(event, "Memory is off", "Send `memory on` to turn it on")
        from gmhooks.store.trust import registered_at

        trusted = registered_at(user_dir, route.data_dir)
        conf = read_conf(route.data_dir, trusted is not None)
        ctx = self.ctx = Context(event, route, conf, user_dir, now, environ, self.started, trusted)
        self.notes = ctx.notes
        answer = runner(event.name)(ctx)
        if len(answer) > LONGEST_ANSWER:
            ctx.note("answer_too_long", str(len(answer)))
            return b""
        return answer


def start(argv: list[str]) -> None:
    """Run the hook named by a command line `shim.py --user-dir=DIR [event]`; other options are ignored.

    A closed descriptor 0, 1 or 2 gets /dev/null first: its number would go to the store, and the answer into it.
    """
    if posix.environ.get(b"GRAYMATTER_DISABLE") == b"1":
        return
    while posix.open("/dev/null", 2) < 3:
        pass
    user_dir = ""
    words = []
    for word in argv[1:]:
        if word.startswith("--user-dir="):
            user_dir = word[11:]
        elif not word.startswith("-"):
            words.append(word)
    main(words, user_dir)


def main(argv: list[str], user_dir: str) -> None:
    """One hook run: reads stdin, writes the answer to stdout, leaves receipts, raises nothing.

    `argv` holds the event or nothing; the caller ends the process with status 0.
    """
    run = Run(NAMES.get(argv[0], argv[0]) if argv else "")
    try:
        try:
            answer = run.serve(user_dir)
            try:
                run.turn.pop()
                while answer:
                    answer = answer[posix.write(1, answer) :]
            except OSError as error:
                run.notes.append(("output_failed", str(error.errno)))
            except IndexError:
                sleep(1)  # too late: the watchdog is speaking, and ends this process
        except (WireError, RouteError) as error:
            run.notes.append((error.code, ""))
        except BaseException as error:  # noqa: BLE001 - the edge: a receipt instead of a traceback
            from gmhooks.hooks.trail import place

            run.notes.append(("unexpected", place(error)))
            run.speak_last()
        run.leave_receipts()
    except BaseException:  # noqa: BLE001 - not even a receipt is possible
        return


def by_a_person(prompt: str) -> bool:
    """False for an empty prompt and for what the client itself sends as one."""
    prompt = prompt.lstrip()
    return bool(prompt) and not prompt.startswith(_MACHINE)


def _unsaved(event: Event, why: str, way_out: str) -> bytes:
    """Silence where there is no memory, but a person who asks for a save or forgets must know that there was none."""
    low = event.prompt.lower()
    if event.name != "user-prompt" or not ("remember" in low or "forget" in low):
        return b""
    from gmhooks.hooks.grammar import parse

    parsed = parse(event.prompt)
    if not (parsed.saves or parsed.forgets):
        return b""
    return encode({"systemMessage": f"{why}: nothing was saved or forgotten. {way_out}."})


def runner(name: str) -> Callable[[Context], bytes]:
    """`run` of the module that serves this event, imported only now."""
    if name == "user-prompt":
        from gmhooks.hooks.prompt import run
    elif name == "session-start":
        from gmhooks.hooks.start import run
    elif name == "pre-compact":
        from gmhooks.hooks.compact import run
    else:
        from gmhooks.hooks.end import run
    return run
