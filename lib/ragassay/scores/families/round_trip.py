"""From a sentence to questions that it answers, and back:
what the contexts answer, beside what the answer said (Hybrid section 2.6 b).

The source uses a model to ask and a model to answer. Ours asks by rules and answers with the context sentence
nearest to the question.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ragassay.scores.families import facts
from ragassay.scores.families.facts import Named
from ragassay.scores.families.hybrid_parts import with_entities
from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.concept_graph import phrases
from ragassay.scores.vector_similarity import unit_rows

ASKED = 2  # questions per sentence
SENTENCES = 2048  # whose questions are kept: those of a batch of answers, which is gone through several times
LONGEST = 2000  # characters of a sentence beyond which nothing is asked


def questions(sentence: str, names: Sequence[Named] = ()) -> list[str]:
    """At most two questions that a sentence answers:
    by the patterns that write cases (`What is the fee?`), and a gap (`The fee is what?`).

    names : entities of the sentence. A sentence without a fact, a name and a concept has no question, nor has
        one that asks itself.
    """
    text = sentence.strip()
    if not text or len(text) > LONGEST or text.endswith("?"):
        return []
    return list(dict.fromkeys([*_patterned(text), *_gap(text, names)]))[:ASKED]


def round_trip(sample: Sample, tools: Tools) -> Result:
    """Answer sentences, turned into questions, beside the context sentence nearest to each question.

    Mean cosine of each sentence with what the contexts answer to a question about it, in [0, 1]; higher is
    better. Source: Hybrid 2.6 b.
    """
    made = [
        (text, asked)
        for text, names in with_entities(sample.answer_sentences, tools)
        for asked in _kept_questions(text, names)
    ]
    if not made:
        raise NotApplicable("no question could be made of the answer")
    candidates = [one.text for one in sample.context_sentences]
    answers = [candidates[place] for place in tools.match([asked for _, asked in made], candidates).nearest]
    pair = tools.embed([text for text, _ in made]), tools.embed(answers)
    scores = return_similarity(*pair)
    return float(scores.mean()), [
        {
            "text": text[:SHOWN],
            "question": asked[:SHOWN],
            "evidence": answer[:SHOWN],
            "score": round(float(score), 6),
        }
        for (text, asked), answer, score in zip(made, answers, scores, strict=True)
    ]


def return_similarity(sentences: ArrayLike, answers: ArrayLike) -> np.ndarray:
    """Cosine of each sentence with the answer in the same row, 0 if below 0; shape (k,).

    Raises ValueError if there is none.
    """
    if len(np.asarray(sentences)) == 0:
        raise ValueError("no question could be made of the answer")
    return np.maximum(np.einsum("ij,ij->i", *map(unit_rows, (sentences, answers))), 0.0)


def _patterned(text: str) -> list[str]:
    """What the patterns for English sentences ask, the most telling first."""
    from ragassay.cases.rule_questions import askable_units, sentence_questions, word_forms

    unit = askable_units.Unit("", "", None, "en", "", "", text if text[-1] in ".!" else f"{text}.")
    return [made.question for made in sentence_questions.questions(unit, word_forms.small_words([text]))][:1]


def _gap(text: str, names: Sequence[Named]) -> list[str]:
    """The sentence with its first fact, else its last name or concept, asked for."""
    found = facts.find(text, names)
    spans = [(fact.start, fact.end) for fact in found[:1]] or phrases(text, names)[-1:]
    if not spans or spans[0] == (0, len(text.rstrip(" .!;:"))):
        return []
    word = {facts.TIME: "when", facts.PLACE: "where"}.get(found[0].kind, "what") if found else "what"
    return [f"{text[: spans[0][0]]}{word}{text[spans[0][1] :]}".rstrip(" .!;:") + "?"]


_kept_questions = lru_cache(SENTENCES)(questions)
