"""What the heads look at: an answer beside its question, its references and the true answer, in numbers.

Everything but the projected vectors is about form and nearness, so that what is learned on some topics can
hold on others:

sentences   cosines of the answer's sentences with the question, the references, the true answer; least, mean,
            largest
citations   whether every sentence cites, and whether what it cites is nearer to it than every other reference
            is
words       shares of words and numbers found in what is cited and in the true answer; negations that one side
            alone holds
form        lengths, numbers of sentences, whether answer and true answer decline
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragassay.scores.numbers.amounts import numbers
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading.answer_state import declines, read

_WORD = re.compile(r"[^\W\d_]{4,}")
_NEGATION = re.compile(
    r"\b(?:not?|never|none|nor|neither|without|cannot|only|except|unless)\b|n't\b", re.IGNORECASE
)
Cited = tuple[str, tuple[str, ...]]


def table(rows: Sequence[Mapping[str, Any]], tools: Tools) -> tuple[NDArray, NDArray, tuple[str, ...]]:
    """(n, f) features, (n, 3 d) products of the answer's mean vector with those of question, references and
    true answer, and the f names.
    """
    samples = [as_sample(row) for row in rows]
    tools.note("encode", {text for each in samples for text in _texts(each)})
    found = [features(each, tools) for each in samples]
    names = tuple(found[0]) if found else ()
    return (
        np.array([list(each.values()) for each in found], dtype=float),
        np.array([_vectors(each, tools) for each in samples]),
        names,
    )


def as_sample(row: Mapping[str, Any]) -> Sample:
    """A row of a suite as the measures know an answer."""
    question, answer, truth = (
        _clean(text) for text in (row["input"], row["actual_output"], row.get("expected_output") or "")
    )
    references = tuple(_clean(each) for each in row["references"])
    return Sample(
        "row", "suite", answer=answer, question=question, contexts=references, reference_answer=truth
    )


def features(one: Sample, tools: Tools) -> dict[str, float]:
    """Name -> number, all finite; what does not exist (no sentence, nothing cited) is 0 and told by a count
    or a flag beside it.
    """
    answer, truth = _informing(one.cited), _informing(one.reference_cited)
    return {
        **_form(one, answer, truth),
        **_nearness(one, answer, truth, tools),
        **_citing(one, answer, truth, tools),
        **_wording(one, answer, truth, tools),
    }


def _form(one: Sample, answer: list[Cited], truth: list[Cited]) -> dict[str, float]:
    refuses, true_refuses = one.reading.refuses, read(one.reference_answer or "").refuses
    return {
        "declines": float(refuses),
        "truth_declines": float(true_refuses),
        "both_decline": float(refuses and true_refuses),
        "declines_alone": float(refuses and not true_refuses),
        "responds_alone": float(true_refuses and not refuses),
        "declines_and_adds": float(refuses and bool(answer)),
        "truth_adds": float(true_refuses and bool(truth)),
        "sentences": np.log1p(len(answer)),
        "sentences_beyond_truth": float(np.log1p(len(answer)) - np.log1p(len(truth))),
        "length_beyond_truth": float(np.log1p(len(one.uncited)) - np.log1p(len(one.reference_answer or ""))),
    }


def _nearness(one: Sample, answer: list[Cited], truth: list[Cited], tools: Tools) -> dict[str, float]:
    said, true = [text for text, _ in answer], [text for text, _ in truth]
    asked = [each.text for each in one.question_sentences]
    held = [each.text for each in one.context_sentences]
    pairs = {
        "answer_to_question": (said, asked),
        "answer_to_truth": (said, true),
        "answer_to_references": (said, held),
        "truth_to_answer": (true, said),
        "truth_to_question": (true, asked),
        "references_to_question": (held, asked),
    }
    return {
        name: value
        for pair, sides in pairs.items()
        for name, value in _spread(pair, _best(*sides, tools)).items()
    }


def _citing(one: Sample, answer: list[Cited], truth: list[Cited], tools: Tools) -> dict[str, float]:
    cites = [bool(ids) for _, ids in answer]
    margins = [_margin(one, text, ids, tools) for text, ids in answer if one.passages(ids)]
    alike = [_alike(one, text, ids, truth, tools) for text, ids in answer] if truth else []
    wanted, given = _places(one, truth), _places(one, answer)
    return {
        "cites_nothing": float(not any(cites)),
        "share_of_sentences_citing": float(np.mean(cites) if cites else 1.0),
        "every_sentence_cites": float(all(cites)),
        "citations_of_truth_given": len(wanted & given) / len(wanted) if wanted else 0.0,
        "citations_beyond_truth": len(given - wanted) / len(given) if given else 0.0,
        **_spread("cited_above_others", margins),
        **_spread("citations_like_truth", alike),
    }


def _wording(one: Sample, answer: list[Cited], truth: list[Cited], tools: Tools) -> dict[str, float]:
    true = [text for text, _ in truth]
    beside = (
        [(text, true[int(np.argmax(tools.cosines([text], true)[0]))]) for text, _ in answer] if true else []
    )
    cited = [(text, " ".join(one.passages(ids))) for text, ids in answer if one.passages(ids)]
    everything, told = " ".join(one.contexts or ()), " ".join(text for text, _ in answer)
    return {
        **_spread("words_in_cited", [_share(text, there) for text, there in cited]),
        **_spread("words_in_references", [_share(text, everything) for text, _ in answer]),
        **_spread("words_in_truth", [_share(text, there) for text, there in beside]),
        **_spread("truth_words_told", [_share(text, told) for text in true]),
        "numbers_not_cited": float(sum(bool(numbers(text) - numbers(there)) for text, there in cited)),
        "numbers_not_in_references": float(len(numbers(told) - numbers(everything))),
        "numbers_of_truth_missing": float(len(numbers(*true) - numbers(told))),
        "negations_unlike_truth": float(sum(_negations(text) != _negations(there) for text, there in beside)),
    }


def _informing(cited: Sequence[Cited]) -> list[Cited]:
    """Sentences that say something beside "no document answers"."""
    return [(text, ids) for text, ids in cited if not declines(text)]


def _margin(one: Sample, text: str, ids: Sequence[str], tools: Tools) -> float:
    """How much nearer the nearest sentence of what is cited is than that of everything else;
    above 0 where the citation is the nearest.
    """
    own = set(one.passages(ids))
    other = [
        sentence
        for i, passage in enumerate(one.contexts or ())
        if passage not in own
        for sentence in one.passage_sentences([str(i + 1)])
    ]
    here = _best([text], one.passage_sentences(ids), tools)
    return float(here[0] - _best([text], other, tools)[0])


def _alike(one: Sample, text: str, ids: Sequence[str], truth: list[Cited], tools: Tools) -> float:
    """Share of citations that a sentence and the true answer's nearest sentence have in common, of all that
    either has; 1 for none at all.
    """
    nearest = truth[int(np.argmax(tools.cosines([text], [each for each, _ in truth])[0]))]
    here, there = _places(one, [(text, tuple(ids))]), _places(one, [nearest])
    return len(here & there) / len(here | there) if here | there else 1.0


def _places(one: Sample, cited: Iterable[Cited]) -> set[int]:
    return {place for _, ids in cited for each in ids for place in one.places(each)}


def _best(these: Sequence[str], those: Sequence[str], tools: Tools) -> NDArray:
    return tools.match(these, those).best if these and those else np.zeros(len(these))


def _spread(name: str, values: Sequence[float] | NDArray) -> dict[str, float]:
    some = np.asarray(values, dtype=float) if len(values) else np.zeros(1)
    return {
        f"{name}_least": float(some.min()),
        f"{name}_mean": float(some.mean()),
        f"{name}_most": float(some.max()),
    }


def _share(text: str, there: str) -> float:
    """Share of the long words of a text that stand in another; 1 for a text without any."""
    wanted, held = set(_WORD.findall(text.lower())), set(_WORD.findall(there.lower()))
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))


def _texts(one: Sample) -> list[str]:
    parts = (one.question_sentences, one.answer_sentences, one.context_sentences, one.reference_sentences)
    return [each.text for part in parts for each in part] + [text for text, _ in one.reference_cited]


def _vectors(one: Sample, tools: Tools) -> NDArray:
    others = (one.question_sentences, one.context_sentences, one.reference_sentences)
    answer = _mean([each.text for each in one.answer_sentences], tools)
    return np.concatenate([answer * _mean([each.text for each in part], tools) for part in others])


def _mean(texts: Sequence[str], tools: Tools) -> NDArray:
    return tools.embed(texts).mean(axis=0) if texts else np.zeros(tools.embed(["."]).shape[1])


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
