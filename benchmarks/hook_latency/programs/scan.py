"""A hook without an index: it reads every text, counts the prompt's words in all of them, and prints the best three.

    python -I -S scan.py FACTS.txt < payload

FACTS.txt holds one lower-case text a line. Ranking: sum of ln(N / df) over the distinct words of the prompt that a text
holds; ties go to the earlier text.
"""

import json
import sys
from math import log


def main(path: str) -> None:
    """Answer the payload on stdin."""
    prompt = json.load(sys.stdin)["prompt"]
    asked = set(prompt.lower().split())
    counts = dict.fromkeys(asked, 0)
    found = []
    with open(path, encoding="utf-8") as source:
        texts = source.readlines()
        for text in texts:
            held = asked.intersection(text.split())
            if held:
                found.append((held, text))
                for word in held:
                    counts[word] += 1
    weights = {word: log(len(texts) / count) for word, count in counts.items() if count}
    found.sort(key=lambda entry: -sum(weights[word] for word in entry[0]))
    context = "".join(f"- {text}" for _, text in found[:3])
    if context:
        json.dump({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
