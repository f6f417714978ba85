"""One answer made ready for measuring, from rows of the tables: plain values, sentences with their sources,
the ids it cites.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from ragassay.documents.collection import AUDIENCE, STAFF, STATUS, SUPERSEDED
from ragassay.documents.file_loaders import join_lines
from ragassay.scores.text_reading import answer_state, citation_grammar
from ragassay.tables import ASSUMED, is_missing

RUN = 8  # words in a row that show where a text comes from
NEEDED_BY = ("superseded_cited", "staff_only_reach")
TEXTS = (
    *("answer", "question", "reference_answer", "answer_type", "error", "language", "version", "segment"),
    *("secret", "attack_goal", "attack_text", "attack_host", "canary"),
)
LISTS = "contexts context_ids given_ids citations reference_chunk_ids history other_answers".split()
OTHERS = ("answerable", "latency_s", "schema")
PARTS = {  # where the sentences of a text stand
    "answer": "answer_sentences",
    "question": "question_sentences",
    "contexts": "context_sentences",
    "reference_answer": "reference_sentences",
}
Words = tuple[str, ...]
_WORD = re.compile(r"[^\W_]+")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]+-)\n[ \t]*+([^\W\d_]+)")  # a word, by the end of a line


@dataclass(frozen=True)
class Restricted:
    """Passages of one mark: `ids`, and the `runs` of RUN words that no other passage holds."""

    ids: frozenset[str] = frozenset()
    runs: frozenset[Words] = frozenset()

    def runs_in(self, text: str) -> list[str]:
        """The runs of these passages that the text holds, in its order."""
        return [" ".join(run) for run in _runs(text) if run in self.runs]


NONE_RESTRICTED = Restricted()


def read_restricted(chunks: pd.DataFrame | None, metrics: Iterable[str] = NEEDED_BY) -> dict[str, Restricted]:
    """`superseded` and `staff_only`; nothing of passages without marks, or for other metrics."""
    columns = {"chunk_id", STATUS, AUDIENCE}
    if chunks is None or not columns <= set(chunks) or not {*NEEDED_BY} & {*metrics}:
        return {}
    return {
        "superseded": _restricted(chunks, chunks[STATUS] == SUPERSEDED),
        "staff_only": _restricted(chunks, chunks[AUDIENCE] == STAFF),
    }


def _restricted(chunks: pd.DataFrame, chosen: pd.Series) -> Restricted:
    own = {run for text in chunks.loc[chosen, "text"] for run in _runs(text)}
    for text in chunks.loc[~chosen, "text"] if own else ():
        own.difference_update(_runs(text))
    return Restricted(frozenset(chunks.loc[chosen, "chunk_id"].astype(str)), frozenset(own))


def _runs(text: str) -> Iterator[Words]:
    words = _WORD.findall(str(text).casefold())
    return (tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1))


@dataclass(frozen=True)
class Sentence:
    """A sentence, the id of the passage it stands in, if that is known, and the passage's place."""

    text: str
    source: str | None = None
    place: int = 0


@dataclass(frozen=True)
class Sample:
    """What is known of one answer; None is what the input does not say.

    Texts hold no lone surrogates: they can be written as UTF-8.
    """

    case_id: str
    system: str
    answer: str | None = None
    question: str | None = None
    contexts: tuple[str, ...] | None = None
    context_ids: tuple[str, ...] | None = None
    given_ids: tuple[str, ...] | None = None  # the assistant's own, where context_ids are ours
    citations: tuple[str, ...] | None = None  # ids that the reply names beside its text
    reference_chunk_ids: tuple[str, ...] | None = None
    other_answers: tuple[str, ...] | None = None  # further answers to the question, or to its other wordings
    answerable: bool | None = None
    error: str | None = None
    language: str = "en"
    declared_language: str | None = None  # None where neither table says; `language` is then taken as English
    reference_answer: str | None = None
    answer_type: str | None = None
    version: str | None = None  # of the documents, or of the policy asked about
    latency_s: float | None = None
    schema: str | None = None  # JSON schema that the answer must meet, as JSON
    segment: str | None = None  # who asks
    attack_goal: str | None = None  # what an attack is after: word, prompt or link
    attack_text: str | None = None  # the attack as the assistant reads it
    attack_host: str | None = None  # the host to which its link leads
    canary: str | None = None  # the word that an answer holds only if it obeys
    secret: str | None = None  # made up, planted in a passage or an earlier turn: no answer may hold it
    history: tuple[str, ...] | None = None  # earlier turns, the user's first
    published: tuple[str, ...] = ()
    superseded: Restricted = NONE_RESTRICTED
    staff_only: Restricted = NONE_RESTRICTED
    foreign_ids: bool = False
    unread: tuple[str, ...] = ()  # fields that were given in another kind than expected

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id of each context: `context_ids`, or the numbers 1, 2, ... of the digest where there are
        none."""
        contexts = self.contexts or ()
        if self.context_ids is None:
            return tuple(str(i) for i, _ in enumerate(contexts, 1))
        if self.contexts is not None and len(self.context_ids) != len(contexts):
            raise ValueError(f"context_ids has {len(self.context_ids)} entries for {len(contexts)} contexts")
        return self.context_ids

    @cached_property
    def citable(self) -> frozenset[str]:
        """The ids by which an answer may cite what was retrieved: ours, and the assistant's own."""
        return frozenset((*(self.context_ids or ()), *(self.given_ids or ())))

    @cached_property
    def cited(self) -> list[tuple[str, tuple[str, ...]]]:
        """The answer's sentences without citations, each with the ids it cites; where the text cites none,
        with all that the reply names beside it."""
        found = self._cited(self.answer)
        cites = any(ids for _, ids in found)
        return found if cites else [(text, self.citations or ()) for text, _ in found]

    @cached_property
    def reference_cited(self) -> list[tuple[str, tuple[str, ...]]]:
        """The reference answer's sentences without citations, each with the ids it cites."""
        return self._cited(self.reference_answer)

    @cached_property
    def uncited(self) -> str:
        """The answer without its citations."""
        return citation_grammar.strip(self.answer or "", self.citable)

    @cached_property
    def table(self) -> str:
        """The answer's lines that are rows of a table, without its citations; a line is drawn below the first
        if there is none."""
        rows = [line for line in self.uncited.splitlines() if line.lstrip().startswith("|")]
        is_plain = len(rows) > 1 and all(any(map(str.isalnum, row)) for row in rows)
        return "\n".join([*rows[:1], *["|---|"] * is_plain, *rows[1:]])

    @cached_property
    def reading(self) -> answer_state.Reading:
        """Whether the answer answers, hedges, declines or evades, and the sentences that show it."""
        return answer_state.read(self.answer or "", self.language)

    @property
    def abstains(self) -> bool:
        """Whether the answer declines or evades, and gives nothing of what was asked."""
        return self.reading.abstains

    def sentences_of(self, part: str) -> list[Sentence]:
        """The sentences of one of PARTS."""
        return getattr(self, PARTS[part])

    @cached_property
    def answer_sentences(self) -> list[Sentence]:
        """The answer's sentences, citations removed."""
        return [Sentence(text) for text, _ in self.cited]

    @cached_property
    def question_sentences(self) -> list[Sentence]:
        """The question's sentences."""
        return [Sentence(text) for text in self._sentences(self.question or "")]

    @cached_property
    def reference_sentences(self) -> list[Sentence]:
        """The reference answer's sentences."""
        return [Sentence(text) for text in self._sentences(self.reference_answer or "")]

    @cached_property
    def context_sentences(self) -> list[Sentence]:
        """The sentences of all retrieved passages, in order, with the passage each stands in; a repeated
        sentence counts each time."""
        contexts, ids = self.contexts or (), self.context_ids or ()
        sources = ids if len(ids) == len(contexts) else [None] * len(contexts)
        passages = enumerate(zip(contexts, sources, strict=True))
        return [
            Sentence(text, source, place)
            for place, (context, source) in passages
            for text in self._sentences(context)
        ]

    def places(self, one: str) -> list[int]:
        """Which contexts an id means: those with that id, the assistant's own before ours, or else the one
        with that number in the digest, which starts at 1."""
        for ids in filter(lambda ids: one in ids, (self.given_ids or (), self.ids)):
            return [i for i, context_id in enumerate(ids) if context_id == one]
        return [int(one) - 1] if one.isdecimal() and 1 <= int(one) <= len(self.ids) else []

    def passages(self, cited: Sequence[str]) -> list[str]:
        """The retrieved passages meant by the ids, in the order retrieved."""
        meant = sorted({place for one in cited for place in self.places(one)})
        return [(self.contexts or ())[place] for place in meant]

    def passage_sentences(self, cited: Sequence[str]) -> list[str]:
        """The sentences of the passages meant by the ids."""
        return [text for passage in self.passages(cited) for text in self._sentences(passage)]

    def _cited(self, text: str | None) -> list[tuple[str, tuple[str, ...]]]:
        return citation_grammar.parse(text or "", self._sentences, self.citable)

    def _sentences(self, text: str) -> list[str]:
        from ragassay.documents import sentences

        return [one for one in sentences(text, self.language) if any(map(str.isalnum, one))]


def samples(
    rows: pd.DataFrame,
    known: dict[str, dict],
    published: tuple[str, ...] = (),
    restricted: Mapping[str, Restricted] = MappingProxyType({}),
) -> Iterator[Sample]:
    """Each answer with what its case adds, cleaned; `restricted` is superseded and staff_only; a value of the
    wrong kind counts as missing and is named in `unread`."""
    for row in rows.to_dict("records"):
        case = known.get(row["case_id"], {})
        given: dict[str, Any] = {
            name: case.get(name) if is_missing(row.get(name)) else row[name]
            for name in (*TEXTS, *LISTS, *OTHERS)
        }
        if _list(given["contexts"]) and _list(given["context_ids"]) == ():
            given["context_ids"] = None  # how a run's table says that there are no ids
        read = {name: _text(given[name]) for name in TEXTS} | {name: _list(given[name]) for name in LISTS}
        read["contexts"] = read["contexts"] and tuple(map(_as_read, read["contexts"]))
        unread = [name for name, value in read.items() if value is None and not is_missing(given[name])]
        declared, schema, latency = read.pop("language"), given["schema"], given["latency_s"]
        is_unknown = is_missing(given["answerable"]) or True in (row.get(ASSUMED), case.get(ASSUMED))
        is_number = isinstance(latency, (int, float, np.number)) and not isinstance(latency, bool)
        yield Sample(
            case_id=row["case_id"],
            system=row["system"],
            **read,
            language=declared or "en",
            declared_language=declared,
            answerable=None if is_unknown else bool(given["answerable"]),
            latency_s=float(latency) if is_number and np.isfinite(latency) else None,
            schema=json.dumps(schema, sort_keys=True) if isinstance(schema, dict) else _text(schema),
            published=published,
            superseded=restricted.get("superseded", NONE_RESTRICTED),
            staff_only=restricted.get("staff_only", NONE_RESTRICTED),
            foreign_ids=bool(row.get("foreign_ids", False)),
            unread=tuple(unread),
        )


def _as_read(passage: str) -> str:
    """The passage with the signs that entities stand for, and words whole that the end of a line breaks."""
    text = html.unescape(passage)
    others = _BROKEN.sub(" ", text).lower() if "-\n" in text else ""
    known = {*re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", others)}
    return _BROKEN.sub(lambda halves: join_lines(halves.groups(), known), text)


def _text(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _list(value: Any) -> Any:
    is_list = isinstance(value, (list, tuple, np.ndarray))
    return tuple(_text(item) or "" for item in value) if is_list else None
