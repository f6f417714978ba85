"""The rows of METRICS: complete, consistent with the columns and families that exist, honest about their
range; those of the Lesson through `score`: states and reasons, ranges, and answers of any kind.
"""

import pandas as pd
import pytest
from fake_tools import INSTRUMENTS as RULES

from ragassay import tables
from ragassay.api.scoring import metric_names
from ragassay.decision import gates
from ragassay.errors import ParameterError
from ragassay.scores import JUDGED, METRICS, score
from ragassay.scores.metric import KEY
from ragassay.scores.metric_registry import reads_key
from ragassay.scores.prepared_answer import Sample

MODELS = set(
    "encoder entailment entailment_shipped toxicity acceptability entities tokens judge perplexity refusals".split()
)
COLUMNS = {**tables.TABLES["cases"].columns, **tables.TABLES["answers"].columns}


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_row_is_complete(metric):
    assert (
        METRICS[metric.name] is metric
        and metric.needs
        and metric.low < metric.high
        and set(metric.models) <= MODELS
    )
    assert (
        all(len(text) > 5 for text in (metric.source, metric.meaning, metric.formula, metric.cost))
        and "\n" not in metric.meaning
    )
    assert (
        metric.source.startswith(("HCAT", "Lesson", "Hybrid", "GroUSE", "GRAMMAR"))
        or "(" in metric.source
        or metric.family == "support"
    )


def test_an_option_is_a_metric_named_after_a_colon():
    option, metric = METRICS["groundedness:min"], METRICS["groundedness"]
    assert (option.needs, option.low, option.on_request) == (metric.needs, metric.low, True)
    assert option.display == "groundedness (similarity), weakest sentence"
    assert gates.parse({"groundedness:min in language=es": "low >= 0.5"})[0].metric == option.name
    assert METRICS["must_pass:judge"].models == ("judge",) and METRICS["must_pass:judge"].reads_key
    with pytest.raises(ParameterError, match="did you mean 'groundedness:min'"):
        metric_names("groundedness_min")
    assert not {"judge_conciseness", "evidence_sufficiency:judge"} & {*JUDGED}, (
        "calls of their own: only where named"
    )
    rows = [metric for metric in METRICS.values() if not metric.option_of]
    assert len(rows) <= 70 and len({one.display for one in METRICS.values()}) == len(METRICS)


def test_what_a_metric_needs_is_a_declared_column_and_known_to_material():
    needed = {name for metric in METRICS.values() for name in metric.needs}
    assert needed <= set(COLUMNS) and needed <= set(Sample.__dataclass_fields__)


OFFLINE = [name for name, metric in METRICS.items() if "judge" not in metric.models]


REFUSAL = "I could not find this in the documents."
FACT = "The wire fee is 25 dollars a month [a#p1]."
ANSWERS = [
    FACT,
    REFUSAL,
    "Cards are free. The wire fee is 25 dollars.",
    f"{REFUSAL} The card is blue [a#p2].",
]
ASKED = {
    "system": "s",
    "question": "What must I do to send a wire, and how much is the fee?",
    "contexts": ["The wire fee is 25 dollars a month. You must sign the form first.", "Cards are free."],
    "context_ids": ["a#p1", "a#p2"],
}
CHUNKS = pd.DataFrame(
    {
        "chunk_id": ["a#p1", "a#p2", "b#p1"],
        "doc_id": ["a", "a", "b"],
        "text": [*ASKED["contexts"], "Branches open at nine."],
        "status": "superseded",
        "audience": "staff",
    }
)
GIVEN = {
    "answerable": True,
    "answer_type": "short_fact",
    "reference_answer": FACT,
    "reference_chunk_ids": ["a#p1"],
}
KEYS = [
    dict.fromkeys(KEY),
    dict.fromkeys(KEY) | {"reference_answer": REFUSAL},
    GIVEN,
    GIVEN | {"reference_answer": "Cards are free.", "reference_chunk_ids": ["b#p1"]},
    GIVEN | {"answerable": False, "answer_type": "no_answer"},
]


def test_a_metric_is_marked_exactly_if_its_value_follows_the_key():
    rows = [
        ASKED | key | {"case_id": f"{place}|{number}", "answer": answer}
        for place, answer in enumerate(ANSWERS)
        for number, key in enumerate(KEYS)
    ]
    found = score(pd.DataFrame(rows), chunks=CHUNKS, metrics=OFFLINE, instruments=RULES)
    found["outcome"] = found["state"] + found["value"].map(repr)
    found["answer"] = found["case_id"].str[0]
    follows = found.groupby(["metric", "answer"])["outcome"].nunique().gt(1).groupby("metric").any()
    assert {name for name in OFFLINE if follows[name]} == {name for name in OFFLINE if reads_key(name)}
