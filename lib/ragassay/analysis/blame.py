"""Blame: for every failing case, what is at fault: the documents, the retriever, the choice to answer or to
decline, the answer made of the evidence, or the question.

Evidence, each where there is some: whether the answer declines; which reference passages were retrieved;
whether the same passages served another wording of the question; whether an extractive oracle finds the
reference answer in the reference passages, in those retrieved, in any; what the assistant answers when it is
given the reference passages. The first rule that the evidence meets decides.

An answer is right where raters accept it in every respect; where none judged it, where the instruments'
verdict (such as end_to_end_success) accepts it, if it tells anything (`error_taxonomy.mask_uninformative`); a
variation that got its original's very answer and passages has its verdict.

An extractive oracle says whether passages hold the reference answer. By words first: they hold it with all
its numbers and at least HOLDS of its telling words, and lack it with fewer than LACKS, or a number missing;
the bundled bank's passages hold 0.86 of the answers to their questions, 0.01 of those to others. Where words
leave the reference passages open, they are read as the contexts of an answer (`supported_claims_rate`); what
they lack by both is lacking only if its words are foreign to them too (FOREIGN): tables state other figures.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import tables
from ragassay.analysis.case_scores import case_clusters, cluster_ids
from ragassay.analysis.diagnosis import compare_contexts
from ragassay.analysis.error_taxonomy import CITES, DECLINES, GOOD, NOT_JUDGED, SUPPORTED, mask_uninformative
from ragassay.cases import case_table
from ragassay.cases.question_filter import Index
from ragassay.defaults import VERDICT
from ragassay.scores.families.retrieval import key_terms
from ragassay.scores.prepared_answer import NONE_RESTRICTED, Restricted, read_restricted
from ragassay.scores.score import score
from ragassay.scores.text_reading import claim_text, word_lists
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.scores.text_reading.claim_text import NEGATION
from ragassay.stats import mean_interval
from ragassay.tables import BLAMED, GOLD_RETRIEVED, TABLES, is_blank, is_missing

DOCUMENTS, RETRIEVER, DECLINING, GENERATOR, BOTH, QUESTION, UNDETERMINED = BLAMED
ALL, PART, NO, UNKNOWN = GOLD_RETRIEVED
HOLD, LACK, UNCLEAR = "hold", "lack", "unclear"
COLUMNS = list(TABLES["blame"].columns)
EVIDENCE = (
    "error", "answerable", "declined", "gold_known", "gold_retrieved", "beside", "gold", "retrieved",
    "documents", "given_gold",
)  # fmt: skip
SUPERSEDED, *_ = FAULTS = (  # what sentence evidence shows, in the order in which it is read
    "superseded text", "a figure in no passage", "a negation turned", "another product's sentence",
    "an exception left out", "a sentence without support",
)  # fmt: skip
FIGURES = ("numbers_missing", "number_words_missing", "dates_missing")  # of the detail of `support`
RATERS, MACHINE, ORIGINAL = "raters", "machine", "as its original"
UNTOLD = "nobody: the instruments' verdict tells nothing"
GIVEN = "evidence given"  # kind of the cases that hand the reference passages to the assistant
HANDED = 24  # failing questions that are asked with their evidence given
HOLDS, LACKS = 0.8, 0.6  # share of the telling words
FOREIGN = 0.35  # below it the reference answer is about something else than its own passages
SEARCHED = 20  # passages of all documents that are read for an answer, those that share most words with it
Score = Callable[..., pd.DataFrame]


def blame(failing: pd.DataFrame) -> pd.DataFrame:
    """The failing cases with `blamed` and `why`, and `fault` (`sentence_fault`) where the generator, or
    superseded text, is at fault. The first rule met decides.

    failing : one row a case, as of `gather_evidence`; what is missing, or no column, is not known:
        error, why there is no answer; answerable, by the case's mark; declined, whether it asserts nothing
        gold_known : whether its reference passages are among the documents'; gold_retrieved : which of them
        were retrieved (`GOLD_RETRIEVED`); beside : another wording that passages among those retrieved served
        gold, retrieved, documents : whether these passages hold the reference answer (hold, lack, unclear)
        given_gold : whether the answer is right when the reference passages are given

    Example: `blame(gather_evidence(judged, run.chunks())).groupby("blamed").size()`
    """
    known = failing.reindex(columns=[*EVIDENCE, "fault"]).astype(object)
    no_answer, beside = (~known[name].map(is_blank).astype(bool) for name in ("error", "beside"))
    unanswerable, declined = known["answerable"].eq(False), known["declined"].eq(True)
    right_given, failed_given = known["given_gold"].eq(True), known["given_gold"].eq(False)
    missed, lacks_it = known["gold_retrieved"].isin([PART, NO]), known["retrieved"] == LACK
    departs = known["fault"].isin(FAULTS[1:3]) & ~declined  # a figure, a negation
    unnamed = known["gold_known"].map(is_missing).astype(bool)
    elsewhere, nowhere = (unnamed & (known["documents"] == which) for which in (HOLD, LACK))
    rules = [
        (no_answer, UNDETERMINED, "there is no answer to read"),
        (unanswerable & declined, GENERATOR, "the documents hold no answer; declined badly"),
        (unanswerable, DECLINING, "the documents hold no answer, and it did not just decline"),
        (known["gold_known"].eq(False), DOCUMENTS, "its reference passages are not among the documents"),
        ((known["gold"] == LACK) & ~right_given, QUESTION, "its passages lack its reference answer"),
        (known["gold_retrieved"] == ALL, GENERATOR, "all its reference passages were retrieved"),
        (beside, GENERATOR, "the passages retrieved served another wording"),
        (known["retrieved"] == HOLD, GENERATOR, "the passages retrieved hold the reference answer"),
        (known["fault"] == SUPERSEDED, RETRIEVER, "it quotes a superseded document"),
        (missed & right_given, RETRIEVER, "given its passages, it answered rightly"),
        (missed & failed_given, BOTH, "passages not retrieved; given them, it still failed"),
        (failed_given, GENERATOR, "given its reference passages, it still failed"),
        (known["gold_retrieved"] == NO, RETRIEVER, "none of its reference passages was retrieved"),
        (missed & lacks_it, RETRIEVER, "the part retrieved lacks the reference answer"),
        (missed, UNDETERMINED, "part of its reference passages was retrieved; it may need the rest"),
        (elsewhere & lacks_it, RETRIEVER, "other passages hold the reference answer"),
        (nowhere, DOCUMENTS, "no passage that was searched holds the reference answer"),
        (departs, GENERATOR, "it departs from what its passages say"),
    ]
    masks, causes, reasons = ([*part] for part in zip(*rules, strict=True))
    found = failing.assign(
        blamed=np.select(masks, causes, UNDETERMINED),
        why=np.select(masks, reasons, "the evidence does not decide it"),
    )
    # evidence was at hand: at fault is that it declined, else what it made of the evidence
    turned = (found["blamed"] == GENERATOR) & ~unanswerable & declined
    found["why"] = found["why"].mask(turned, found["why"] + ", and it declined")
    found["blamed"] = found["blamed"].mask(turned, DECLINING)
    shown = found["blamed"].isin([GENERATOR, BOTH]) | ((known["fault"] == SUPERSEDED) & ~unanswerable)
    return found.assign(fault=known["fault"].where(shown, "").fillna(""))


def sentence_fault(row: Mapping, sentences: Sequence[Mapping], ids: Iterable[str], old: Restricted) -> str:
    """What the evidence of its sentences shows of a failing answer: the first of FAULTS that is met; "" where
    none is, as of true sentences for another question.

    row : question, reference_answer, answer; old : what superseded documents alone say; sentences : the
        detail of `support`; ids : of all passages; of documents with ids that end alike, `green-loan` and
        `personal-loan`, each is of a product
    """

    def stems(text: str) -> tuple[str, ...]:
        return tuple(word.stem for word in word_lists.words(text))

    question, reference = set(stems(str(row["question"]))), row["reference_answer"]
    documents = {stems(name.rpartition("#")[0]) for name in ids}
    asked = {each for each in documents if len(each) > 1 and set(each) <= question}
    used = {stems(str(one.get("evidence_id")).rpartition("#")[0]) for one in sentences} & documents
    others = {each for each in used - asked if set(each) - question}
    said = " ".join(one["text"] for one in sentences)
    excepts = not is_blank(reference) and word_lists.has_sign("exception", reference)
    met = (
        bool(old.runs_in(row.get("answer", ""))),
        any(one.get(name) for one in sentences for name in FIGURES),
        any(one.get("departure") == NEGATION or one.get("negation_new") for one in sentences),
        bool({each[-1:] for each in others} & {each[-1:] for each in asked}),
        bool(sentences) and excepts and not word_lists.has_sign("exception", said),
        any((one["score"] or 0.0) < SUPPORTED for one in sentences),
    )
    return next((fault for fault, is_met in zip(FAULTS, met, strict=True) if is_met), "")


def count_causes(blamed: pd.DataFrame, cases: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """What the failing answers to these questions are attributed to, the most frequent first: blamed (and the
    fault that its sentences show), cases, share with its 95 % interval low, high, n; how many had all, part
    or none of their reference passages retrieved (`GOLD_RETRIEVED`); which, the ids of the first six.

    blamed : the table `blame`; cases : the questions, whose groups and conversations stay together

    Example: `blame.count_causes(run.read("blame"), run.cases())`
    """
    rows, rng = blamed[blamed["case_id"].isin(cases["case_id"])], np.random.default_rng(seed)
    fault = rows["fault"].fillna("")
    rows = rows.assign(blamed=rows["blamed"].where(fault == "", rows["blamed"] + ": " + fault))
    ids, found = cluster_ids(rows["case_id"].map(case_clusters(cases))), []
    for name, own in rows.groupby("blamed"):
        share = mean_interval((rows["blamed"] == name).astype(float), clusters=ids, span=(0.0, 1.0), rng=rng)
        retrieved = [int((own["gold_retrieved"] == which).sum()) for which in GOLD_RETRIEVED]
        first = ", ".join(own["case_id"].head(6))
        found.append([name, len(own), share.value, share.low, share.high, share.n, *retrieved, first])
    return pd.DataFrame(
        found, columns=["blamed", "cases", "share", "low", "high", "n", *GOLD_RETRIEVED, "which"]
    ).sort_values("cases", ascending=False, ignore_index=True)


def read_verdicts(run_dir: str | Path, system: str, verdict: str = VERDICT) -> pd.DataFrame:
    """The instruments' verdict on each answer of the system, and the raters' from the table `success`; NaN
    where there is none.

    Example: `blame.read_verdicts(run.dir, run.engagement["system"]).machine.mean()`
    """
    scored = tables.read(run_dir, "scores", metric=verdict, system=system)
    rows = scored[["case_id", "system"]].assign(
        verdict=verdict, machine=scored["value"].where(scored["state"] == "scored").astype(float)
    )
    if not tables.exists(run_dir, "success"):
        return rows.assign(human=np.nan)
    return rows.merge(
        tables.read(run_dir, "success", system=system)[["case_id", "human"]], on="case_id", how="left"
    )


def judge_answers(
    cases: pd.DataFrame, answers: pd.DataFrame, success: pd.DataFrame, score: Score = score
) -> pd.DataFrame:
    """The cases beside their first answers: answer, contexts, context_ids, error; `correct` (1, 0, NaN) and
    `judged_by` (raters, machine, as its original, UNTOLD; empty).

    cases : originals and variations of them; success : the table of that name, of the originals

    Example: `blame.judge_answers(run.cases(), run.read("answers"), verdicts).query("correct == 0")`
    """
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id")
    read = ["case_id", "system", "answer", "contexts", "context_ids", "given_ids", "citations", "error"]
    rows = cases.merge(first[[name for name in read if name in first]], on="case_id", how="left")
    judged = success.drop_duplicates("case_id").set_index("case_id")
    human, machine = (rows["case_id"].map(judged[name]).astype(float) for name in ("human", "machine"))
    by = np.select([human.notna(), machine.notna()], [RATERS, MACHINE], "")
    rows = _judge_as_originals(rows.assign(correct=human.fillna(machine), judged_by=by))
    came = rows["answer"].notna() & rows["error"].map(is_blank).astype(bool)
    lacking, verdict = rows["correct"].isna() & came, next(iter(success["verdict"]), "")
    if verdict and lacking.any():
        found = _values(score(rows[lacking], metrics=[verdict]), verdict, rows)
        rows["correct"] = rows["correct"].fillna(found)
        rows["judged_by"] = rows["judged_by"].mask(lacking & found.notna(), MACHINE)
    machine = rows["correct"].where(rows["judged_by"] == MACHINE)
    if machine.isna().all() or not came.any():
        return rows
    scored = score(rows[came], metrics=[CITES, DECLINES])
    told = mask_uninformative(machine, *(_values(scored, name, rows) for name in (CITES, DECLINES)))
    untold = machine.notna() & told.isna()
    untold |= (rows["judged_by"] == ORIGINAL) & rows["parent_id"].isin(rows.loc[untold, "case_id"])
    return rows.assign(correct=rows["correct"].mask(untold), judged_by=rows["judged_by"].mask(untold, UNTOLD))


def fail_by_category(judged: pd.DataFrame, taxonomy: pd.DataFrame) -> pd.DataFrame:
    """The rows of `judge_answers`, wrong too where the table `taxonomy` has the answer (of a variation judged
    as its original, that one's) in a category other than good, and open where it has it as not judged.

    Example: `blame.fail_by_category(right, run.read("taxonomy")).query("correct == 0")`
    """
    case = judged["case_id"].mask(judged["judged_by"] == ORIGINAL, judged["parent_id"])
    said = taxonomy.drop_duplicates("case_id").set_index("case_id")[["category", "judged_by"]].reindex(case)
    category, by = (pd.Series(said[name].to_numpy(), index=judged.index) for name in said)
    fails, is_open = category.notna() & ~category.isin([GOOD, NOT_JUDGED]), category == NOT_JUDGED
    found = judged.assign(judged_by=judged["judged_by"].mask(fails, by.mask(by != MACHINE, RATERS)))
    return found.assign(correct=judged["correct"].mask(fails, 0.0).mask(is_open))


def groups_of(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows for `diagnosis.read_results`: answerable questions in groups of several wordings: case_id, query,
    group, correct, retrieved, gold. A wording that stands twice is taken once. Where the instruments' verdict
    tells of refusals alone, answers that raters did not judge are left out: a share would be one of
    refusals."""
    own = judged["group_id"].where(~judged["group_id"].map(is_blank), judged["case_id"])
    group = judged["parent_id"].map(pd.Series(own.to_numpy(), index=judged["case_id"])).fillna(own)
    rows = judged.assign(group=group, query=judged["question"])
    if (rows["judged_by"] == UNTOLD).any():
        rated = rows["judged_by"] == RATERS
        rows = rows[
            rated | ((rows["judged_by"] == ORIGINAL) & rows["parent_id"].isin(rows.loc[rated, "case_id"]))
        ]
    rows = rows[rows["answerable"].astype(bool) & rows["error"].map(is_blank) & rows["correct"].notna()]
    rows = rows[~rows["query"].str.strip().duplicated()]
    rows = rows[rows.groupby("group")["query"].transform("size") > 1].reset_index(drop=True)
    ids, wanted = rows["context_ids"].map(_list), rows["reference_chunk_ids"].map(_list)
    known = set(ids.explode().dropna()) & set(wanted.explode().dropna())
    return rows[["case_id", "query", "group", "correct"]].assign(
        retrieved=[each or None for each in ids], gold=[each if known and each else None for each in wanted]
    )


def cases_with_evidence(failing: pd.DataFrame, chunks: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Failing originals whose reference passages were not all retrieved, HANDED of them at most, drawn by
    seed, asked with these passages given.

    Example: `run.ask(blame.cases_with_evidence(right[right.correct == 0], run.chunks()), "evidence")`
    """
    texts, rows = dict(zip(chunks["chunk_id"], chunks["text"], strict=True)), []
    for row in failing.to_dict("records"):
        wanted = [name for name in _list(row["reference_chunk_ids"]) if name in texts]
        missed = bool(wanted) and not set(wanted) <= set(_list(row["context_ids"]))
        if missed and row["answerable"] and is_missing(row["parent_id"]):
            case = case_table.varied_case(row, GIVEN, "eg", row["question"])
            rows.append(case | {"passage_ids": wanted, "passages": [texts[name] for name in wanted]})
    drawn = sorted(np.random.default_rng(seed).permutation(len(rows))[:HANDED])
    return case_table.cases_frame([rows[i] for i in drawn], extra=["passages", "passage_ids"])


def gather_evidence(
    judged: pd.DataFrame,
    chunks: pd.DataFrame,
    *,
    given: pd.DataFrame | None = None,
    support: pd.DataFrame | None = None,
    score: Score = score,
    declines: Callable[[str], bool] = abstains,
) -> pd.DataFrame:
    """The failing rows of `judge_answers` with what `blame` reads of each.

    given : judged answers to `cases_with_evidence`; None where the assistant takes no passages
    support : rows of the scores table with the sentences of answers (`detail`); None where there are none

    Example: `blame.blame(blame.gather_evidence(right, run.chunks(), support=run.scores("support")))`
    """
    failing = judged[judged["correct"] == 0].reset_index(drop=True)
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    spoken = dict(zip(chunks["chunk_id"], chunks["language"], strict=True)) if "language" in chunks else {}
    ours = any(set(_list(ids)) & set(texts) for ids in judged["context_ids"])
    known, asked = [], []
    for row in failing.to_dict("records"):
        wanted, ids = _list(row["reference_chunk_ids"]), _list(row["context_ids"])
        there = bool(set(wanted) <= set(texts)) if wanted else None
        is_known = not is_missing(row["contexts"]) or not is_missing(row["context_ids"])
        held, which = set(wanted) & set(ids), UNKNOWN
        if there and ours and is_known:
            which = NO if not held else ALL if held == set(wanted) else PART
        # whether it is asked in the language of its passages, else of any, as far as that is known
        languages = {spoken[name] for name in wanted if name in spoken} or set(spoken.values())
        readable = not languages or is_blank(row.get("language")) or row["language"] in languages
        reference = row["reference_answer"] if row["answerable"] and readable else None
        by_words = read_words(reference, _list(row["contexts"])) if (is_known and which != ALL) else UNCLEAR
        known.append((None if is_blank(row["answer"]) else declines(row["answer"]), there, which, by_words))
        asked.append((reference, wanted, [texts[name] for name in wanted if name in texts]))
    gold = consult([(ref if own else None, own) for ref, _, own in asked], score)
    searched = [
        (question, reference if not wanted or held == LACK else None)
        for question, (reference, wanted, _), held in zip(failing["question"], asked, gold, strict=True)
    ]
    details = {} if support is None else dict(zip(support["case_id"], support["detail"], strict=True))
    old = read_restricted(chunks).get("superseded", NONE_RESTRICTED)
    faults = [
        sentence_fault(row, json.loads(details.get(row["case_id"]) or "[]"), texts, old)
        for row in failing.to_dict("records")
    ]
    groups, beside = groups_of(judged), {}  # another wording that passages among those of an answer served
    if len(groups):
        beside = dict(zip(groups["case_id"], compare_contexts(groups)["beside"], strict=True))
    # right with its evidence given: if the answer holds the reference answer, or the machine accepts it
    came = [] if given is None else given[given["error"].map(is_blank).astype(bool)].to_dict("records")
    answered = consult([(row["reference_answer"], [row["answer"]]) for row in came], score)
    right = {
        row["parent_id"]: True if row["correct"] == 1 else {HOLD: True, LACK: False}.get(found)
        for row, found in zip(came, answered, strict=True)
    }
    columns = ["declined", "gold_known", "gold_retrieved", "retrieved"]
    return failing.assign(
        **pd.DataFrame(known, index=failing.index, columns=columns, dtype=object),
        fault=faults,
        gold=gold,
        documents=search(searched, chunks),
        beside=failing["case_id"].map(beside).fillna(""),
        given_gold=[right.get(case) for case in failing["case_id"]],
    )


def read_words(reference: str | None, texts: Sequence[str]) -> str:
    """Whether one of the texts holds the reference answer, by words; unclear where there is no reference
    answer, or it asserts nothing (a bare yes)."""
    if is_blank(reference):
        return UNCLEAR
    terms = {word.stem for word in key_terms(str(reference))}
    if not terms or not claim_text.asserts(str(reference)):
        return UNCLEAR
    shares = [_share(terms, claim_text.stated_numbers(str(reference)), text) for text in texts]
    best = max(shares, default=0.0)
    return HOLD if best >= HOLDS else LACK if best < LACKS else UNCLEAR


def consult(asked: Sequence[tuple[str | None, Sequence[str]]], score: Score = score) -> list[str]:
    """For each reference answer and its passages, taken together: hold, lack or unclear; what words leave
    open is read by `score`."""
    found = [read_words(reference, [" ".join(texts)]) for reference, texts in asked]
    still_open = [
        {"case_id": str(place), "system": "oracle", "answer": reference, "contexts": list(texts)}
        for place, (reference, texts) in enumerate(asked)
        if found[place] != HOLD and texts and not is_blank(reference)
    ]
    scored = (
        score(pd.DataFrame(still_open), metrics=["supported_claims_rate"]) if still_open else pd.DataFrame()
    )
    for row in scored.to_dict("records"):
        reference, texts = asked[int(row["case_id"])]
        terms = {word.stem for word in key_terms(str(reference))}
        is_foreign = bool(terms) and _share(terms, set(), " ".join(texts)) < FOREIGN
        value = row["value"] if row["state"] == "scored" else None
        found[int(row["case_id"])] = HOLD if value == 1 else LACK if value == 0 and is_foreign else UNCLEAR
    return found


def search(asked: Sequence[tuple[str, str | None]], chunks: pd.DataFrame) -> list[str]:
    """For each question and reference answer, whether a passage of all documents holds it, by words; those
    are read that share most words with both."""
    texts, found = chunks["text"].tolist(), []
    if all(is_blank(reference) for _, reference in asked):
        return [UNCLEAR] * len(asked)
    index = Index(texts)
    for question, reference in asked:
        sought = f"{question} {'' if is_blank(reference) else reference}"
        found.append(read_words(reference, [texts[place] for place in index.top(sought, SEARCHED)]))
    return found


def _judge_as_originals(rows: pd.DataFrame) -> pd.DataFrame:
    """A variation that nobody judged takes its original's verdict, if it got its very answer and passages."""
    of = rows.set_index("case_id")[["answer", "contexts", "correct"]].reindex(rows["parent_id"])
    pairs = zip(rows["answer"], of["answer"], rows["contexts"], of["contexts"], strict=True)
    alike = [
        not is_blank(answer) and answer == original and _list(own) == _list(others)
        for answer, original, own, others in pairs
    ]
    verdicts = pd.Series(of["correct"].to_numpy(), index=rows.index)
    takes = pd.Series(alike, index=rows.index, dtype=bool) & rows["correct"].isna() & verdicts.notna()
    return rows.assign(
        correct=rows["correct"].mask(takes, verdicts), judged_by=rows["judged_by"].mask(takes, ORIGINAL)
    )


def _values(scored: pd.DataFrame, metric: str, rows: pd.DataFrame) -> pd.Series:
    """The scores of a metric, by row."""
    return rows["case_id"].map(scored[scored["metric"] == metric].set_index("case_id")["value"]).astype(float)


def _list(value: object) -> list:
    return list(value) if isinstance(value, list | tuple | np.ndarray) else []


def _share(terms: set[str], numbers: set[str], text: str) -> float:
    """Share of the terms that a text has; 0 if it lacks a number."""
    if not numbers <= claim_text.read_evidence((text,)).numbers:
        return 0.0
    return len(terms & {word.stem for word in word_lists.words(text)}) / len(terms)
