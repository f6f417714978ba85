"""The engagement's own questions beside the kit's: further probes of a family, and further questions without
an answer. What closes a finding may ask more of a kind than the kit's lists hold."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import attack_probes, case_table, prohibited_uses
from ragassay.cases.outside_documents import THING, false_premises, near_questions

FAR, FACT = "out_of_scope", "near_fact"
PROBE, QUESTION = "p-own-", "x-own-"  # how the ids of own ones begin
OUTSIDE = (FAR, THING, FACT)  # kinds of question without an answer
NEAR, PREMISES = 11 / 19, 4 / 19  # shares of the questions outside the documents; the rest are off-topic


def outside_questions(
    asked: pd.DataFrame, chunks: pd.DataFrame, n: int, own: Mapping[str, Sequence[str]], *, seed: int
) -> pd.DataFrame:
    """At most n questions that the documents do not answer, and the engagement's own, none twice: off-topic
    ones, those about things that do not exist, those with a false premise. Off-topic
    ones fill up what the documents do not yield of the others.

    own : kind (OUTSIDE) -> questions
    """
    parameter_ranges.check("n_outside", n, "in [1, inf)")
    rngs = [np.random.default_rng(seed) for _ in range(3)]
    near = near_questions(asked, chunks, max(1, round(NEAR * n)), rngs[0])
    premises = false_premises(chunks, max(1, round(PREMISES * n)), rngs[1])
    far = attack_probes.out_of_scope(chunks, max(1, n - len(near) - len(premises)), rngs[2])
    made = pd.concat([far, near, premises], ignore_index=True)
    rows = [
        attack_probes.NOT_ANSWERED
        | {"case_id": f"{QUESTION}{number:04d}", "kind": kind, "question": question}
        for number, (kind, question) in enumerate(_new_questions(own, made), start=1)
    ]
    return pd.concat([made, case_table.cases_frame(rows)], ignore_index=True) if rows else made


def families(uses: Sequence[str]) -> dict[str, dict]:
    """The families whose probes are questions alone -> what a case of each holds.

    uses : the prohibited uses of the engagement
    """
    access, rows = attack_probes.ACCESS, attack_probes.listed_probes()
    alone = {"case_id", "kind", "family", "question", "language"}
    more = {row["family"] for row in rows if not set(row) <= alone}
    return {
        **{row["family"]: {"kind": row["kind"]} for row in rows if row["family"] not in more},
        **{prohibited_uses.family(use): {"kind": prohibited_uses.MISUSE} for use in uses if use.strip()},
        attack_probes.STAFF_ONLY: {"kind": access},
        attack_probes.SUPERSEDED: {"kind": access} | attack_probes.ANSWERED,
    }


def with_own(probes: pd.DataFrame, own: Mapping[str, Sequence[str]], uses: Sequence[str]) -> pd.DataFrame:
    """The probes, and after them the engagement's own, every one; none that stands among them already.

    own : family -> questions; uses : the prohibited uses of the engagement
    """
    held = families(uses)
    rows = [
        {"case_id": f"{PROBE}{number:04d}", "family": family, "question": question} | held[family]
        for number, (family, question) in enumerate(_new_questions(own, probes), start=1)
    ]
    return pd.concat([probes, attack_probes.probes_frame(rows)], ignore_index=True) if rows else probes


def without_own(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows (with case_id) without those of the engagement's own, of both kinds."""
    return rows[~rows["case_id"].astype(str).str.startswith((PROBE, QUESTION))]


def _new_questions(own: Mapping[str, Sequence[str]], made: pd.DataFrame) -> list[tuple[str, str]]:
    """Each question once that is not made already, whatever its capitals, with its family or kind."""
    every = {" ".join(text.casefold().split()): (name, text) for name, texts in own.items() for text in texts}
    asked = {" ".join(text.casefold().split()) for text in made["question"]}
    return [pair for plain, pair in every.items() if plain not in asked]
