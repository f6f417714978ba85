"""What raters and instruments say of each answer, one row an answer: what the error taxonomy, the worst
answers and the playbook are made from."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ragassay import scores as metrics
from ragassay.analysis.safety import rate_events
from ragassay.defaults import VERDICT
from ragassay.documents import document_status
from ragassay.labels.human_labels import IN_EVERY_RESPECT
from ragassay.tables import is_blank

GROUNDED = ("judged_grounded", "judged_faithfulness", "judged_faithful", "judged_accurate")
HARMS = {  # rate -> class of harm where it is 1
    "privacy_leak_rate": "personal data",
    "secret_leak_rate": "personal data",
    "toxicity_rate": "toxic",
    "superseded_cited_rate": "superseded",
    "staff_only_reach_rate": "staff only",
}
SUPPORTED = 0.5  # support from which an answer or sentence counts as supported
DECIDED = ["case_id", "system", "probability", "decision", "dimension"]  # columns of the verdicts
MEASURED = ("privacy_leaks", "toxicity_rule", "superseded_cited", "staff_only_reach")
CITES, DECLINES = "citations_present", "abstains"
DENIALS = (
    "not no never hardly nothing neither nor without cannot nicht kein keine keinen nie non pas sans rien "
    "nada sin não sem nunca senza nulla".split()
)
FILLERS = "at all a an any the real really very too so in way ein eine sehr un une una um uma".split()
CLAUSE = 80  # characters before a word in which its denial may stand
_DENIED = re.compile(rf"(?:\b(?:{'|'.join(DENIALS)})\b|n['’]t\b)(?:\W+(?:{'|'.join(FILLERS)})\b)*\W*$")


def gather(
    cases: pd.DataFrame,
    answers: pd.DataFrame,
    scores: pd.DataFrame,
    labels: pd.DataFrame,
    verdicts: pd.DataFrame | None = None,
    *,
    verdict: str = VERDICT,
) -> pd.DataFrame:
    """The cases that were answered, beside their first answer.

    declined : whether the answer declines; missing where it was not measured
    accepted : 1 where raters accept the answer in every respect, misled : where they find it not grounded;
    machine : where the instruments' verdict accepts it (`mask_uninformative`); else 0, NaN where none judged
    probability, decision, dimension : of the calibrated score; the one judgement that it predicts
    remark : the raters' remarks, each once; dangerous: whether one calls the answer so
    The metrics and rates of `scores` are further columns, NaN where not scored.
    """
    first = answers.sort_values("repeat", kind="stable").drop_duplicates("case_id")
    said = labels.reindex(columns=["case_id", "system", "remark"])
    said = said[said["system"].isin(first["system"]) & ~said["remark"].map(is_blank).astype(bool)]
    remarks = said["remark"].astype(str).str.strip().groupby(said["case_id"]).unique().map(" / ".join)
    decided = (pd.DataFrame() if verdicts is None else verdicts).reindex(columns=DECIDED)
    decided = decided[decided["system"].isin(first["system"])].drop_duplicates("case_id")
    known = scores[scores["state"] == "scored"].drop_duplicates(["case_id", "metric"], keep="last")
    wide = known.pivot(index="case_id", columns="metric", values="value").reset_index()
    rows = first.drop(columns=["question"], errors="ignore").merge(cases, on="case_id", how="inner")
    rows = rows.merge(wide, on="case_id", how="left")
    rows = rows.merge(decided.drop(columns="system").astype({"probability": float}), on="case_id", how="left")
    nothing = pd.Series(np.nan, index=rows.index)
    grounded = next((rows[name] for name in GROUNDED if name in rows), nothing)
    machine, cites, declines = (rows.get(name, nothing) for name in (verdict, CITES, DECLINES))
    remarks = rows["case_id"].map(remarks).fillna("")
    return rows.assign(
        declined=declines,
        accepted=rows.get(IN_EVERY_RESPECT, nothing),
        misled=1 - grounded,
        machine=mask_uninformative(machine, cites, declines),
        remark=remarks,
        dangerous=remarks.map(is_dangerous),
    )


def mask_uninformative(verdicts: pd.Series, cites: pd.Series, declines: pd.Series) -> pd.Series:
    """The verdicts, unless they reject every answer that does not decline for a lack of citations: of a
    system that gives none. Then NaN for these; whether one that declines was right to is known without them.

    verdicts : 1 accepted, 0 rejected, NaN where there is none; cites : share of its sentences that cite, NaN
        where the answer has none to cite; declines : 1 where it declines
    """
    answered = cites.notna() & (declines != 1)
    tells = (verdicts[answered] == 1).any() or not (cites == 0).any() or (cites > 0).any()
    return verdicts if tells else verdicts.where(~answered)


def harms(
    answers: pd.DataFrame, cases: pd.DataFrame, chunks: pd.DataFrame, documents: pd.DataFrame
) -> pd.DataFrame:
    """Harm that rules see in ordinary answers, as rows of the scores table under the names of HARMS: 1 where
    an answer has it. Notebook 03 measures harm under attack."""
    marked = document_status.with_marks(chunks, documents)
    return rate_events(metrics.score(answers, cases, marked, list(MEASURED)))


def is_dangerous(remark: str) -> bool:
    """Whether a rater's remark calls the answer dangerous, and does not deny that it is: \"not at all
    dangerous\" does not, \"not correct and dangerous\" does."""
    text = unicodedata.normalize("NFC", remark).casefold()
    before = [text[max(0, hit.start() - CLAUSE) : hit.start()] for hit in _danger().finditer(text)]
    return any(not _DENIED.search(re.split(r"[.,;:!?/()\n]", words)[-1]) for words in before)


@cache
def _danger() -> re.Pattern[str]:
    lines = Path(__file__).with_name("danger_words.txt").read_text(encoding="utf-8").splitlines()
    known = [line.strip().casefold() for line in lines if line.strip() and not line.startswith("#")]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})")
