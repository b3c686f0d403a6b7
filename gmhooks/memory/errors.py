"""What a caller of the library may have to handle beside StoreError and Refused."""

from __future__ import annotations

from gmhooks.store.errors import StoreError


class NotFound(Exception):
    """No live fact has that id or text; the message lists facts that come near."""


class NoDirectory(StoreError):
    """What has the name of the data directory, the store or the spool is something else; the message says what."""

    code = "not_a_directory"


class Ambiguous(Exception):
    """Several live facts have an id that ends like this; the message lists them."""


class AliasMeant(ValueError):
    """The target is an alias, which is never shown: it can neither be pinned nor be replaced by a fact."""
