"""Long answers spoilt in five ways: how often is `support` of the copy below that of the answer itself?

foreign : the answer to another question; digits : every number changed; negated : every verb of being negated
salad : words of the passages in random order; crossed : halves of two sentences of the passages, joined
Used by bench/support.py, on MTRAG's answers that people found faithful. Nothing is tuned on it.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from ragassay.scores.families.support import support
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from support_cases import settled

FAITHFUL, LEAST = 0.85, 3  # label and sentences of an answer that is spoilt
KINDS = ("foreign", "digits", "negated", "salad", "crossed")
VERB = re.compile(r"\b(is|are|was|were|can|will|may|should|must|has|have)\b(?! not)")


def is_spoilt(case) -> bool:
    """Whether a case's answer is one that is spoilt: of MTRAG, long and faithful."""
    long = len(case.material.answer_sentences) >= LEAST and case.material.context_sentences
    return bool(case.data == "mtrag_human" and case.label >= FAITHFUL and long)


def spoil(one: Sample, other: Sample, kind: str, draw: random.Random) -> str:
    """The answer spoilt in this way; `other` is the answer to another question."""
    answer = one.answer or ""
    if kind == "foreign":
        return other.answer or ""
    if kind == "digits":
        return re.sub(r"\d", lambda found: str((int(found[0]) + draw.randint(1, 9)) % 10), answer)
    if kind == "negated":
        return VERB.sub(r"\1 not", answer)
    if kind == "salad":
        words = [word for passage in one.contexts or () for word in passage.split()]
        made = [" ".join(draw.choices(words, k=len(each.text.split()))) for each in one.answer_sentences]
        return " ".join(f"{text}." for text in made)
    halves = [each.text.split() for each in one.context_sentences if len(each.text.split()) > LEAST]
    pairs = [draw.sample(halves, 2) for _ in one.answer_sentences] if len(halves) > 1 else []
    joined = [" ".join(start[: len(start) // 2] + end[len(end) // 2 :]) for start, end in pairs]
    return " ".join(text.rstrip(".") + "." for text in joined)


def spoilt(answers: Sequence[Sample], kind: str, seed: int = 0) -> list[tuple[int, Sample]]:
    """The spoilt copies of a kind, each with the place of its answer; an answer that stays as it was has
    none."""
    draw, made = random.Random(f"{seed} {kind}"), []
    for place, one in enumerate(answers):
        strangers = [other for other in answers if set(other.contexts or ()).isdisjoint(one.contexts or ())]
        text = spoil(one, draw.choice(strangers), kind, draw) if strangers else ""
        if text and text != one.answer:
            made.append((place, replace(one, answer=text)))
    return made


def values(samples: Sequence[Sample], tools: Tools) -> list[float]:
    """`support` of every sample; NaN where it does not apply."""
    found = settled(samples, lambda sample: float(support(sample, tools)[0]), tools)
    return [float("nan") if one is None else one for one in found]
