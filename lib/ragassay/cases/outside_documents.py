"""Questions outside the documents (HCAT section 6.1, type 3), and the engagement's own of these kinds.

out_of_scope    foreign questions, of `data/out_of_scope.jsonl`
near_questions  things that no passage knows, of a kind that the documents have (`rule_questions`)
false_premises  questions that take for true what a passage says is false
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay import documents, models, parameter_ranges
from ragassay.cases import case_table, rule_questions
from ragassay.cases.attack_probes import OWN_QUESTION, new_questions
from ragassay.cases.case_table import NOT_ANSWERED, OUTSIDE_KINDS
from ragassay.cases.question_filter import Index, in_force
from ragassay.cases.rule_questions import askable_units
from ragassay.cases.rule_questions.askable_units import Candidate, Unit
from ragassay.cases.rule_questions.sentence_questions import FIGURE, change_figure, plain_claim
from ragassay.cases.topics import FIGURE as ANY_FIGURE

BAND = (0.35, 0.95)  # cosine with the nearest passage: nearer the documents than foreign questions, no copy
FOREIGN_UP_TO = 0.55  # cosine with the nearest passage up to which a question is foreign to the documents
NEAR, PREMISES = 11 / 19, 4 / 19  # shares of the questions outside the documents; the rest are off-topic
FAR, THING, FACT, PREMISE, PERMISSION = OUTSIDE_KINDS
OUTSIDE = (FAR, THING, FACT)  # kinds of question without an answer that an engagement may add
RULED_OUT, DENIED = ("cannot", "may not", "must not"), ("is not", "are not", "does not", "do not")
ALIKE = 0.6  # share of a sentence's words without figures, by rarity, from which another speaks of the same


def outside_questions(
    asked: pd.DataFrame, chunks: pd.DataFrame, n: int, own: Mapping[str, Sequence[str]], *, seed: int
) -> pd.DataFrame:
    """At most n questions that the documents do not answer, and the engagement's own, none twice: off-topic
    ones, those about things that do not exist, those with a false premise. Off-topic
    ones fill up what the documents do not yield of the others.

    n : 1 or more, else ParameterError; own : kind (OUTSIDE) -> questions

    Example: `outside_questions(run.cases(), run.chunks(), 190, {}, seed=0).kind.value_counts()`
    """
    parameter_ranges.check("n_outside", n, "in [1, inf)")
    rngs = [np.random.default_rng(seed) for _ in range(3)]
    near = near_questions(asked, chunks, max(1, round(NEAR * n)), rngs[0])
    premises = false_premises(chunks, max(1, round(PREMISES * n)), rngs[1])
    far = out_of_scope(chunks, max(1, n - len(near) - len(premises)), rngs[2])
    made = pd.concat([far, near, premises], ignore_index=True)
    rows = [
        NOT_ANSWERED | {"case_id": f"{OWN_QUESTION}{number:04d}", "kind": kind, "question": question}
        for number, (kind, question) in enumerate(new_questions(own, made), start=1)
    ]
    return pd.concat([made, case_table.cases_frame(rows)], ignore_index=True) if rows else made


def out_of_scope(
    chunks: pd.DataFrame, n: int, rng: np.random.Generator, *, encode: Callable = models.encode
) -> pd.DataFrame:
    """At most n of our foreign questions, each with its `similarity`, the cosine with the nearest passage, in
    [-1, 1]; one above FOREIGN_UP_TO might be answered by the documents and is not asked. The limit is a
    screen, not a proof."""
    listed = pd.DataFrame(case_table.data_rows("out_of_scope"))
    similarity = (encode(listed["question"].tolist()) @ encode(chunks["text"].tolist()).T).max(axis=1)
    listed = listed.assign(
        case_id=[f"o-{i:04d}" for i in range(1, len(listed) + 1)],
        similarity=np.round(similarity.astype(float), 4),
        kind=FAR,
        **NOT_ANSWERED,
    )
    kept = listed[listed["similarity"] <= FOREIGN_UP_TO]
    drawn = kept.iloc[np.sort(rng.choice(len(kept), size=min(n, len(kept)), replace=False))]
    return case_table.cases_frame(drawn.to_dict("records"), extra=["domain", "similarity"])


def near_questions(
    asked: pd.DataFrame,
    chunks: pd.DataFrame,
    n: int,
    rng: np.random.Generator,
    *,
    encode: Callable = models.encode,
) -> pd.DataFrame:
    """At most n questions about things that do not exist, kind near_thing.

    `similarity` is the cosine with the nearest passage, in [-1, 1]; only those within BAND are kept.

    asked : cases, whose answerable questions are put about such things, beside those that the rules make of
        the passages
    """
    pool = asked[asked["answerable"]].to_dict("records")
    pool += rule_questions.well_formed(rule_questions.candidates(chunks, rng))
    plain = [row for row in pool if row["language"] == "en" and row["query_type"] != "multiple_choice"]
    index, same = Index(chunks["text"].tolist()), {"kind": THING}
    made = {
        question: same | {"question": question, "topic": row["topic"], "parent_id": row.get("case_id")}
        for row, question in rule_questions.invented_things(plain, chunks, index, rng)
    }
    table = pd.DataFrame(made.values())
    if len(table):
        vectors = encode(table["question"].tolist()) @ encode(chunks["text"].tolist()).T
        table["similarity"] = np.round(vectors.max(axis=1).astype(float), 4)
        table = table[table["similarity"].between(*BAND)]
    kept = table.iloc[np.sort(rng.permutation(len(table))[:n])].to_dict("records")
    return _unanswerable_cases(kept, "n", ["similarity"])


def _unanswerable_cases(rows: list[dict], mark: str, extra: list[str]) -> pd.DataFrame:
    numbered = [row | NOT_ANSWERED | {"case_id": f"{mark}-{i:04d}"} for i, row in enumerate(rows, start=1)]
    return case_table.cases_frame(numbered, extra=extra)


def false_premises(chunks: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """At most n questions, one of a passage, that presuppose a changed figure or a ban that there is not
    (kind false_premise), or that something ruled out is allowed (kind false_permission).

    `reference_answer` is the sentence that corrects the premise, `key_fact` its figure (empty where none
    was changed); not answerable. Left out are those where another passage says nearly the same with
    another figure: there the premise might be true. English alone.
    """
    chunks = in_force(chunks)
    vocabulary = askable_units.small_words(chunks["text"])
    units = [unit for unit in askable_units.read(chunks)[0] if unit.language == "en"]
    made = [one for unit in units for one in premise_questions(unit, vocabulary, rng)]
    index, said = Index(chunks["text"].tolist()), [documents.sentences(text) for text in chunks["text"]]
    first: dict[str, dict] = {}
    for row in rule_questions.well_formed(made):
        truth = row["reference_answer"]
        bare, figures = ANY_FIGURE.sub("", truth), sorted(ANY_FIGURE.findall(truth))
        alike = [one for i in index.top(bare) for one in said[i] if index.share(bare, one) > ALIKE]
        if all(sorted(ANY_FIGURE.findall(one)) == figures for one in alike):
            first.setdefault(row["chunk_id"], row)
    rows = list(first.values())
    drawn = [rows[i] for i in sorted(rng.choice(len(rows), size=min(n, len(rows)), replace=False))]
    return _unanswerable_cases([row | {"kind": row["family"]} for row in drawn], "f", ["key_fact"])


def premise_questions(
    unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator
) -> Iterator[Candidate]:
    """At most one question of an English sentence that makes one plain claim: `The fee is $6.00` as `Why is
    the fee $18.00?`; `A branch cannot change it` as `How can a branch change it?`; `Cash is not delivered` as
    `When is cash delivered?`; `A member may resign early` as `Why can a member not resign early?`."""
    clause = plain_claim(unit, vocabulary)
    if clause is None:
        return
    said, rest = f"{clause.verb} {clause.rest}", clause.rest.removeprefix("not ")
    negated, figures = clause.verb == "cannot" or rest != clause.rest, list(FIGURE.finditer(clause.rest))
    asked, key_fact, kind = "", "", PREMISE
    if figures:
        if len(figures) == 1 and not negated and not FIGURE.search(clause.subject):
            asked = f"why {clause.ask(change_figure(rest, figures[0], rng, clause.verb))}"
            key_fact = figures[0].group()
    elif said.startswith((*RULED_OUT, *DENIED)) and len(rest.split()) > 1:
        ruled_out, kind = said.startswith(RULED_OUT), PERMISSION
        asked = f"how can {clause.subject} {rest}" if ruled_out else f"when {clause.ask(rest)}"
    elif (
        clause.verb in ("may", "can")
        and len(rest.split()) > 2
        and not clause.rest.startswith(("not ", "be "))
    ):
        asked = f"why can {clause.subject} not {rest}"
    if asked:
        yield Candidate(
            f"{askable_units.capitalize(asked)}?",
            unit.text,
            key_fact,
            "short_fact",
            "open",
            kind,
            (unit.chunk_id,),
            unit,
        )
