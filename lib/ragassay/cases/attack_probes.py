"""Questions that the documents should not answer: attack probes, which try to make the assistant misbehave,
and questions out of scope (HCAT section 4, adversarial testing; section 6.1, type 3).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay import models, parameter_ranges
from ragassay.cases import case_table, injection_attacks, planted_secrets, prohibited_uses
from ragassay.documents.document_status import AUDIENCE, STAFF, STATUS
from ragassay.documents.document_status import SUPERSEDED as IS_SUPERSEDED

FOREIGN_UP_TO = 0.55  # cosine with the nearest passage up to which a question is foreign to the documents
NOT_ANSWERED = {"answer_type": "no_answer", "query_type": "open", "answerable": False}
ANSWERED = {"answer_type": "short_fact", "answerable": True}
ACCESS = "probe: access"
GATED = ("probe: privacy", "probe: provocation")  # kinds that a default gate acts on
STAFF_ONLY, SUPERSEDED = "staff-only documents", "superseded documents"
HEADINGS = 3  # of a document that are asked about


def probes(*, per_threat: int | None = None, per_gate: int | None = None, seed: int = 0) -> pd.DataFrame:
    """Our probes in questions as cases: those of every file of `data/probes` (kind, question, and what else a
    row says), and the injections; so many at most as `draw_by_threat` says."""
    rows = [*listed_probes(), *injection_attacks.attack_questions(seed)]
    return probes_frame(draw_by_threat(rows, per_threat, per_gate, seed))


def engagement_probes(
    engagement: Mapping,
    cases: pd.DataFrame,
    answers: pd.DataFrame,
    chunks: pd.DataFrame,
    documents: pd.DataFrame,
    *,
    prohibited_questions: Mapping[str, Sequence[str]] | None = None,
    per_threat: int | None = None,
    per_gate: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """`probes`, and those that an engagement gives the matter for: the injections planted in what was
    retrieved for its ordinary questions (`cases`, `answers`), secrets planted among its passages, its
    prohibited uses asked for (`prohibited_questions`: use -> the engagement's own examples), and what its
    staff-only and superseded documents say."""
    rows = [
        *listed_probes(),
        *injection_attacks.attack_questions(seed),
        *injection_attacks.attack_passages(cases, answers, seed),
        *planted_secrets.plant_secrets(chunks, seed),
        *prohibited_uses.probe_uses(engagement["prohibited_uses"], prohibited_questions),
        *probe_restricted_documents(chunks, documents),
    ]
    return probes_frame(draw_by_threat(rows, per_threat, per_gate, seed))


def listed_probes() -> list[dict]:
    """The rows of every file of `data/probes`."""
    return [
        {"case_id": f"p-{path.stem}-{number:03d}"} | row
        for path in sorted((case_table.DATA / "probes").glob("*.jsonl"))
        for number, row in enumerate(case_table.data_rows(f"probes/{path.stem}"), start=1)
    ]


def probes_frame(rows: list[dict]) -> pd.DataFrame:
    """The rows as cases that the documents should not answer, unless a row says otherwise; `family` is the
    kind where none is named."""
    listed = [NOT_ANSWERED | {"family": row["kind"].removeprefix("probe: ")} | row for row in rows]
    return case_table.cases_frame(listed, extra=None if listed else ["family"])


def draw_by_threat(rows: list[dict], per_threat: int | None, per_gate: int | None, seed: int) -> list[dict]:
    """At most so many rows of each threat (a kind; of secrets and documents each family), in their order: of
    GATED `per_gate`, of others `per_threat`, 1 or more; None takes all. They are drawn by the seed, evenly
    from the families of a threat; groups and conversations stay whole, and one at least is taken."""
    for name, n in (("probes_per_threat", per_threat), ("probes_per_gate", per_gate)):
        parameter_ranges.check(name, 1 if n is None else n, "in [1, inf)")
    if not rows:
        return []
    table = pd.DataFrame(rows).reindex(columns=["kind", "family", "conversation_id", "group_id", "case_id"])
    family = table["family"].fillna("")
    apart = table["kind"].isin([ACCESS, planted_secrets.KIND])
    most = np.where(table["kind"].isin(GATED), per_gate or np.inf, per_threat or np.inf)
    table = table.assign(
        family=family,
        threat=table["kind"] + family.where(apart, ""),
        most=most,
        unit=table["conversation_id"].fillna(table["group_id"]).fillna(table["case_id"]).astype(str),
    )
    units = table.groupby(["threat", "family", "unit", "most"], sort=False).size().rename("n").reset_index()
    chance = [hashlib.sha256(f"{seed} {unit}".encode()).digest() for unit in units["unit"]]
    units = units.assign(chance=chance).sort_values("chance", kind="stable")
    units["turn"] = units.groupby(["threat", "family"]).cumcount()
    units = units.sort_values("turn", kind="stable")  # one of each family before the second
    kept = (units.groupby("threat")["n"].cumsum() <= units["most"]) | ~units.duplicated("threat")
    chosen = set(units.loc[kept, "unit"])
    return [row for row, unit in zip(rows, table["unit"], strict=True) if unit in chosen]


def out_of_scope(
    chunks: pd.DataFrame, n: int, rng: np.random.Generator, *, encode: Callable = models.encode
) -> pd.DataFrame:
    """At most n of our foreign questions, each with its `similarity`, the cosine with the nearest passage, in
    [-1, 1]; one above FOREIGN_UP_TO might be answered by the documents and is not asked. The limit is a
    screen, not a proof."""
    listed = pd.DataFrame(case_table.data_rows("out_of_scope"))
    similarity = (encode(listed["question"].tolist()) @ encode(chunks["text"].tolist()).T).max(axis=1)
    listed = listed.assign(
        case_id=[f"o-{i:04d}" for i in range(1, len(listed) + 1)],
        similarity=np.round(similarity.astype(float), 4),
        kind="out_of_scope",
        **NOT_ANSWERED,
    )
    kept = listed[listed["similarity"] <= FOREIGN_UP_TO]
    drawn = kept.iloc[np.sort(rng.choice(len(kept), size=min(n, len(kept)), replace=False))]
    return case_table.cases_frame(drawn.to_dict("records"), extra=["domain", "similarity"])


def probe_restricted_documents(chunks: pd.DataFrame, documents: pd.DataFrame) -> list[dict]:
    """Questions for what stands in documents for staff (to be declined: a customer asks), and in superseded
    ones (to be answered from those in force), in the wordings of `data/restricted_documents.jsonl`: every
    wording for each document, and for each of its first headings where one is named. A heading that is the
    document's title is left out, for who names the document asks for it."""
    if not {STATUS, AUDIENCE} <= set(documents):
        return []
    groups = (
        (documents[documents[AUDIENCE] == STAFF], "staff", {"family": STAFF_ONLY}),
        (documents[documents[STATUS] == IS_SUPERSEDED], IS_SUPERSEDED, {"family": SUPERSEDED} | ANSWERED),
    )
    templates = case_table.data_rows("restricted_documents")
    rows = []
    for chosen, mark, same in groups:
        for document in chosen.to_dict("records"):
            title, own = document["title"], chunks[chunks["doc_id"] == document["doc_id"]]
            headings = own["heading"].astype(str).str.split(" > ").str[-1] if "heading" in own else []
            named = [heading for heading in dict.fromkeys(headings) if heading not in ("", title)][:HEADINGS]
            for template in (one["question"] for one in templates if one["mark"] == mark):
                for heading in named if "{heading}" in template else [""]:
                    question = template.replace("{title}", title).replace("{heading}", heading)
                    rows.append(same | {"kind": ACCESS, "question": question})
    return [{"case_id": f"p-access-{number:03d}"} | row for number, row in enumerate(rows, start=1)]
