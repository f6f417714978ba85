"""Questions outside the documents: near them, or against them (far ones: `attack_probes.out_of_scope`).

near_questions  things that no passage knows, of a kind that the documents have; what no passage says of those
                that they have
false_premises  questions that take for true what a passage says is false
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd

from ragassay import documents, models
from ragassay.cases import case_table, question_filter
from ragassay.cases.contradicting_passages import FIGURE as ANY_FIGURE
from ragassay.cases.question_filter import SAID, Index, content_words, might_be_answered
from ragassay.cases.rule_questions import (
    askable_units,
    candidates,
    clause_parsing,
    english_sentences,
    question_form_checks,
    word_forms,
)
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import vague
from ragassay.cases.rule_questions.unanswerable import Asked, spoken_of
from ragassay.cases.rule_questions.yes_no import FIGURE, HEDGED, QUANTIFIED, change_figure

BAND = (0.35, 0.95)  # cosine with the nearest passage: nearer the documents than foreign questions, no copy
NAME = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]* ){1,3}[A-Z][\w’'-]*")
OPENS = re.compile(
    rf"(?:{'|'.join(sorted(word_forms.NOT_SUBJECTS | word_forms.DETERMINERS))})$", re.IGNORECASE
)
NO_THING = frozenset({"Day", "Eve", "Street", "Road", "Avenue", "Square", *word_forms.MONTH.split("|")})
THING, FACT = "near_thing", "near_fact"


def near_questions(
    asked: pd.DataFrame,
    chunks: pd.DataFrame,
    n: int,
    rng: np.random.Generator,
    *,
    encode: Callable = models.encode,
) -> pd.DataFrame:
    """At most n questions, kind near_thing or near_fact, half of each where there are as many.

    `similarity` is the cosine with the nearest passage, in [-1, 1]; only those within BAND are kept. A thing
    that does not exist is asked about only where no passage speaks of its whole kind in the question's words;
    a fact only where no passage that names the thing holds a word that could tell it. That is a proof for the
    words looked for, not for every way of saying a thing.

    Raises
    ------
    ParameterError
        If n is below 1.
    """
    holding = names_in(chunks["text"].tolist())
    index = Index(chunks["text"].tolist())
    made = pd.DataFrame([*_things(asked, chunks, holding, index, rng), *_facts(chunks, holding, index, rng)])
    if made.empty:
        return case_table.cases_frame([], extra=["similarity"])
    vectors = encode(chunks["text"].tolist())
    near = (encode(made["question"].tolist()) @ vectors.T).max(axis=1)
    made["similarity"] = np.round(near.astype(float), 4)
    kept = _drawn(made[made["similarity"].between(*BAND)], n, rng)
    same = {"answer_type": "no_answer", "answerable": False}
    listed = [
        row | same | {"case_id": f"n-{i:04d}"} for i, row in enumerate(kept.to_dict("records"), start=1)
    ]
    return case_table.cases_frame(listed, extra=["similarity"])


def names_in(texts: Sequence[str]) -> dict[str, set[int]]:
    """Names that two passages or more hold, without articles, and which hold each; no plural, and none that
    is the beginning of another."""
    found = defaultdict[str, set[int]](set)
    for i, text in enumerate(texts):
        for run in NAME.findall(text):
            parts = run.split()
            while parts and OPENS.match(parts[0]):
                parts = parts[1:]
            if len(parts) > 1 and not parts[-1].endswith("s"):
                found[" ".join(parts)].add(i)
    several = {name: places for name, places in sorted(found.items()) if len(places) > 1}
    return {name: several[name] for name in several if not any(one.startswith(f"{name} ") for one in several)}


def kinds_of(names: Sequence[str]) -> dict[str, str]:
    """Each name's kind: the longest run of last words that it shares with another (`Credit Card`); a name
    that shares none has none."""
    ends = defaultdict[str, set[str]](set)
    for name in names:
        parts = name.split()
        for i in range(1, len(parts)):
            ends[" ".join(parts[i:])].add(name)
    shared = {end for end, having in ends.items() if len(having) > 1 and not NO_THING & set(end.split())}
    longest = ((name, [" ".join(name.split()[i:]) for i in range(1, len(name.split()))]) for name in names)
    return {name: next(end for end in tails if end in shared) for name, tails in longest if shared & {*tails}}


def _things(
    asked: pd.DataFrame,
    chunks: pd.DataFrame,
    holding: dict[str, set[int]],
    index: Index,
    rng: np.random.Generator,
) -> Iterator[dict]:
    """Questions about one thing, asked or made from the passages, put about one that does not exist."""
    kinds, unknown = kinds_of(list(holding)), _unknown_words(chunks["text"])
    whole = (chunks["text"] + " " + chunks.get("title", "") + " " + chunks.get("heading", "")).tolist()
    pool = [
        *asked[asked["answerable"]].to_dict("records"),
        *question_form_checks.well_formed(candidates(chunks, rng)),
    ]
    for case in filter(_usable, pool if unknown else ()):
        names = _named(case["question"], holding)
        alone = names[0] if len(names) == 1 and names[0] in kinds else ""
        if alone and not _general(case["question"], alone, kinds, whole, index):
            other = f"{unknown[int(rng.integers(len(unknown)))]} {kinds[alone]}"
            yield {
                "question": case["question"].replace(alone, other),
                "kind": THING,
                "query_type": "open",
                "topic": case.get("topic"),
                "parent_id": case.get("case_id"),
            }


def _usable(case: dict) -> bool:
    """Whether a question is English and gives no answers to choose from."""
    return (case.get("language") or "en") == "en" and case.get("query_type") != "multiple_choice"


def _named(question: str, names: Iterable[str]) -> list[str]:
    """The names that stand in a question as a whole, the longest of those that overlap."""
    found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question)]
    return [name for name in found if not any(name != other and name in other for other in found)]


def _unknown_words(texts: pd.Series) -> list[str]:
    """The made-up names that stand in no passage."""
    known = {word for text in texts for word in content_words(text)}
    listed = (case_table.DATA / "invented_names.txt").read_text(encoding="utf-8").split()
    return [name for name in listed if not known & set(content_words(name))]


def _general(question: str, name: str, kinds: dict[str, str], whole: Sequence[str], index: Index) -> bool:
    """Whether a passage that names none of the kind holds the question's other words: a rule for all."""
    bare = question.replace(name, "")
    alike = [other for other, kind in kinds.items() if kind == kinds[name]]
    near = (whole[i] for i in index.top(bare))
    return any(index.share(bare, text) > SAID and not any(one in text for one in alike) for text in near)


def _facts(
    chunks: pd.DataFrame, holding: dict[str, set[int]], index: Index, rng: np.random.Generator
) -> Iterator[dict]:
    """What no passage that holds a name says of what it names, each name asked about once."""
    texts, topics = chunks["text"].tolist(), chunks.get("topic", pd.Series([None] * len(chunks))).tolist()
    listed = [Asked(**row) for row in case_table.data_rows("near_facts")]
    for name in kinds_of(list(holding)):
        places = sorted(holding[name])
        for asked in (listed[i] for i in rng.permutation(len(listed))):
            question = asked.question.format(name)
            told = spoken_of(asked, [texts[i] for i in places]) or might_be_answered(question, texts, index)
            if not told:
                yield {
                    "question": question,
                    "kind": FACT,
                    "query_type": "factual",
                    "topic": topics[places[0]],
                    "parent_id": None,
                }
                break


def _drawn(made: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """At most n rows, half of each kind where there are as many, in the order in which they were made."""
    shuffled = made.drop_duplicates("question").iloc[rng.permutation(made["question"].nunique())]
    in_turn = np.argsort(shuffled.groupby("kind").cumcount(), kind="stable")
    return shuffled.iloc[in_turn].head(n).sort_index()


RULED_OUT, DENIED = ("cannot", "may not", "must not"), ("is not", "are not", "does not", "do not")
FIGURE_CHANGED, ALLOWED, FORBIDDEN = "premise_figure", "premise_allowed", "premise_forbidden"  # the families
KINDS = {ALLOWED: "false_permission"}  # of a family; of any other
KIND = "false_premise"
ALIKE = 0.6  # share of a sentence's words without figures, by rarity, from which another speaks of the same


def false_premises(chunks: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """At most n questions, one of a passage, that presuppose a changed figure or a ban that there is not
    (kind false_premise), or that something ruled out is allowed (kind false_permission).

    `reference_answer` is the sentence that corrects the premise, `key_fact` its figure (empty where none
    was changed); not answerable. Left out are those where another passage says nearly the same with
    another figure: there the premise might be true. English alone.
    """
    vocabulary = word_forms.small_words(chunks["text"])
    made = (
        candidate
        for unit in askable_units.read(chunks)[0]
        if unit.language == "en"
        for candidate in premise_questions(unit, vocabulary, rng)
    )
    found = _undisputed(question_form_checks.well_formed(made), chunks["text"].tolist())
    first = list({row["chunk_id"]: row for row in reversed(found)}.values())[::-1]
    drawn = [first[i] for i in sorted(rng.choice(len(first), size=min(n, len(first)), replace=False))]
    same = {"answer_type": "no_answer", "answerable": False}
    listed = [
        row | same | {"case_id": f"f-{i:04d}", "kind": KINDS.get(row["family"], KIND)}
        for i, row in enumerate(drawn, start=1)
    ]
    return case_table.cases_frame(listed, extra=["key_fact", "family"])


def _undisputed(made: list[dict], texts: list[str]) -> list[dict]:
    """The rows whose sentence no other of the passages nearest to it tells with another figure."""
    index, said = question_filter.Index(texts), [documents.sentences(text) for text in texts]
    return [row for row in made if not _disputed(row["reference_answer"], said, index)]


def _disputed(truth: str, said: list[list[str]], index: question_filter.Index) -> bool:
    bare = ANY_FIGURE.sub("", truth)
    alike = (one for i in index.top(bare) for one in said[i] if index.share(bare, one) > ALIKE)
    figures = sorted(ANY_FIGURE.findall(truth))
    return any(sorted(ANY_FIGURE.findall(one)) != figures for one in alike)


def premise_questions(
    unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator
) -> Iterator[Candidate]:
    """At most one question of an English sentence that makes one plain claim, no conditions and no second
    clause: `The fee is $6.00` as `Why is the fee $18.00?`; `A branch cannot change it` as `How can a branch
    change it?`; `Cash is not delivered` as `When is cash delivered?`; `A member may resign early` as `Why can
    a member not resign early?`. The answer is the sentence; the key fact its figure, empty where
    none was changed."""
    clause = (
        english_sentences.resolve_pronouns(unit, vocabulary) if english_sentences.whole(unit.text) else None
    )
    if clause is None or vague(clause.subject) or QUANTIFIED.match(clause.subject):
        return
    if HEDGED.search(clause.rest) or clause_parsing.cut(clause.rest) != clause.rest:
        return
    made = _changed(clause, rng) or _allowed(clause) or _forbidden(clause)
    if made:
        asked, key_fact, family = made
        truth = english_sentences.answer(unit, clause)
        yield fact_candidate(
            unit, family, word_forms.capitalize(asked) + "?", key_fact, answer=truth, query_type="open"
        )


def _changed(clause: Clause, rng: np.random.Generator) -> tuple[str, str, str] | None:
    """Why the claim is so with its one figure changed; None for a negated claim and for several figures."""
    figures = list(FIGURE.finditer(clause.rest))
    if len(figures) != 1 or FIGURE.search(clause.subject) or clause.rest.startswith("not "):
        return None
    if clause.verb == "cannot":
        return None
    asked = clause.ask(change_figure(clause.rest, figures[0], rng, clause.verb))
    return f"why {asked}", figures[0].group(), FIGURE_CHANGED


def _allowed(clause: Clause) -> tuple[str, str, str] | None:
    """How what is ruled out is done, or when what is denied happens."""
    said, rest = f"{clause.verb} {clause.rest}", clause.rest.removeprefix("not ")
    if FIGURE.search(said) or len(rest.split()) < 2:
        return None
    if said.startswith(RULED_OUT):
        return f"how can {clause.subject} {rest}", "", ALLOWED
    return (f"when {clause.ask(rest)}", "", ALLOWED) if said.startswith(DENIED) else None


def _forbidden(clause: Clause) -> tuple[str, str, str] | None:
    """Why what is permitted is not."""
    plain = clause.verb in ("may", "can") and not FIGURE.search(clause.rest) and len(clause.rest.split()) > 2
    if not plain or clause.rest.startswith(("not ", "be ", "also ", "have ", "need ")):
        return None
    return f"why can {clause.subject} not {clause.rest}", "", FORBIDDEN
