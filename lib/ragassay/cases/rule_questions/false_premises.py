"""Questions that take for true what a passage says is false: its figure changed, what is ruled out
taken to be allowed, what is allowed to be forbidden.

A right reply declines, or says what the passage says.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.cases.rule_questions import clause_parsing, english_sentences, word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import vague
from ragassay.cases.rule_questions.yes_no import FIGURE, HEDGED, QUANTIFIED, change_figure

RULED_OUT, DENIED = ("cannot", "may not", "must not"), ("is not", "are not", "does not", "do not")
FIGURE_CHANGED, ALLOWED, FORBIDDEN = "premise_figure", "premise_allowed", "premise_forbidden"  # the families


def questions(unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator) -> Iterator[Candidate]:
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
