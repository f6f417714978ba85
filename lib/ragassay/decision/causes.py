"""The cause of a finding, from the diagnosis of its failing answers; "not established" where that does not
decide it."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from ragassay.decision.finding_texts import NOT_ESTABLISHED, share_text
from ragassay.stats import clopper_pearson
from ragassay.tables import BLAMED

DOCUMENTS, RETRIEVER, GENERATOR, QUESTION, UNDETERMINED = BLAMED
NAMES = {
    DOCUMENTS: "the documents lack what is asked",
    RETRIEVER: "retrieval misses the passages",
    GENERATOR: "generation: the passages were retrieved and used wrongly",
    QUESTION: "the test question or its reference is wrong",
}
FEWEST = 6  # diagnosed answers: of fewer, even all do not lift the lower bound above one half
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


def find_cause(failing: Sequence[str], blamed: Mapping[str, str]) -> tuple[str, str]:
    """The cause that most of the failing answers have, and the evidence for it, as sentences.

    It is established where the lower bound (95 %) of its share of the diagnosed answers lies above one half.

    failing : the case ids that show the finding; blamed : of `diagnosed`
    """
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
