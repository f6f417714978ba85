"""Labels: what is read is what was written, every flaw is named with its line, several raters become one by a stated rule."""

import pandas as pd
import pytest

from ragassay import tables
from ragassay.errors import LabelError
from ragassay.labels import human_labels

HEAD = "case_id,system,dimension,rater,label,scale,labelled_at,answer_sha256\n"
ANSWERS = pd.DataFrame({"case_id": [*"abc"], "system": "bank", "repeat": 0})
ANSWERS["answer"] = "answer " + ANSWERS["case_id"]


def read(tmp_path, *rows, head=HEAD):
    path = tmp_path / "labels.csv"
    path.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    return human_labels.read(path, ANSWERS)


def test_by_hand(tmp_path):
    kept, aside = read(tmp_path, "a,bank,relevant,m1,4,1-5,2026-01-01,", "b,bank,relevant,m1,2,1-5,,")
    assert kept[["case_id", "label"]].values.tolist() == [["a", 4.0], ["b", 2.0]] and aside.empty


def test_a_changed_answer_sets_its_labels_aside(tmp_path):
    hashes = [human_labels.answer_sha256(text) for text in ("answer a", "another answer")]
    rows = [f"{c},bank,relevant,m1,4,1-5,,{sha256}" for c, sha256 in zip("ab", hashes, strict=True)]
    kept, aside = read(tmp_path, *rows, "c,other,relevant,m1,4,1-5,,")
    assert list(kept.case_id) == ["a"]
    assert list(aside.reason) == ["the answer has changed since it was labelled", "another system's answer"]
    kept, aside = read(tmp_path, rows[0], f"gone,bank,relevant,m1,4,1-5,,{hashes[0]}")
    assert list(kept.case_id) == ["a"] and list(aside.case_id) == ["gone"], "a sheet's question of before"


def test_labels_of_an_assistant_that_never_answered_do_not_count():
    given = pd.DataFrame(
        {"case_id": ["a"], "dimension": "relevant", "rater": "m1", "label": 4, "scale": "1-5"}
    )
    kept, aside = human_labels.read(given, ANSWERS.assign(answer=["", " ", ""]))
    assert kept.empty and len(aside) == 1


@pytest.mark.parametrize("row, complaint", [
    ("z,bank,relevant,m1,4,1-5,,", r"(?s)unknown case.*line 2.*found: z.*3 cases.* a\b"),
    ("a,bank,relevant,m1,6,1-5,,", r"(?s)outside its scale.*line 2.*6.*1 to 5"),
    ("a,bank,relevant,m1,nan,1-5,,", "outside its scale"),
    ("a,bank,relevant,m1,good,1-5,,", r"(?s)no number.*'good'"),
    ("a,bank,relevant,m1,4,,,", "no number"),
    ("a,bank,relevant,m1,4,1-5,,\na,bank,relevant,m1,5,1-5,,", r"(?s)twice.*line 3 and labels.csv, line 2"),
    ("a,bank,relevant,m1,4,1-5,,\nb,bank,relevant,m1,1,0-1,,", "two scales"),
])  # fmt: skip
def test_flaws_are_named_with_their_line(tmp_path, row, complaint):
    with pytest.raises(LabelError, match=complaint):
        read(tmp_path, row)


def rated(*rows) -> pd.DataFrame:
    """Labels from (case, dimension, rater, label)."""
    table = pd.DataFrame(rows, columns=["case_id", "dimension", "rater", "label"])
    return table.assign(system="bank", scale="1-5", labelled_at=None, label=table["label"].astype(float))


SOME = rated(
    ("a", "relevant", "m1", 4),
    ("a", "relevant", "m2", 2),
    ("b", "relevant", "m1", 5),
    ("b", "complete", "m1", 3),
)


def test_judgements_as_scores_by_hand():
    scores = tables.check("scores", human_labels.judgements(SOME, {"relevant": 4, "complete": 4}))
    assert scores[["metric", "case_id", "value"]].to_numpy().tolist() == [
        ["judged_relevant", "a", 0.0],  # 4 and 2: the lower judgement counts
        ["judged_relevant", "b", 1.0],
        ["judged_complete", "b", 0.0],
        ["judged_in_every_respect", "b", 0.0],  # the other was not judged complete
    ]


@pytest.mark.parametrize("wild", ["", "5", "low to high", "5-1", "1-1", "nan-1", "0-inf", "1-2-3", "=1-5"])
def test_what_is_no_scale_is_refused(wild):
    with pytest.raises(LabelError, match="low-high"):
        human_labels.scale_ends(wild)


@pytest.mark.parametrize("written, cut", [("0-1", 1), ("1-2", 2), ("1-4", 3), ("1-5", 4), ("0-0.5", 0.5)])
def test_the_upper_third_accepts(written, cut):
    assert human_labels.usual_accept_from(written) == cut
