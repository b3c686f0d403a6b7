"""What keeps the client from running any hook here."""

from __future__ import annotations

from collections.abc import Iterator

from gmhooks.doctor.clientfiles import MANAGED, PLUGIN, trusted_folder
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.view import View

_SAFE = "CLAUDE_CODE_SAFE_MODE"


def check(view: View) -> Iterator[Finding]:
    """Off switches of the client, and its trust in the folder."""
    off = [file for file in view.files if file.body.get("disableAllHooks") is True]
    for file in off:
        yield Finding("client.hooks_disabled", FAIL, f"disableAllHooks in {file.path} ({file.scope})")
    for file in view.others:
        if file.scope == MANAGED and file.body.get("allowManagedHooksOnly") is True:
            yield Finding("client.managed_only", FAIL, f"allowManagedHooksOnly in {file.path}")
    for place, value in _variables(view, _SAFE):
        if str(value).lower() not in ("", "0", "false"):
            yield Finding("client.safe_mode", WARN, f"{_SAFE}={value} in {place}")
    yield _trust(view)


def _variables(view: View, name: str) -> Iterator[tuple[str, object]]:
    """Every place that sets a variable for the client, with its value."""
    if name in view.at.environ:
        yield "this environment", view.at.environ[name]
    for file in view.files:
        if name in file.env and not file.scope.startswith(PLUGIN):
            yield file.path, file.env[name]


def _trust(view: View) -> Finding:
    root = view.at.route.root
    trusted = trusted_folder(view.at.environ, root)
    if trusted:
        return Finding("client.trust", OK, f"the client trusts {root}")
    if trusted is None:
        return Finding("client.trust", INFO, f"the client has not asked about {root} yet; it will at the first start")
    return Finding("client.trust", WARN, f"{root} was not accepted")


def disabled_by_variable(view: View) -> Iterator[str]:
    """Every place that sets GRAYMATTER_DISABLE=1."""
    for place, value in _variables(view, "GRAYMATTER_DISABLE"):
        if str(value) == "1":
            yield place
