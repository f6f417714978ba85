"""The cause of a finding, from the diagnosis of its failing answers; "not established" where that does not
decide it."""

from collections.abc import Sequence

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


def find_cause(failing: Sequence[str], blame: pd.DataFrame | None, answerable: set[str]) -> tuple[str, str]:
    """The cause that most of the failing answers have, and the evidence for it, as sentences.

    It is established where the lower bound (95 %) of its share of the diagnosed answers lies above one half.
    Only questions that the documents answer are diagnosed: of the others the diagnosis says nothing beyond
    that they were answered.

    Parameters
    ----------
    failing : the case ids that show the finding
    blame : the table of that name (case_id, blamed); None where nothing was diagnosed
    answerable : the ids of the cases that the documents answer
    """
    wanted = set(failing) & answerable
    own = blame[blame["case_id"].isin(wanted)] if blame is not None else pd.DataFrame({"blamed": []})
    if len(own) < FEWEST:
        return (
            NOT_ESTABLISHED,
            f"{len(own) or 'None'} of the cases {'were' if len(own) > 1 else 'was'} diagnosed.",
        )
    counts = own["blamed"].value_counts()
    blamed, k = str(counts.index[0]), int(counts.iloc[0])
    share = clopper_pearson(k, len(own))
    said = (
        f"{blamed} in {k} of {len(own)} diagnosed answers, "
        f"{share_text(share.value, share.low, share.high)} (tables/blame.parquet)."
    )
    if share.low <= MAJORITY or blamed == UNDETERMINED:
        return NOT_ESTABLISHED, f"No cause in most answers: {said}"
    return f"{NAMES[blamed][:1].upper()}{NAMES[blamed][1:]}.", f"{said[:1].upper()}{said[1:]}"
