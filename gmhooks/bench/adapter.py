"""`python -m gmhooks.bench.adapter [--as-hook] [--neighbours] [--pad FILE:COUNT]`: the product behind lines of JSON.

One request a line on standard input, one answer a line on standard output:

    {"op": "ingest", "ns": N, "facts": [{"id", "ns", "text", "ts", "supersedes"?}, …]}    {"ok": true, "count": n}
    {"op": "query", "ns": N, "query": TEXT, "k": K, "id": Q}                              {"id": Q, "ids": [best first]}
    {"op": "drop", "ns": N}                                                               {"ok": true}
    {"op": "quit"}                                                                        none

A request that cannot be served is answered with {"error": …}. `--as-hook` answers with the facts that the installed prompt
hook would show a new session, `--neighbours` recalls with neighbour smoothing, `--pad` lets every namespace hold that
many facts of another file besides.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from typing import IO, Any

from gmhooks.bench.data import BadData, fact, texts
from gmhooks.bench.subject import PADDING, Subject


def serve(requests: IO[str], answers: IO[str], subject: Subject, *, as_hook: bool) -> None:
    """Answer requests until `quit` or the end of input."""
    for line in requests:
        try:
            request = json.loads(line)
            if request["op"] == "quit":
                return
            body = respond(subject, request, as_hook=as_hook)
        except BadData as error:
            body = {"error": str(error)}
        except (ValueError, TypeError, KeyError) as error:
            body = {"error": f"not a request: {type(error).__name__}: {error}"}
        answers.write(json.dumps(body) + "\n")
        answers.flush()


def respond(subject: Subject, request: Mapping[str, Any], *, as_hook: bool) -> dict[str, object]:
    """The answer to one request. BadData; KeyError for a field that is missing."""
    op, space = request["op"], request["ns"]
    if op == "ingest":
        facts = [fact(row, f"fact {number} of {space!r}") for number, row in enumerate(request["facts"], 1)]
        subject.ingest(space, facts)
        return {"ok": True, "count": len(facts)}
    if op == "drop":
        subject.drop(space)
        return {"ok": True}
    if op != "query":
        raise BadData(f"unknown op {op!r}")
    text, top_k = request["query"], request["k"]
    found = subject.inject(space, text) if as_hook else subject.recall(space, text, top_k)
    return {"id": request["id"], "ids": [each for each in found[:top_k] if not each.startswith(PADDING)]}


def padding(named: str) -> list[str]:
    """The texts that FILE:COUNT names. BadData."""
    path, _, count = named.rpartition(":")
    if not path or not count.isdigit():
        raise BadData(f"{named!r} is not FILE:COUNT")
    return texts(path, int(count))


def main() -> None:
    """Serve standard input."""
    parser = argparse.ArgumentParser(description="Answer retrieval requests, one JSON object a line.")
    parser.add_argument("--as-hook", action="store_true", help="answer what the prompt hook would inject")
    parser.add_argument("--pad", default="", metavar="FILE:COUNT", help="facts to hold besides, never named")
    parser.add_argument("--neighbours", action="store_true", help="recall with neighbour smoothing")
    args = parser.parse_args()
    if args.as_hook and args.neighbours:
        parser.error("the prompt hook has no neighbour smoothing")
    try:
        others = padding(args.pad) if args.pad else []
    except BadData as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory(prefix="gmhooks-bench-") as folder:
        subject = Subject(folder, others, neighbours=args.neighbours)
        serve(sys.stdin, sys.stdout, subject, as_hook=args.as_hook)


if __name__ == "__main__":
    main()
