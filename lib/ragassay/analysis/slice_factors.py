"""The factors that weak spots are looked for along: columns of the cases, and what their evidence is like.

A factor is a column of the cases with a level for each case; a case without a level (a question without an
answer has no evidence) is left out of it. A metric is not compared along a factor that it is made from.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from ragassay.documents import document_status
from ragassay.scores.metric_registry import METRICS
from ragassay.tables import is_blank

ORIGIN = "origin"
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
    wanted = cases["reference_chunk_ids"].map(_names)
    known = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id").set_index("case_id")
    retrieved = cases["case_id"].map(known["context_ids"]).map(_names)
    made = {
        ORIGIN: _origins(cases),
        **_of_passages(wanted, chunks),
        **_of_documents(wanted, retrieved, cases["language"], documents),
        "evidence_position": [_position(*each) for each in zip(wanted, retrieved, strict=True)],
        "evidence_passages": wanted.map(lambda names: _number(len(names))),
        "passages_retrieved": retrieved.map(lambda names: str(len(names)) if names else None),
    }
    return cases.assign(**{name: values for name, values in made.items() if name not in cases})


def by_construction(metric: str, factor: str) -> str:
    """Why a difference of the metric along the factor would follow from how they are made; empty if not."""
    if factor == ORIGIN:
        return "generated questions are easier by how they are made"
    shared = sorted(needs(metric) & FACTORS.get(factor, {factor}))
    return f"the metric is made from {shared[0]} too" if shared else ""


def needs(metric: str) -> set[str]:
    """The columns of cases and answers that a metric or rate is made from."""
    known = METRICS.get(metric)
    parts = [needs(part) for part in known.derived] if known else []
    own = (*known.needs, *known.reads) if known else _NEEDS_OF_RATES.get(metric, ())
    return set(own).union(*parts)


def _origins(cases: pd.DataFrame) -> pd.Series:
    kinds = cases["kind"] if "kind" in cases else pd.Series("own", index=cases.index)
    return kinds.where(kinds.isin(["own", "generated"]), "log")


def _of_passages(wanted: pd.Series, chunks: pd.DataFrame) -> dict[str, pd.Series]:
    words = chunks["text"].str.split().str.len().set_axis(chunks["chunk_id"])
    place = (chunks.groupby("doc_id").cumcount() + 0.5) / chunks.groupby("doc_id")["doc_id"].transform("size")
    places = place.set_axis(chunks["chunk_id"])
    lengths = wanted.map(lambda names: words.reindex(names).sum() if names else np.nan)
    thirds = wanted.map(lambda names: places.reindex(names[:1]).mean() if names else np.nan)
    return {
        "evidence_length": _cut(lengths, np.nanquantile(lengths, [1 / 3, 2 / 3]), LENGTHS)
        if lengths.notna().any()
        else lengths.astype(object),
        "evidence_place": _cut(thirds, [1 / 3, 2 / 3], PLACES),
    }


def _of_documents(
    wanted: pd.Series, retrieved: pd.Series, languages: pd.Series, documents: pd.DataFrame
) -> dict[str, list]:
    said = documents.set_index("doc_id").to_dict("index")

    def marks_of(names: list[str], column: str) -> list[str]:
        found = [said.get(_document(name), {}).get(column) for name in names]
        return [mark for mark in found if not is_blank(mark)]

    old = {
        name for name, row in said.items() if row.get(document_status.STATUS) == document_status.SUPERSEDED
    }
    for_staff = [document_status.STAFF in marks_of(names, document_status.AUDIENCE) for names in wanted]
    spoken = [set(marks_of(names, "language")) for names in wanted]
    return {
        "evidence_age": [
            None if not names or not old else _age(any(_document(name) in old for name in names))
            for names in retrieved
        ],
        "evidence_audience": [
            None if not names else (document_status.STAFF if staff else document_status.EVERYONE)
            for names, staff in zip(wanted, for_staff, strict=True)
        ],
        "evidence_language": [
            None if not there or is_blank(asked) else ("same" if asked in there else "another")
            for asked, there in zip(languages, spoken, strict=True)
        ],
    }


def _age(is_old: bool) -> str:
    return "superseded among them" if is_old else "current alone"


def _position(wanted: list[str], retrieved: list[str]) -> str | None:
    """The best place of a reference passage among those retrieved; None where none was."""
    places = [retrieved.index(name) + 1 for name in wanted if name in retrieved]
    return None if not places else _number(min(places), most=3)


def _number(count: int, most: int = 2) -> str | None:
    return None if not count else str(count) if count < most else f"{most} or more"


def _cut(values: pd.Series, cuts: Iterable[float], names: tuple[str, ...]) -> pd.Series:
    places = np.searchsorted(np.asarray(list(cuts)), values.to_numpy(dtype=float), side="left")
    named = pd.Series([names[min(place, len(names) - 1)] for place in places], index=values.index)
    return named.astype(object).where(values.notna(), None)


def _document(chunk_id: str) -> str:
    return chunk_id.rpartition("#")[0] or chunk_id


def _names(ids: object) -> list[str]:
    return [str(name) for name in ids] if isinstance(ids, list | tuple | np.ndarray) else []
