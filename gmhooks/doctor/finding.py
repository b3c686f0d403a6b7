"""What a check has to say: one finding, and the words for its state."""

from __future__ import annotations

from dataclasses import dataclass, field

OK, INFO, WARN, FAIL = "ok", "info", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the examination. `id` is in the catalogue; `detail` is the evidence; `numbers` are measurements."""

    id: str
    state: str
    detail: str
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def bad(self) -> bool:
        """Whether something should be done about it."""
        return self.state in (WARN, FAIL)
