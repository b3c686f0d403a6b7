"""`graymatter mcp serve`: the memory tools for clients that speak MCP, on stdin and stdout or over HTTP."""

from __future__ import annotations

import argparse
import os
from typing import NoReturn

from gmhooks.cli.errors import DONE, WRITABLE, Fault, UsageFault
from gmhooks.cli.out import Out, shown
from gmhooks.hooks.route import for_hook, prepared
from gmhooks.memory.places import user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.mcp.place import Place
    from gmhooks.mcp.serve_http import Address



def build(parser: argparse.ArgumentParser) -> None:
    """Declare the action and its options."""
    parser.usage = (
        "graymatter mcp serve [--no-create]\n"
        "       graymatter mcp serve --http HOST:PORT [--token TOKEN | --no-auth] [--allow-host NAME] [--no-create]"
    )
    parser.epilog = (
        "actions:\n"
        "  serve  answer one MCP client on stdin and stdout until it leaves; with --http any number, until a signal comes.\n"
        "         The client's start is written by: graymatter init --mcp"
    )
    parser.add_argument("action", choices=("serve",), metavar="serve", help="serve the tools until the client leaves")
    parser.add_argument("--http", metavar="HOST:PORT", help="serve streamable HTTP there instead (port 0: any)")
    parser.add_argument("--token", help="the bearer token (default: GRAYMATTER_HTTP_TOKEN, else one kept in a file)")
    parser.add_argument("--no-auth", action="store_true", help="ask for no token; on loopback only")
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a further name of this host")
    parser.add_argument("--no-create", action="store_true", help="refuse to serve a project that is not prepared")


def parse(parser: argparse.ArgumentParser, words: list[str], given: argparse.Namespace) -> argparse.Namespace:
    """Read the command line; what it does not know is kept to be warned of: clients outlive versions."""
    args, unknown = parser.parse_known_args(words, given)
    args.unknown = unknown
    return args


def run(args: argparse.Namespace, out: Out) -> int:
    """Serve until the client leaves or a signal comes."""
    for word in args.unknown:
        out.note(f"Note: the unknown option {word!r} is ignored.")
    data_dir = os.path.abspath(args.dir) if args.dir else ""
    if args.http is None:
        _become_stdio(data_dir, create=not args.no_create)
    _serve_http(args, data_dir, out)
    return DONE


def _become_stdio(data_dir: str, *, create: bool) -> NoReturn:
    """Become the lean server, exactly as clients start it; never returns."""
    from gmhooks.init.mcp_launcher import command

    words = command(user_dir(os.environ))
    words += [f"--dir={data_dir}"] if data_dir else []
    words += [] if create else ["--no-create"]
    os.execv(words[0], words)


def _serve_http(options: argparse.Namespace, data_dir: str, out: Out) -> None:
    from gmhooks.mcp.place import Place
    from gmhooks.mcp.serve_http import BadAddress, address, listen, make_app, serve
    from gmhooks.mcp.token import VARIABLE, token_path

    try:
        where = address(options.http)
    except BadAddress as error:
        raise UsageFault(str(error), then="for example --http 127.0.0.1:8765") from None
    environ = {name: value for name, value in os.environb.items() if name != b"CLAUDE_PROJECT_DIR"}
    place = Place(environ, user_dir(os.environ), data_dir=data_dir, create=not options.no_create)
    home = _home(place)
    token = _token(options, where, home, place.user_dir)
    try:
        listening, where = listen(where)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot listen on {options.http} ({error.strerror})", then="choose another port, or port 0 for any"
        ) from None
    if not where.loopback:
        out.note(f"Warning: {where.shown} can be reached from other machines; memory travels unencrypted.")
    elif token is None:
        out.note("Warning: every program on this machine can read and change this memory (--no-auth).")
    if token is not None and options.token is None and VARIABLE not in os.environ:
        out.note(f"The token is in {shown(token_path(place.user_dir, home))}")
    out.note(f"Serving {home} at http://{where.shown or '0.0.0.0'}:{where.port}/mcp")
    serve(make_app(place, where, token, tuple(options.allow_host)), listening)


def _home(place: Place) -> str:
    """The data directory that is served, prepared now if that is allowed."""
    data_dir = place.data_dir or for_hook(place.environ, "").data_dir
    if not prepared(data_dir):
        if not place.create:
            raise Fault("store_missing", f"{data_dir} is not prepared and --no-create was given", then="graymatter init")
        from gmhooks.init.prepare import prepare_project

        prepare_project(data_dir, place.user_dir)
    return data_dir


def _token(options: argparse.Namespace, where: Address, data_dir: str, own_dir: str) -> str | None:
    """The token to ask for, None for none."""
    from gmhooks.mcp.token import obtain, token_path

    if options.no_auth:
        if options.token is not None:
            raise UsageFault("--token and --no-auth exclude each other")
        if not where.loopback:
            what = f"--no-auth is refused: {options.http} can be reached from other machines"
            raise Fault("not_loopback", what, then="listen on 127.0.0.1, or leave out --no-auth")
        return None
    try:
        return obtain(own_dir, data_dir, os.environ, options.token)
    except OSError as error:
        path = shown(token_path(own_dir, data_dir))
        what = f"the token file cannot be used ({error.strerror})"
        raise Fault("io_error", what, where=path, then=WRITABLE) from None
