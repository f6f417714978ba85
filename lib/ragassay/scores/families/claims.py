"""Claims and citations: what an answer asserts, and whether the passages hold each piece (Lesson 3.1 and
4.2); its numbers; how much of its support goes without the reference passages (Lesson 13.2); which passages
it names, whether they were retrieved, and whether they hold what is said (Lesson 2 and 4.1).

Three tiers: the claim stands in the passages word for word; its numbers, dates and names all do, for what
they are said of; they entail it. `supported` is what is contained, or entailed and lacks no fact, unless it
departs from the sentence whose words it uses; `partial` if only the facts or only entailment holds
(decision 7).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ragassay.models import entailment_thresholds
from ragassay.scores.families.similarity import choose_premises, similarity
from ragassay.scores.families.support import premises
from ragassay.scores.metric import Detail, NotApplicable, Result, Tools
from ragassay.scores.numbers import dates
from ragassay.scores.numbers.amounts import missing_numbers, stated_numbers
from ragassay.scores.numbers.number_tracing import GIVEN, trace
from ragassay.scores.numbers.stated_amounts import crossed, read_lines, told_rows
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.text_reading import claim_text
from ragassay.scores.text_reading.claim_text import Evidence, find_departure, read_evidence

SUPPORTED, PARTIAL, UNSUPPORTED = "supported", "partial", "unsupported"
LISTED = 50  # numbers listed as evidence, the least borne out first


def verdict(
    is_contained: bool,
    is_complete: bool | None,
    is_entailed: bool,
    departs: bool = False,
    is_bare: bool = False,
) -> str:
    """`supported`, `partial` or `unsupported` (Lesson section 3.1).

    A missing fact is never outvoted, nor a departure from the passages' own words; entailment decides the
    rest (4.2), but of a bare fact, which is no sentence (`2.3 points.`), the fact.
    is_complete : whether every fact of the claim was found; None for a claim without numbers, dates and names
    """
    holds = is_contained or (is_entailed and is_complete is not False) or (is_bare and bool(is_complete))
    if holds and not departs:
        return SUPPORTED
    return PARTIAL if is_entailed or is_complete else UNSUPPORTED


def judge_claims(sample: Sample, tools: Tools) -> Detail:
    """One record per claim of the answer, of its tables one a row: what each tier says of it, and the three
    together (`verdict`). NotApplicable if it makes none."""
    answer, evidence = [one.text for one in sample.answer_sentences], read_evidence(sample.contexts or ())
    prose = [text for text in answer if not text.lstrip().startswith("|")]
    clauses = claim_text.cut(prose)
    said = [*clauses, *told_rows(sample.table)]
    if not said:
        raise NotApplicable("the answer claims nothing")
    sentences, least = premises(sample), entailment_thresholds.threshold("claims")
    texts = [sentence.text for sentence in sentences]
    chosen = [premise for premise, _ in choose_premises(said, texts, tools)]
    chances = tools.entail(list(zip(chosen, said, strict=True))).probabilities[:, 0]
    nearest = tools.match(said, texts)[1]
    lines = [line for line in read_lines(sample.table) if line.cells]
    is_crossed = [*[False] * len(clauses), *crossed(lines, texts)]
    records = []
    for text, names, premise, chance, place, swapped in zip(
        said, names_in(said, tools), chosen, chances, nearest, is_crossed, strict=True
    ):
        states_fact = names or stated_numbers(text) or dates.months_and_weekdays(text)
        missing = claim_text.missing(text, names, evidence, sample.question or "") if states_fact else []
        facts = not missing if states_fact else None
        contained, entailment = claim_text.contained(text, evidence), round(float(chance), 6)
        # one or two words that no passage has, as of a placeholder, are no claim
        words = claim_text.folded(text).split()
        is_stray = len(words) < 3 and not any(f" {word} " in evidence.folded for word in words)
        is_entailed = entailment >= least and not is_stray
        departure = claim_text.WORD if swapped else find_departure(text, texts)
        bare = claim_text.is_bare(text)
        source = sentences[place].source if contained or is_entailed else None
        records.append(
            {
                "text": text,
                "verdict": verdict(contained, facts, is_entailed, departs=bool(departure), is_bare=bare),
                "contained": contained,
                "facts": facts,
                "entailed": is_entailed,
                "missing": missing[:20],
                "departure": departure,
                "entailment": entailment,
                "evidence": premise,
                "supported_by": [source] if source else [],
            }
        )
    return records


def supported_claims_rate(sample: Sample, tools: Tools, option: str = "") -> Result:
    """Share of the claims that the three tiers together call supported, in [0, 1]; higher is better; a
    partial claim counts nothing.

    option : one tier alone, `contained`, `entailed`, or `facts`: of the claims with numbers, dates or names
        those where all stand in the passages
    Source: Lesson section 4.2, with tiers as in decision 7. NotApplicable where there is no such claim, where
    the Lesson's code returns 0.
    """
    if sample not in tools.claims:
        tools.claims[sample] = judge_claims(sample, tools)
    told = [one for one in tools.claims[sample] if option != "facts" or one["facts"] is not None]
    if not told:
        raise NotApplicable("no claim of the answer has a number, a date or a name")
    scores = [float(one[option] if option else one["verdict"] == SUPPORTED) for one in told]
    return float(np.mean(scores)), [one | {"score": score} for one, score in zip(told, scores, strict=True)]


def no_hallucinated_entities(sample: Sample, tools: Tools) -> Result:
    """1 if every name and address of the answer stands in the passages or the question, else 0."""
    texts = [sentence.text for sentence in sample.answer_sentences]
    evidence = _with_question(sample)
    kinds = {entity.text: entity.kind for entities in tools.ask("entities", texts) for entity in entities}
    detail = [
        {"text": text, "kind": kind, "score": float(claim_text.is_name_in_passages(text, evidence))}
        for text, kind in kinds.items()
    ]
    return float(all(record["score"] for record in detail)), detail


def fabricated_facts(sample: Sample, tools: Tools) -> list[str]:
    """Numbers, dates and names of the answer that stand neither in the passages nor in the question."""
    evidence, texts = _with_question(sample), [sentence.text for sentence in sample.answer_sentences]
    known = zip(texts, names_in(texts, tools), strict=True)
    return sorted({fact for text, names in known for fact in claim_text.missing(text, names, evidence)})


def numeric_groundedness(sample: Sample, tools: Tools) -> Result:
    """How far the passages bear out the answer's numbers, each for what it is said of: their mean, in [0, 1];
    higher is better. Numbers that the question gives, years and dates do not count."""
    ids = sample.ids if len(sample.context_ids or ()) == len(sample.contexts or ()) else ()
    found = [
        (sentence.text, one)
        for sentence in sample.answer_sentences
        for one in trace(sentence.text, sample.contexts or (), sample.question or "")
        if one.verdict != GIVEN
    ]
    if not found:
        raise NotApplicable("the answer states no number but the question's, years and dates")
    found.sort(key=lambda pair: pair[1].score)
    return float(np.mean([one.score for _, one in found])), [
        {
            "text": one.text,
            "score": one.score,
            "verdict": one.verdict,
            "found": one.cell.written if one.cell else "",
            "row": one.cell.label if one.cell else "",
            "column": one.cell.heading if one.cell else "",
            "derivation": one.step,
            "evidence_id": ids[one.cell.passage] if ids and one.cell else None,
            "sentence": text,
        }
        for text, one in found[:LISTED]
    ]


def groundedness_drop(sample: Sample, tools: Tools, option: str = "") -> Result:
    """What groundedness loses without the reference passages, in [0, 2], or with `claims` the rate of
    supported claims, in [-1, 1]; higher means that the answer rests on them more; below 0 where a passage
    only misled.

    Source: Lesson section 13, exercise 2. Raises NotApplicable if no reference passage was retrieved, or
    nothing else was.
    """
    reference, ids, contexts = set(sample.reference_chunk_ids or ()), sample.ids, sample.contexts or ()
    kept = [i for i, one in enumerate(ids) if one not in reference]
    if len(kept) == len(ids):
        raise NotApplicable("no reference passage was retrieved: there is none to take away")
    if not kept:
        raise NotApplicable("only reference passages were retrieved: nothing is left without them")
    rest = replace(sample, contexts=tuple(contexts[i] for i in kept), context_ids=tuple(ids[i] for i in kept))
    whole, without = (
        supported_claims_rate(one, tools)[0] if option else similarity(one, tools, "answer", "contexts")[0]
        for one in (sample, rest)
    )
    return whole - without, [
        {"with": whole, "without": without, "taken": [one for one in ids if one in reference]}
    ]


def names_in(texts: Sequence[str], tools: Tools) -> list[list[str]]:
    """The names recognised in each text."""
    return [[entity.text for entity in entities] for entities in tools.ask("entities", texts)]


def _with_question(sample: Sample) -> Evidence:
    return read_evidence((*(sample.contexts or ()), sample.question or ""))


def citations_present(sample: Sample, tools: Tools) -> Result:
    """Share of the answer's sentences that cite anything, in [0, 1]; higher is better.

    Source: Lesson sections 3.1 (`citations_present`) and 10.1, here a share instead of yes or no.
    """
    return sum(bool(ids) for _, ids in sample.cited) / len(sample.cited), [
        {"text": text, "score": float(bool(ids)), "cited": list(ids)} for text, ids in sample.cited
    ]


def citation_correctness(sample: Sample, tools: Tools, option: str = "") -> Result:
    """Share of the cited ids, each counted every time, that were retrieved, by id or by their number among
    the passages, in [0, 1]; higher is better; 0 where nothing is cited (decision 6). With `valid` 1 if all
    were, else 0.

    Source: Lesson section 4.1, `citation_correctness`; `valid`: section 3.1, `must_pass.citations_valid`.
    """
    detail: Detail = [
        {"id": one, "score": float(bool(sample.places(one))), "text": text}
        for text, ids in sample.cited
        for one in ids
    ]
    share = _share_met(detail)
    return float(share == 1.0) if option == "valid" else share, detail


def citations_supported(sample: Sample, tools: Tools, option: str = "") -> Result:
    """Share of the citing sentences that the passages they cite, taken together, support, in [0, 1]; higher
    is better; 0 where nothing is cited (decision 6): a sentence of theirs is near enough (the calibrated
    threshold), and every number is found. With `entailed` they entail it, instead.

    Source: Lesson section 1 ("citations refer to the correct chunk ids and are sufficient to justify the
    claim").
    """
    detail: Detail = []
    for text, ids in ((text, ids) for text, ids in sample.cited if ids):
        sentences = sample.passage_sentences(ids)
        if option == "entailed":
            held = choose_premises([text], sentences, tools)[0][0] if sentences else None
            found = float(tools.entail([(held, text)]).probabilities[0, 0]) if held else 0.0
            met = round(found, 6) >= entailment_thresholds.threshold("citations")
            record: dict[str, Any] = {"evidence": held, "entailment": found}
        else:
            missing = sorted(missing_numbers(text, sample.passages(ids)))
            cosine = tools.cosines([text], sentences)[0] if sentences else np.array([-1.0])
            met = cosine.max() >= entailment_thresholds.threshold("citation_similarity") and not missing
            record = {
                "evidence": sentences[int(cosine.argmax())] if sentences else None,
                "similarity": cosine.max() if sentences else None,
                "numbers_missing": missing[:20],
            }
        detail.append({"text": text, "score": float(met), "cited": list(ids)} | record)
    return _share_met(detail), detail


def _share_met(detail: Detail) -> float:
    return sum(record["score"] for record in detail) / len(detail) if detail else 0.0
