"""The cause of a finding, from the diagnosis of its failing answers; "not established" where that does not
decide it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ragassay.decision.finding_texts import NOT_ESTABLISHED, share_text
from ragassay.scores import METRICS
from ragassay.stats import clopper_pearson
from ragassay.tables import BLAMED

DOCUMENTS, RETRIEVER, GENERATOR, QUESTION, UNDETERMINED = BLAMED
NAMES = {
    DOCUMENTS: "the documents lack what is asked",
    RETRIEVER: "retrieval misses the passages",
    GENERATOR: "generation: the evidence was at hand and was used wrongly",
    QUESTION: "the test question or its reference is wrong",
}
FEWEST = 6  # diagnosed answers: of fewer, even all do not lift the lower bound above one half
BEFORE_ANSWERS = "The measure is of retrieval; the diagnosis is of answers."
ALIKE = 0.5  # share of all their cases that a finding and a symptom have in common
MAJORITY = 0.5  # the lower bound of a cause's share of the diagnosed answers has to lie above it


def diagnosed(blame: pd.DataFrame | None, cases: pd.DataFrame | None) -> dict[str, str]:
    """Case -> what its failing answer is blamed on, of questions that the documents answer: of the others the
    diagnosis says nothing beyond that they were answered.

    blame : the table of that name; None where nothing was diagnosed
    """
    if blame is None or cases is None:
        return {}
    answerable = set(cases.loc[cases["answerable"].astype(bool), "case_id"])
    own = blame[blame["case_id"].isin(answerable)]
    return dict(zip(own["case_id"], own["blamed"], strict=True))


def find_cause(failing: Sequence[str], blamed: Mapping[str, str], metric: str = "") -> tuple[str, str]:
    """The cause that most of the failing answers have, and the evidence for it, as sentences.

    It is established where the lower bound (95 %) of its share of the diagnosed answers lies above one half.

    failing : the case ids that show the finding; blamed : of `diagnosed`; metric : what was measured, where
        it is one: the diagnosis of answers says nothing of a metric of retrieval
    """
    if metric in METRICS and "answer" not in METRICS[metric].needs:
        return NOT_ESTABLISHED, BEFORE_ANSWERS
    own = [blamed[case] for case in failing if case in blamed]
    if len(own) < FEWEST:
        were = "were" if len(own) > 1 else "was"
        return NOT_ESTABLISHED, f"{len(own) or 'None'} of the cases {were} diagnosed."
    cause, k = Counter(own).most_common(1)[0]
    share = clopper_pearson(k, len(own))
    bounds = share_text(share.value, share.low, share.high)
    said = f"{cause} in {k} of {len(own)} diagnosed answers, {bounds} (tables/blame.parquet)."
    if share.low <= MAJORITY or cause == UNDETERMINED:
        return NOT_ESTABLISHED, f"No cause in most answers: {said}"
    return f"{NAMES[cause][:1].upper()}{NAMES[cause][1:]}.", f"{said[:1].upper()}{said[1:]}"


def find_symptom(
    failing: Sequence[str], playbook: pd.DataFrame | None, asked: Collection[str]
) -> Mapping | None:
    """The row of the playbook whose cases are most like those of the finding, None where fewer than half of
    both together are shared; only cases of the test set (`asked`) are compared, which the playbook knows."""
    own = set(failing) & set(asked)
    rows = playbook.to_dict("records") if playbook is not None and own else []
    shares = [(_shared(own, set(row["case_ids"])), place) for place, row in enumerate(rows)]
    share, place = max(shares, default=(0.0, 0))
    return rows[place] if share >= ALIKE else None


def _shared(these: set[str], those: set[str]) -> float:
    return len(these & those) / len(these | those)
