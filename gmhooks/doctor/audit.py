"""Examining instruction files: size, near-duplicates, age, managed blocks, secrets. Needs no store, writes nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gmhooks.context.blocks import Block, BlockFault, Scan, lines, scan
from gmhooks.doctor.finding import FAIL, WARN
from gmhooks.doctor.similar import pairs
from gmhooks.doctor.staleness import OLD_DAYS, Staleness, staleness
from gmhooks.init import publish
from gmhooks.init.context_file import AGENTS, CLAUDE, spelled
from gmhooks.init.instruct import text_of
from gmhooks.init.refusal import Refusal
from gmhooks.text.secrets import find as find_secret

TOKENIZER = "words_x_1.33"
WARN_LINES, FAIL_LINES = 500, 1500
LEAST_JACCARD = 0.8
SHINGLE = 5
THRESHOLDS = {
    "size_warn_lines": WARN_LINES,
    "size_fail_lines": FAIL_LINES,
    "duplicate_jaccard": LEAST_JACCARD,
    "duplicate_shingle_words": SHINGLE,
    "stale_median_days": OLD_DAYS,
}
_WORD = re.compile(r"[^\W_]+")
FIXES = {
    "audit.readable": "make it a regular UTF-8 file",
    "audit.size": "move what is rarely needed into files that it names",
    "audit.duplicate": "keep one of the two paragraphs",
    "audit.stale": "read it again; what no longer holds misleads every session",
    "audit.markers": "correct the markers by hand, or take the block out and run graymatter init or context-sync again",
    "audit.blocks": "run graymatter init or context-sync: two untouched blocks become one",
    "audit.edited": "graymatter context-sync --force, or move your text out of the block",
    "audit.secret": "remove it, and revoke it if the file was shared",
}
"""What to do about a finding, by its check."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One thing to look at."""

    check: str
    severity: str
    file: str
    detail: str

    def to_json(self) -> dict[str, str]:
        """As plain data, with the fix."""
        return {
            "check": self.check,
            "severity": self.severity,
            "file": self.file,
            "detail": self.detail,
            "fix": FIXES[self.check],
        }


@dataclass(slots=True)
class FileAudit:
    """Everything about one file."""

    path: str
    lines: int = 0
    tokens: int = 0
    blocks: list[Block] = field(default_factory=list)
    duplicates: list[tuple[int, int, float]] = field(default_factory=list)
    age: Staleness = field(default_factory=Staleness)
    findings: list[AuditFinding] = field(default_factory=list)

    def note(self, check: str, severity: str, detail: str) -> None:
        """Add a finding."""
        self.findings.append(AuditFinding(check, severity, self.path, detail))

    def to_json(self) -> dict[str, object]:
        """The documented keys of one file."""
        return {
            "path": self.path,
            "lines": self.lines,
            "tokens_approx": self.tokens,
            "managed_blocks": [
                {
                    "kind": block.family,
                    "begin_line": block.first_line,
                    "end_line": block.last_line,
                    "verified": block.verified,
                }
                for block in self.blocks
            ],
            "near_duplicates": [{"a_line": a, "b_line": b, "jaccard": round(value, 3)} for a, b, value in self.duplicates],
            "staleness": self.age.to_json(),
        }


def targets(path: str) -> list[str]:
    """The files that an audit of `path` means: the file itself, or a directory's AGENTS.md and CLAUDE.md, once each. OSError
    when nothing is there, or when the directory cannot be read."""
    if not os.path.isdir(path):
        os.lstat(path)
        return [path]
    os.listdir(path)
    found: dict[str, str] = {}
    for name in (AGENTS, CLAUDE):
        there = spelled(path, name)
        if there is not None:
            found.setdefault(os.path.realpath(there), there)
    return list(found.values())


def audit_file(path: str, now_s: float) -> FileAudit:
    """Examine one file; what cannot be read becomes a finding."""
    done = FileAudit(path)
    try:
        data = publish.read(publish.resolve(path)[0]).data
        if data is None:
            raise Refusal("io_error", "there is no such file")
        _, text = text_of(data)
    except Refusal as refusal:
        done.note("audit.readable", FAIL, str(refusal))
        return done
    except OSError as error:
        done.note("audit.readable", FAIL, error.strerror or str(error))
        return done
    rows = list(lines(text))
    done.lines, done.tokens = len(rows), int(len(text.split()) * 1.33)
    if done.lines > WARN_LINES:
        severity = FAIL if done.lines > FAIL_LINES else WARN
        done.note("audit.size", severity, f"{done.lines:,} lines, about {done.tokens:,} tokens in every session")
    _blocks(done, text)
    _duplicates(done, rows)
    _secrets(done, rows)
    done.age = staleness(path, now_s)
    if not done.age.reason and done.age.median_days > OLD_DAYS:
        done.note("audit.stale", WARN, f"half of its lines are older than {done.age.median_days:.0f} days")
    return done


def _duplicates(done: FileAudit, rows: list[str]) -> None:
    starts, sets = [], []
    ours = {at for block in done.blocks for at in range(block.first_line, block.last_line + 1)}
    for line, words in _paragraphs(["" if at in ours else row for at, row in enumerate(rows, 1)]):
        if len(words) >= SHINGLE:
            starts.append(line)
            sets.append(frozenset(tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)))
    done.duplicates = [(starts[a], starts[b], value) for a, b, value in pairs(sets, LEAST_JACCARD)]
    for a, b, value in done.duplicates:
        done.note("audit.duplicate", WARN, f"the paragraph at line {b} nearly repeats line {a} ({value:.2f})")


def _paragraphs(rows: list[str]) -> Iterator[tuple[int, list[str]]]:
    """(first line, words) of everything between blank lines."""
    first, words = 0, list[str]()
    for number, row in enumerate([*rows, ""], 1):
        if row.strip():
            first = first or number
            words += _WORD.findall(row.lower())
        elif first:
            yield first, words
            first, words = 0, []


def _blocks(done: FileAudit, text: str) -> None:
    try:
        found: Scan = scan(text)
    except BlockFault as fault:
        done.note("audit.markers", FAIL, f"line {fault.line}: {fault.code}: {fault.detail}")
        return
    done.blocks = found.blocks
    for block in found.blocks:
        if not block.verified:
            done.note("audit.edited", WARN, f"the {block.family} block at line {block.first_line} does not fit its hash")
    for family in dict.fromkeys(block.family for block in found.blocks):
        if len(found.of(family)) > 1:
            second = found.of(family)[1].first_line
            done.note("audit.blocks", WARN, f"a second {family} block begins at line {second}")


def _secrets(done: FileAudit, rows: list[str]) -> None:
    for number, row in enumerate(rows, 1):
        rule = find_secret(row)
        if rule is not None:
            done.note("audit.secret", FAIL, f"line {number} looks like a secret ({rule})")
