"""Passages that must not reach a customer: their ids, and the runs of words that stand in them alone."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pandas as pd

from ragassay.documents import document_status

RUN = 8  # words in a row that show where a text comes from
NEEDED_BY = ("superseded_cited", "staff_only_reach")
Words = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Restricted:
    """Passages of one mark: `ids`, and the `runs` of RUN words that no other passage holds."""

    ids: frozenset[str] = frozenset()
    runs: frozenset[Words] = frozenset()

    def runs_in(self, text: str) -> list[str]:
        """The runs of these passages that the text holds, in its order."""
        return [" ".join(run) for run in _runs(text) if run in self.runs]


NONE_RESTRICTED = Restricted()


def of_chunks(chunks: pd.DataFrame | None, metrics: Iterable[str] = NEEDED_BY) -> dict[str, Restricted]:
    """`superseded` and `staff_only`; nothing of passages without marks, or for other metrics."""
    columns = {"chunk_id", document_status.STATUS, document_status.AUDIENCE}
    if chunks is None or not columns <= set(chunks) or not {*NEEDED_BY} & {*metrics}:
        return {}
    return {
        "superseded": _restricted(chunks, chunks[document_status.STATUS] == document_status.SUPERSEDED),
        "staff_only": _restricted(chunks, chunks[document_status.AUDIENCE] == document_status.STAFF),
    }


def _restricted(chunks: pd.DataFrame, chosen: pd.Series) -> Restricted:
    own = _all_runs(chunks.loc[chosen, "text"])
    for text in chunks.loc[~chosen, "text"] if own else ():
        own.difference_update(_runs(text))
    return Restricted(frozenset(chunks.loc[chosen, "chunk_id"].astype(str)), frozenset(own))


def _all_runs(texts: Iterable[str]) -> set[Words]:
    return {run for text in texts for run in _runs(text)}


def _runs(text: str) -> Iterator[Words]:
    words = _WORD.findall(str(text).casefold())
    return (tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))
