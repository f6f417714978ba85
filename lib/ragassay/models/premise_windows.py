"""A whole context as premise: one piece where the entailment network reads it, else as few as it takes."""

from collections.abc import Sequence
from itertools import pairwise

from ragassay.models import load_instrument, model_files, tokenization
from ragassay.models.instrument import Instrument

Asked = tuple[tuple[str, ...], str]  # a context's sentences, and what is held against them
Span = tuple[int, int]


def premise_spans(asked: Sequence[Asked], model: str = "") -> list[list[Span]]:
    """Of each (sentences, hypothesis) the spans [start, stop) of sentences that are one premise each: all of
    them, in their order, as many to a span as the network reads beside the hypothesis.

    A sentence too long by itself is a span of its own, and cut when it is read. Tokens are counted by
    sentence. Errors as in `entail`.
    """
    named = model or model_files.of_run("entailment") or "entailment"
    return spans_that_fit(asked, load_instrument.find_instrument(named, "pair"))


def spans_that_fit(asked: Sequence[Asked], instrument: Instrument) -> list[list[Span]]:
    """The same for this instrument."""
    tokenizer, limit = instrument.load().tokenizer, instrument.limit
    texts = sorted({text for sentences, hypothesis in asked for text in (*sentences, hypothesis)})
    tokens = dict(zip(texts, tokenization.count_tokens(tokenizer, texts), strict=True))
    most = min(tokenization.HYPOTHESIS, limit // 2)
    room = limit - tokenizer.num_special_tokens_to_add(True)
    return [
        spans([tokens[one] for one in sentences], room - min(tokens[hypothesis], most))
        for sentences, hypothesis in asked
    ]


def spans(lengths: Sequence[int], room: int) -> list[Span]:
    """Neighbours together as long as their lengths fit into `room`; what does not fit alone stands alone."""
    starts, filled = [0] if lengths else [], 0
    for place, length in enumerate(lengths):
        filled += length
        if filled > room and place > starts[-1]:
            starts.append(place)
            filled = length
    return list(pairwise([*starts, len(lengths)]))
