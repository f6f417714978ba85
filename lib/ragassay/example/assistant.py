"""A small retrieval-augmented assistant over a folder: the system under test of the bundled example.

What it is. Passages are found by words (BM25) and by meaning (all-MiniLM-L6-v2), and the two rankings are
fused by reciprocal rank. From the best passages it quotes the one to three sentences nearest to the question,
each with its passage as a citation; when the question asks how, a list of steps is quoted whole; a row of a
table is quoted with its header. Where nothing comes near enough it says that it could not find the answer. It
runs offline, uses no language model, and gives the same answer to the same question.

What it is not. It does not reason: it cannot add, compare two passages, apply a rule to the customer's own
figures, or answer yes or no. It does not know which of two versions of a policy is in force, nor that it
cannot see the customer's account. It does not remember the conversation (it takes no `history`); given
`passages`, it answers from these alone. It works best in English; the encoder knows little Spanish or
Portuguese. It is a subject for validation, not a product.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ragassay import documents as reading
from ragassay.documents.collection import language
from ragassay.documents.text_blocks import pieces
from ragassay.models import encode
from ragassay.provenance import source

WORD = re.compile(r"\w+(?:[.,]\d+)*")
STOP = frozenset(
    """
    a an the of to in on at for from by with and or if is are was were be been am do does did can could
    will would should may might must i me my we us our you your it its he she his her they them their
    this that these those what which who whom when where how why there here have has had not no so as
    than then too also el la los las un una unos unas de del al en por para con y o si es son se mi su
    sus que cual cuando cuanto como donde os um uma uns umas do da dos das ao na nas nos e ou eu meu
    minha seu sua qual quando quanto onde nao""".split()
)


@lru_cache(maxsize=20_000)
def words(text: str) -> list[str]:
    """Words and numbers in lower case, without accents, stop words and the s of a plural (Harman's S stemmer,
    shortened)."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    kept = [re.sub(r"(?<=\w\w)ies$", "y", word) for word in WORD.findall(plain) if word not in STOP]
    return [re.sub(r"(?<=\w[^us])s$", "", word) for word in kept]


ENCODER = "minilm"  # the assistant's own, whatever encoder validates it
NOT_FOUND = {
    "en": "I could not find this in the bank's documents.",
    "es": "No he podido encontrar esto en los documentos del banco.",
    "pt": "Não consegui encontrar isto nos documentos do banco.",
}
# confidence below which it abstains; set on every second bundled question so that about one answerable one in
# five is refused
ENOUGH = 0.72
HEADING = 0.5  # weight of a passage's title and heading beside its own vector, or a sentence's
OVERLAP = 0.25  # weight of the words shared with the question, in the evidence of a sentence
RANK = 0.03  # what each rank of its passage costs a sentence
MARGIN = 0.90  # a further sentence is quoted if its evidence is this share of the best one's
MOST = 3  # sentences quoted, unless they are steps
DEPTH = 50  # ranks of each retriever that take part in the fusion
FUSION = 60  # the constant of reciprocal rank fusion (Cormack et al., 2009)
STEP = re.compile(r"(?:[-*•]|\(?\d{1,2}[.)]|(?:Step|Paso|Passo) \d{1,2}[.:])\s")
HOW = re.compile(
    r"\b(?:how (?:do|can|should|would|does|to)|steps?|procedure|walk me through|now "
    r"what|cómo|como|pasos|passos"
    r"|what (?:do|should|must) (?:i|we) (?:have to )?do)\b",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    """A sentence of a retrieved passage: the passage's rank, the text, and what it is: text, step (list
    item), header or row of a table."""

    passage: int
    text: str
    kind: str


class Library:
    """The passages of a folder: their vectors (n, d), their headings' and, last, that of none (n + 1, d), the
    word index, how rare each word is, the place of each id."""

    def __init__(self, folder: Path) -> None:
        import bm25s

        loaded, _ = reading.load(folder)
        titles = loaded[["doc_id", "title"]]
        self.chunks = chunks = reading.chunk(loaded).merge(titles, on="doc_id", how="left", sort=False)
        pairs = zip(chunks["title"], chunks["heading"], strict=True)
        under = encode([f"{title}. {heading.split(' > ')[-1]}" for title, heading in pairs], ENCODER)
        self.vectors = _with_headings(encode(chunks["text"].tolist(), ENCODER), under)
        self.headings = np.vstack([under, np.zeros_like(under[:1])])
        bags = [words(text) for text in chunks["title"] + " " + chunks["heading"] + " " + chunks["text"]]
        self.words = bm25s.BM25(backend="numpy")
        self.words.index(bags, show_progress=False)
        # how rare a word is: log(1 + passages / passages that hold it)
        held = pd.Series([word for bag in bags for word in sorted(set(bag))], dtype=object).value_counts()
        self.rarity = {str(word): float(np.log1p(len(bags) / count)) for word, count in held.items()}
        self.places = {name: place for place, name in enumerate(chunks["chunk_id"])}


def open_assistant(
    documents: str | Path = "bundled:documents", *, passages: int = 4
) -> Callable[[str], dict]:
    """Read a folder (or `bundled:documents`) and return `ask(question, passages=None) -> {"answer",
    "contexts", "context_ids"}`."""
    library, most = Library(source(documents)), passages

    def ask(question: str, passages: Sequence[Mapping[str, str]] | None = None) -> dict:
        if passages is None:  # those that stand highest in the two rankings together, best first
            asked = words(question)
            by_meaning = library.vectors @ encode([question], ENCODER)[0]
            by_word = library.words.get_scores(asked) if asked else np.zeros(len(library.chunks))
            fused = _reciprocal_ranks(by_word) + _reciprocal_ranks(by_meaning)
            found = library.chunks.iloc[np.argsort(-fused, kind="stable")[:most]]
        else:  # in their order; one with an id of ours stands under its heading, others under none
            ids, texts = [each["id"] for each in passages], [each["text"] for each in passages]
            found = library.chunks.reindex([library.places.get(each, -1) for each in ids])
            found = found.assign(chunk_id=ids, text=texts)
            found = found.fillna({"title": "", "heading": "", "language": "en"})
        found = found if question.strip() else found.head(0)
        quoted = _quote(library, question, found) if len(found) else []
        cited = [f"{sentence.text} [{found['chunk_id'].iloc[sentence.passage]}]" for sentence in quoted]
        between = "\n" if any(sentence.kind != "text" for sentence in quoted) else " "
        return {
            "answer": between.join(cited) or NOT_FOUND.get(language(question), NOT_FOUND["en"]),
            "contexts": found["text"].tolist(),
            "context_ids": found["chunk_id"].tolist(),
        }

    return ask


def _with_headings(vectors: np.ndarray, headings: np.ndarray) -> np.ndarray:
    """Unit vectors of texts, drawn towards the headings they stand under."""
    mixed = vectors + HEADING * headings
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def _reciprocal_ranks(scores: np.ndarray) -> np.ndarray:
    best, ranks = np.argsort(-scores, kind="stable")[:DEPTH], np.zeros(len(scores))
    ranks[best] = (scores[best] > 0) / (FUSION + 1 + np.arange(len(best)))
    return ranks


def _sentences(chunks: pd.DataFrame) -> Iterator[Sentence]:
    for passage, (text, spoken) in enumerate(zip(chunks["text"], chunks["language"], strict=True)):
        kind = "text"
        for _, piece in pieces(text, spoken):
            if " | " in piece:
                kind = "row" if kind in ("header", "row") else "header"
            else:
                kind = "step" if STEP.match(piece) else "text"
            yield Sentence(passage, re.sub(r"^[-*•]\s+", "", piece), kind)


def _quote(library: Library, question: str, found: pd.DataFrame) -> list[Sentence]:
    """The sentences to quote, in the order of their passages; none where the confidence is too low."""
    sentences = list(_sentences(found))
    texts, passage = [one.text for one in sentences], np.array([one.passage for one in sentences])
    vectors = encode([question, *texts], ENCODER)
    nearness = _with_headings(vectors[1:], library.headings[found.index[passage]]) @ vectors[0]
    whole = found["title"] + " " + found["heading"] + " " + found["text"]
    if nearness.max() + _shares(library, question, whole).max() / 2 < ENOUGH:
        return []
    alone = np.array([one.kind == "header" for one in sentences])  # headers never win
    evidence = nearness + OVERLAP * _shares(library, question, texts) - RANK * passage - alone
    best = int(np.argmax(evidence))
    if HOW.search(question) and sentences[best].kind == "step":  # the run of list items around it
        run = [one.kind == "step" and one.passage == sentences[best].passage for one in sentences]
        first = next((i + 1 for i in range(best, -1, -1) if not run[i]), 0)
        return sentences[first : next((i for i in range(best, len(run)) if not run[i]), len(run))]
    near = [i for i in np.argsort(-evidence, kind="stable")[:MOST] if evidence[i] >= MARGIN * evidence[best]]
    # where the header of a row of a table stands; a sentence that is no row stands for itself
    heads = [next(j for j in range(i, -1, -1) if sentences[j].kind != "row") for i in near]
    return [sentences[i] for i in sorted({*near, *heads})]


def _shares(library: Library, question: str, texts: Iterable[str]) -> np.ndarray:
    """The share of the question's words that each text holds, in [0, 1]; rarer words count more, unknown ones
    most."""
    unknown = float(np.log1p(len(library.chunks)))
    asked = {word: library.rarity.get(word, unknown) for word in sorted(set(words(question)))}
    held = [sum(asked[word] for word in sorted(asked.keys() & words(text))) for text in texts]
    return np.array(held) / (sum(asked.values()) or 1.0)
