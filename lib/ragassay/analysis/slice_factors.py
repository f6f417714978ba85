"""The factors that weak spots are looked for along: columns of the cases, and what their evidence is like.

A factor is a column of the cases with a level for each case; a case without a level (a question without an
answer has no evidence) is left out of it. A metric is not compared along a factor that it is made from.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay.analysis.case_scores import ORIGIN
from ragassay.cases.case_table import with_origin
from ragassay.documents.collection import AUDIENCE, EVERYONE, STAFF, STATUS, SUPERSEDED
from ragassay.scores.metric_registry import METRICS
from ragassay.tables import is_blank

LENGTHS = ("short", "medium", "long")
PLACES = ("beginning", "middle", "end")
_NEEDS_OF_RATES = {  # columns of the case by which a rate judges
    "superseded_cited_rate": {"context_ids"},
    "staff_only_reach_rate": {"context_ids", "segment"},
}


# factors that the kit makes -> the columns of cases and answers they are made from, which no metric compared
# along them may be made from too
FACTORS: Mapping[str, set[str]] = {
    ORIGIN: set(),  # where the question comes from: own, generated, log
    "evidence_length": set(),  # of the passages that hold the answer, in thirds
    "evidence_place": set(),  # of the answer in its document: beginning, middle, end
    "evidence_position": {"context_ids", "reference_chunk_ids"},  # where its passage was retrieved
    "evidence_age": {"context_ids"},  # whether a superseded document is among the passages retrieved
    "evidence_audience": set(),  # whom the document that holds the answer is for
    "evidence_language": {"language"},  # whether the question is asked in the language of its evidence
    "evidence_passages": {"reference_chunk_ids"},  # in how many passages the answer stands
    "passages_retrieved": {"context_ids"},  # how many were
}


def add_factors(
    cases: pd.DataFrame, chunks: pd.DataFrame, documents: pd.DataFrame, answers: pd.DataFrame
) -> pd.DataFrame:
    """The cases with a column for each of FACTORS; a column that they have already is kept.

    A level is missing where it cannot be known: no reference passage, a document that says nothing of itself.
    """
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id").set_index("case_id")
    retrieved = cases["case_id"].map(first["context_ids"]).map(_names)
    about = documents.set_index("doc_id").to_dict("index")
    words = dict(zip(chunks["chunk_id"], chunks["text"].str.split().str.len(), strict=True))
    place = (chunks.groupby("doc_id").cumcount() + 0.5) / chunks.groupby("doc_id")["doc_id"].transform("size")
    places = dict(zip(chunks["chunk_id"], place, strict=True))
    superseded = {name for name, mark in about.items() if mark.get(STATUS) == SUPERSEDED}
    rows = []
    for wanted, found, asked in zip(
        cases["reference_chunk_ids"].map(_names), retrieved, cases["language"], strict=True
    ):
        marks = [about.get(_document(name), {}) for name in wanted]
        spoken = {mark["language"] for mark in marks if not is_blank(mark.get("language"))}
        ranks = [found.index(name) + 1 for name in wanted if name in found]
        row: dict[str, object] = {"passages_retrieved": str(len(found)) if found else None}
        if wanted:
            for_staff = any(mark.get(AUDIENCE) == STAFF for mark in marks)
            row["evidence_length"] = sum(words[name] for name in wanted if name in words)
            row["evidence_place"] = places.get(wanted[0], np.nan)
            row["evidence_passages"] = _number(len(wanted))
            row["evidence_audience"] = STAFF if for_staff else EVERYONE
        if ranks:
            row["evidence_position"] = _number(min(ranks), most=3)
        if found and superseded:
            is_old = bool({_document(name) for name in found} & superseded)
            row["evidence_age"] = "superseded among them" if is_old else "current alone"
        if spoken and not is_blank(asked):
            row["evidence_language"] = "same" if asked in spoken else "another"
        rows.append(row)
    made = pd.DataFrame(rows, index=cases.index, columns=[name for name in FACTORS if name != ORIGIN])
    lengths, kept = made["evidence_length"].astype(float), made["evidence_place"].astype(float)
    thirds = lengths.quantile([1 / 3, 2 / 3])
    made = made.assign(
        evidence_length=_cut(lengths, thirds, LENGTHS), evidence_place=_cut(kept, [1 / 3, 2 / 3], PLACES)
    )
    made = made.astype(object).where(made.notna(), None)
    return with_origin(cases.assign(**{name: made[name] for name in made if name not in cases}))


def is_by_construction(metric: str, factor: str) -> bool:
    """Whether a difference of the metric along the factor would follow from how they are made: both from one
    column, or the questions of an origin, of which generated ones are easier by how they are made."""
    return factor == ORIGIN or bool(needs(metric) & FACTORS.get(factor, {factor}))


def needs(metric: str) -> set[str]:
    """The columns of cases and answers that a metric or rate is made from."""
    known = METRICS.get(metric)
    parts = [needs(part) for part in known.derived] if known else []
    return set((*known.needs, *known.reads) if known else _NEEDS_OF_RATES.get(metric, ())).union(*parts)


def _number(count: int, most: int = 2) -> str:
    return str(count) if count < most else f"{most} or more"


def _cut(values: pd.Series, cuts: Sequence[float], names: tuple[str, ...]) -> pd.Series:
    places = np.searchsorted(np.asarray(cuts), values.to_numpy(), side="left")
    return pd.Series([names[min(place, 2)] for place in places], values.index).where(values.notna())


def _document(chunk_id: str) -> str:
    return chunk_id.rpartition("#")[0] or chunk_id


def _names(ids: object) -> list[str]:
    return [str(name) for name in ids] if isinstance(ids, list | tuple | np.ndarray) else []
