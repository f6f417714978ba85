"""Long answers spoilt in five ways: how often is `support` of the copy below that of the answer itself?

foreign : the answer to another question; digits : every number changed; negated : every verb of being negated
salad : words of the passages in random order; crossed : halves of two sentences of the passages, joined
Used by bench/support.py, on MTRAG's answers that people found faithful. Nothing is tuned on it.
"""

import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ragassay.scores.families.support import support
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Pending, Tools

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
from support_cases import Case

FAITHFUL, LEAST = 0.85, 3  # label and sentences of an answer that is spoilt
_VERB = re.compile(r"\b(is|are|was|were|can|will|may|should|must|has|have)\b(?! not)")
Spoil = Callable[[Sample, Sample, random.Random], str]  # an answer, another one, a draw: the spoilt text


def _foreign(one: Sample, other: Sample, draw: random.Random) -> str:
    return other.answer or ""


def _digits(one: Sample, other: Sample, draw: random.Random) -> str:
    return re.sub(r"\d", lambda found: str((int(found[0]) + draw.randint(1, 9)) % 10), one.answer or "")


def _negated(one: Sample, other: Sample, draw: random.Random) -> str:
    return _VERB.sub(r"\1 not", one.answer or "")


def _salad(one: Sample, other: Sample, draw: random.Random) -> str:
    words = [word for passage in one.contexts or () for word in passage.split()]
    return " ".join(
        " ".join(draw.choices(words, k=len(each.text.split()))) + "." for each in one.answer_sentences
    )


def _crossed(one: Sample, other: Sample, draw: random.Random) -> str:
    halves = [each.text.split() for each in one.context_sentences if len(each.text.split()) > LEAST]
    pairs = [draw.sample(halves, 2) for _ in one.answer_sentences] if len(halves) > 1 else []
    return " ".join(
        " ".join(start[: len(start) // 2] + end[len(end) // 2 :]).rstrip(".") + "." for start, end in pairs
    )


KINDS: dict[str, Spoil] = {
    "foreign": _foreign, "digits": _digits, "negated": _negated, "salad": _salad, "crossed": _crossed,
}  # fmt: skip


def is_spoilt(case: Case) -> bool:
    """Whether a case's answer is one that is spoilt: of MTRAG, long and faithful."""
    long = len(case.material.answer_sentences) >= LEAST and case.material.context_sentences
    return bool(case.data == "mtrag_human" and case.label >= FAITHFUL and long)


def spoilt(answers: Sequence[Sample], kind: str, seed: int = 0) -> list[tuple[int, Sample]]:
    """The spoilt copies of a kind, each with the place of its answer; an answer that stays as it was has
    none."""
    draw, made = random.Random(f"{seed} {kind}"), []
    for place, one in enumerate(answers):
        strangers = [other for other in answers if set(other.contexts or ()).isdisjoint(one.contexts or ())]
        text = KINDS[kind](one, draw.choice(strangers), draw) if strangers else ""
        if text and text != one.answer:
            made.append((place, replace(one, answer=text)))
    return made


def values(samples: Sequence[Sample], tools: Tools) -> list[float]:
    """`support` of every sample; NaN where it does not apply."""
    found = [float("nan")] * len(samples)
    waiting = list(range(len(samples)))
    while waiting:
        tools.settle()
        tools.collect(True)
        waiting = [place for place in waiting if not _entered(found, place, samples[place], tools)]
        tools.collect(False)
    return found


def _entered(found: list[float], place: int, sample: Sample, tools: Tools) -> bool:
    try:
        found[place] = float(support(sample, tools)[0])
    except NotApplicable:
        pass
    except Pending:
        return False
    return True
