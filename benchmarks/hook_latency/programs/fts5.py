"""A hook over SQLite's full-text index: the best three texts by its own bm25.

    python -I -S fts5.py FACTS.db < payload

FACTS.db holds the table `facts(text)`, made by `build`: FTS5 with the porter tokenizer, optimised.
"""

import json
import sqlite3
import sys


def build(path: str, texts: list[str]) -> None:
    """Make the index of these texts."""
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE facts USING fts5(text, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO facts VALUES (?)", [(text,) for text in texts])
    database.execute("INSERT INTO facts(facts) VALUES ('optimize')")
    database.commit()
    database.close()


def main(path: str) -> None:
    """Answer the payload on stdin."""
    prompt = json.load(sys.stdin)["prompt"]
    words = dict.fromkeys("".join(c if c.isalnum() else " " for c in prompt.lower()).split())
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    query = " OR ".join(f'"{word}"' for word in words)
    rows = database.execute("SELECT text FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT 3", (query,))
    context = "".join(f"- {text}\n" for (text,) in rows)
    if context:
        json.dump({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
