"""What a caller of the library may have to handle beside StoreError and Refused."""

from __future__ import annotations


class NotFound(Exception):
    """No live fact has that id or text; the message lists facts that come near."""


class Ambiguous(Exception):
    """Several live facts have an id that ends like this; the message lists them."""
