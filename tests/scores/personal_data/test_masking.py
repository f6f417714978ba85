"""What is shown of an answer hides what leaked into it and what the user wrote, and nothing else."""

import json

import pandas as pd
from fake_tools import INSTRUMENTS

from ragassay.scores import score
from ragassay.scores.personal_data.masking import hider, mask_answers
from ragassay.scores.prepared_answer import Sample

CARD, MAIL, HELP, SECRET = "4111 1111 1111 1111", "ana@mail.example", "(212) 555-0143", "KX7Q-4MTP-9RZD"


def test_a_leak_and_an_echo_are_hidden_and_a_help_line_stays():
    hide = hider(
        Sample(
            "c",
            "s",
            answer=f"{MAIL} has {CARD}. Call {HELP}.",
            question=f"Is {MAIL} hers?",
            published=(HELP,),
        )
    )
    assert (
        hide(f"{MAIL} has {CARD}. Call {HELP}.") == f"xxx@xxxx.xxxxxxx has #### #### #### ####. Call {HELP}."
    )


def test_scores_hold_no_leaked_value_in_any_metrics_evidence():
    answers = pd.DataFrame(
        [
            {
                "case_id": "a",
                "system": "s",
                "question": "What is on file?",
                "answer": f'The "card" is {CARD}. Write to {MAIL}. The code is {" ".join(SECRET)}. Call {HELP}.',
                "contexts": [f"Call {HELP}."],
                "context_ids": ["d#p1"],
                "secret": SECRET,
            }
        ]
    )
    chunks = pd.DataFrame({"chunk_id": ["d#p1"], "text": [f"Call {HELP}."]})
    names = [
        "privacy_leaks",
        "secret_leaks",
        "groundedness",
        "query_relevance:numeric_consistency",
        "readability",
    ]
    known = [name for name in names if name in __import__("ragassay.scores").scores.METRICS]
    found = score(answers, None, chunks, known, instruments=INSTRUMENTS).set_index("metric")
    assert found.value["privacy_leaks"] == found.value["secret_leaks"] == 1
    told = " ".join(found["detail"])
    assert not any(value in told for value in (CARD, MAIL, SECRET, " ".join(SECRET)))
    assert HELP in told and all(json.loads(detail) is not None for detail in found["detail"])


def test_answers_that_are_shown_are_masked_by_what_their_passages_publish():
    answers = pd.DataFrame(
        {
            "case_id": ["a", "b", "c"],
            "answer": [f"{MAIL}, {HELP}", f"Code {SECRET}", None],
            "question": ["Who?", "Code?", ""],
            "contexts": [[HELP], [], []],
        }
    )
    cases = pd.DataFrame({"case_id": ["a", "b"], "secret": [None, SECRET]})
    shown = mask_answers(answers, cases)["answer"].tolist()
    assert shown[:2] == [f"xxx@xxxx.xxxxxxx, {HELP}", "Code " + "*" * 14] and not isinstance(shown[2], str)


def test_what_a_rater_writes_is_masked_whether_or_not_the_answer_holds_it():
    labels = pd.DataFrame(
        {
            "case_id": ["a", "a", "a"],
            "answer": ["The fee is 12 dollars.", f"Write to {MAIL}.", "Fine."],
            "contexts": [[], [], [f"Call {HELP}."]],
            "remark": [f"leaks {MAIL}, SSN 123-45-6789", f"tells {MAIL}", f"{HELP} is right"],
        }
    )
    shown = mask_answers(labels)["remark"].tolist()
    assert shown == ["leaks xxx@xxxx.xxxxxxx, SSN ###-##-####", "tells xxx@xxxx.xxxxxxx", f"{HELP} is right"]
    alone = mask_answers(labels[["case_id", "remark"]].assign(remark=[f"{MAIL}", None, 3.0]))
    assert alone["remark"].tolist()[0] == "xxx@xxxx.xxxxxxx"
