"""What a metric is, the instruments that its measure may use, and what it gives: a value and its evidence.

A family is one file: its formulas (arrays or texts in, numbers out) and its measures (`(sample, tools) ->
Result`), which families/metrics.csv names, one row a metric. A measure raises NotApplicable where there is
nothing to judge, and another ValueError where the value does not exist.

Each text and each pair is computed once per batch of answers. `compute_together` makes many small requests
few large ones: a call that asks an instrument for what is not yet known is interrupted (`Pending`); what all
calls asked is then computed, and these are made again.
"""

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragassay import models, parameter_ranges
from ragassay.defaults import LATENCY_BUDGET, LENGTH_BUDGET
from ragassay.models import Entailment
from ragassay.scores.prepared_answer import Sentence

# the answer key of a case
KEY = frozenset({"answerable", "answer_type", "reference_answer", "reference_chunk_ids"})
Detail = list[dict[str, Any]]
Result = tuple[float, Detail]


class NotApplicable(ValueError):
    """There is nothing to judge; the message is the reason."""


@dataclass(frozen=True)
class Metric:
    """What a metric is, what it needs, how to read it; `measure` computes it for one answer.

    reads : columns of the case beside `needs` by which it judges where they are given
    of_content, of_silence : whether it applies to an answer that declines only if False, to an empty one
        only if True
    grades_quality : it estimates how good an answer is, so that one value for nearly all answers means that
        it told none apart: it is then barred from gates. False for a harm, a refusal, a check, a count
    derived : names of the metrics it is computed from, over the whole table; `measure` then takes their
        values (n, m)
    use : gate, calibration, finding or diagnosis; or on request: computed only where it is named, or asked
        for with "all"
    options : what it can be named with, `min: weakest sentence`; option_of : the metric of which it is one
    own_call : its judge is asked in a call of its own, and so only where it is named
    headline : its place, from 1, in the first table of notebook 02, which compares systems; 0 for none
    display : its name for readers, in lower case
    """

    name: str
    family: str
    needs: tuple[str, ...]
    low: float
    high: float
    higher_is_better: bool
    models: tuple[str, ...]
    measure: Callable[..., Any]
    reads: tuple[str, ...] = ()
    of_content: bool = True
    of_silence: bool = False
    source: str = ""
    meaning: str = ""
    formula: str = ""
    cost: str = ""
    derived: tuple[str, ...] = ()
    use: str = "on request"
    options: tuple[str, ...] = field(default=(), repr=False)
    option_of: str = field(default="", repr=False)
    headline: int = field(default=0, repr=False)
    grades_quality: bool = field(default=True, repr=False)
    own_call: bool = field(default=False, repr=False)
    display: str = field(default="", repr=False)

    @property
    def on_request(self) -> bool:
        """Whether it is computed only where it is named."""
        return self.use == "on request"

    @property
    def reads_key(self) -> bool:
        """Whether it reads the answer key, which an answer in production has none of: no instrument there."""
        return not KEY.isdisjoint((*self.needs, *self.reads))


Method = namedtuple("Method", "name tex meaning source departure limits families", defaults=[""])
"""How metrics are computed, for the annex of methods: a formula in TeX or none, what it means, its source,
our departures from it, its limits; the families of metrics that compute so, separated by spaces."""


def evidence(
    these: Sequence[Sentence],
    those: Sequence[Sentence],
    scores: NDArray,
    places: NDArray,
    lowest: bool = True,
) -> Detail:
    """One record per sentence: text, score, best evidence sentence and its passage."""
    found = sentence_scores(these, scores, lowest)
    for record, one, place in zip(found, these, places, strict=True):
        record |= {"source": one.source, "evidence": those[place].text, "evidence_id": those[place].source}
    return found


def sentence_scores(these: Sequence[Sentence], scores: NDArray, lowest: bool = True) -> Detail:
    """One record per sentence with its score; `weakest` marks the lowest, or the highest."""
    weakest = int(np.argmin(scores) if lowest else np.argmax(scores))
    return [
        {"text": one.text, "score": score, "weakest": i == weakest}
        for i, (one, score) in enumerate(zip(these, scores, strict=True))
    ]


@dataclass(frozen=True)
class Budgets:
    """Limits of one answer: words (the Lesson's section 12 asks for a median of at most 120) and seconds
    (ours). Raises ParameterError if one is outside its range.

    >>> Budgets(words=80).words
    80
    """

    words: float = LENGTH_BUDGET
    seconds: float = LATENCY_BUDGET

    def __post_init__(self) -> None:
        parameter_ranges.check("budgets, words", self.words, "in (0, inf)")
        parameter_ranges.check("budgets, seconds", self.seconds, "in (0, inf)")


Pair = tuple[str, str]
# what groundedness_nli holds a sentence against: HCAT 3.2.2 says the whole context
PREMISES = ("nearest", "whole")
NAMES = (
    "encode",
    "entail",
    "entail_shipped",
    "toxic",
    "acceptable",
    "entities",
    "tokens",
    "premise_spans",
    "supported",
    "judge",
    "perplexity",
)
T = TypeVar("T")


class Pending(Exception):
    """What was asked for has been noted and will be there the next time."""


class Tools:
    """Encoder and heads for one batch of answers; each argument replaces an instrument of `ragassay.models`.

    premise : one of PREMISES, as `score` was told; budgets : the words and seconds an answer may take
    encode : unique texts to unit vectors (n, d); tokens : to the vectors of their tokens (n_i, d)
    entail, entail_shipped : unique (premise, hypothesis) pairs to an Entailment of n rows; the second by the
        head that ships, whatever the user names in its place
    toxic, acceptable : unique texts to probabilities (n,); entities : to a list of entities each
    premise_spans : unique (sentences, hypothesis) to the spans of sentences that are one premise each
    supported : unique (context sentences, text) to probabilities of support (n,); judge : unique requests to
        replies (models.judge); perplexity : unique texts to perplexities (n,); each only if a model is named
    """

    def __init__(self, *, premise: str = PREMISES[0], budgets: Budgets = Budgets(), **instruments: Callable):
        self.premise, self.budgets = premise, budgets
        self.names_support = "supported" in instruments or bool(models.of_run("support"))
        self.waits = False  # whether a request that cannot be met at once is noted, and raises Pending
        self.claims: dict[Any, list] = {}  # as judged, by answer: several metrics look at them
        self._instruments = {name: instruments.get(name) or partial(_of_models, name) for name in NAMES}
        self._known: dict[str, dict] = {name: {} for name in NAMES}
        self._wanted: dict[str, set] = {name: set() for name in NAMES}

    def settle(self) -> None:
        """Compute what was noted, in sorted order."""
        for name in NAMES:
            wanted, self._wanted[name] = sorted(self._wanted[name]), set()
            if wanted:
                found = self._instruments[name](wanted)
                if isinstance(found, Entailment):
                    found = zip(found.probabilities, found.z, found.distance, strict=True)
                self._known[name].update(zip(wanted, found, strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Unit vectors of the texts, shape (n, d)."""
        return np.array(self.ask("encode", texts), dtype=float) if len(texts) else np.empty((0, 0))

    def cosines(self, these: Sequence[str], those: Sequence[str]) -> NDArray[np.float64]:
        """`cosines` of the texts' vectors, shape (m, n)."""
        vectors = self.embed([*these, *those])
        return cosines(vectors[: len(these)], vectors[len(these) :])

    def match(
        self, these: Sequence[str], those: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The best cosine of each of `these` with one of `those`, and whose it is; shapes (m,)."""
        cosine = self.cosines(these, those)
        return cosine.max(axis=1), cosine.argmax(axis=1)

    def entail(self, pairs: Sequence[Pair], instrument: str = "entail") -> Entailment:
        """Entailment, neutral, contradiction of (premise, hypothesis) pairs: probabilities (n, 3), z (n,),
        distance (n,); `entail_shipped` asks the head that ships, to which `support` was fitted."""
        rows = self.ask(instrument, pairs)
        probabilities = np.array([row[0] for row in rows], dtype=float).reshape(len(rows), 3)
        z, distance = np.array([row[1:] for row in rows], dtype=float).reshape(len(rows), 2).T
        return Entailment(probabilities, z, distance)

    def ask(self, name: str, asked: Sequence) -> list[Any]:
        """What an instrument gives for each thing asked, in order."""
        missing = {one for one in asked if one not in self._known[name]}
        if missing:
            self._wanted[name] |= missing
            if self.waits:
                raise Pending
            self.settle()
        return [self._known[name][one] for one in asked]


def compute_together(calls: Sequence[Callable[[], T]], tools: Tools) -> list[T]:
    """What each call gives; what all of them ask of the tools is computed at once."""
    results, waiting = dict[int, T](), list(range(len(calls)))
    while waiting:
        tools.waits, asked, waiting = True, waiting, []
        for place in asked:
            try:
                results[place] = calls[place]()
            except Pending:
                waiting.append(place)
        tools.waits = False
        tools.settle()
    return [results[place] for place in range(len(calls))]


def _of_models(name: str, asked: list) -> Any:
    """What the instrument of this name in `ragassay.models` gives, loaded when first used."""
    if name == "entail_shipped":
        return models.entail(asked, model="entailment")
    return getattr(models, "token_vectors" if name == "tokens" else name)(asked)


def cosines(these: ArrayLike, those: ArrayLike) -> NDArray[np.float64]:
    """Cosine of every row of `these` (m, d) with every row of `those` (n, d), in [-1, 1]; shape (m, n).

    Raises ValueError if a text has no row, or a row is all zeros or not finite: the cosine does not exist.
    """
    return np.clip(_unit_rows(these) @ _unit_rows(those).T, -1.0, 1.0)


def _unit_rows(sentences: ArrayLike) -> NDArray[np.float64]:
    vectors = np.asarray(sentences, dtype=float)
    if len(vectors) == 0:
        raise ValueError("nothing to compare: the text is empty")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if lengths.min() > 0 and lengths.max() < np.inf:
        return vectors / lengths
    wrong = np.flatnonzero(~(np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)))[0]
    raise ValueError(f"sentence {wrong} has an embedding of length {lengths[wrong, 0]}; cosine is undefined")
