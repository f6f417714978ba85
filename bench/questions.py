"""Are generated questions any good? Coverage, findability and silence on 40 regulatory documents, and a
sample to be read by a person.

python bench/questions.py [--n N] [--seed S] [--read FILE]: the documents of ObliQA are written out as text,
loaded, cut, stratified and asked about as `ragassay questions` would. Printed: kept questions and types per
stratum; rejections by reason; for how many of 200 factual questions BM25 (our own, over all passages) has the
source passage among its first ten; for how many of 100 questions without an answer no passage of the first
ten holds four fifths of the question's words (one that only lays down the duty asked about may hold them too:
read those); whether a second run gives the same bytes. --read writes 100 kept questions, drawn at random,
with answers and passages: whether they are well formed, answerable and right is for a person to say.

Data: `../shared/data/obliqa` (RegNLP/ObliQADataset); not part of the project. Embedding 8,000 passages takes
minutes the first time.
"""

import argparse
import gzip
import json
import re
import sys
import tempfile
from pathlib import Path

import pandas as pd

from ragassay import cases, documents
from ragassay.cases import question_filter, rule_questions

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "obliqa" / "passages.jsonl.gz"
FACTUAL, SILENT, READ = 200, 100, 100


def main() -> None:
    """Print the figures."""
    if not DATA.is_file():
        sys.exit(f"skipped: {DATA} is not here; see the docstring for the source")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=1000, help="questions asked for")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", type=Path, help="where to write the questions for a person")
    asked = parser.parse_args()
    chunks = cases.build_topics(passages()).chunks
    kept, rejected = generate(chunks, asked)
    print(f"{len(kept)} kept, {len(rejected)} rejected")
    print(rejected["reason"].str.replace(r"\d+", "#", regex=True).value_counts().to_string())
    coverage(kept, chunks)
    findable_and_silent(kept, chunks, asked.seed)
    again, _ = generate(chunks, asked)
    same = again.to_json(orient="records") == kept.to_json(orient="records")
    print(f"second run, same seed: {'the same bytes' if same else 'OTHER BYTES'}")
    if asked.read:
        text = chunks.set_index("chunk_id")["text"]
        drawn = kept[kept["answerable"]].sample(READ, random_state=asked.seed)
        drawn = drawn[["question", "reference_answer", "query_type", "family", "reference_chunk_ids"]]
        own = drawn.assign(passages=[[text[one] for one in ids] for ids in drawn.pop("reference_chunk_ids")])
        own.to_json(asked.read, orient="records", lines=True, force_ascii=False)


def generate(chunks: pd.DataFrame, asked: argparse.Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    return rule_questions.generate(chunks, asked.n, seed=asked.seed, allocation="equal")


def passages() -> pd.DataFrame:
    """Each document as text, loaded and cut; a short passage without an end is a heading."""
    parts: dict[int, list[str]] = {}
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            text = row["text"].strip()
            heading = len(text.split()) <= 12 and "\n" not in text and not re.search(r"[.;:,]$", text)
            parts.setdefault(row["doc_id"], []).append(f"## {text}" if heading and text else text)
    with tempfile.TemporaryDirectory() as folder:
        for number, texts in parts.items():
            text = "\n\n".join(text for text in texts if text) + "\n"
            (Path(folder) / f"doc-{number:02d}.md").write_text(text, encoding="utf-8")
        return documents.chunk(documents.load(folder)[0])


def coverage(kept: pd.DataFrame, chunks: pd.DataFrame) -> None:
    """Kept answerable questions and types of question per stratum."""
    answerable = kept[kept["answerable"]]
    table = answerable.groupby("topic").agg(kept=("question", "size"), types=("query_type", "nunique"))
    table = table.reindex(sorted(chunks["topic"].unique()), fill_value=0)
    enough = (table["kept"] >= 5) & (table["types"] >= 3)
    print(table.to_string())
    print(f"topics with five questions of three types or more: {int(enough.sum())} of {len(table)}")
    print(kept.groupby(["query_type", "answerable"]).size().to_string())


def findable_and_silent(kept: pd.DataFrame, chunks: pd.DataFrame, seed: int) -> None:
    """Factual questions whose source BM25 has among its first ten, and questions without an answer whose
    words no passage near them holds."""
    index, ids = question_filter.Index(chunks["text"].tolist()), chunks["chunk_id"].to_numpy()
    factual = kept[(kept["query_type"] == "factual") & kept["answerable"]]
    drawn = factual.sample(min(FACTUAL, len(factual)), random_state=seed)
    found = [
        bool(set(own) & set(ids[index.top(question)]))
        for own, question in zip(drawn["reference_chunk_ids"], drawn["question"], strict=True)
    ]
    print(f"BM25 has the source among its first ten: {sum(found)} of {len(found)} factual questions")
    asked, texts = kept.loc[~kept["answerable"], "question"].head(SILENT), chunks["text"].tolist()
    none = [not question_filter.might_be_answered(question, texts, index) for question in asked]
    print(
        f"no passage holds four fifths of the words: {sum(none)} of {len(none)} questions without an answer"
    )


if __name__ == "__main__":
    main()
