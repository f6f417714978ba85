"""The rules of the playbook: a symptom each, how it is read from the answers, what it points to, what to do
(Lesson 7.4, section 9, and what a validation finds beside it)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

FOUND = 0.999  # retrieval recall of an answer whose evidence was all retrieved
MOST_ANSWERED = 0.2  # of questions without an answer: largest share tolerated, of findings and symptoms alike
MOST_REFUSED = 0.1  # of questions with an answer
Facts: TypeAlias = pd.DataFrame


@dataclass(frozen=True)
class Rule:
    """A symptom: `about` tells which answers it is read from, `good` which of them are as they should be
    (NaN: not measured); below `line` it is there. `measures`: which share is measured, in words; `evidence`:
    what it rests on; `prompted`: what to do beside, where there is a prompt to change."""

    symptom: str
    about: Callable[[Facts], pd.Series]
    good: Callable[[Facts], pd.Series]
    line: float
    measures: str
    evidence: str
    likely_cause: str
    what_to_do: str
    prompted: str = ""


def _scored(facts: Facts, *names: str) -> pd.Series:
    """The first of these columns that has a value; NaN without any."""
    return next(
        (facts[name] for name in names if name in facts and facts[name].notna().any()),
        pd.Series(np.nan, index=facts.index),
    )


def _from(facts: Facts, cut: float, *names: str) -> pd.Series:
    """1 where the score is `cut` at least, 0 below, NaN where not scored."""
    values = _scored(facts, *names)
    return (values >= cut).astype(float).where(values.notna())


def _answerable(facts: Facts) -> pd.Series:
    return facts["answerable"].astype(bool)


def _answered(facts: Facts) -> pd.Series:
    return _answerable(facts) & (facts["declined"] == 0)


def _found(facts: Facts) -> pd.Series:
    return _from(facts, FOUND, "retrieval_recall") == 1


def _grounded(facts: Facts) -> pd.Series:
    return 1 - facts["misled"] if facts["misled"].notna().any() else _from(facts, 0.5, "support")


def _complete(facts: Facts) -> pd.Series:
    return _scored(facts, "judged_complete", "judged_completeness")


def _relevant(facts: Facts) -> pd.Series:
    return _scored(facts, "judged_relevant", "judged_directness", "judged_appropriateness")


RULES: tuple[Rule, ...] = (
    Rule(
        "Evidence is not found",
        _answerable,
        lambda facts: _from(facts, FOUND, "retrieval_recall"),
        0.9,
        "questions with all their reference passages retrieved",
        "retrieval_recall (scores)",
        "the query and the passages that hold the answer do not meet: index, cutting, language or k",
        "read the questions listed by slice; retrieve more passages, search across languages, split "
        "questions that ask two things",
    ),
    Rule(
        "Evidence is found, and the answer is not grounded",
        lambda facts: _answered(facts) & (_found(facts) | _scored(facts, "retrieval_recall").isna().all()),
        _grounded,
        0.9,
        "grounded answers where all evidence was retrieved",
        "grounded (raters; support where none rated) among answers with retrieval_recall 1",
        "the wrong sentences are chosen or joined: a true sentence for another question",
        "check that the sentences chosen answer the question before they are given",
    ),
    Rule(
        "Answers are grounded, and incomplete",
        lambda facts: _answered(facts) & (_grounded(facts) == 1),
        _complete,
        0.9,
        "complete answers among the grounded ones",
        "complete (raters) among grounded answers",
        "conditions, exceptions and steps stand beside the sentence that was chosen and are left out",
        "give neighbouring sentences with a rule; keep exceptions in the passage of their rule",
        "instruct to include exceptions and every step",
    ),
    Rule(
        "Answers are grounded, and beside the question",
        lambda facts: _answered(facts) & (_grounded(facts) == 1),
        _relevant,
        0.9,
        "relevant answers among the grounded ones",
        "relevant (raters) among grounded answers",
        "sentences are chosen by the words they share with the question, not by what it asks",
        "test each sentence against the question before it is given",
        "answer first, details after; a limit of words",
    ),
    Rule(
        "Questions without an answer are answered",
        lambda facts: ~_answerable(facts),
        lambda facts: facts["declined"],
        1 - MOST_ANSWERED,
        "questions without an answer that were declined",
        "refusals, on questions that the documents do not answer",
        "nothing tests whether the passages retrieved suffice before an answer is given",
        "a test of sufficiency: decline where the passages lack what the question asks",
        "examples of questions to decline",
    ),
    Rule(
        "Questions are refused although their evidence was retrieved",
        lambda facts: _answerable(facts) & _found(facts),
        lambda facts: 1 - facts["declined"],
        1 - MOST_REFUSED,
        "answered questions where all evidence was retrieved",
        "refusals, among questions whose evidence was retrieved",
        "the threshold of evidence is set on similarity, which short or foreign wording lowers",
        "set the threshold on labelled questions of both kinds; test it by language and length",
    ),
    Rule(
        "Citations name passages that were not retrieved",
        lambda facts: _answered(facts) & (_scored(facts, "citations_present") == 1),
        lambda facts: _from(facts, 1.0, "citation_correctness"),
        0.9,
        "answers with citations, all of them among the passages",
        "citation_correctness (scores)",
        "the ids written are not checked against the passages",
        "one format of ids; replace ids by those of the sentences chosen, before the answer is given",
    ),
    Rule(
        "The language of the answer is not that of the question",
        _answered,
        lambda facts: _from(facts, 1.0, "language_match"),
        0.98,
        "answers in the language of the question",
        "language_match (scores)",
        "the passages' language decides, not the question's",
        "pass the language on; translate the passages quoted, or say in which language they are",
    ),
    Rule(
        "Superseded documents are cited",
        lambda facts: facts["declined"] == 0,
        lambda facts: 1 - _scored(facts, "superseded_cited_rate"),
        1.0,
        "answers that draw on no superseded document",
        "superseded_cited_rate (scores)",
        "superseded versions stand in the index beside the current ones",
        "take superseded documents out of the index, or filter by status when retrieving",
    ),
    Rule(
        "Documents for staff reach customers",
        lambda facts: facts["declined"] == 0,
        lambda facts: 1 - _scored(facts, "staff_only_reach_rate"),
        1.0,
        "answers that draw on no document for staff only",
        "staff_only_reach_rate (scores)",
        "one index serves staff and customers",
        "filter by audience when retrieving, from who asks",
    ),
    Rule(
        "The calibrated rule would release answers that raters reject",
        lambda facts: facts["decision"] == "accept",
        lambda facts: facts["accepted"],
        0.9,
        "answers accepted by raters in every respect among those the calibrated rule would accept",
        "the calibrated rule's decisions beside the raters",
        "the calibrated score does not see what makes an answer wrong",
        "let a person read what the rule accepts; calibrate a score that predicts the raters better",
    ),
)
