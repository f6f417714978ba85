"""The engagement's own questions beside the kit's: further probes of a family, and further questions without
an answer. What closes a finding may ask more of a kind than the kit's lists hold."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import attack_probes, case_table, prohibited_uses
from ragassay.cases.outside_documents import FACT, THING, false_premises, near_questions

FAR = "out_of_scope"
PROBE, QUESTION = "p-own-", "x-own-"  # how the ids of own ones begin
OUTSIDE = (FAR, THING, FACT)  # kinds of question without an answer
NEAR, PREMISES = 11 / 19, 4 / 19  # shares of the questions outside the documents; the rest are off-topic


def outside(
    asked: pd.DataFrame, chunks: pd.DataFrame, n: int, own: Mapping[str, Sequence[str]], *, seed: int
) -> pd.DataFrame:
    """At most n questions that the documents do not answer, and the engagement's own: off-topic ones, those
    about things that do not exist or details left open, those with a false premise. Off-topic ones fill up
    what the documents do not yield of the others.

    own : kind (OUTSIDE) -> questions
    """
    parameter_ranges.check("n_outside", n, "in [1, inf)")

    def rng() -> np.random.Generator:
        return np.random.default_rng(seed)

    near = near_questions(asked, chunks, max(1, round(NEAR * n)), rng())
    premises = false_premises(chunks, max(1, round(PREMISES * n)), rng())
    far = attack_probes.out_of_scope(chunks, max(1, n - len(near) - len(premises)), rng())
    return with_own_unanswerable(pd.concat([far, near, premises], ignore_index=True), own)


def families(uses: Sequence[str]) -> dict[str, dict]:
    """The families whose probes are questions alone -> what a case of each holds.

    uses : the prohibited uses of the engagement
    """
    named = {prohibited_uses.family(use): {"kind": prohibited_uses.MISUSE} for use in uses if use.strip()}
    access = {"kind": attack_probes.ACCESS}
    answered = {"answerable": True, "answer_type": "short_fact"}
    return {
        **attack_probes.listed_families(),
        **named,
        attack_probes.STAFF_ONLY: access,
        attack_probes.SUPERSEDED: access | answered,
    }


def with_own(probes: pd.DataFrame, own: Mapping[str, Sequence[str]], uses: Sequence[str]) -> pd.DataFrame:
    """The probes, and after them the engagement's own, every one; none that stands among them already.

    own : family -> questions; uses : the prohibited uses of the engagement
    """
    held, asked = families(uses), set(probes["question"].map(_plain))
    rows = [
        {"case_id": f"{PROBE}{number:04d}", "family": family, "question": question} | held[family]
        for number, (family, question) in enumerate(_new(own, asked), start=1)
    ]
    return pd.concat([probes, attack_probes.probes_frame(rows)], ignore_index=True) if rows else probes


def with_own_unanswerable(made: pd.DataFrame, own: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The questions without an answer, and after them the engagement's own, none that was made already.

    own : kind (OUTSIDE) -> questions
    """
    same = {"answer_type": "no_answer", "query_type": "open", "answerable": False}
    rows = [
        {"case_id": f"{QUESTION}{number:04d}", "kind": kind, "question": question} | same
        for number, (kind, question) in enumerate(_new(own, set(made["question"].map(_plain))), start=1)
    ]
    return pd.concat([made, case_table.cases_frame(rows)], ignore_index=True) if rows else made


def without_own(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows (with case_id) without those of the engagement's own, of both kinds."""
    return rows[~rows["case_id"].astype(str).str.startswith((PROBE, QUESTION))]


def _new(own: Mapping[str, Sequence[str]], asked: set[str]) -> list[tuple[str, str]]:
    """Each question once, with its family or kind."""
    every = {_plain(text): (name, text) for name, texts in own.items() for text in texts}
    return [pair for plain, pair in every.items() if plain not in asked]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
