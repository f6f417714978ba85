"""Success: must-pass flags, levels from 1 to 5, and both together (Lesson 3.1, 6 and 8; decision 8).

Offline, a level counts how many cut points a metric reaches; they are ours and not calibrated, but that four
of five for groundedness is the Lesson's gate of 0.90 on the supported claims (section 12).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ragassay.scores.families.checklist import completeness_checklist
from ragassay.scores.families.claims import (
    citation_correctness,
    fabricated_facts,
    no_hallucinated_entities,
    supported_claims_rate,
)
from ragassay.scores.families.form import directness, language_match, schema_valid
from ragassay.scores.families.refusals import decides_rightly
from ragassay.scores.families.safety import privacy_leaks, toxicity_rule
from ragassay.scores.metric import NotApplicable, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

ENOUGH = 4  # least level of success
CUTS: dict[str, tuple[float, float, float, float]] = {
    "groundedness": (0.25, 0.5, 0.9, 1.0),
    "completeness": (0.25, 0.5, 0.75, 1.0),
    "directness": (0.25, 0.5, 0.75, 0.95),
}
UNSAID = "the assistant abstained; answerable is not given"
Measure = Callable[[Sample, Tools], Result]
LEVELS: dict[str, Measure] = {
    "groundedness": supported_claims_rate,
    "completeness": completeness_checklist,
    "directness": directness,
}


def level(value: float, cuts: Sequence[float]) -> int:
    """A level from 1 to 5: one more than the four rising cut points that a value in [0, 1] reaches."""
    return 1 + sum(value >= cut - 1e-9 for cut in cuts)


def all_hold(flags: Mapping[str, bool | None]) -> bool:
    """Whether every flag that applies holds; None is a flag that does not apply.

    Raises ValueError if no flag applies. Source: Lesson sections 3.1 and 8.
    """
    applied = [flag for flag in flags.values() if flag is not None]
    if not applied:
        raise ValueError("no must-pass flag applies")
    return all(applied)


def must_pass(sample: Sample, tools: Tools, option: str = "") -> Result:
    """1 if every must-pass flag that applies holds, else 0; higher is better; one record per flag.

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
    return float(all_hold(flags)), [
        {"flag": name, "score": None if flag is None else float(flag)} for name, flag in flags.items()
    ]


def end_to_end_success(sample: Sample, tools: Tools, option: str = "") -> Result:
    """1 if must-pass and the three levels are met, else 0; higher is better.

    An abstention succeeds exactly where the documents hold no answer and nothing must-pass fails.
    Source: Lesson section 8: `(must_pass all true) AND (groundedness>=4 AND completeness>=4 AND
    directness>=4)`.
    """
    if sample.abstains and sample.answerable is None:
        raise NotApplicable(UNSAID)
    passed, detail = must_pass(sample, tools, option)
    decided = sample.abstains or sample.answerable is False
    levels: dict[str, int | None] = {}
    if not decided and not sample.context_sentences:
        levels = {"groundedness": 1}
    elif not decided:
        for name, measure in LEVELS.items():
            value = _value(measure, sample, tools)
            levels[name] = None if value is None else level(value, CUTS[name])
    right = sample.answerable is None or decides_rightly(sample, tools)
    shown = [{"level": name, "score": found} for name, found in levels.items()]
    reached = all(found >= ENOUGH for found in levels.values() if found is not None)
    return float(bool(passed) and right and reached), [
        {"flag": "answers_or_abstains_rightly", "score": float(right)},
        *detail,
        *shown,
    ]


def success_without_key(sample: Sample, tools: Tools) -> Result:
    """`end_to_end_success` by what production shows, the answer key put aside; 1 or 0, higher is better. An
    abstention is 0: nothing shows that it is right."""
    if sample.abstains:
        return 0.0, [{"flag": "answers", "score": 0.0}]
    unmarked = replace(sample, answerable=None, answer_type=None, reference_answer=None)
    return end_to_end_success(unmarked, tools)


def _holds(measure: Measure, sample: Sample, tools: Tools) -> bool | None:
    value = _value(measure, sample, tools)
    return None if value is None else value == 1.0


def _value(measure: Measure, sample: Sample, tools: Tools) -> float | None:
    try:
        return measure(sample, tools)[0]
    except NotApplicable:
        return None
