"""The measured cases: which event, which payload, and what a run must have done to count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hook_latency.corpus import Corpus
from benchmarks.hook_latency.process import Command, Sample
from benchmarks.hook_latency.rounds import InvalidRun
from benchmarks.hook_latency.stage import Stage

SHORT = "user-prompt short"
COMMON = "user-prompt common"
LONG = "user-prompt long"
SUPPRESSED = "user-prompt suppressed"
REMEMBER = "user-prompt remember"
START = "session-start"
COMPACT = "pre-compact"
END = "session-end"
NO_STORE = "user-prompt without a store"

ANSWERS = "answers"
SILENT = "silent"
EITHER = "either"

TROUBLE = frozenset({"deadline", "unexpected"})


@dataclass(frozen=True)
class Case:
    """One kind of run. `payload` gives the JSON object of run number n; `expects` judges its stdout.

    The clock of run n is `clock_step_s` · n seconds ahead, so that work done once in a while is due each time.
    """

    name: str
    event: str
    stage: Stage
    payload: Callable[[int], dict[str, object]]
    expects: str
    warm_ups: int = 1
    clock_step_s: int = 0

    def command(self, number: int, scratch: Path, *, launcher: bool) -> Command:
        """Run `number` of this case, through the launcher or as its child; the payload is laid out as the client's."""
        place = scratch / f"{self.name.replace(' ', '-')}-{self.stage.facts}-{number}.json"
        text = json.dumps(self.payload(number), ensure_ascii=False, separators=(",", ":"))
        place.write_text(text + "\n", encoding="utf-8")
        front = self.stage.launcher if launcher else self.stage.direct
        env = self.stage.env
        if self.clock_step_s:
            env = {**env, "GRAYMATTER_CLOCK": f"+{self.clock_step_s * number}"}
        return Command((*front, self.event), env, self.stage.project, place)

    def check(self, sample: Sample) -> None:
        """Raise InvalidRun unless the run ended well and printed what its case requires."""
        if sample.status != 0:
            raise InvalidRun(f"{self.name}: ended with status {sample.status}")
        if self.expects == ANSWERS and not sample.stdout:
            raise InvalidRun(f"{self.name}: printed nothing")
        if self.expects == SILENT and sample.stdout:
            raise InvalidRun(f"{self.name}: printed {len(sample.stdout)} bytes")


def trouble(stage: Stage) -> int:
    """How many receipts in the stage's hooks.log tell of a run that was cut short or failed."""
    if not stage.log.exists():
        return 0
    codes = Counter(json.loads(line)["code"] for line in stage.log.read_bytes().splitlines())
    return sum(codes[code] for code in TROUBLE)


class Judge:
    """Checks run after run of one case, its receipts included: a silent run may have been cut short."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._before = trouble(case.stage)

    def __call__(self, sample: Sample) -> None:
        before, self._before = self._before, trouble(self._case.stage)
        if self._before > before:
            raise InvalidRun(f"{self._case.name}: cut short, or failed; see its hooks.log")
        self._case.check(sample)


def every_case(stage: Stage, corpus: Corpus, transcript: Path) -> list[Case]:
    """The cases of one store, each with a session of its own per run unless its name says otherwise."""

    def prompt(text: Callable[[int], str], session: str) -> Callable[[int], dict[str, object]]:
        def payload(number: int) -> dict[str, object]:
            event = _common(stage, "UserPromptSubmit", session.format(number), number, transcript)
            return {**event, "permission_mode": "default", "prompt": text(number)}

        return payload

    short = [corpus.short_prompt(text) for text in stage.texts[:: max(1, len(stage.texts) // 20)][:20]]
    common = [corpus.common_prompt() for _ in range(20)]
    logs = [corpus.log_prompt() for _ in range(4)]
    start = _plain(stage, "SessionStart", transcript, source="startup")
    compact = _plain(stage, "PreCompact", transcript, trigger="manual", custom_instructions=None)
    end = _plain(stage, "SessionEnd", transcript, reason="prompt_input_exit")
    unseen = "remember: run {} of the latency benchmark keeps " + corpus.fact()
    return [
        Case(SHORT, "user-prompt", stage, prompt(lambda n: short[n % 20], "short-{}"), ANSWERS),
        Case(COMMON, "user-prompt", stage, prompt(lambda n: common[n % 20], "common-{}"), EITHER),
        Case(LONG, "user-prompt", stage, prompt(lambda n: logs[n % 4], "long-{}"), EITHER),
        Case(SUPPRESSED, "user-prompt", stage, prompt(lambda _: short[0], "same"), SILENT, warm_ups=3),
        Case(REMEMBER, "user-prompt", stage, prompt(unseen.format, "remember-{}"), ANSWERS),
        Case(START, "session-start", stage, start, ANSWERS),
        Case(COMPACT, "pre-compact", stage, compact, EITHER),
        Case(END, "session-end", stage, end, SILENT, clock_step_s=700),
    ]


def without_store(stage: Stage, bare: Path, prompt: str) -> Case:
    """The prompt hook in a project that was never prepared: what the hook costs before any store."""

    def payload(number: int) -> dict[str, object]:
        event = _common(stage, "UserPromptSubmit", f"bare-{number}", number, bare / "none.jsonl")
        return {**event, "cwd": str(bare), "prompt": prompt}

    env = {**stage.env, "CLAUDE_PROJECT_DIR": str(bare)}
    elsewhere = Stage(stage.home, bare, stage.launcher, stage.direct, env, 0, [], [])
    return Case(NO_STORE, "user-prompt", elsewhere, payload, SILENT)


def _plain(stage: Stage, event: str, transcript: Path, **own: object) -> Callable[[int], dict[str, object]]:
    def payload(number: int) -> dict[str, object]:
        return {**_common(stage, event, f"{event}-{number}", number, transcript), **own}

    return payload


def _common(stage: Stage, event: str, session: str, number: int, transcript: Path) -> dict[str, object]:
    return {
        "session_id": session,
        "transcript_path": str(transcript),
        "cwd": str(stage.project),
        "prompt_id": f"prompt-{number}",
        "hook_event_name": event,
    }
