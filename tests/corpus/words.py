"""A vocabulary: each word of a corpus has one small function; a word without one is a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

Rule = TypeVar("Rule", bound=Callable[..., Any])


class Words(Generic[Rule]):
    """Functions keyed by the corpus word that they judge or carry out."""

    def __init__(self, section: str) -> None:
        self.section = section
        self._rules: dict[str, Rule] = {}

    def __call__(self, *names: str) -> Callable[[Rule], Rule]:
        """Decorator: the function is the meaning of these words."""

        def keep(rule: Rule) -> Rule:
            for name in names:
                if name in self._rules:
                    raise ValueError(f"{self.section} word {name!r} has two meanings")
                self._rules[name] = rule
            return rule

        return keep

    def __getitem__(self, name: str) -> Rule:
        return self._rules[name]

    def __contains__(self, name: object) -> bool:
        return name in self._rules

    def unknown(self, used: Iterable[str]) -> list[str]:
        """One problem line per word that has no meaning here."""
        return [f"{self.section} word {word!r} is not known" for word in used if word not in self._rules]

    def judge(self, used: Mapping[str, Any], *seen: Any) -> list[str]:
        """Every problem that the words of `used` find; each rule gets its value and `seen`."""
        problems = self.unknown(used)
        for word, value in used.items():
            if word in self._rules:
                problems += [f"{word}: {problem}" for problem in self._rules[word](value, *seen) or ()]
        return problems


def as_list(value: Any) -> list[Any]:
    """A list of allowed outcomes; a single outcome is a list of one."""
    return list(value) if isinstance(value, list) else [value]
