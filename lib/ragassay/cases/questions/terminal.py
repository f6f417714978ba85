"""`ragassay questions`, in words."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ragassay import cases, documents, models
from ragassay.cases import export
from ragassay.errors import InputError, ParameterError


def questions(source: Path, out: Path, say: Callable[[str], None], *, n: int, allocation: str, seed: int) -> None:
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
        raise InputError("the documents hold no text", where=source, found=f"{len(read)} documents read, {len(left_out)} left out")
    say(f"{len(read)} documents, {len(left_out)} left out, {len(chunks):,} passages")
    strata = cases.build(chunks, seed=seed)
    found, rejected = cases.generate(strata.chunks, n, seed=seed, allocation=allocation, entail=models.entail)
    if found.empty:
        raise InputError("no question can be made of these documents", where=source, found=f"{len(rejected)} rejected", do="name longer documents")
    export.write(found, out)
    say("\n".join([*strata.notes, *_covered(found, strata.topics), _in_sum(found, rejected, n), f"written: {out}"]))


def _covered(found: pd.DataFrame, topics: pd.DataFrame) -> list[str]:
    """A line per stratum: its words, its passages, its questions and their kinds."""
    table = cases.adequacy(found, topics)
    kinds = found[found["answerable"]].groupby("topic")["query_type"].nunique()
    return [
        f"  {row.topic:<14.14} {row.label:<40.40} {row.n_chunks:>6,} passages {row.n_cases:>5,} questions of {kinds.get(row.topic, 0)} kinds"
        + ("  NOT COVERED" if row.uncovered else "")
        for row in table.itertuples()
    ]


def _in_sum(found: pd.DataFrame, rejected: pd.DataFrame, n: int) -> str:
    silent = int((~found["answerable"]).sum())
    fewer = f" (of {n:,} asked for: the passages hold no more good ones)" if len(found) < n else ""
    return f"{len(found):,} questions{fewer}, {silent:,} of them without an answer in the documents; {len(rejected):,} rejected"
