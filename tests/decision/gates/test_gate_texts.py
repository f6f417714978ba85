"""Gates in words: what stands beside those that decide is not called incomplete."""

from decision.judged_gates import judge
from ragassay.decision.gates import gate_texts


def test_too_few_questions_beside_those_that_decide_are_no_incomplete_gate():
    gates = judge(
        {"toxicity_rate": "high <= 0.02"}, {"toxicity_rate": {"own": (0, 264), "generated": (0, 120)}}
    )
    rows = gate_texts.gate_table(gates).set_index("questions")
    assert gates["outcome"].tolist() == ["pass", "incomplete"], "the machine-readable outcome keeps its word"
    assert rows.loc["generated", "outcome"] == "beside"
    assert rows.loc["generated", "why"] == "does not decide: 120 are too few, 183 needed"
