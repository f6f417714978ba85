"""The same question asked again, and follow-ups: pairs, shares by question, what is raised."""

import math

import pandas as pd
import pytest

from ragassay.analysis import checks
from ragassay.analysis.robustness import repeatability
from ragassay.scores.families.same_answer import Agreement
from ragassay.stats import clopper_pearson


def alike(pairs, languages) -> list[Agreement]:
    """A comparison without a network: by the words."""
    return [Agreement(a == b, "same text" if a == b else "entailment") for a, b in pairs]


def answers_of(texts: dict[str, str], repeat: int = 0, errors: dict[str, str] | None = None) -> pd.DataFrame:
    rows = [(case, repeat, text, (errors or {}).get(case, "")) for case, text in texts.items()]
    return pd.DataFrame(rows, columns=["case_id", "repeat", "answer", "error"])


def variants_of(parents: list[str], kind: str = "repeat", rounds: int = 1) -> pd.DataFrame:
    rows = [(f"{parent}-r{n}", parent, kind, "en") for n in range(1, rounds + 1) for parent in parents]
    return pd.DataFrame(rows, columns=["case_id", "parent_id", "kind", "language"])


def asked(names, language: str = "en") -> pd.DataFrame:
    return pd.DataFrame({"case_id": list(names), "language": language, "origin": "own"})


def pairs_of(n: int, changed: int, kind: str = "repeat") -> pd.DataFrame:
    names = [f"c{i}" for i in range(n)]
    again = {f"{name}-r1": "It is 5." if i >= changed else "It is 6." for i, name in enumerate(names)}
    both = answers_of(dict.fromkeys(names, "It is 5.")), answers_of(again)
    return repeatability.pair_answers(*both, variants_of(names, kind), asked(names), alike)


def test_a_question_counts_once_however_often_it_was_asked_again():
    base = answers_of({"a": "5", "b": "5", "c": "5"})
    again = answers_of({"a-r1": "5", "a-r2": "5", "b-r1": "5", "b-r2": "6", "c-r1": "5", "c-r2": "5"})
    pairs = repeatability.pair_answers(
        base, again, variants_of(["a", "b", "c"], rounds=2), asked("abc"), alike
    )
    share = repeatability.share_repeated(pairs, "repeat")
    exact = clopper_pearson(2, 3)
    assert (share.value, share.low, share.high, share.n) == (exact.value, exact.low, exact.high, 3)


def test_a_missing_answer_leaves_its_question_out_and_says_why():
    base = answers_of({"a": "5", "b": "5"})
    again = answers_of({"a-r1": "5", "b-r1": ""}, errors={"b-r1": "no answer within 1 s"})
    pairs = repeatability.pair_answers(base, again, variants_of(["a", "b"]), asked("ab"), alike)
    share = repeatability.share_repeated(pairs, "repeat")
    assert (share.n, share.left_out) == (1, 1)
    assert pairs["reason"].tolist() == ["", "no answer within 1 s"]
    assert pairs.loc[1, "same_answer"] is None or math.isnan(pairs.loc[1, "same_answer"])


@pytest.mark.parametrize("language", ["en", "es"])
def test_later_answers_of_a_log_are_repeats(language):
    log = pd.concat([answers_of({"a": "5", "b": "5"}), answers_of({"a": "6"}, repeat=1)])
    pairs = repeatability.pair_answers(log, answers_of({}), variants_of([]), asked("ab", language), alike)
    assert pairs[["parent_id", "kind", "language"]].to_numpy().tolist() == [["a", "repeat", language]]
    assert repeatability.share_repeated(pairs, "repeat").value == 0


@pytest.mark.parametrize(
    ("n", "changed", "outcome"),
    [(60, 0, checks.CLEAR), (60, 20, checks.RAISED), (60, 6, checks.UNDECIDED), (10, 0, checks.UNDECIDED)],
)
def test_what_is_raised(n, changed, outcome):
    row = repeatability.repeat_checks(pairs_of(n, changed), least=0.9).iloc[0]
    assert row["outcome"] == outcome
    assert len(row["case_ids"]) == changed
    assert (row["reason"] == "") == (outcome != checks.UNDECIDED)
    assert (row["cases"], row["n"], row["limit"], row["bound"]) == (changed, n, 0.9, "low")
