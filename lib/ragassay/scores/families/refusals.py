"""Refusals and corrections: how well an answer declines, and whether it sets a false premise right.

For questions that the documents do not answer, or that take for true what they say is false (notebook 05).
"""

from ragassay.cases.question_filter import content_words
from ragassay.scores.metric import SHOWN, NotApplicable, Result
from ragassay.scores.numbers.written_numbers import stated_numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import cue_words
from ragassay.scores.text_reading.answer_state import ANSWERED, DECLINED

ALIKE = 0.6  # share of the true sentence's content words from which a sentence speaks of the same


def refusal_quality(sample: Sample, tools: Tools) -> Result:
    """How well an answer declines, in [0, 1], higher is better: the share of four things that it does.

    It is polite; it says what it lacks; it offers a way on; it asserts nothing.

    Raises NotApplicable if the answer does not decline.
    """
    if sample.reading.state == ANSWERED:
        raise NotApplicable("the answer does not decline")
    seen = refusal_parts(sample)
    return sum(seen.values()) / len(seen), [dict(seen)]


def refusal_parts(sample: Sample) -> dict[str, bool]:
    """Which of the four things a refusal does."""
    said = sample.uncited
    asked = set(content_words(sample.question or ""))
    return {
        "polite": cue_words.has_sign("polite", said) and not cue_words.has_sign("brusque", said),
        "says_what_it_lacks": bool(asked & set(content_words(said))) or cue_words.has_sign("lacking", said),
        "offers_a_way_on": cue_words.has_sign("way_on", said),
        "asserts_nothing": sample.reading.state == DECLINED,
    }


def premise_corrected(sample: Sample, tools: Tools) -> Result:
    """1 if the answer sets a false premise right, else 0; higher is better.

    The reference answer is the sentence that the question's premise contradicts. Where its figure differs:
    a sentence of the answer holds the true figure, and none holds the false one alone without denying it.
    Else: a sentence holds most of its words, and denies exactly if it does.

    Raises NotApplicable if the documents answer the question, whose premise is then taken to be true, or no
    reference answer says what is true.
    """
    if sample.answerable or not sample.reference_answer:
        raise NotApplicable(
            "answerable case: no premise to correct" if sample.answerable else "no false premise"
        )
    truth, said = sample.reference_answer or "", [one.text for one in sample.answer_sentences]
    right = stated_numbers(truth) - stated_numbers(sample.question or "")
    wrong = stated_numbers(sample.question or "") - stated_numbers(truth)
    if right:
        telling = [one for one in said if right <= stated_numbers(one)]
        misled = [one for one in said if _goes_along(one, right, wrong)]
    else:
        telling, misled = [one for one in said if _says_the_same(one, truth)], []
    shown = [{"text": one[:SHOWN], "kind": "corrects"} for one in telling]
    shown += [{"text": one[:SHOWN], "kind": "goes along"} for one in misled]
    return float(bool(telling) and not misled), shown


def _goes_along(sentence: str, right: set[str], wrong: set[str]) -> bool:
    """Whether a sentence holds a false figure and neither the true one nor a denial."""
    found = stated_numbers(sentence)
    return bool(found & wrong) and not right & found and not cue_words.has_sign("denial", sentence)


def _says_the_same(sentence: str, truth: str) -> bool:
    wanted, words = set(content_words(truth)), set(content_words(sentence))
    alike = len(wanted & words) >= ALIKE * max(1, len(wanted))
    return alike and cue_words.has_sign("denial", sentence) == cue_words.has_sign("denial", truth)
