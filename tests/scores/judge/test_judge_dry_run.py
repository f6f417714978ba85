"""A dry run: nothing is sent, the count is the most there can be, and what the journal holds is free."""

import pandas as pd
import pytest

from ragassay.models.judge import DryRun, Judge, Reply
from ragassay.scores import METRICS, score
from ragassay.scores.metric_registry import JUDGED
from ragassay.scores.score import dry_run

LESSON = [name for name in JUDGED if METRICS[name].source.startswith("Lesson")]
ANSWERS = pd.DataFrame(
    [
        {
            "case_id": f"c{i}",
            "system": "s",
            "question": "What is the fee?",
            "answer": answer,
            "contexts": ["The fee is 9 euros."],
        }
        for i, answer in enumerate(["9 euros.", "10 euros.", "9 euros.", ""])
    ]
)


@pytest.fixture
def judge(tmp_path) -> Judge:
    return Judge("http://127.0.0.1:9/v1", "rule", tmp_path / "judge.sqlite")


def test_by_hand(judge):
    """Three answers can be judged, two of them are equal: one call for the Lesson and four for GroUSE each."""
    assert dry_run([ANSWERS], JUDGED, judge).calls == 2 * 5
    assert dry_run([ANSWERS], LESSON, judge).calls == 2
    assert dry_run([ANSWERS], ["citations_valid"], judge).calls == 0
    assert judge.spent.requests == 0, "nothing is asked"


def test_tokens_are_those_of_the_prompts(judge):
    from ragassay.models import tokenizer

    asked = []

    def note(requests):
        asked.extend(requests)
        return [Reply(None, "noted")] * len(requests)

    score(ANSWERS[:1], metrics=LESSON, instruments={"judge": note})
    found = dry_run([ANSWERS[:1]], LESSON, judge)
    texts = [asked[0].system, asked[0].user]
    assert (
        len(asked) == 1 and found.tokens_in == sum(len(tokenizer().encode(text).ids) for text in texts) > 500
    )
    assert found.most_tokens_out == asked[0].max_tokens and found.cost(2.0, 10.0) == pytest.approx(
        (found.tokens_in * 2 + asked[0].max_tokens * 10) / 1e6
    )
    assert "at most 1 calls" in str(found)


def test_what_the_journal_holds_costs_nothing_and_says_how_it_goes_on(judge):
    """The journal says that both answers respond: GroUSE then takes two or three calls, not four."""
    counting = DryRun(judge, lambda request: "{}")
    requests = []
    score(
        ANSWERS,
        metrics=["judge_grouse_answer_relevancy"],
        instruments={"judge": lambda asked: requests.extend(asked) or counting(asked)},
    )
    for request in requests:
        judge._journal.keep(request.key(judge._recipe()), Reply('{"declines": false, "answer_relevancy": 5}'))
    found = dry_run([ANSWERS], [name for name in JUDGED if name not in LESSON], judge)
    assert (found.kept, found.calls) == (2, 4) and "2 more are in the journal" in str(found)
