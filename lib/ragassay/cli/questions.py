"""`ragassay questions`, in words."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ragassay import cases, documents, models
from ragassay.cases import export
from ragassay.errors import InputError, ParameterError


def questions(
    source: Path, out: Path, say: Callable[[str], None], *, n: int, allocation: str, seed: int
) -> None:
    """Load documents, cut and stratify them, ask about every stratum, write the cases, and say what is covered.

    Raises
    ------
    ParameterError
        If n is below 1, or `out` cannot be written.
    InputError
        If there are no documents, or no question can be made of them.
    """
    if n < 1:
        raise ParameterError("the number of questions must be 1 or more", found=n)
    export.checked(out)
    read, left_out = documents.load(source)
    chunks = documents.chunk(read)
    if chunks.empty:
        raise InputError(
            "the documents hold no text",
            where=source,
            found=f"{len(read)} documents read, {len(left_out)} left out",
        )
    say(f"{len(read)} documents, {len(left_out)} left out, {len(chunks):,} passages")
    strata = cases.build(chunks, seed=seed)
    found, rejected = cases.generate(strata.chunks, n, seed=seed, allocation=allocation, entail=models.entail)
    if found.empty:
        raise InputError(
            "no question can be made of these documents",
            where=source,
            found=_commonest(rejected),
            do="name more or longer documents",
        )
    export.write(found, out)
    say(
        "\n".join(
            [
                *strata.notes,
                *_covered(found, strata.topics),
                *_unasked(found, strata.chunks),
                _in_sum(found, rejected, n),
                f"written: {out}",
            ]
        )
    )


def _covered(found: pd.DataFrame, topics: pd.DataFrame) -> list[str]:
    """A line per stratum: its words, its passages, its questions and their kinds."""
    table = cases.adequacy(found, topics)
    kinds = found[found["answerable"]].groupby("topic")["query_type"].nunique()
    return [
        f"  {row.topic:<14.14} {row.label:<40.40} {row.n_chunks:>6,} passages {row.n_cases:>5,} questions of {kinds.get(row.topic, 0)} kinds"
        + ("  NOT COVERED" if row.uncovered else "")
        for row in table.itertuples()
    ]


def _commonest(rejected: pd.DataFrame) -> str:
    """Why most of them were rejected; a document without a title cannot be named in a question, for one."""
    if rejected.empty:
        return "no sentence that a rule can ask about"
    counts = rejected["reason"].value_counts()
    return f"{len(rejected)} rejected, {counts.iloc[0]} of them because each {counts.index[0]}"


def _unasked(found: pd.DataFrame, chunks: pd.DataFrame) -> list[str]:
    """The languages of the documents in which nothing is asked."""
    missing = (
        sorted(set(chunks["language"].dropna()) - set(found["language"].dropna()))
        if "language" in chunks
        else []
    )
    return (
        [f"  no question in: {', '.join(missing)} (rules for other languages than English are few)"]
        if missing
        else []
    )


def _in_sum(found: pd.DataFrame, rejected: pd.DataFrame, n: int) -> str:
    silent = int((~found["answerable"]).sum())
    fewer = f" (of {n:,} asked for: the passages hold no more good ones)" if len(found) < n else ""
    return f"{len(found):,} questions{fewer}, {silent:,} of them without an answer in the documents; {len(rejected):,} rejected"
