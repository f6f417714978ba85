"""`ragassay questions`: documents in, cases out, by rule or by a language model, and what is covered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import COUNT, PATH, SEED, endpoint_options, replace_option, take_writer
from ragassay.cli.terminal import say
from ragassay.defaults import N_GENERATED
from ragassay.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


DOCUMENTS = "folder of txt, md, html, pdf or docx files"
OUT = "where the cases go: .jsonl or .parquet"
MOST_NAMED = 20  # files left out that are named
NOT_ASKED, NO_RULE = "  no question in: {}{}", " (rules for other languages than English are few)"


@click.command()
@click.option("--documents", "source", required=True, type=PATH, help=DOCUMENTS)
@click.option("--out", required=True, type=PATH, help=OUT)
@replace_option
@click.option("--n", type=COUNT, default=N_GENERATED, show_default=True, help="questions wanted")
@click.option("--seed", type=SEED, default=0, show_default=True)
@endpoint_options("that writes the questions in place of the rules", "model")
def questions(source: Path, out: Path, replace: bool, n: int, seed: int, **named: Any) -> None:
    """Make questions from documents, over every topic of them: by rule, or by a language model if one is
    named."""
    from ragassay import cases, output_files
    from ragassay.cases import case_table, llm_questions
    from ragassay.show import clean

    inputs = [source, named["journal"]]
    output_files.check(case_table.check_output_path(out), inputs=inputs, replace=replace)
    judge = take_writer(named, seed)
    topics = cases.build_topics(_passages(source), seed=seed)
    found, rejected = cases.write_questions(topics.chunks, n, seed=seed, judge=judge)
    if judge is not None:
        lost = [f"  rejected: {clean(line, 120)}" for line in llm_questions.reasons(rejected)]
        say(f"Written by the language model {judge.model}: {len(found):,} questions kept. {judge.spent}")
        say("\n".join(lost))
    if found.empty:
        why = "no sentence that a rule can ask about"
        if len(rejected):  # a document without a title cannot be named in a question, for one
            counts = rejected["reason"].value_counts()
            why = f"{len(rejected)} rejected, {counts.iloc[0]} of them because each {counts.index[0]}"
        what, do = "no question can be made of these documents", "name more or longer documents"
        raise InputError(what, where=source, found=why, do=do)
    case_table.write_cases(found, out)
    say("\n".join([topics.note, *_covered(found, topics.table)]))
    if "language" in topics.chunks:
        unasked = set(topics.chunks["language"].dropna()) - set(found["language"].dropna())
        if unasked:
            say(NOT_ASKED.format(", ".join(sorted(unasked)), NO_RULE if judge is None else ""))
    silent = int((~found["answerable"]).sum())
    fewer = f" (of {n:,} asked for: the passages hold no more good ones)" if len(found) < n else ""
    say(f"{len(found):,} questions{fewer}, {silent:,} of them without an answer in the documents")
    say(f"{len(rejected):,} rejected\nwritten: {out}")


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
