"""The playbook: symptoms that were measured, what they point to, and what to do (Lesson 7.4, section 9).

A rule of `playbook.csv` looks at the answers that it is about and says which of them are as they should be,
both by the columns of `_readings`. The symptom is there where the share of these stays below the rule's line;
how surely, its interval says. What is at fault in the answers that show it comes from `blame`.
"""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay.analysis.blame import UNDETERMINED
from ragassay.analysis.case_scores import rank_rows
from ragassay.analysis.error_taxonomy import SUPPORTED
from ragassay.answers.log_import import known_answerable
from ragassay.stats import mean_interval

COLUMNS = [
    "rule", "symptom", "measure", "value", "low", "high", "n", "line", "left_out", "evidence", "attributed",
    "likely_cause", "what_to_do", "case_ids",
]  # fmt: skip
RULES = pd.read_csv(Path(__file__).with_name("playbook.csv"), keep_default_na=False).to_dict("records")
GENERATED, RELEASE, UNGROUNDED = "generated", "wrong_release", "found_not_grounded"
FOUND = 0.999  # retrieval recall of an answer whose evidence was all retrieved


def diagnose(
    facts: pd.DataFrame, blame: pd.DataFrame, releases: pd.DataFrame, *, has_prompt: bool = True
) -> pd.DataFrame:
    """The table `playbook`: a row for each symptom that is there, the largest shortfall first; value, low,
    high: the share of answers as they should be, with its exact 95 % interval; attributed: the causes of the
    others, each with its count, `retriever 2, generator 1`; likely_cause: of answers that are not grounded
    what their sentences show (`blame.sentence_fault`), counted so; case_ids: listed by these.

    Generated questions are left out where there are others: they are easier by how they are made.

    facts : of `error_taxonomy.gather_facts`, with `origin`; blame, releases : tables of these names, whose
        `allowed` is the error rate of the calibrated rule; has_prompt : whether there is a prompt to change
    """
    made, allowed = facts["origin"] == GENERATED, releases["allowed"].max()
    kept, rows = facts if made.all() else facts[~made], []
    readings = _readings(kept)
    traced = blame.drop_duplicates("case_id").reindex(columns=["case_id", "blamed", "fault"])
    traced["fault"] = traced["fault"].replace("", np.nan)
    for words in RULES:
        name = words["rule"]
        line = 1 - allowed if name == RELEASE else words["line"]
        about = readings[readings.eval(words["about"])]
        good = about[words["good"]].astype(float)
        share = mean_interval(good, rng=np.random.default_rng(0))
        if not share.value < line:  # NaN where nothing was measured or calibrated
            continue
        wrong = about.loc[good == 0, ["case_id"]].merge(traced, on="case_id", how="left")
        wrong = wrong.sort_values(["fault", "blamed"], kind="stable")
        causes = wrong.loc[wrong["blamed"] != UNDETERMINED, "blamed"].value_counts()
        faults = wrong["fault"].value_counts().to_dict()
        if faults and name == UNGROUNDED:  # those whose sentences show nothing are of the likely cause
            faults |= {words["likely_cause"]: len(wrong) - sum(faults.values())}
            words = words | {"likely_cause": ", ".join(f"{fault} {n}" for fault, n in faults.items() if n)}
        remedies = [words["what_to_do"], words["prompted"] if has_prompt else ""]
        rows.append(
            {
                **words,
                "what_to_do": "; ".join(filter(None, remedies)),
                **asdict(share),
                "line": line,
                "attributed": ", ".join(f"{cause} {n}" for cause, n in causes.items()),
                "case_ids": list(wrong["case_id"]),
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS).astype({"n": int, "left_out": int})
    ordered = rank_rows(table.assign(shortfall=table["line"] - table["value"]), ["-shortfall"], ["rule"])
    return ordered[COLUMNS].reset_index(drop=True)


def _readings(facts: pd.DataFrame) -> pd.DataFrame:
    """The answers with what rules read of them: 1 where it is so, 0 where not, NaN where not measured."""
    nothing = pd.Series(np.nan, index=facts.index)

    def first(*names: str) -> pd.Series:
        known = (facts[name] for name in names if name in facts and facts[name].notna().any())
        return next(known, nothing)

    def reaches(name: str, least: float) -> pd.Series:
        return (first(name) >= least).astype(float).where(first(name).notna())

    found, misled = reaches("retrieval_recall", FOUND), first("misled")
    return facts.assign(
        answerable=known_answerable(facts) == 1,
        answered=(known_answerable(facts) != 0) & (facts["declined"] == 0),
        not_declined=1 - facts["declined"],
        found=found,
        retrieval_known=found.notna().any(),
        grounded=1 - misled if misled.notna().any() else reaches("support", SUPPORTED),
        complete=first("judged_complete", "judged_completeness"),
        relevant=first("judged_relevant", "judged_directness", "judged_appropriateness"),
        cites=first("citations_present"),
        cites_retrieved=reaches("citation_correctness", 1.0),
        own_language=reaches("language_match", 1.0),
        current=1 - first("superseded_cited_rate"),
        for_customers=1 - first("staff_only_reach_rate"),
    )
