"""A hook as most are written: a console script that imports a library, here this project's own over the same store.

The script that starts it is the one pip writes for an entry point. Three facts of the project are asked for, by the same
ranking.
"""

import json
import sys


def main() -> None:
    """Answer the payload on stdin."""
    from gmhooks import Memory

    event = json.load(sys.stdin)
    folder = event["cwd"]
    found = Memory.of_project(folder).recall_all(folder.rpartition("/")[2], event["prompt"], top_k=3)
    context = "".join(f"- {fact.text}\n" for fact in found.facts)
    if context:
        json.dump({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}, sys.stdout)
