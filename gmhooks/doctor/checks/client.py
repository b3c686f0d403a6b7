"""What keeps the client from running any hook here."""

from __future__ import annotations

from collections.abc import Iterator

from gmhooks.doctor.clientfiles import MANAGED, trusted_folder
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.view import View
from gmhooks.init.install import SCOPES

_SAFE = "CLAUDE_CODE_SAFE_MODE"
_TRUSTED = (MANAGED, "user")  # the client does not let a project set this one


def check(view: View) -> Iterator[Finding]:
    """Off switches of the client, and its trust in the folder."""
    for file in view.ruling:
        if isinstance(file.body.get("disableAllHooks"), bool):
            if file.body["disableAllHooks"]:
                yield Finding("client.hooks_disabled", FAIL, f"disableAllHooks in {file.path} ({file.scope})")
            break
    for file in view.others:
        if file.scope == MANAGED and file.body.get("allowManagedHooksOnly") is True:
            yield Finding("client.managed_only", FAIL, f"allowManagedHooksOnly in {file.path}")
    place, value = _variable(view, _SAFE, _TRUSTED)
    if value.lower() not in ("", "0", "false"):
        yield Finding("client.safe_mode", WARN, f"{_SAFE}={value} in {place}")
    yield _trust(view)


def _variable(view: View, name: str, scopes: tuple[str, ...]) -> tuple[str, str]:
    """Where a variable for the client and its hooks is set, and to what: settings of these scopes before the environment."""
    for file in view.ruling:
        if name in file.env and file.scope in scopes:
            return file.path, str(file.env[name])
    return "this environment", view.at.environ.get(name, "")


def _trust(view: View) -> Finding:
    root = view.at.route.root
    trusted = trusted_folder(view.at.environ, root)
    if trusted:
        return Finding("client.trust", OK, f"the client trusts {root}")
    if trusted is None:
        return Finding("client.trust", INFO, f"the client has not asked about {root} yet; it will at the first start")
    return Finding("client.trust", WARN, f"{root} was not accepted")


def disabling_place(view: View) -> str:
    """Where GRAYMATTER_DISABLE=1 is set for hooks; "" when it is not."""
    place, value = _variable(view, "GRAYMATTER_DISABLE", (MANAGED, *SCOPES))
    return place if value == "1" else ""
