"""The worst answers, ranked by harm: what raters remark, the class of harm, and how sure the machine is of an
answer that is wrong."""

import json

import numpy as np
import pandas as pd

from ragassay.analysis import error_taxonomy
from ragassay.analysis.answer_facts import HARMS as RATES
from ragassay.analysis.case_scores import rank_rows
from ragassay.scores.personal_data import hide_in_evidence, hider, mask_answers
from ragassay.scores.prepared_answer import samples
from ragassay.tables import HARMS, is_blank

DANGER, MISLEADING, FALSE_ANSWER = "danger", "misleading", "false answer"
OF_CATEGORY = {
    error_taxonomy.MISLEADING: MISLEADING,
    error_taxonomy.SHOULD_DECLINE: FALSE_ANSWER,
    error_taxonomy.PARTIAL: "partial",
    error_taxonomy.REFUSED: "needless refusal",
}
GRAVEST = (
    *(error_taxonomy.UNSAFE, error_taxonomy.MISLEADING, error_taxonomy.SHOULD_DECLINE),
    *(error_taxonomy.PARTIAL, error_taxonomy.REFUSED, error_taxonomy.NOT_JUDGED, error_taxonomy.GOOD),
)
EVIDENCE_OF = ("support", "groundedness", "citations_supported")  # whose detail shows the evidence
SHOWN = ("text", "evidence", "evidence_id", "score")
COLUMNS = [
    "rank", "case_id", "system", "harm", "why", "remark", "question", "answer", "evidence",
    "machine_confidence", "decision",
]  # fmt: skip


def one_of_each(
    facts: pd.DataFrame, classified: pd.DataFrame, scores: pd.DataFrame, n: int = 5
) -> pd.DataFrame:
    """An answer of each category, the gravest first, at most n: category, question, answer, support (of each
    sentence), evidence (its passage, and the sentence nearest to it where that is another), remark; personal
    data masked. Of a category those come first that raters read, then those in the commonest language, then
    those with a remark, then by case_id.

    Example: `one_of_each(facts, error_taxonomy.classify(facts), run.scores())`
    """
    rows = facts.merge(classified[["case_id", "category", "judged_by"]], on="case_id", how="inner")
    language = rows.get("language", pd.Series("", rows.index)).fillna("")
    order = {
        "place": rows["category"].map(GRAVEST.index),
        "unread": rows["judged_by"] == error_taxonomy.MACHINE,
        "other_language": ~language.isin(language.mode().head(1)),
        "silent": rows["remark"] == "",
    }
    chosen = rank_rows(rows.assign(**order), [*order, "case_id"]).drop_duplicates("category").head(n)
    table, support, evidence = _masked(chosen.reset_index(drop=True)), [], []
    for found in map(json.loads, _evidence(table, scores)):
        support.append(", ".join(f"{one['score']:.2f}" for one in found if one.get("score")))
        quoted = [str(one.get("evidence") or "").strip() for one in found]
        others = [
            "" if text == one["text"].strip() else text for text, one in zip(quoted, found, strict=True)
        ]
        ids = [str(one.get("evidence_id") or "") for one in found]
        places = [": ".join(filter(None, pair)) for pair in zip(ids, others, strict=True)]
        evidence.append(" / ".join(dict.fromkeys(places)))
    table = table.assign(support=support, evidence=evidence)
    return table[["category", "question", "answer", "support", "evidence", "remark"]]


def rank_by_harm(facts: pd.DataFrame, classified: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """The table `worst`: every answer that is not good, the gravest first; personal data masked. By the class
    of harm (`tables.HARMS`); raters' word before the machine's; what the calibrated rule would accept before
    what it would not; the surer the machine, the graver; the less support, the graver; then the case's id.

    facts : of `answer_facts.gather`; classified : of `error_taxonomy.classify`; scores : with their evidence
    """
    known = classified[["case_id", "category", "judged_by", "reason"]]
    rows = facts.merge(known, on="case_id", how="inner")
    rows = rows.assign(harm=[_harm(row) for row in rows.to_dict("records")])
    rows = rows[rows["harm"] != ""]
    order = {
        "gravity": rows["harm"].map(HARMS.index),
        "machine_said": rows["judged_by"] == error_taxonomy.MACHINE,
        "not_accepted": rows["decision"] != "accept",
        "doubt": 1 - rows["probability"].fillna(0),
        "support": rows.get("support", 0.0),
    }
    rows = rank_rows(rows.assign(**order), [*order, "case_id"]).reset_index(drop=True)
    table = _masked(rows).assign(
        rank=np.arange(1, len(rows) + 1),
        why=[_why(row) for row in rows.to_dict("records")],
        evidence=_evidence(rows, scores),
        machine_confidence=rows["probability"].astype(float),
    )
    return table[COLUMNS].astype({"rank": int, "decision": object})


def _harm(row: dict) -> str:
    """The gravest class that holds; empty for a good answer."""
    found = [DANGER] if row["category"] == error_taxonomy.UNSAFE and row["dangerous"] else []
    found += [harm for rate, harm in RATES.items() if row.get(rate) == 1]
    found += [OF_CATEGORY[row["category"]]] if row["category"] in OF_CATEGORY else []
    return min(found, key=HARMS.index) if found else ""


def _why(row: dict) -> str:
    parts = [row["reason"]]
    if row["decision"] == "accept":
        parts.append("the calibrated rule would accept it unseen")
    if not np.isnan(row["probability"]):
        parts.append(f"probability of “{row['dimension']}”: {row['probability']:.2f}")
    return "; ".join(parts)


def _masked(rows: pd.DataFrame) -> pd.DataFrame:
    hidden = mask_answers(rows.assign(remark=rows["remark"].fillna("")))
    return rows.assign(**{name: hidden[name] for name in ("question", "answer", "remark")})


def _evidence(rows: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    """A JSON list for each answer: a record a sentence, with the evidence found for it, of the first metric
    of EVIDENCE_OF that has some."""
    details: dict[str, str] = {}
    for metric in reversed(EVIDENCE_OF):
        mine = scores[(scores["metric"] == metric) & scores["case_id"].isin(rows["case_id"])]
        held = mine[~mine["detail"].map(lambda text: is_blank(text) or text == "[]").astype(bool)]
        details |= dict(zip(held["case_id"], held["detail"], strict=True))
    found = []
    for row, sample in zip(rows.to_dict("records"), samples(rows, {}), strict=True):
        known = json.loads(details.get(row["case_id"], "[]"))
        records = [{name: one.get(name) for name in SHOWN} for one in known] or [{"text": row["answer"]}]
        hide = hider(sample)
        found.append(json.dumps(hide_in_evidence(records, hide) if hide else records, ensure_ascii=False))
    return found
