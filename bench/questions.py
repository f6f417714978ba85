"""Are generated questions any good? Coverage, findability and silence on 40 regulatory documents, and a
sample to be read by a person.

python bench/questions.py [--n N] [--seed S] [--read FILE]: the documents of ObliQA are written out as text,
loaded, cut, stratified and asked about as `ragassay questions` would. Printed: seconds of each step; kept
questions and types per stratum; rejections by reason; for how many of 200 factual questions BM25 (our own,
over all passages) has the source passage among its first ten, and the same over questions of good form that
nothing else has selected; for how many of 100 questions without an answer no passage of the first ten holds
four fifths of the question's words (one that only lays down the duty asked about may hold them too: read
those); whether a second run gives the same bytes. --read writes 100 kept questions, drawn at random, with
answers and passages: whether they are well formed, answerable and right is for a person to say.

Data: `../shared/data/obliqa` (RegNLP/ObliQADataset); not part of the project. Embedding 8,000 passages takes
    minutes the first time.
"""

import argparse
import gzip
import json
import re
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import cases, documents
from ragassay.cases import question_filter, rule_questions

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "obliqa" / "passages.jsonl.gz"
FACTUAL, SILENT, READ = 200, 100, 100


def main() -> int:
    """Print the figures, or the reason why there are none."""
    if not DATA.is_file():
        print(f"skipped: {DATA} is not here; see the docstring for the source")
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=1000, help="questions asked for")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", type=Path, help="where to write the questions for a person")
    asked = parser.parse_args()
    chunks = prepared()
    start = time.perf_counter()
    kept, rejected = cases.generate(chunks, asked.n, seed=asked.seed, allocation="equal")
    print(f"generate: {len(kept)} kept, {len(rejected)} rejected, {time.perf_counter() - start:.0f} s")
    coverage(kept, chunks)
    print(rejected["reason"].str.replace(r"\d+", "#", regex=True).value_counts().to_string())
    index = question_filter.Index(chunks["text"].tolist())
    findable(kept, chunks, index, asked.seed)
    silent(kept, chunks, index)
    again, _ = rule_questions.generate(chunks, asked.n, seed=asked.seed, allocation="equal")
    print(f"second run, same seed: {'the same bytes' if lines(again) == lines(kept) else 'OTHER BYTES'}")
    if asked.read:
        sample(kept, chunks, asked.seed).to_json(asked.read, orient="records", lines=True, force_ascii=False)
    return 0


def prepared() -> pd.DataFrame:
    """The passages with their topics, as a user's run makes them."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, text in written().items():
            (Path(folder) / f"doc-{number:02d}.md").write_text(text, encoding="utf-8")
        chunks = documents.chunk(documents.load(folder)[0])
    print(f"load and cut: {len(chunks)} passages, {time.perf_counter() - start:.0f} s")
    start = time.perf_counter()
    topics = cases.build_topics(chunks)
    print(f"embed and stratify: {len(topics.table)} topics, {time.perf_counter() - start:.0f} s")
    return topics.chunks


def written() -> dict[int, str]:
    """Each document as text: a short passage without an end is a heading."""
    parts: dict[int, list[str]] = {}
    with gzip.open(DATA, "rt", encoding="utf-8") as lines_:
        for row in map(json.loads, lines_):
            text = row["text"].strip()
            heading = len(text.split()) <= 12 and "\n" not in text and not re.search(r"[.;:,]$", text)
            parts.setdefault(row["doc_id"], []).append(f"## {text}" if heading and text else text)
    return {number: "\n\n".join(text for text in texts if text) + "\n" for number, texts in parts.items()}


def coverage(kept: pd.DataFrame, chunks: pd.DataFrame) -> None:
    """Kept answerable questions and types of question per stratum."""
    answerable = kept[kept["answerable"]]
    table = answerable.groupby("topic").agg(kept=("question", "size"), types=("query_type", "nunique"))
    table = table.reindex(sorted(chunks["topic"].unique()), fill_value=0)
    enough = (table["kept"] >= 5) & (table["types"] >= 3)
    print(table.to_string())
    print(f"topics with five questions of three types or more: {int(enough.sum())} of {len(table)}")
    print(kept.groupby(["query_type", "answerable"]).size().to_string())


def findable(kept: pd.DataFrame, chunks: pd.DataFrame, index: question_filter.Index, seed: int) -> None:
    """BM25's first ten for factual questions that were kept, and for questions of good form before any
    comparison with a passage."""
    factual = kept[(kept["query_type"] == "factual") & kept["answerable"]]
    formed = rule_questions.well_formed(rule_questions.candidates(chunks, np.random.default_rng(seed)))
    raw = pd.DataFrame([one for one in formed if one["query_type"] == "factual"])
    for name, table in (("kept", factual), ("of good form", raw)):
        drawn = table.sample(min(FACTUAL, len(table)), random_state=seed)
        ids = chunks["chunk_id"].to_numpy()
        found = [
            bool(set(row.reference_chunk_ids) & set(ids[index.top(row.question)]))
            for row in drawn.itertuples()
        ]
        print(
            f"BM25 has the source among its first ten: {sum(found)} of {len(found)} factual questions {name}"
        )


def silent(kept: pd.DataFrame, chunks: pd.DataFrame, index: question_filter.Index) -> None:
    """Questions without an answer whose words no passage near them holds."""
    asked = kept.loc[~kept["answerable"], "question"].head(SILENT)
    texts = chunks["text"].tolist()
    none = [not question_filter.might_be_answered(question, texts, index) for question in asked]
    print(
        f"no passage holds four fifths of the question's words: {sum(none)} of {len(none)} questions "
        "without an answer"
    )


def sample(kept: pd.DataFrame, chunks: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Kept questions with their passages, for a person to read."""
    text = chunks.set_index("chunk_id")["text"]
    drawn = kept[kept["answerable"]].sample(READ, random_state=seed)
    passages = [[text[name] for name in names] for names in drawn["reference_chunk_ids"]]
    return drawn[["question", "reference_answer", "query_type", "family"]].assign(passages=passages)


def lines(table: pd.DataFrame) -> str:
    """The cases as the file a user gets."""
    return table.to_json(orient="records", lines=True, force_ascii=False) or ""


if __name__ == "__main__":
    raise SystemExit(main())
