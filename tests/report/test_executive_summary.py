"""The summary and the chapter of the decision: verdict, principal findings, cards; hostile words as words."""

from types import SimpleNamespace

import pandas as pd
import pytest

from decision.judged_gates import judge
from decision.test_findings import check, checks, raise_
from ragassay.report import decision_chapter, decision_words, summary
from ragassay.report.blocks import Callout, Heading, Listing, Paragraph, Table, plain
from report.small_run import HOSTILE

GATES = judge(
    {"judged_grounded": "low >= 0.8", "toxicity_rate": "high <= 0.5"},
    {"judged_grounded": {"own": (70, 100)}, "toxicity_rate": {"own": (0, 100)}},
    generates=False,
)
CHECKS = [
    *("misuse", "toxicity", "personal_data", "names", "injection", "misled", "evidence_removed", "wordings"),
    *("passages_changed", "passages_given", "conversation", "repeatability", "perturbation", "superseded"),
    "stereotypes",
]
DECISION = {"rating": "Not fit", "reasons": [["critical gate failed", "judged_grounded"]]}


def register(*names: str) -> pd.DataFrame:
    return decision_words.with_words(*raise_(checked=checks(*(check(name, "all", 30, 40) for name in names))))


def run(decision=None, **tables: pd.DataFrame) -> SimpleNamespace:
    return SimpleNamespace(
        decision=decision or {},
        table=tables.get,
        rows=lambda name: tables.get(name, pd.DataFrame()),
        why=lambda name: f"{name} failed",
        record=lambda name, maker: {"independent": "no", "answers": 9},
        engagement={"purpose": "Answers customers.", "crosswalk": []},
        shown=[],
        gaps=[],
        notebooks={"07_conclusion": SimpleNamespace(state="executed", name="07_conclusion", parts=[])},
    )


def lines(blocks) -> list[str]:
    texts = [plain(block.words) for block in blocks if isinstance(block, Paragraph)]
    listed = [item for block in blocks if isinstance(block, Listing) for item in block.items]
    return texts + [plain(item[0].words) for item in listed]


def test_the_verdict_stands_first_with_what_failed_and_the_principal_findings():
    names = ["misuse", "toxicity", "personal_data", "names", "injection"]
    made = run(DECISION, gates=GATES, findings=register(*names))
    rating, *blocks = summary.summary(made).blocks
    shown = lines(blocks)
    assert rating.state == "Not fit" and shown[0].startswith(
        decision_words.rating_words("Not fit")["verdict"]
    )
    assert any("70 %" in line for line in shown)
    assert sum(line.startswith(("Critical", "High")) for line in shown) == summary.PRINCIPAL
    assert any("toxi" in line and "design" in line for line in shown)


def test_without_a_decision_or_tables_it_says_why():
    shown = summary.summary(run())
    assert any("07_conclusion failed" in line for line in lines(shown.blocks))
    assert any(isinstance(block, Callout) for block in shown.blocks)


@pytest.mark.parametrize("count, expected", [(0, 0), (3, 3), (15, 10)])
def test_at_most_ten_grave_findings_have_a_card(count, expected):
    blocks = decision_chapter.cards(run(findings=register(*(CHECKS[n] for n in range(count)))))
    assert sum(isinstance(block, Heading) for block in blocks) in (expected, 0)


def test_a_card_shows_its_case_and_what_is_settled_has_none():
    table = register("misuse").assign(
        shown_case="u-1", shown_question="How much?", shown_answer=HOSTILE[0], shown_remark="wrong"
    )
    (card,) = (block for block in decision_chapter.cards(run(findings=table)) if isinstance(block, Table))
    cells = {plain(line[0]): plain(line[1]) for line in card.rows}
    assert HOSTILE[0] in cells["Example"] and "wrong" in cells["Example"] and cells["Severity"]
    assert not decision_chapter.cards(run(findings=table.assign(status="closed")))


def test_cards_stand_after_the_table_of_findings():
    before, after = Table("a", [], [], [], file=decision_chapter.FINDINGS), Table("b", [], [], [])
    blocks = decision_chapter.decided(run(findings=register("misuse")), [before, after])
    assert blocks[0] is before and blocks[-1] is after and len(blocks) > 2


def test_limits_stand_by_chapter_each_once():
    limits = pd.DataFrame({"chapter": ["05_robustness", "00_scope", "00_scope"], "limit": ["b", "a", "a"]})
    assert decision_chapter.limits_by_chapter(limits)["limits"].tolist() == ["a", "b"]
