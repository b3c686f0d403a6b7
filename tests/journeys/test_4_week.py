"""A week of use over many sessions: save, correct, forget, export, restore; in the end the model sees what is live."""

from __future__ import annotations

import json
import re
import shutil

from tests.journeys.desk import Desk, context_of

VPN = "Integration tests need the staging VPN"
API = "API base URL is https://api.v1.example.com"
NEW_API = "API base URL is https://api.v2.example.com"
UTC = "All timestamps are UTC ISO-8601"
FREEZE = "Deploys freeze on Fridays after 15:00"
QUEUE = "The job queue is called pigeons"
BLOCK = re.compile(r'<graymatter-memory k="(\w+)">(.*?)</graymatter-memory k="\1">', re.S)
LINE = re.compile(r"^- (.*)$", re.M)


def context(request: dict[str, object]) -> str:
    """What hooks added to a request."""
    return "\n".join(text for event in ("SessionStart", "UserPromptSubmit") for text in context_of(request, event))


def injected(desk: Desk, prompt: str) -> list[str]:
    """Lines of facts that a fresh session had in its context at its only prompt."""
    (request,) = desk.prompt(prompt)
    return [line for _, block in BLOCK.findall(context(request)) for line in LINE.findall(block)]


def live(desk: Desk) -> list[str]:
    return sorted(fact["text"] for fact in desk.facts())


def monday_saves(desk: Desk) -> None:
    desk.prompt(f"remember: {VPN}\nremember: {API}")
    desk.prompt(f"remember shared: {UTC}")
    assert live(desk) == sorted([VPN, API, UTC])


def tuesday_corrects(desk: Desk) -> None:
    assert API in injected(desk, "what is the API base URL?")
    desk.graymatter("update", API, NEW_API)
    seen = injected(desk, "what is the API base URL?")
    assert NEW_API in seen
    assert API not in seen


def wednesday_forgets(desk: Desk) -> None:
    saved = json.loads(desk.graymatter("remember", "A mistake", "--json"))
    desk.prompt(f"forget: {saved['short_id']}")
    desk.graymatter("remember", "Another mistake")
    assert "Another mistake" in desk.graymatter("undo")
    assert live(desk) == sorted([VPN, NEW_API, UTC])


def thursday_is_quiet(desk: Desk) -> None:
    desk.prompt("memory off")
    assert injected(desk, "how do I run the integration tests?") == []
    desk.prompt("remember: nobody listens")
    assert json.loads(desk.graymatter("status", "--json"))["memory"] == "off"
    desk.prompt("memory on")
    desk.prompt(f"remember: {FREEZE}")
    desk.graymatter("pin", FREEZE)
    assert live(desk) == sorted([VPN, NEW_API, UTC, FREEZE])


def friday_looks_back(desk: Desk) -> None:
    (request,) = desk.prompt("when do deploys freeze?")
    block = desk.graymatter("log", "--last")
    assert FREEZE in block
    assert block in context(request)
    status = json.loads(desk.graymatter("status", "--json"))
    assert (status["memory"], status["injected"]["today_bytes"] > len(block)) == ("on", True)
    assert all(status["last_fired"][event] for event in ("session-start", "user-prompt", "session-end"))


def saturday_moves(desk: Desk) -> None:
    before, after = desk.home / "before.jsonl", desk.home / "after.jsonl"
    desk.graymatter("export", "--format", "jsonl", "--out", str(before))
    shutil.rmtree(desk.project / ".graymatter")
    assert injected(desk, "how do I run the integration tests?") == []
    desk.graymatter("init")
    desk.graymatter("import", str(before))
    desk.graymatter("export", "--out", str(after))
    assert after.read_bytes() == before.read_bytes()


def sunday_cleans_up(desk: Desk) -> None:
    desk.graymatter("remember", QUEUE)
    desk.graymatter("forget", "--purge", QUEUE)
    desk.graymatter("consolidate")
    held = [path for path in (desk.project / ".graymatter").rglob("*") if path.is_file()]
    assert not [path for path in held if b"pigeons" in path.read_bytes()]


def test_after_a_week_the_model_sees_exactly_the_live_facts(desk: Desk) -> None:
    for day in (
        monday_saves, tuesday_corrects, wednesday_forgets, thursday_is_quiet, friday_looks_back, saturday_moves,
        sunday_cleans_up,
    ):  # fmt: skip
        day(desk)
    seen = injected(desk, "good morning")
    assert sorted(seen) == live(desk) == sorted([VPN, NEW_API, UTC, FREEZE])
    assert seen[0] == FREEZE
