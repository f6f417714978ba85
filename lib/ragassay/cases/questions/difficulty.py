"""How hard a question is to answer, by what must be done for it: found, weighed, or put together."""

from ragassay.cases.selection import share_of

LEVELS = ("easy", "medium", "hard")
STEPS = {"factual": 0, "yes_no": 0, "multiple_choice": 0, "open": 1, "inference": 1, "multi_hop": 2}
NEAR = 0.6  # share of the question's words that its answer holds


def level(row: dict) -> str:
    """easy, medium or hard: one step up for an open question or an inference, two for two passages; one more where the passage says it
    in other words, where a list is asked for, where a stated figure is wrong, and for what the documents do not hold."""
    silent = not row["answerable"]
    far = not silent and share_of(row["stem"], row["reference_answer"]) < NEAR
    more = (
        (len(row["reference_chunk_ids"]) > 1)
        + far
        + (row["answer_type"] == "multi_step")
        + (row["key_fact"] == "no")
        + 2 * silent
    )
    return LEVELS[min(STEPS[row["query_type"]] + more, 2)]
