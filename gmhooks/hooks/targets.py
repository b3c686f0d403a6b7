"""Hot, for corrections only: which live facts a person means, and taking them out of recall.

A target is a fact's id (or its last characters), else its stored text, else the line as a block or a listing shows it;
never a part of a text. All live copies of a text in its namespace belong together.
"""

from __future__ import annotations

from gmhooks.hooks.tame import tame
from gmhooks.store.facts import by_suffix, equals, newest, retire
from gmhooks.store.records import KIND_ALIAS, RETIRED
from gmhooks.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact, Namespace

    Group = tuple[Namespace, list[Fact]]

SCANNED = 2000


def meant(
    store: Store, spaces: list[Namespace], target: str, most: int = SCANNED, elsewhere: Sequence[Namespace] = ()
) -> list[Group]:
    """Groups of copies that `target` means, the fact it names first; more than one only when an id's ending fits several.

    A text counts in the first of the spaces that has it, an id also `elsewhere`. Only the newest `most` facts of a space are
    compared as shown.
    """
    everywhere = [*spaces, *elsewhere]
    text = target.strip().removeprefix("- ").strip()
    if not text:
        return []
    named = _named(store, everywhere, text.strip("[]` "))
    if named:
        return named
    stored = _stored(store, spaces, text)
    if stored:
        return stored
    endings = [text.rpartition("[")[2][:-1]] if text.endswith("]") else []  # of a block's line
    day, _, listed = text.partition("[")
    endings += [] if day.strip("0123456789- ") else [listed.partition("]")[0]]
    for ending in endings:
        named = _named(store, everywhere, ending)
        if named:
            return named
    for line in (text, text.rpartition(" (via ")[0]):
        found = (_stored(store, spaces, line.replace("⏎", " ")) or _shown(store, spaces, line, most)) if line else []
        if found:
            return found
    return []


def retire_all(store: Store, ns: Namespace, facts: list[Fact], by: bytes = RETIRED) -> None:
    """Retire live facts of one namespace, superseded by the fact of id `by` or by nothing (write)."""
    for fact in facts:
        retire(store, ns, fact, by)
    if any(fact.kind == KIND_ALIAS for fact in facts):
        from gmhooks.store.aliases import rebuild

        rebuild(store, ns)


def _named(store: Store, spaces: list[Namespace], ending: str) -> list[Group]:
    groups: list[Group] = []
    for fact in by_suffix(store, ending):
        if fact.live and not any(fact.id == other.id for _, group in groups for other in group):
            groups += [(ns, _copies(store, ns, fact)) for ns in spaces if ns.number == fact.ns]
    return groups


def _stored(store: Store, spaces: list[Namespace], text: str) -> list[Group]:
    text = clean(text)[0]
    for ns in spaces if text else []:
        for fact in equals(store, ns, text):
            return [(ns, _copies(store, ns, fact))]
    return []


def _shown(store: Store, spaces: list[Namespace], line: str, most: int) -> list[Group]:
    for ns in spaces:
        left = most
        for fact in newest(store, ns):
            if not left:
                break
            left -= 1
            if tame(fact.text)[0] == line:
                return [(ns, _copies(store, ns, fact))]
    return []


def _copies(store: Store, ns: Namespace, fact: Fact) -> list[Fact]:
    """The fact, then every other live one of its kind with an equal text."""
    same = [other for other in equals(store, ns, fact.text) if other.kind == fact.kind and other.id != fact.id]
    return [fact, *same]
