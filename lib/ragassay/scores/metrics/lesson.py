"""The metrics of the Lesson (rag_generation_quality_lesson), one literal row each."""

from functools import partial

from ragassay.scores.measure import abstention, citations, claims, completeness, lesson, success
from ragassay.scores.metrics.row import ENCODER, ENTAILMENT, NO_MODEL, Metric

_AC, _QAC = ("answer", "contexts"), ("answer", "question", "contexts")
_NONE_CITED = "Nothing cited scores 0, a needless abstention included; not applicable to unanswerable cases (FORMULAS 6)."
_CLAIMS = "Claims: clauses of the answer's sentences, without questions, courtesies, lead-ins, a bare yes or no, and refusals."
_OURS = "Signs and thresholds are ours and not calibrated."
_MTRAG = "Spearman with people's mean grade on MTRAG (bench/lesson.py, 95 % bootstrap)"
_NAMES = "numbers, dates and recognised names"
_LEVELS = "levels 1-5 count cut points reached: supported_claims_rate 0.25 0.5 0.9 1, completeness_checklist 0.25 0.5 0.75 1, directness 0.25 0.5 0.75 0.95"
_FLAGS = (
    "all that apply of: schema_valid, language_match, safety_pass (toxicity_rule, privacy_leaks, and on a no-answer case no made-up fact), "
    "citations_present (any), citations_valid (all), no_hallucinated_entities"
)
_ALLOW = "A refusal may cite related information (FORMULAS 8: allow)."
_FORBID = "A refusal must not cite (Lesson 6; FORMULAS 8: forbid)."
_SUCCESS_MODELS = ("encoder", "entailment", "entities")

# fmt: off
ROWS: tuple[Metric, ...] = (
    Metric("citations_present", "citations", ("answer",), 0, 1, True,
           "Lesson 3.1 and 10.1", NO_MODEL, "share of the answer's sentences that cite a passage",
           f"citing sentences / sentences; Lesson asks yes or no. {_NONE_CITED}", citations.citations_present),
    Metric("citations_valid", "citations", _AC, 0, 1, True,
           "Lesson 4.1", NO_MODEL, "share of the cited ids that were retrieved",
           f"Lesson's citation_correctness under the name of its JSON field; only ids of the grammar count. {_NONE_CITED}",
           citations.citations_valid),
    Metric("citation_correctness", "citations", _AC, 0, 1, True,
           "Lesson 1 (sufficient citations)", ENCODER, "share of the citing sentences that the cited passages support",
           f"support: best cosine >= 0.6 and every number found in the cited passages; the threshold is ours, not calibrated. {_NONE_CITED}",
           citations.citation_correctness, headline=8),
    Metric("citations_entailed", "citations", _AC, 0, 1, True,
           "Lesson 1 (sufficient citations)", ENTAILMENT, "share of the citing sentences that the cited passages entail",
           f"P(entailment | 3 nearest sentences of the cited passages) >= 0.5, not calibrated. {_NONE_CITED}",
           claims.citations_entailed, cost="one pass of the entailment head per citing sentence"),
    Metric("supported_claims_rate", "claims", _AC, 0, 1, True,
           "Lesson 4.2", ("encoder", "entailment", "entities"), "share of the answer's claims that the passages support, by three tiers together",
           f"supported: contained, or entailed (p >= 0.5, not calibrated) by the 3 nearest sentences with no fact missing; {_CLAIMS} FORMULAS 7.",
           claims.supported_claims_rate, cost="one pass of the entailment head per claim", headline=9),
    Metric("supported_claims_contained", "claims", _AC, 0, 1, True,
           "Lesson 4.2", NO_MODEL, "share of the answer's claims that stand in the passages word for word",
           f"Tier 1, a floor: near 0 on paraphrase (FORMULAS 7); case, spaces and last punctuation apart. {_CLAIMS} "
           f"{_MTRAG}: faithfulness 0.21 [0.07, 0.32], n=253.",
           claims.supported_claims_contained),
    Metric("supported_claims_facts", "claims", _AC, 0, 1, True,
           "Lesson 4.2", ("entities",), "share of the answer's factual claims whose numbers, dates and names are all in the passages",
           f"Tier 2: {_NAMES}; not applicable where no claim has any, so that nothing passes for want of facts (FORMULAS 7). {_CLAIMS}",
           claims.supported_claims_facts, cost="one pass of the entity head per sentence"),
    Metric("supported_claims_entailed", "claims", _AC, 0, 1, True,
           "Lesson 4.2", ENTAILMENT, "share of the answer's claims that the passages entail",
           f"Tier 3: P(entailment | 3 nearest sentences) >= 0.5, not calibrated (FORMULAS 7). {_CLAIMS}",
           claims.supported_claims_entailed, cost="one pass of the entailment head per claim"),
    Metric("no_hallucinated_entities", "claims", _AC, 0, 1, True,
           "Lesson 3.1", ("entities",), "1 if every name in the answer stands in the passages or the question",
           "Persons, organisations, places, addresses; found word for word apart from case, accents, a leading article or title, or as initials.",
           claims.no_hallucinated_entities, cost="one pass of the entity head per sentence"),
    Metric("language_match", "language", ("answer", "question"), 0, 1, True,
           "Lesson 3.1", NO_MODEL, "1 if the answer is in the language it should be in",
           "That of the case, else that of the question; py3langid, at least 20 letters; not applicable to shorter answers.",
           lesson.language_match, of_content=False),
    Metric("schema_valid", "formats", ("answer",), 0, 1, True,
           "Lesson 3.1 and 2", NO_MODEL, "1 if the answer keeps its format",
           "The JSON schema of the case; without one the house format: at least one citation unless it abstains, every citation in the id grammar.",
           lesson.schema_valid, of_content=False),
    Metric("length_within_budget", "budgets", ("answer",), 0, 1, True,
           "Lesson 1.5 and 12", NO_MODEL, "1 if the answer has at most 120 words",
           "words <= 120, citations apart; the Lesson's gate is on the median of answers.", lesson.length_within_budget, of_content=False),
    Metric("answer_words", "budgets", ("answer",), 0, 1_000_000, False,
           "Lesson 1.5 and 12", NO_MODEL, "number of words of the answer",
           "Runs of letters and digits, citations apart; a Chinese, Japanese or Korean sign is a word; counted to a million. "
           "Shorter is better only among good answers.",
           lesson.answer_words, of_content=False),
    Metric("latency_within_budget", "budgets", ("latency_s",), 0, 1, True,
           "Lesson 1.5 and 12", NO_MODEL, "1 if the answer came within 10 seconds",
           "latency_s <= 10, as the assistant reports it; the Lesson names no figure, this one is ours.",
           lesson.latency_within_budget, of_content=False),
    Metric("abstains", "abstention", ("answer",), 0, 1, False,
           "Lesson 6", NO_MODEL, "1 if the assistant declines to answer",
           "Phrases in English, Spanish, Portuguese in the first two sentences; an empty answer declines. Lower is better only on answerable cases.",
           lesson.abstains, of_content=False, of_silence=True),
    Metric("should_have_abstained", "abstention", ("answer", "answerable"), 0, 1, False,
           "Lesson 3.1", NO_MODEL, "1 if the assistant answered what the documents do not answer",
           "not answerable and not abstains; the mean over no-answer cases is the Lesson's false-answer rate.",
           lesson.should_have_abstained, of_content=False, of_silence=True),
    Metric("abstention_correct", "abstention", ("answer", "answerable"), 0, 1, True,
           "Lesson 6", NO_MODEL, "1 if the assistant declines exactly when the documents hold no answer",
           "Phrases in English, Spanish, Portuguese in the first two sentences; Lesson scores quality 1-5 by a judge, this is the decision alone.",
           abstention.abstention_correct, of_content=False, of_silence=True, headline=10, in_figures=True),
    Metric("completeness_checklist", "checklist", _QAC, 0, 1, True,
           "Lesson 5", ("encoder", "entities"), "share of the points met of the checklist for the type of answer",
           f"met / applicable points; the type is the case's, else read from the question. {_OURS} "
           f"{_MTRAG}: completeness 0.16 [0.00, 0.32], n=259 (names by a rule of capitals): weak; for examples, not for gates.",
           completeness.completeness_checklist, of_content=False, of_silence=True),
    Metric("directness", "directness", ("answer", "question"), 0, 1, True,
           "Lesson 1.3 and 10.1", ENCODER, "how directly the answer answers: first, without preamble, speculation or detour",
           f"mean of: answer in sentence 1 (1) or 1-3 (0.5), no preamble, share not speculating, share near the question. {_OURS} "
           f"{_MTRAG}: appropriateness 0.08 [-0.04, 0.20], n=259, where its mean is 0.94: no agreement shown.", lesson.direct),
    Metric("must_pass", "success", _QAC, 0, 1, True,
           "Lesson 3.1 and 8", ("entities",), "1 if every must-pass check that applies holds",
           f"{_FLAGS}. {_ALLOW}", success.must_pass, of_content=False),
    Metric("must_pass_forbid", "success", _QAC, 0, 1, True,
           "Lesson 6 and 8", ("entities",), "must_pass, where a refusal that cites fails",
           f"As must_pass. {_FORBID}", partial(success.must_pass, related_information="forbid"), of_content=False),
    Metric("end_to_end_success", "success", _QAC, 0, 1, True,
           "Lesson 8", _SUCCESS_MODELS, "1 if the answer passes every check and is grounded, complete and direct",
           f"must_pass and three levels >= 4; {_LEVELS}, not calibrated. Abstaining succeeds exactly on no-answer cases. {_ALLOW}",
           success.end_to_end_success, of_content=False, of_silence=True, cost="one pass of the entailment head per claim", headline=12),
    Metric("end_to_end_success_forbid", "success", _QAC, 0, 1, True,
           "Lesson 6 and 8", _SUCCESS_MODELS, "end_to_end_success, where a refusal that cites fails",
           f"As end_to_end_success. {_FORBID}", partial(success.end_to_end_success, related_information="forbid"),
           of_content=False, of_silence=True, cost="one pass of the entailment head per claim"),
)
# fmt: on
