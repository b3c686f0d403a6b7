from __future__ import annotations

import pytest

from gmhooks.recall.engine import recall
from gmhooks.recall.gate import DEPTH, SILENT, STRONG, WEAK, choose, steers, worth_asking
from gmhooks.store.env import open_read
from gmhooks.store.namespaces import find
from gmhooks.store.records import MCP
from gmhooks.text.tokens import query_terms
from tests.recall.worlds import NOW_US, Draft, World

VPN = "Integration tests need the staging VPN"
PROJECT = [
    VPN,
    "API base URL is https://api.v2.example.com",
    "We deploy with `make release` from main only",
    "Use pnpm, never npm",
    "Postgres runs on port 5433 locally because 5432 is taken by the legacy app",
    "The billing service owner is Priya; ask before changing invoices",
    "db host 10.1.2.3",
    "getUserProfile caches for 60s",
    "Never run migrations on Fridays",
    "数据库备份保存在上海机房，保留三十天。",
]
UNRELATED = [
    "write a haiku about rain",
    "thanks, looks good",
    "run the tests again and fix what fails",
    "continue",
    "why is step 3 slow?",
    "please refactor this function to be shorter",
    "what is the capital of Australia",
    "add a docstring to this function",
    "explain the visitor pattern",
    "commit and push",
    "i don't like this approach, think of another one",
    "继续",
    "今天天气怎么样",
    "muchas gracias por la ayuda",
]
RELATED = {
    "how do I run the integration tests?": VPN,
    "the staging vpn is down": VPN,
    "install lodash with npm": "Use pnpm, never npm",
    "who owns billing": "The billing service owner is Priya; ask before changing invoices",
    "user profile cache": "getUserProfile caches for 60s",
    "can I run the migrations today": "Never run migrations on Fridays",
    "数据库备份保留多久": "数据库备份保存在上海机房，保留三十天。",
}

FACTORIES = "Tests use the factory_boy factories rather than raw fixtures"


def injected(folder: str, prompt: str) -> tuple[int, list[str], list[str]]:
    """(tier, agent texts, shared texts) for a prompt, as a hook would ask."""
    terms = query_terms(prompt)
    if not worth_asking(terms):
        return SILENT, [], []
    store = open_read(folder)
    try:
        agent, shared = [recall(store, find(store, name), terms, NOW_US, DEPTH, fill=False) for name in ("a", "s")]
        tier, mine, theirs = choose(agent, shared)
    finally:
        store.close()
    return tier, [hit.fact.text for hit in mine], [hit.fact.text for hit in theirs]


def test_a_lone_fact_answers_the_prompt_it_was_saved_for(folder: str) -> None:
    World(folder, "a").write([Draft(VPN)])
    assert injected(folder, "how do I run the integration tests?") == (STRONG, [VPN], [])


@pytest.mark.parametrize("prompt", UNRELATED)
def test_an_unrelated_prompt_injects_nothing(folder: str, prompt: str) -> None:
    World(folder, "a").write(map(Draft, PROJECT))
    assert injected(folder, prompt) == (SILENT, [], [])


@pytest.mark.parametrize("prompt", RELATED)
def test_a_related_prompt_shows_its_fact_first(folder: str, prompt: str) -> None:
    World(folder, "a").write(map(Draft, PROJECT))
    assert injected(folder, prompt)[1][:1] == [RELATED[prompt]]


def test_a_long_task_description_still_finds_what_it_touches(folder: str) -> None:
    World(folder, "a").write([*map(Draft, PROJECT), *[Draft(f"filler {n} about widget{n}") for n in range(150)]])
    prompt = (
        "Rework the uploader: split parsing from transport, keep retries in one place, add tracing around every network "
        "call, document the queue semantics, drop the obsolete adapter, rename the constants, cover the backoff with "
        "integration tests and make sure that pipeline passes in staging before merging; afterwards summarise the design "
        "for the architects, with diagrams and measurements of throughput, memory and latency under load"
    )
    assert injected(folder, prompt)[1] == [VPN]


def test_strong_evidence_shows_three_facts_of_each_namespace(folder: str) -> None:
    World(folder, "a").write([Draft(f"kafka consumer lag alert number {n}") for n in range(5)])
    World(folder, "s").write([Draft(f"kafka consumer lag policy {n}") for n in range(5)])
    tier, mine, theirs = injected(folder, "kafka consumer lag")
    assert (tier, len(mine), len(theirs)) == (STRONG, 3, 3)


def test_weak_evidence_shows_one_fact_of_each_namespace(folder: str) -> None:
    World(folder, "a").write([Draft(f"kafka topic number {n}") for n in range(3)])
    World(folder, "s").write([Draft(f"kafka policy number {n}") for n in range(3)])
    tier, mine, theirs = injected(folder, "kafka sizing for tenants, brokers, zones")
    assert (tier, len(mine), len(theirs)) == (WEAK, 1, 1)


def test_a_text_in_both_namespaces_is_shown_once(folder: str) -> None:
    World(folder, "a").write([Draft(VPN)])
    World(folder, "s").write([Draft(VPN)])
    assert injected(folder, "integration tests on the staging vpn")[1:] == ([VPN], [])


def test_at_equal_score_facts_of_the_user_go_before_facts_via_mcp(folder: str) -> None:
    World(folder, "a").write(
        [Draft(f"redis is shard {n}", age=9 - n, source=MCP) for n in range(3)] + [Draft("redis is shard user")]
    )
    assert injected(folder, "redis shard")[1][0] == "redis is shard user"


PORTS = ("The staging database listens on 5432", "Since the move the staging database listens on 5433")
HOSTS = ("暂存数据库监听端口五四三二", "迁移之后暂存数据库监听端口五四三三")


@pytest.mark.parametrize(("texts", "prompt"), [(PORTS, "staging database"), (HOSTS, "暂存数据库的端口")])
@pytest.mark.parametrize(("older", "newer", "shown"), [(0, 0, [1, 0]), (2, 3, [1]), (3, 2, [1, 0]), (3, 3, [1, 0])])
def test_the_newer_version_goes_first_and_alone_if_only_it_is_verified(
    folder: str, texts: tuple[str, str], prompt: str, older: int, newer: int, shown: list[int]
) -> None:
    facts = [Draft(texts[0], age=9, confidence=older), Draft(texts[1], age=1, confidence=newer)]
    World(folder, "a").write([*map(Draft, PROJECT), *facts])
    assert injected(folder, prompt)[1] == [texts[at] for at in shown]


def test_facts_about_two_things_keep_their_order(folder: str) -> None:
    facts = [Draft("staging database is on 5432", age=9), Draft("prod cache database is on 5433", age=1)]
    World(folder, "a").write([*map(Draft, PROJECT), *facts])
    assert injected(folder, "staging database")[1][0] == "staging database is on 5432"


def test_steering_words_are_known_as_the_analyzer_writes_them() -> None:
    chat = (
        "thanks please summarize summarise explain anything else refactoring modified another different above clearly"
    )
    assert [term for term in query_terms(chat) if not steers(term)] == []


@pytest.mark.parametrize(
    "chat",
    [
        "one more time but a little slower, twelve or thirteen hundred would be perfect",
        "no, eso no es lo que quiero, dime otra vez por que",
        "das ist schon gut so, bitte mach jetzt weiter",
        "merci, c'est tres bien, encore une fois",
        "спасибо, давай дальше, покажи ещё раз что там",
        "谢谢你, 请再试一次, 这个是什么",
        "ja bitte, mach weiter, das sollte jetzt einfach gehen",
        "claro, sigue adelante, puedes mostrar algo mejor mañana",
        "allez, continuez s'il vous plaît, je voudrais toujours autre chose",
        "perfetto grazie, vai avanti e spiegami ancora questa volta",
        "obrigada, pode continuar agora, preciso também de ajuda depois",
        "хорошо, продолжай пожалуйста, нужно ещё раньше проверить",
    ],
)
def test_small_talk_steers_in_any_of_the_languages(chat: str) -> None:
    telling = [term for term in query_terms(chat) if not steers(term)]
    assert len(telling) <= 2, telling


@pytest.mark.parametrize(
    "word", ["postgres", "vertical", "ci", "база", "数据", "10.1.2.3", "rollback", "voces", "sim", "ca", "bin"]
)
def test_words_that_name_something_do_not_steer(word: str) -> None:
    assert not steers(query_terms(word)[0])


def test_tests_are_a_subject_beside_another_word_but_not_in_an_order_to_run_them(folder: str) -> None:
    World(folder, "a").write(map(Draft, [*PROJECT, FACTORIES]))
    assert FACTORIES in injected(folder, "how to create test objects")[1]
    assert injected(folder, "now run the tests again") == (SILENT, [], [])


def test_nothing_to_say_is_decided_before_the_store_is_touched() -> None:
    assert not any(
        map(worth_asking, map(query_terms, ("thanks", "fix it", "run the tests again", "go on", "", "why?")))
    )
