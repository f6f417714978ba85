"""Refusals: does the assistant decline exactly when the documents hold no answer (Lesson 3.1 and 6), how
well, and does it set a false premise right (notebook 05)?

How declining is read stands in answer_state.py. An answer that declines and then answers is hedged: no
abstention, and a right refusal only where all that it claims is grounded (decisions 8 and 20).
"""

from ragassay.cases.question_filter import content_words
from ragassay.scores.families.claims import supported_claims_rate
from ragassay.scores.metric import Detail, NotApplicable, Result, Tools
from ragassay.scores.numbers.amounts import stated_numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import word_lists
from ragassay.scores.text_reading.answer_state import DECLINED, HEDGED


def abstains(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant declines or evades and answers nothing, else 0."""
    return float(sample.abstains), [{"state": sample.reading.state}]


def hedged_rate(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant declines and then answers, else 0; its mean is the rate."""
    reading = sample.reading
    return float(reading.state == HEDGED), [
        {"text": text, "kind": kind}
        for kind, texts in (("declines", reading.declining), ("asserts", reading.asserting))
        for text in texts
    ]


def refuses_rightly(sample: Sample, tools: Tools) -> bool:
    """Whether the answer is a refusal as a no-answer case asks for it: it declines, and where it answers all
    the same it is grounded, claim by claim (decisions 8 and 20)."""
    if sample.abstains:
        return True
    is_hedged = sample.reading.state == HEDGED and bool(sample.context_sentences)
    try:
        return is_hedged and supported_claims_rate(sample, tools)[0] == 1.0
    except NotApplicable:
        return False


def decides_rightly(sample: Sample, tools: Tools) -> bool:
    """Whether an answerable case is not refused, and one without an answer is."""
    return not sample.abstains if sample.answerable else refuses_rightly(sample, tools)


def should_have_abstained(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant answered what the documents do not answer, else 0; lower is better. Of no-answer
    cases alone: its mean is the false-answer rate. Source: Lesson section 3.1,
    `abstain.should_have_abstained`; the rate: sections 6 and 12."""
    if sample.answerable:
        raise NotApplicable("answerable case: no answer to it is a false answer")
    return float(not refuses_rightly(sample, tools)), _decision(sample)


def abstention_correct(sample: Sample, tools: Tools) -> Result:
    """1 if the assistant abstained exactly when the documents hold no answer, else 0; higher is better.
    Source: Lesson section 6 (no-answer items); the decision alone, in both directions."""
    return float(decides_rightly(sample, tools)), _decision(sample)


def _decision(sample: Sample) -> Detail:
    found = {"abstained": sample.abstains, "answerable": bool(sample.answerable)}
    return [found | {"state": sample.reading.state}]


ALIKE = 0.6  # share of the true sentence's content words from which a sentence speaks of the same


def refusal_quality(sample: Sample, tools: Tools) -> Result:
    """How well an answer declines, in [0, 1], higher is better: the share of four things that it does.

    Raises NotApplicable if the answer does not decline.
    """
    if not sample.reading.refuses:
        raise NotApplicable("the answer does not decline")
    said, asked = sample.uncited, set(content_words(sample.question or ""))
    seen = {
        "polite": word_lists.has_sign("polite", said) and not word_lists.has_sign("brusque", said),
        "says_what_it_lacks": bool(asked & set(content_words(said))) or word_lists.has_sign("lacking", said),
        "offers_a_way_on": word_lists.has_sign("way_on", said),
        "asserts_nothing": sample.reading.state == DECLINED,
    }
    return sum(seen.values()) / len(seen), [seen]


def premise_corrected(sample: Sample, tools: Tools) -> Result:
    """1 if the answer sets a false premise right, else 0; higher is better.

    The reference answer is the sentence that the question's premise contradicts. Where its figure differs: a
    sentence of the answer holds the true figure, and none holds the false one alone without denying it. Else:
    a sentence holds most of its words, and denies exactly if it does. Not applicable if the documents answer
    the question, or no reference answer says what is true.
    """
    if sample.answerable or not sample.reference_answer:
        raise NotApplicable(
            "answerable case: no premise to correct" if sample.answerable else "no false premise"
        )
    truth, asked = sample.reference_answer, stated_numbers(sample.question or "")
    right, wrong = stated_numbers(truth) - asked, asked - stated_numbers(truth)
    wanted, denied = set(content_words(truth)), word_lists.has_sign("denial", truth)
    shown: Detail = []
    for text in (one.text for one in sample.answer_sentences):
        found, denies = stated_numbers(text), word_lists.has_sign("denial", text)
        alike = len(wanted & set(content_words(text))) >= ALIKE * max(1, len(wanted))
        if right <= found if right else alike and denies == denied:
            shown.append({"text": text, "kind": "corrects"})
        if right and found & wrong and not right & found and not denies:
            shown.append({"text": text, "kind": "goes along"})
    return float({one["kind"] for one in shown} == {"corrects"}), shown
