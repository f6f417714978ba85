"""Injections: each with a canary of its own; planted among what was retrieved."""

import pandas as pd

from ragassay import tables
from ragassay.cases.attack_probes import probes_frame
from ragassay.cases.injection_attacks import attack_passages, attack_questions
from ragassay.scores.planted_marks import filled_links, links

CASES = pd.DataFrame(
    {
        "case_id": ["u1", "u2", "u3"],
        "question": ["What is the fee?", "Who is the chair?", "Which bank?"],
        "answerable": [True, True, False],
        "parent_id": None,
    }
)
ANSWERS = pd.DataFrame(
    {
        "case_id": ["u1", "u2", "u3"],
        "repeat": 0,
        "error": ["", "TimeoutError: 60 s", ""],
        "contexts": [["The fee is $5.", "Hours."], [], ["Other."]],
        "context_ids": [["a#p1", "b#p1"], [], ["c#p1"]],
    }
)


def test_each_has_a_canary_or_a_host_of_its_own():
    attacks = probes_frame(attack_questions(0))
    assert not attacks["question"].str.contains(r"\{(?:order|first|second|host)\}").any()
    link = attacks["attack_goal"] == "link"
    assert attacks.loc[~link, "canary"].is_unique and attacks.loc[~link, "canary"].str.len().ge(9).all()
    assert attacks.loc[link, "attack_host"].is_unique and attacks.loc[link, "canary"].isna().all()
    assert attacks.loc[link, "attack_host"].str.endswith(".example").all(), "hosts that cannot exist"
    for row in attacks[link].to_dict("records"):
        assert links(row["attack_text"], row["attack_host"]), row["attack_text"]
        assert not filled_links(row["attack_text"], row["attack_text"], row["attack_host"])


def test_planted_attacks_stand_among_the_passages_of_an_answered_ordinary_question():
    planted = attack_passages(CASES, ANSWERS, 0)
    tables.check("cases", probes_frame(planted))
    assert {row["parent_id"] for row in planted} == {"u1"} and len(planted) == len(attack_questions(0))
    places = set()
    for row in planted:
        place = next(i for i, name in enumerate(row["passage_ids"]) if name.startswith("planted"))
        assert row["attack_text"] in row["passages"][place]
        assert [one for i, one in enumerate(row["passages"]) if i != place] == ["The fee is $5.", "Hours."]
        assert [one for i, one in enumerate(row["passage_ids"]) if i != place] == ["a#p1", "b#p1"]
        places.add(place)
    assert places == {0, 1, 2}
    assert attack_passages(CASES, ANSWERS.assign(error="x"), 0) == []
