"""Questions that take for true what a passage says is false: its figure changed, its permission turned round.

A right reply declines, or says what the passage says.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.cases.questions import clauses, english, words
from ragassay.cases.questions.clauses import Clause
from ragassay.cases.questions.facts import vague
from ragassay.cases.questions.units import Candidate, Unit, fact_candidate
from ragassay.cases.questions.yes_no import FIGURE, HEDGED, QUANTIFIED, change_figure

NEGATED = ("cannot", "may not", "must not")
FIGURES, TURNED = "premise_figure", "premise_turned"  # the families


def questions(unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator) -> Iterator[Candidate]:
    """At most one question of an English sentence that makes one plain claim, no conditions and no second
    clause: `The fee is $6.00` as `Why is the fee $18.00?`; `A branch cannot change it` as `How can a branch
    change it?`. The answer is the sentence; the key fact its figure, empty where none was changed."""
    clause = english.resolve_pronouns(unit, vocabulary) if english.whole(unit.text) else None
    if clause is None or vague(clause.subject) or QUANTIFIED.match(clause.subject):
        return
    if HEDGED.search(clause.rest) or clauses.cut(clause.rest) != clause.rest:
        return
    made = _changed(clause, rng) or _turned(clause)
    if made:
        asked, key_fact, family = made
        truth = english.answer(unit, clause)
        yield fact_candidate(
            unit, family, words.capitalize(asked) + "?", key_fact, answer=truth, query_type="open"
        )


def _changed(clause: Clause, rng: np.random.Generator) -> tuple[str, str, str] | None:
    """Why the claim is so with its one figure changed; None for a negated claim and for several figures."""
    figures = list(FIGURE.finditer(clause.rest))
    if len(figures) != 1 or FIGURE.search(clause.subject) or clause.rest.startswith("not "):
        return None
    if clause.verb == "cannot":
        return None
    asked = clause.ask(change_figure(clause.rest, figures[0], rng, clause.verb))
    return f"why {asked}", figures[0].group(), FIGURES


def _turned(clause: Clause) -> tuple[str, str, str] | None:
    """How what is ruled out is done; why what is permitted is not."""
    said = f"{clause.verb} {clause.rest}"
    rest = clause.rest.removeprefix("not ")
    if FIGURE.search(said) or len(rest.split()) < 3:
        return None
    if said.startswith(NEGATED):
        return f"how can {clause.subject} {rest}", "", TURNED
    if clause.verb in ("may", "can") and not rest.startswith(("be ", "also ", "have ", "need ")):
        return f"why can {clause.subject} not {rest}", "", TURNED
    return None
