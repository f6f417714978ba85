"""Support by a local model that the user names, in place of the logistic model (docs/bigger-models.md)."""

from ragassay.scores import vector_similarity
from ragassay.scores.metric import NotApplicable, Result, evidence
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools


def named_support(sample: Sample, tools: Tools) -> Result:
    """The least probability, over the answer's sentences, that the whole context supports the sentence, in
    [0, 1]; higher is better. An answer is supported if every sentence of it is.

    Beside each sentence stands the nearest sentence of the contexts, by the encoder: the model does not say
    what it went by.
    """
    these, those = sample.answer_sentences, sample.context_sentences
    if not these or not those:
        raise NotApplicable(f"the {'contexts hold' if these else 'answer holds'} no sentence")
    texts, candidates = [one.text for one in these], [one.text for one in those]
    scores = tools.supported(texts, candidates)
    nearest, least = (
        vector_similarity.nearest(tools.cosines(texts, candidates)),
        vector_similarity.least_met(scores),
    )
    return float(scores.min()), evidence(these, those, scores, nearest, flagged=least)
