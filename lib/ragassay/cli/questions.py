"""`ragassay questions`: documents in, cases out, and what is covered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragassay.cli.options import COUNT, PATH, SEED, replace_option
from ragassay.cli.terminal import say
from ragassay.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

DOCUMENTS = "folder of txt, md, html, pdf, docx or jsonl files"
OUT = "where the cases go: .jsonl or .parquet"
ALLOCATIONS = click.Choice(["proportional", "equal"])
MOST_NAMED = 20  # files left out that are named
NO_RULE = "  no question in: {} (rules for other languages than English are few)"


@click.command()
@click.option("--documents", "source", required=True, type=PATH, help=DOCUMENTS)
@click.option("--out", required=True, type=PATH, help=OUT)
@replace_option
@click.option("--n", type=COUNT, default=120, show_default=True, help="questions wanted")
@click.option(
    "--allocation", type=ALLOCATIONS, default="proportional", show_default=True, help="over the topics"
)
@click.option("--seed", type=SEED, default=0, show_default=True)
def questions(source: Path, out: Path, replace: bool, n: int, allocation: str, seed: int) -> None:
    """Make questions from documents by rule, without a language model, over every topic of them."""
    from ragassay import cases, models, output_files
    from ragassay.cases import case_table

    output_files.check(case_table.check_output_path(out), inputs=[source], replace=replace)
    topics = cases.build_topics(_passages(source), seed=seed)
    found, rejected = cases.generate(topics.chunks, n, seed=seed, allocation=allocation, entail=models.entail)
    if found.empty:
        raise InputError(
            "no question can be made of these documents",
            where=source,
            found=_commonest(rejected),
            do="name more or longer documents",
        )
    case_table.write_cases(found, out)
    lines = [*topics.notes, *_covered(found, topics.table), *_unasked(found, topics.chunks)]
    say("\n".join([*lines, _in_sum(found, rejected, n), f"written: {out}"]))


def _passages(source: Path) -> pd.DataFrame:
    from ragassay import documents

    read, left_out = documents.load(source)
    chunks = documents.chunk(read)
    if chunks.empty:
        found = "; ".join(
            [f"{len(read)} documents read, {len(left_out)} left out", *left_out_lines(left_out)]
        )
        raise InputError("the documents hold no text", where=source, found=found)
    say(f"{len(read)} documents, {len(left_out)} left out, {len(chunks):,} passages")
    for line in left_out_lines(left_out):
        say(f"  left out: {line}")
    return chunks


def left_out_lines(left_out: pd.DataFrame) -> list[str]:
    """A line per file left out, and why; MOST_NAMED at most, the rest counted."""
    from ragassay.show import clean

    lines = [clean(" ".join(f"{row.path}: {row.reason}".split()), 200) for row in left_out.itertuples()]
    rest = len(lines) - MOST_NAMED
    return [*lines[:MOST_NAMED], *([f"and {rest:,} more"] if rest > 0 else [])]


def _covered(found: pd.DataFrame, topics: pd.DataFrame) -> list[str]:
    """A line per topic: its words, its passages, its questions and their kinds."""
    from ragassay.cases import adequacy

    kinds = found[found["answerable"]].groupby("topic")["query_type"].nunique()
    return [
        f"  {row.topic:<14.14} {row.label:<40.40} {row.n_chunks:>6,} passages"
        f" {row.n_cases:>5,} questions of {kinds.get(row.topic, 0)} kinds"
        + ("  NOT COVERED" if row.uncovered else "")
        for row in adequacy(found, topics).itertuples()
    ]


def _commonest(rejected: pd.DataFrame) -> str:
    """Why most of them were rejected; a document without a title cannot be named in a question, for one."""
    if rejected.empty:
        return "no sentence that a rule can ask about"
    counts = rejected["reason"].value_counts()
    return f"{len(rejected)} rejected, {counts.iloc[0]} of them because each {counts.index[0]}"


def _unasked(found: pd.DataFrame, chunks: pd.DataFrame) -> list[str]:
    """The languages of the documents in which nothing is asked."""
    if "language" not in chunks:
        return []
    missing = sorted(set(chunks["language"].dropna()) - set(found["language"].dropna()))
    return [NO_RULE.format(", ".join(missing))] if missing else []


def _in_sum(found: pd.DataFrame, rejected: pd.DataFrame, n: int) -> str:
    silent = int((~found["answerable"]).sum())
    fewer = f" (of {n:,} asked for: the passages hold no more good ones)" if len(found) < n else ""
    asked = f"{len(found):,} questions{fewer}, {silent:,} of them without an answer in the documents"
    return f"{asked}; {len(rejected):,} rejected"
