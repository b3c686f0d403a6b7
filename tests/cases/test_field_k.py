"""Field cases, section K: languages and text."""

from __future__ import annotations

import pytest

from gmhooks.hooks.fit import cut
from gmhooks.memory.api import Memory
from tests.hooks.project import Project

OTHERS = ("Use pnpm, never npm", "Deploys go through argo", "正则表达式很慢", "会議は月曜日", "주간 회의는 월요일")


@pytest.mark.parametrize(
    ("fact", "query"),
    [
        pytest.param("設備清單在倉庫", "清單", id="F175-han"),
        pytest.param("今日は成語しりとりをした", "しりとり", id="F175-kana"),
        pytest.param("오늘 끝말잇기 게임을 했다", "끝말잇기", id="F175-hangul"),
        pytest.param("API配置放在C盘", "配置", id="F176-two-characters"),
        pytest.param("API配置放在C盘", "API", id="F176-latin"),
        pytest.param("API配置放在C盘", "C盘", id="F176-mixed"),
        pytest.param("Свежая новость о релизе", "новостей", id="F178-inflected"),
        pytest.param("重跑gen-itgc后通知我", "itgc", id="F179-glued"),
    ],
)
def test_a_fact_is_found_by_a_word_of_it(memory: Memory, fact: str, query: str) -> None:
    for other in OTHERS:
        memory.remember("app", other)
    memory.remember("app", fact)
    for other in OTHERS:
        memory.remember("app", other + " !")
    found = memory.recall_explain("app", query)
    assert found.facts[0].text == fact
    ranks = found.receipts[0]["ranks"]
    assert isinstance(ranks, dict)
    assert ranks["keyword_rank"] == 1


def test_f178_a_similar_stem_is_no_match(memory: Memory) -> None:
    memory.remember("app", "целая неделя")
    ranks = memory.recall_explain("app", "цель").receipts[0]["ranks"]
    assert isinstance(ranks, dict)
    assert ranks["keyword_rank"] == 0


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("family 👩\u200d👩\u200d👧", ["family ", "family 👩\u200d👩\u200d👧"]),
        ("red ❤\ufe0f", ["red ", "red ❤\ufe0f"]),
        ("flags 🇩🇪🇫🇷", ["flags ", "flags 🇩🇪", "flags 🇩🇪🇫🇷"]),
    ],
)
def test_f181_a_cut_never_falls_into_a_sequence(memory: Memory, text: str, ends: list[str]) -> None:
    memory.remember("app", text)
    assert [fact.text for fact in memory.list("app")] == [text]
    start = text.index(" ") + 1
    assert sorted({cut(text, size) for size in range(start, len(text) + 1)}, key=len) == ends


def test_f182_an_agent_id_of_any_script_round_trips(memory: Memory) -> None:
    memory.remember("проект-α", "zebra")
    memory.remember("देवनागरी", "lion")
    assert [fact.text for fact in memory.recall("проект-α", "zebra").facts] == ["zebra"]
    assert [fact.text for fact in memory.recall("देवनागरी", "lion").facts] == ["lion"]
    assert memory.list("проект-α")[0].agent_id == "проект-α"


def test_f175_a_prompt_in_another_script_gets_its_fact(project: Project) -> None:
    project.add("数据库备份保存在上海机房", *OTHERS)
    assert project.prompt("备份保存在哪里？").lines == ["数据库备份保存在上海机房"]
