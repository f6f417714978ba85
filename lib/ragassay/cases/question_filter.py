"""Which made questions are kept (near their passage, answerable from it by a plain reader, none asked twice);
how many of them each topic gets, and which; and whether there are enough (HCAT section 2, step 4).

The reader knows nothing of how a question was made. It takes the sentences of a passage that share the
question's rarer words; if the answer is in neither of the first two, the question does not lead to it.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from math import log, nan, sqrt

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases.case_table import DATA
from ragassay.defaults import HALF_WIDTH
from ragassay.documents import sentences
from ragassay.documents.collection import STATUS, SUPERSEDED
from ragassay.stats.intervals import NORMAL_80, NORMAL_975, expected_half_width, zero_event_bound

NEAR_ENOUGH = 0.35  # cosine of a question with its passage, [-1, 1]
SAME = 0.97  # cosine of two questions
READ = 2  # pieces the reader may name
TOLD = 0.6  # share of an answer's words to be found in them
SAID = 0.8  # share of a question's words, by rarity, above which a passage might answer it
TOP = 10  # passages looked at for an answer there should not be
SMALL = frozenset(json.loads((DATA / "words.json").read_text(encoding="utf-8"))["small"].split())
KEYS = ("fact", "query_type", "family", "chunk_id")  # what questions of a topic should differ in, by weight
SHARE = 0.8  # of good answers expected


def in_force(chunks: pd.DataFrame) -> pd.DataFrame:
    """The passages that may be a reference: not of a superseded document; all where no status is known."""
    return chunks[chunks[STATUS] != SUPERSEDED] if STATUS in chunks else chunks


class Index:
    """Passages by their words: rarity of words, and Okapi BM25 (k1 = 1.5, b = 0.75) over them.

    Source
    ------
    Robertson and Zaragoza (2009), The Probabilistic Relevance Framework: BM25 and Beyond, section 3; idf with
    1 added inside the logarithm.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.counts = [Counter(content_words(text)) for text in texts]
        self.lengths = np.array([held.total() for held in self.counts], dtype=float)
        self.places = defaultdict[str, list[int]](list)
        for i, held in enumerate(self.counts):
            for word in held:
                self.places[word].append(i)

    def rarity(self, word: str) -> float:
        """log(1 + (N - n + 0.5) / (n + 0.5)) for a word in n of N passages;
        above 0, higher for rarer words."""
        n = len(self.places.get(word, ()))
        return log(1 + (len(self.counts) - n + 0.5) / (n + 0.5))

    def top(self, question: str, count: int = TOP) -> list[int]:
        """The passages that fit a question's words best, best first; none that shares no word with it."""
        scores: dict[int, float] = {}
        mean = self.lengths.mean() or 1.0
        for word in sorted(set(content_words(question))):
            rarity = self.rarity(word)
            for i in self.places.get(word, ()):
                n, size = self.counts[i][word], 0.25 + 0.75 * self.lengths[i] / mean
                scores[i] = scores.get(i, 0.0) + rarity * n * 2.5 / (n + 1.5 * size)
        return sorted(scores, key=lambda i: (-scores[i], i))[:count]

    def share(self, question: str, text: str) -> float:
        """How much of a question's words, weighted by rarity, a text holds, in [0, 1];
        0 for a question without words."""
        asked, there = sorted(set(content_words(question))), set(content_words(text))
        whole = sum(self.rarity(word) for word in asked)
        return sum(self.rarity(word) for word in asked if word in there) / whole if whole else 0.0


def content_words(text: str) -> list[str]:
    """A text's words in lower case without the small ones; a plural `s` is dropped."""
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in re.findall(r"\w+", text.lower())
        if word not in SMALL
    ]


def screen_questions(pool: Sequence[dict], chunks: pd.DataFrame, index: Index, encode: Callable) -> None:
    """Give each row its `similarity` (cosine with the nearest of its passages, in [-1, 1], 4 decimals) and,
    where it fails, a `reason`; of two alike the first is kept.

    pool : rows with stem (the question without answers to choose from), reference_chunk_ids, expected (what
        its answer must hold) and fact (what two questions about the same thing share)
    """
    text = chunks.set_index("chunk_id")["text"]
    passages = [[str(text[name]) for name in row["reference_chunk_ids"]] for row in pool]
    names = sorted({one for own in passages for one in own})
    known = dict(zip(names, encode(names), strict=True))
    vectors = encode([row["stem"] for row in pool])
    number = {fact: i for i, fact in enumerate(dict.fromkeys(row["fact"] for row in pool))}
    about = np.array([number[row["fact"]] for row in pool])
    alike = (vectors @ vectors.T >= SAME) & (
        about[:, None] != about
    )  # in nearly the same words, another fact
    repeated = np.tril(alike, k=-1).any(axis=1)
    for row, own, vector, again in zip(pool, passages, vectors, repeated, strict=True):
        wanted, named = set(content_words(row["expected"])), set[str]()
        for passage in own:  # a reader names the sentences that hold most of the question's words, by rarity
            said = sorted(sentences(passage) or [passage], key=lambda one: -index.share(row["stem"], one))
            named.update(content_words(" ".join(said[:READ])))
        row["similarity"] = round(max(float(vector @ known[one]) for one in own), 4)
        if row["similarity"] < NEAR_ENOUGH:
            row["reason"] = "is far from its passage"
        elif again:
            row["reason"] = "is asked already in nearly the same words"
        elif len(wanted & named) < TOLD * len(wanted):
            row["reason"] = "does not lead a reader to its answer"


def allocate(
    sizes: Mapping[str, int], n: int, passages: Mapping[str, int], allocation: str = "proportional"
) -> dict[str, int]:
    """Rows to draw per topic: they add up to min(n, all rows), none above its topic's size.

    One per topic that has rows, where n allows; each further one to the topic whose share divided by
    2 * (its rows so far) + 1 is largest (Sainte-Laguë); ties to the larger topic, then the first name.

    Parameters
    ----------
    sizes : rows per topic, 0 or more
    n : rows wanted, 0 or more
    passages : of each topic, above 0: its share where the allocation is "proportional"; "equal" gives all one

    Raises
    ------
    ParameterError
        If the allocation is another word.

    Source
    ------
    HCAT section 2, step 4.
    """
    parameter_ranges.check("allocation", allocation, "one of proportional, equal")
    shares = passages if allocation == "proportional" else dict.fromkeys(sizes, 1)
    counts = dict.fromkeys(sorted(sizes), 0)

    def claim(name: str) -> tuple[bool, float, int]:
        return not counts[name], shares[name] / (2 * counts[name] + 1), sizes[name]

    for _ in range(min(n, sum(sizes.values()))):
        counts[max((name for name in counts if counts[name] < sizes[name]), key=claim)] += 1
    return counts


def draw_questions(
    rows: Sequence[dict], chunks: pd.DataFrame, n: int, allocation: str, rng: np.random.Generator
) -> list[dict]:
    """At most n of the rows (with topic and KEYS) over the topics, in the order of the topics' names; how
    many of each, see `allocate`: a topic's share follows its passages, not its rows.

    Within a topic the order is settled by the seed: a fact is asked twice only when none is new, types of
    question take turns, then patterns, then passages.
    """
    names = chunks["topic"].fillna("").astype(str) if "topic" in chunks else pd.Series([""] * len(chunks))
    topics = {name: [row for row in rows if (row["topic"] or "") == name] for name in sorted(names.unique())}
    sizes = {name: len(inside) for name, inside in topics.items()}
    counts = allocate(sizes, n, names.value_counts().to_dict(), allocation)
    chosen: list[dict] = []
    for name, inside in topics.items():
        left, used = [inside[i] for i in rng.permutation(len(inside))], Counter[tuple]()
        for _ in range(counts[name]):
            turns = [tuple(used[key, row[key]] for key in KEYS) for row in left]
            chosen.append(left.pop(turns.index(min(turns))))
            used.update((key, chosen[-1][key]) for key in KEYS)
    return chosen


def adequacy(cases: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """The topics, and for each: n_cases, uncovered (no case), half_width of the 95 % interval around a share
    of 0.8 (NaN without a case), needed (cases more until it is HALF_WIDTH).

    Variants (cases with a parent), unanswerable questions and those from a database are not counted: they
    test no passage of their own.

    >>> asked = pd.DataFrame({"topic": ["fees"] * 20, "parent_id": None, "answerable": True, "kind": "own"})
    >>> adequacy(asked, pd.DataFrame({"topic": ["fees", "cards"]}))["n_cases"].tolist()
    [20, 0]
    """
    own = cases[cases["parent_id"].isna() & cases["answerable"].astype(bool) & (cases["kind"] != "grounded")]
    n_cases = topics["topic"].map(own["topic"].value_counts()).fillna(0).astype(int)
    enough = next(n for n in count(1) if expected_half_width(SHARE, n) <= HALF_WIDTH)
    return topics.assign(
        n_cases=n_cases,
        uncovered=n_cases < 1,
        half_width=[round(expected_half_width(SHARE, n), 4) for n in n_cases],
        needed=(enough - n_cases).clip(lower=0),
    )


def power(numbers: pd.Series) -> pd.DataFrame:
    """What so many cases can show: a row a part, with its number n.

    numbers : n of each part, by its name

    Returns
    -------
    The index of `numbers`; n; half_width to be expected of the exact 95 % interval around 0.8; fall, see
    `minimum_detectable_effect`; bound, the largest rate that no failure among n leaves possible (upper end of
    the exact 95 % interval).

    >>> power(pd.Series({"all": 100}))["bound"].round(3).to_dict()
    {'all': 0.036}

    Source
    ------
    Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, section 4.2 (no continuity
    correction).
    """
    table = numbers.rename("n").to_frame()
    return table.assign(
        half_width=[expected_half_width(SHARE, n) for n in table["n"]],
        fall=[minimum_detectable_effect(SHARE, n) for n in table["n"]],
        bound=[zero_event_bound(n) if n else nan for n in table["n"]],
    ).round(4)


def minimum_detectable_effect(p: float, n: int) -> float:
    """The smallest fall from p that two groups of n show with 80 % power at 5 %, two-sided;
    NaN if none does."""
    from scipy.optimize import brentq

    def missing(fall: float) -> float:
        q, middle = p - fall, p - fall / 2
        spread = NORMAL_975 * sqrt(2 * middle * (1 - middle)) + NORMAL_80 * sqrt(p * (1 - p) + q * (1 - q))
        return spread - fall * sqrt(n)

    return float(brentq(missing, 1e-9, p)) if missing(p) <= 0 else float("nan")
