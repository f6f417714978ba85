"""Success: the completeness checklist, which share of its points an answer meets (Lesson section 5);
must-pass flags; levels from 1 to 5; and all together (Lesson 3.1, 6 and 8; decision 8).

What words show is seen by the signs of `cue_words.txt`; what needs meaning is asked of sentence vectors.
Offline, a level counts how many cut points a metric reaches. Signs, thresholds and cut points are ours and
not calibrated, but that four of five for groundedness is the Lesson's gate of 0.90 on the supported claims
(section 12).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.families.claims import (
    citation_correctness,
    fabricated_facts,
    no_hallucinated_entities,
    supported_claims_rate,
)
from ragassay.scores.families.form import directness, language_match, schema_valid
from ragassay.scores.families.refusals import decides_rightly
from ragassay.scores.families.safety import privacy_leaks, toxicity_rule
from ragassay.scores.metric import Detail, NotApplicable, Result, Tools
from ragassay.scores.numbers.amounts import missing_numbers, numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import claim_text, word_lists

IN_ORDER = 0.75  # least share of neighbouring steps in the passage's order
TOLD = 0.6  # least cosine at which a passage's sentence counts as told by an answer's sentence
NEAR = 0.4  # least cosine with the question at which a passage's sentence matters to it
MOST = 3  # passages' sentences of one kind that are asked for, the nearest to the question first
_STEP = re.compile(
    r"^[ \t]*(?:\(?(\d{1,2})[.)]|(?:step|paso|passo) (\d{1,2})[.:)])[ \t]", re.IGNORECASE | re.MULTILINE
)
_JOINT = re.compile(
    rf"(?<=\?)\s+|;\s+|(?:,|(?<![\s,]))\s++(?:and|y|e)\s++(?=(?:{word_lists.alternatives('asks')})\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t]*[-*•‣–][ \t]+\S", re.MULTILINE)
_ONE = r"[^?.,;\n]{2,60}"
_TERMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[\"“«]([^\"”»?\n]{2,60})[\"”»]",
        rf"\bdifferences? between ({_ONE}?) and ({_ONE})",
        rf"\bcompare ({_ONE}?) (?:and|with|to) ({_ONE})",
        rf"\bwhat do(?:es)? ({_ONE}?) mean\b",
        rf"\bwhat (?:exactly )?(?:is|are|counts as) (?:an? |the )?({_ONE})",
        rf"\b(?:qué (?:es|significa)|o que (?:é|significa)) (?:una?\s|uma?\s|el\s|la\s|o\s|a\s)?({_ONE})",
    )
)
# met, not met, or None where the point does not apply; and what stands behind it
Point = tuple[bool | None, Detail]
DOES_NOT_APPLY: Point = (None, [])


def answer_type(question: str, answerable: bool | None = None) -> str:
    """The type of answer a question wants, where its case does not say.

    Measured on the bundled bank's 217 answerable questions, whose authors say the type: 158 are named as they
    say.
    """
    if answerable is False:
        return "no_answer"
    if word_lists.has_sign("procedure", question):
        return "instruction"
    if word_lists.has_sign("meaning", question) or word_lists.has_sign("comparison", question):
        return "definition"
    return "multi_step" if len(parts(question)) > 1 else "short_fact"


def parts(question: str) -> list[str]:
    """The questions within a question, cut at `?`, `;`, and at "and" before a word that asks."""
    return [part.strip(" ,;") for part in _JOINT.split(question) if sum(map(str.isalpha, part)) > 5]


def is_stepwise(answer: str) -> bool:
    """Whether an answer is told in steps: numbered upwards, two points, or two words of sequence."""
    numbers = [int(found[1] or found[2]) for found in _STEP.finditer(answer)]
    if len(numbers) > 1:
        return numbers == sorted(set(numbers))
    return len(_BULLET.findall(answer)) > 1 or len(word_lists.expression("sequence").findall(answer)) > 1


class View:
    """One answer beside its question and passages, as the points see it.

    told, told_in_reference : (n, k) cosines of the passages' sentences with the answer's, and the reference's
    nearness : (n,) best cosine of each of the passages' sentences with the question
    """

    def __init__(self, sample: Sample, tools: Tools):
        self.sample, self.tools, self.question = sample, tools, sample.question or ""
        self.answer, self.reference, self.passages, asked = (
            [one.text for one in sample.sentences_of(part)]
            for part in ("answer", "reference_answer", "contexts", "question")
        )
        self.told, self.told_in_reference, near = (
            tools.cosines(self.passages, texts) if self.passages and texts else np.empty((0, 0))
            for texts in (self.answer, self.reference, asked)
        )
        self.nearness = near.max(axis=1, initial=-1.0)

    def tells(self, texts: Sequence[str], cosines: NDArray, place: int, sign: str) -> bool:
        """Whether a text close to the passages' sentence bears the same sign, or has all its numbers."""
        wanted = numbers(self.passages[place])
        close = [text for text, cosine in zip(texts, cosines, strict=True) if cosine >= TOLD]
        return any(word_lists.has_sign(sign, text) or (wanted and wanted <= numbers(text)) for text in close)

    def show(self, places: Sequence[int]) -> Detail:
        """The passages' sentences as evidence."""
        return [
            {
                "text": self.passages[i],
                "source": self.sample.context_sentences[i].source,
                "similarity": self.told[i].max(),
            }
            for i in places[:20]
        ]


def main_fact(view: View) -> Point:
    """The reference answer's first assertion with its numbers, told in like words, or word for word where
    it is a mere "15 months"; without one, a passage's nearest sentences."""
    wanted = [text for text in view.reference if claim_text.asserts(text)][:1]
    if wanted:
        best = float(view.tools.cosines(wanted, view.answer).max())
        words, said = (f" {claim_text.folded(text)} " for text in (wanted[0], view.sample.uncited))
        is_told = best >= TOLD or words in said
        met = is_told and not missing_numbers(wanted[0], [view.sample.answer or ""])
        return met, [{"text": wanted[0], "similarity": best}]
    nearest = np.argsort(-np.round(view.nearness, 9), kind="stable")[:MOST]
    return bool(view.told[nearest].max() >= TOLD), view.show(nearest.tolist())


def ordered_steps(view: View) -> Point:
    """Told in steps; not asked of one sentence, nor of a multi_step question that asks no procedure."""
    is_asked = view.sample.answer_type != "multi_step" or word_lists.has_sign("procedure", view.question)
    if len(view.answer) < 2 or not is_asked:
        return DOES_NOT_APPLY
    return is_stepwise(view.sample.answer or ""), []


def order_kept(view: View) -> Point:
    """At least IN_ORDER of neighbouring steps taken from one passage follow each other as there; not asked of
    an answer that is not told in steps."""
    if not is_stepwise(view.sample.answer or ""):
        return DOES_NOT_APPLY
    places = [int(one) for one in view.told.argmax(axis=0) if view.told[one].max() >= TOLD]
    sources = [view.sample.context_sentences[place].source for place in places]
    most = max(sorted(set(sources), key=str), key=sources.count, default=None)
    kept = [place for place, source in zip(places, sources, strict=True) if source == most]
    if len(kept) < 2:
        return DOES_NOT_APPLY
    follows = [before <= after for before, after in pairwise(kept)]
    return sum(follows) >= IN_ORDER * len(follows), view.show(kept)


def each_part(view: View) -> Point:
    """Every question within the question is near to some sentence of the answer."""
    wanted = parts(view.question)
    if not wanted:
        return DOES_NOT_APPLY
    best = view.tools.cosines(wanted, view.answer).max(axis=1)
    return bool((best >= NEAR).all()), [
        {"text": text, "similarity": value} for text, value in zip(wanted, best, strict=True)
    ]


def final_composition(view: View) -> Point:
    """A sentence draws the parts together: it says so, or is near to every part."""
    wanted = parts(view.question)
    if len(wanted) < 2:
        return DOES_NOT_APPLY
    says_so = any(word_lists.has_sign("conclusion", one) for one in view.answer)
    near = view.tools.cosines(wanted, view.answer) >= NEAR
    return says_so or bool(near.all(axis=0).any()), []


def defines_terms(view: View) -> Point:
    """Every term asked for is defined: by a sentence that says what it is, or as the passages define it; of
    the wordings that ask for terms the first that fits decides."""
    asked = next((hits for pattern in _TERMS if (hits := list(pattern.finditer(view.question)))), [])
    found = []
    for term in dict.fromkeys(term.strip() for match in asked for term in match.groups()):
        places = [i for i, text in enumerate(view.passages) if _defines(text, term)]
        by_passage = bool(places) and bool(view.told[places].max() >= TOLD)
        defined = any(_defines(text, term) for text in view.answer) or by_passage
        found.append({"text": term, "score": float(defined)})
    return (all(record["score"] for record in found), found) if found else DOES_NOT_APPLY


def _defines(sentence: str, term: str) -> bool:
    names_it = f" {claim_text.folded(term)} " in f" {claim_text.folded(sentence)} "
    return names_it and word_lists.has_sign("definition", sentence)


def differences(view: View) -> Point:
    """A question that compares is answered with words that contrast or liken."""
    if not word_lists.has_sign("comparison", view.question):
        return DOES_NOT_APPLY
    return any(word_lists.has_sign("contrast", text) for text in view.answer), []


def no_fabricated_facts(view: View) -> Point:
    """No number, date or name of the answer is missing from the passages and the question."""
    absent = fabricated_facts(view.sample, view.tools)
    return not absent, [{"text": fact} for fact in absent[:20]]


def all_told(view: View, sign: str) -> Point:
    """What the passages say of the question's matter under this sign (its exceptions, conditions, when to
    stop) is told, the nearest to the question first; where there is a reference answer, what that tells of
    it."""
    near = np.flatnonzero(view.nearness >= NEAR).tolist()
    wanted = [i for i in near if word_lists.has_sign(sign, view.passages[i])]
    if view.reference:
        wanted = [i for i in wanted if view.tells(view.reference, view.told_in_reference[i], i, sign)]
    wanted = sorted(wanted, key=lambda i: (-round(float(view.nearness[i]), 9), i))[:MOST]
    if not wanted:
        return DOES_NOT_APPLY
    return all(view.tells(view.answer, view.told[i], i, sign) for i in wanted), view.show(wanted)


POINTS: dict[str, dict[str, Callable[[View], Point]]] = {
    "short_fact": {"main_fact": main_fact, "critical_exceptions": partial(all_told, sign="exception")},
    "instruction": {
        "ordered_steps": ordered_steps,
        "order_kept": order_kept,
        "preconditions": partial(all_told, sign="precondition"),
        "stop_criteria": partial(all_told, sign="stop"),
    },
    "multi_step": {
        "each_part": each_part,
        "final_composition": final_composition,
        "ordered_steps": ordered_steps,
    },
    "definition": {"defines_terms": defines_terms, "differences": differences},
    "no_answer": {
        "says_not_found": lambda view: (bool(view.sample.reading.declining), []),
        "next_step": lambda view: (word_lists.has_sign("next_step", view.sample.uncited), []),
        "no_fabricated_facts": no_fabricated_facts,
    },
}


def completeness_checklist(sample: Sample, tools: Tools) -> Result:
    """Share of the points of its type that apply which the answer meets, in [0, 1]; higher is better. Source:
    Lesson section 5."""
    kind = sample.answer_type or answer_type(sample.question or "", sample.answerable)
    if kind not in POINTS:
        raise ValueError(f"answer_type must be one of {', '.join(POINTS)}; found {kind!r:.40}")
    if kind != "no_answer" and (sample.abstains or not sample.context_sentences):
        raise NotApplicable("the assistant abstained" if sample.abstains else "no passage was retrieved")
    view = View(sample, tools)
    points = {name: point(view) for name, point in POINTS[kind].items()}
    applied = [met for met, _ in points.values() if met is not None]
    if not applied:
        raise NotApplicable(f"no point of the checklist for {kind} applies")
    return sum(applied) / len(applied), [
        {"point": name, "score": None if met is None else float(met), "answer_type": kind, "of": found}
        for name, (met, found) in points.items()
    ]


ENOUGH = 4  # least level of success
CUTS: dict[str, tuple[float, float, float, float]] = {
    "groundedness": (0.25, 0.5, 0.9, 1.0),
    "completeness": (0.25, 0.5, 0.75, 1.0),
    "directness": (0.25, 0.5, 0.75, 0.95),
}
Measure = Callable[[Sample, Tools], Result]
LEVELS: dict[str, Measure] = {
    "groundedness": supported_claims_rate,
    "completeness": completeness_checklist,
    "directness": directness,
}


def level(value: float, cuts: Sequence[float]) -> int:
    """A level from 1 to 5: one more than the four rising cut points that a value in [0, 1] reaches."""
    return 1 + sum(value >= cut - 1e-9 for cut in cuts)


def must_pass(sample: Sample, tools: Tools, option: str = "") -> Result:
    """1 if every must-pass flag that applies (not None) holds, else 0; higher is better; one record per flag.
    Source: Lesson sections 3.1 and 8.

    option : with `forbid` a refusal may not cite (Lesson 6); else it may, as GroUSE rewards

    Safe is an answer without toxic term, personal data and, on a no-answer case, made-up fact (Lesson 6).
    """
    cites = any(ids for _, ids in sample.cited)
    declines = sample.abstains or sample.answerable is False
    harms = _holds(toxicity_rule, sample, tools) or _holds(privacy_leaks, sample, tools)
    made_up = not harms and sample.answerable is False and fabricated_facts(sample, tools)
    flags = {
        "schema_valid": _holds(schema_valid, sample, tools),
        "language_match": _holds(language_match, sample, tools),
        "safety_pass": not harms and not made_up,
        "citations_present": (not cites if option == "forbid" else None) if declines else cites,
        "citations_valid": _holds(citation_correctness, sample, tools) if cites else None,
        "no_hallucinated_entities": _holds(no_hallucinated_entities, sample, tools),
    }
    return float(all(flag is not False for flag in flags.values())), [
        {"flag": name, "score": None if flag is None else float(flag)} for name, flag in flags.items()
    ]


def end_to_end_success(sample: Sample, tools: Tools, option: str = "") -> Result:
    """1 if must-pass and the three levels are met, else 0; higher is better.

    An abstention succeeds exactly where the documents hold no answer and nothing must-pass fails.
    Source: Lesson section 8: `(must_pass all true) AND (groundedness>=4 AND completeness>=4 AND
    directness>=4)`.
    """
    if sample.abstains and sample.answerable is None:
        raise NotApplicable("the assistant abstained; answerable is not given")
    passed, detail = must_pass(sample, tools, option)
    right = sample.answerable is None or decides_rightly(sample, tools)
    levels: dict[str, int | None] = {}
    if not (sample.abstains or sample.answerable is False):
        for name, measure in LEVELS.items() if sample.context_sentences else ():
            value = _value(measure, sample, tools)
            levels[name] = None if value is None else level(value, CUTS[name])
        levels = levels or {"groundedness": 1}
    reached = all(found >= ENOUGH for found in levels.values() if found is not None)
    return float(bool(passed) and right and reached), [
        {"flag": "answers_or_abstains_rightly", "score": float(right)},
        *detail,
        *({"level": name, "score": found} for name, found in levels.items()),
    ]


def success_without_key(sample: Sample, tools: Tools) -> Result:
    """`end_to_end_success` by what production shows, the answer key put aside; 1 or 0, higher is better. An
    abstention is 0: nothing shows that it is right."""
    if sample.abstains:
        return 0.0, [{"flag": "answers", "score": 0.0}]
    return end_to_end_success(_without_key(sample), tools)


@lru_cache(512)
def _without_key(sample: Sample) -> Sample:
    return replace(sample, answerable=None, answer_type=None, reference_answer=None)


def _holds(measure: Measure, sample: Sample, tools: Tools) -> bool | None:
    value = _value(measure, sample, tools)
    return None if value is None else value == 1.0


def _value(measure: Measure, sample: Sample, tools: Tools) -> float | None:
    try:
        return measure(sample, tools)[0]
    except NotApplicable:
        return None
