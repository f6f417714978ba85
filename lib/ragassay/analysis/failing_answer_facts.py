"""The failing answers of a run with all that is known of each: what `blame` and `diagnosis` rest on.

An answer is right where raters accept it in every respect; where none judged it, where the instruments'
verdict (the engagement's, such as end_to_end_success) accepts it, if it tells anything
(`verdict_sources.telling`); a variation that got its original's very answer and passages has its verdict.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import tables
from ragassay.analysis import extractive_oracle
from ragassay.analysis.blame import ALL, UNKNOWN, which_retrieved
from ragassay.analysis.diagnosis.groups import compare_all
from ragassay.analysis.extractive_oracle import HOLD, LACK, UNCLEAR, Score
from ragassay.analysis.verdict_sources import MACHINE, ORIGINAL, RATERS, countable_rows, only_telling
from ragassay.cases import case_table
from ragassay.defaults import VERDICT
from ragassay.scores.same_answer import Agreement, find_differences
from ragassay.scores.score import score
from ragassay.scores.text_reading.answer_state import abstains
from ragassay.tables import is_blank, is_missing

GIVEN = "evidence given"  # kind of the cases that hand the reference passages to the assistant
WITHOUT = "evidence dropped"  # and of those from which they are taken away
HANDED = 24  # failing questions that are asked with their evidence given
Compare = Callable[[Sequence[tuple[str, str]]], list[Agreement]]


def read_verdicts(run_dir: str | Path, system: str, verdict: str = VERDICT) -> pd.DataFrame:
    """The instruments' verdict on each answer of the system, and the raters' from the table `success`; NaN
    where there is none."""
    scored = tables.read(run_dir, "scores", metric=verdict, system=system)
    values = scored["value"].where(scored["state"] == "scored")
    rows = scored[["case_id", "system"]].assign(verdict=verdict, machine=values.astype(float))
    if not tables.exists(run_dir, "success"):
        return rows.assign(human=np.nan)
    rated = tables.read(run_dir, "success", system=system)
    return rows.merge(rated[["case_id", "human"]], on="case_id", how="left")


def judge_answers(
    cases: pd.DataFrame, answers: pd.DataFrame, success: pd.DataFrame, score: Score = score
) -> pd.DataFrame:
    """The cases beside their first answers: answer, contexts, context_ids, error; `correct` (1, 0, NaN) and
    `judged_by` (raters, machine, as its original, UNTOLD; empty).

    cases : originals and variations of them; success : the table of that name, of the originals
    """
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id")
    kept = ["case_id", "system", "answer", "contexts", "context_ids", "error"]
    rows = cases.merge(first[kept], on="case_id", how="left")
    judged = success.drop_duplicates("case_id").set_index("case_id")
    human, machine = (rows["case_id"].map(judged[name]) for name in ("human", "machine"))
    correct = human.where(human.notna(), machine)
    by = np.select([human.notna(), machine.notna()], [RATERS, MACHINE], "")
    rows = _as_originals(rows.assign(correct=correct.astype(float), judged_by=by))
    return only_telling(_machine_verdicts(rows, next(iter(success["verdict"]), ""), score), score)


def _as_originals(rows: pd.DataFrame) -> pd.DataFrame:
    said = {row["case_id"]: row for row in rows.to_dict("records")}
    alike = [
        not is_missing(row["parent_id"])
        and _same(row, said.get(row["parent_id"]))
        and is_missing(row["correct"])
        for row in rows.to_dict("records")
    ]
    verdicts = rows["parent_id"].map(rows.set_index("case_id")["correct"])
    takes = pd.Series(alike, index=rows.index) & verdicts.notna()
    return rows.assign(
        correct=rows["correct"].mask(takes, verdicts), judged_by=rows["judged_by"].mask(takes, ORIGINAL)
    )


def _same(row: dict, original: dict | None) -> bool:
    if original is None or is_blank(row["answer"]) or is_missing(original["answer"]):
        return False
    return row["answer"] == original["answer"] and _list(row["contexts"]) == _list(original["contexts"])


def _machine_verdicts(rows: pd.DataFrame, verdict: str, score: Score) -> pd.DataFrame:
    """The instruments' verdict on answers that have none yet."""
    lacking = rows["correct"].isna() & rows["answer"].notna() & rows["error"].map(is_blank)
    if not verdict or not lacking.any():
        return rows
    found = score(rows[lacking], metrics=[verdict])
    values = rows["case_id"].map(found.set_index("case_id")["value"])
    return rows.assign(
        correct=rows["correct"].where(~lacking, values),
        judged_by=rows["judged_by"].mask(lacking & values.notna(), MACHINE),
    )


def groups_of(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows for `diagnosis.read_results`: answerable questions in groups of several wordings: case_id, query,
    group, correct, retrieved, gold. A wording that stands twice is taken once; questions without an answer
    are left out, and what `verdict_sources.counted` leaves out."""
    own = judged["group_id"].where(~judged["group_id"].map(is_blank), judged["case_id"])
    group = judged["parent_id"].map(pd.Series(own.to_numpy(), index=judged["case_id"]))
    rows = countable_rows(judged.assign(group=group.where(group.notna(), own), query=judged["question"]))
    rows = rows[rows["answerable"].astype(bool) & rows["error"].map(is_blank) & rows["correct"].notna()]
    rows = rows[~rows["query"].str.strip().duplicated()]
    rows = rows[rows.groupby("group")["query"].transform("size") > 1]
    ids, wanted = rows["context_ids"].map(_list), rows["reference_chunk_ids"].map(_list)
    known = {name for each in ids for name in each} & {name for each in wanted for name in each}
    return pd.DataFrame(
        {
            "case_id": rows["case_id"],
            "query": rows["query"],
            "group": rows["group"],
            "correct": rows["correct"],
            "retrieved": [each or None for each in ids],
            "gold": [each if known and each else None for each in wanted],
        }
    ).reset_index(drop=True)


def cases_with_evidence(
    failing: pd.DataFrame, chunks: pd.DataFrame, most: int = HANDED, *, seed: int = 0
) -> pd.DataFrame:
    """Failing originals whose reference passages were not all retrieved, at most so many drawn by seed, asked
    with these passages given."""
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    rows = [
        case_table.varied_case(row, GIVEN, "eg", row["question"])
        | {"passage_ids": wanted, "passages": [texts[name] for name in wanted]}
        for row in failing.to_dict("records")
        for wanted in [[name for name in _list(row["reference_chunk_ids"]) if name in texts]]
        if wanted
        and row["answerable"]
        and is_missing(row["parent_id"])
        and not set(wanted) <= set(_list(row["context_ids"]))
    ]
    drawn = sorted(np.random.default_rng(seed).permutation(len(rows))[:most])
    return case_table.cases_frame([rows[i] for i in drawn], extra=["passages", "passage_ids"])


def answers_without_evidence(run_dir: str | Path) -> pd.DataFrame:
    """The answers of this run to questions whose evidence was taken away, with the parent_id of their cases;
    no row where none was asked so."""
    found = pd.DataFrame(columns=["case_id", "parent_id", "answer", "error"])
    for part in {*tables.parts(run_dir, "cases")} & {*tables.parts(run_dir, "answers")}:
        dropped = tables.read(run_dir, "cases", part=part, kind=WITHOUT)[["case_id", "parent_id"]]
        if len(dropped):
            found = dropped.merge(tables.read(run_dir, "answers", part=part), on="case_id")
    return found


def gather_evidence(
    judged: pd.DataFrame,
    chunks: pd.DataFrame,
    *,
    given: pd.DataFrame | None = None,
    without: pd.DataFrame | None = None,
    score: Score = score,
    compare: Compare = find_differences,
    declines: Callable[[str], bool] = abstains,
) -> pd.DataFrame:
    """The failing rows of `judge_answers` with the columns of `blame.Evidence`.

    given : judged answers to `cases_with_evidence`; without : answers where the evidence was taken away
        (parent_id, answer, error); None where the assistant takes no passages
    """
    failing = judged[judged["correct"] == 0].reset_index(drop=True)
    rows = failing.to_dict("records")
    texts = dict(zip(chunks["chunk_id"], chunks["text"], strict=True))
    wanted = [_list(row["reference_chunk_ids"]) for row in rows]
    known = [bool(set(names) <= set(texts)) if names else None for names in wanted]
    spoken = dict(zip(chunks["chunk_id"], chunks["language"], strict=True)) if "language" in chunks else {}
    ours = any(set(_list(row)) & set(texts) for row in judged["context_ids"])
    found = [
        which_retrieved(names, _list(row["context_ids"])) if there and ours and _known(row) else UNKNOWN
        for row, names, there in zip(rows, wanted, known, strict=True)
    ]
    asked = [
        row["answerable"] and extractive_oracle.is_readable(row.get("language"), each, spoken)
        for row, each in zip(rows, wanted, strict=True)
    ]
    answers = [row["reference_answer"] if one else None for row, one in zip(rows, asked, strict=True)]
    in_gold = [[texts[name] for name in names if name in texts] for names in wanted]
    gold = extractive_oracle.consult(
        [(a if there else None, there) for a, there in zip(answers, in_gold, strict=True)], score
    )
    retrieved = [
        extractive_oracle.read_words(a, _list(row["contexts"])) if there != ALL and _known(row) else UNCLEAR
        for a, there, row in zip(answers, found, rows, strict=True)
    ]
    held = zip(answers, wanted, gold, strict=True)
    searched = [a if names == [] or verdict == LACK else None for a, names, verdict in held]
    told = {} if given is None else dict(zip(given["parent_id"], given["answer"], strict=True))
    return failing.assign(
        declined=[None if is_blank(row["answer"]) else declines(row["answer"]) for row in rows],
        gold_known=known,
        gold_retrieved=found,
        beside=_beside(judged, failing),
        gold=gold,
        retrieved=retrieved,
        documents=extractive_oracle.search(list(zip(failing["question"], searched, strict=True)), chunks),
        given_gold=_given_right(rows, given, score),
        given_declined=[None if is_blank(a) else declines(str(a)) for a in failing["case_id"].map(told)],
        without_gold=_unchanged(rows, without, compare),
    )


def _beside(judged: pd.DataFrame, failing: pd.DataFrame) -> list[str]:
    """The wording of its group that passages among those of a failing answer served."""
    rows = groups_of(judged)
    if rows.empty:
        return [""] * len(failing)
    beside = dict(zip(rows["case_id"], compare_all(rows)["beside"], strict=True))
    return failing["case_id"].map(beside).fillna("").tolist()


def _given_right(rows: list[dict], given: pd.DataFrame | None, score: Score) -> list[bool | None]:
    """Whether each is answered rightly with its evidence given: yes, if the answer holds the reference answer
    or the machine accepts it; no, if it lacks it and is not accepted; None between, or where none was."""
    answers = [] if given is None else given[given["error"].map(is_blank)].to_dict("records")
    held = extractive_oracle.consult([(one["reference_answer"], [one["answer"]]) for one in answers], score)
    said = [
        True if one["correct"] == 1 else {HOLD: True, LACK: False}.get(found)
        for one, found in zip(answers, held, strict=True)
    ]
    told = dict(zip((one["parent_id"] for one in answers), said, strict=True))
    return [told.get(row["case_id"]) for row in rows]


def _unchanged(rows: list[dict], without: pd.DataFrame | None, compare: Compare) -> list[bool | None]:
    """Whether the answer says the same without the evidence, by what `compare` finds."""
    given = [] if without is None else without[without["error"].map(is_blank)].to_dict("records")
    later = {row["parent_id"]: row["answer"] for row in given}
    places = [i for i, row in enumerate(rows) if row["case_id"] in later and not is_blank(row["answer"])]
    told = compare([(rows[i]["answer"], later[rows[i]["case_id"]]) for i in places]) if places else []
    same = {i: one.same for i, one in zip(places, told, strict=True)}
    return [same.get(i) for i in range(len(rows))]


def _known(row: dict) -> bool:
    """Whether it is known what was retrieved for the answer."""
    return not is_missing(row["contexts"]) or not is_missing(row["context_ids"])


def _list(value: object) -> list:
    return list(value) if isinstance(value, list | tuple | np.ndarray) else []
