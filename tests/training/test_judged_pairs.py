"""Pairs of judged answers: what is held is not learned, and premises are those that are nearest."""

import json

import numpy as np
import pytest

import judged_pairs
from judged_pairs import FEW, ONE, SEVERAL, WHOLE

PASSAGES = ["Fees are 20 dollars. Fees fall due in May.", "Cards are blue. Cards are free. Cats sleep."]
ANSWERS = [[["Fees are due in May.", "S"], ["Cards are red.", "C"]], [["Cats purr.", "N"]], []]


class Tools:
    """As near as two texts share words."""

    def cosines(self, these, those):
        return np.array([[shared(one, other) for other in those] for one in these])


def shared(one, other):
    both = [set(text.lower().strip(".").split()) for text in (one, other)]
    return len(both[0] & both[1]) / len(both[0] | both[1])


@pytest.fixture
def folder(monkeypatch, tmp_path):
    row = json.dumps({"passages": PASSAGES, "question": "?", "answers": ANSWERS})
    for name in ("money", *judged_pairs.HELD):
        (tmp_path / f"{name}.jsonl").write_text(row + "\n", encoding="utf-8")
    monkeypatch.setattr(judged_pairs, "FOLDER", tmp_path)


def test_no_answer_of_a_file_that_is_held_is_learned_and_verdicts_are_labels(folder):
    found = [(one.text, one.label) for one in judged_pairs.answers(Tools())]
    fees, cards = ("Fees are due in May.", "entailment"), ("Cards are red.", "contradiction")
    assert found == [fees, cards, ("Cats purr.", "neutral")]


def test_premises_are_the_nearest_sentences_as_they_stand_or_the_passages_whole(folder):
    fees = judged_pairs.answers(Tools())[0].premises
    assert fees[ONE] == "Fees fall due in May."
    assert fees[FEW] == "Fees are 20 dollars. Fees fall due in May. Cards are blue."
    assert fees[SEVERAL] == fees[WHOLE] == " ".join(PASSAGES)
