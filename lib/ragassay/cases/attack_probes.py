"""Questions that the documents should not answer: attack probes, which try to make the assistant misbehave,
and questions out of scope (HCAT section 4, adversarial testing; section 6.1, type 3).
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ragassay import models, parameter_ranges
from ragassay.cases import case_table, injection_attacks, planted_secrets, prohibited_uses
from ragassay.documents import document_status

FOREIGN_UP_TO = 0.55  # cosine with the nearest passage up to which a question is foreign to the documents
NOT_ANSWERED = {"answer_type": "no_answer", "query_type": "open", "answerable": False}
ACCESS = "probe: access"
GATED = ("probe: privacy", "probe: provocation")  # kinds that a default gate acts on
STAFF_ONLY, SUPERSEDED = "staff-only documents", "superseded documents"
HEADINGS = 3  # of a document that are asked about


def probes(*, per_threat: int | None = None, per_gate: int | None = None, seed: int = 0) -> pd.DataFrame:
    """Our probes in questions as cases: those of every file of `data/probes` (kind, question, and what else a
    row says), and the injections; so many at most as `draw_by_threat` says."""
    return probes_frame(
        draw_by_threat([*_listed(), *injection_attacks.in_questions(seed)], per_threat, per_gate, seed)
    )


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
        *_listed(),
        *injection_attacks.in_questions(seed),
        *injection_attacks.in_passages(cases, answers, seed),
        *planted_secrets.in_passages_and_turns(chunks, seed),
        *prohibited_uses.of_prohibited_uses(engagement["prohibited_uses"], prohibited_questions),
        *of_restricted_documents(chunks, documents),
    ]
    return probes_frame(draw_by_threat(rows, per_threat, per_gate, seed))


def listed_families() -> dict[str, dict]:
    """The families of `data/probes` whose probes are single questions -> their kind."""
    rows, alone = _listed(), {"case_id", "kind", "family", "question", "language"}
    more = {row["family"] for row in rows if not set(row) <= alone}
    return {row["family"]: {"kind": row["kind"]} for row in rows if row["family"] not in more}


def _listed() -> list[dict]:
    return [
        row for path in sorted((case_table.DATA / "probes").glob("*.jsonl")) for row in _probe_rows(path.stem)
    ]


def probes_frame(rows: list[dict]) -> pd.DataFrame:
    """The rows as cases that the documents should not answer, unless a row says otherwise; `family` is the
    kind where none is named."""
    listed = [NOT_ANSWERED | {"family": row["kind"].removeprefix("probe: ")} | row for row in rows]
    more = dict.fromkeys(name for row in listed for name in row if name not in case_table.COLUMNS)
    return case_table.cases_frame(listed, extra=more or ["family"])


def draw_by_threat(rows: list[dict], per_threat: int | None, per_gate: int | None, seed: int) -> list[dict]:
    """At most so many rows of each threat, in their order: of those that a default gate acts on (GATED)
    `per_gate`, of others `per_threat`; None takes all. They are drawn by the seed, evenly from the families
    of a threat; groups and conversations stay whole.

    Raises
    ------
    ParameterError
        If a number is below 1.
    """
    for name, n in (("probes_per_threat", per_threat), ("probes_per_gate", per_gate)):
        parameter_ranges.check(name, 1 if n is None else n, "in [1, inf)")
    threats: dict[tuple, dict[tuple, int]] = {}
    for row in rows:
        units = threats.setdefault(_threat(row), {})
        units[_unit(row)] = units.get(_unit(row), 0) + 1
    most = {threat: per_gate if threat[0] in GATED else per_threat for threat in threats}
    kept = {unit for threat, units in threats.items() for unit in _first(units, most[threat], seed)}
    return [row for row in rows if _unit(row) in kept]


def _first(units: dict[tuple, int], n: int | None, seed: int) -> list[tuple]:
    """Units in an order of chance, one of each family before the second, until n rows are reached; one at
    least."""
    order = sorted(units, key=lambda unit: hashlib.sha256(f"{seed} {unit[-1]}".encode()).digest())
    families = pd.Series([unit[1] for unit in order], dtype=object)
    turn = families.groupby(families, dropna=False, sort=False).cumcount().to_numpy()
    order = [order[place] for place in np.argsort(turn, kind="stable")]
    taken = np.cumsum([units[unit] for unit in order])
    return [unit for unit, total in zip(order, taken, strict=True) if n is None or total <= n] or order[:1]


def _threat(row: dict) -> tuple:
    """What a row tries: its kind, of secrets and documents its family too."""
    return (row["kind"], row.get("family") if row["kind"] in (ACCESS, planted_secrets.KIND) else "")


def _unit(row: dict) -> tuple:
    together = row.get("conversation_id") or row.get("group_id") or row["case_id"]
    return (row["kind"], str(row.get("family")), str(together))


def _probe_rows(name: str) -> list[dict]:
    rows = enumerate(case_table.data_rows(f"probes/{name}"), start=1)
    return [{"case_id": f"p-{name}-{i:03d}"} | row for i, row in rows]


def screen_out_of_scope(
    chunks: pd.DataFrame, *, at_most: float = FOREIGN_UP_TO, encode: Callable = models.encode
) -> pd.DataFrame:
    """Our list of foreign questions: case_id, question, domain, language, similarity, nearest passage, kept.

    similarity is the cosine with the nearest passage, in [-1, 1]; a question above `at_most` might be
    answered by the documents and is not kept. The limit is a screen, not a proof: read those just below it.
    """
    listed = pd.DataFrame(case_table.data_rows("out_of_scope"))
    similarity = encode(listed["question"].tolist()) @ encode(chunks["text"].tolist()).T
    nearest = chunks["chunk_id"].to_numpy()[similarity.argmax(axis=1)]
    best = np.round(similarity.max(axis=1).astype(float), 4)
    listed.insert(0, "case_id", [f"o-{i:04d}" for i in range(1, len(listed) + 1)])
    return listed.assign(similarity=best, nearest=nearest, kept=best <= at_most)


def out_of_scope(
    chunks: pd.DataFrame,
    n: int,
    rng: np.random.Generator,
    *,
    at_most: float = FOREIGN_UP_TO,
    encode: Callable = models.encode,
) -> pd.DataFrame:
    """At most n questions that the documents should not answer,
    each with its similarity to the nearest passage."""
    kept = screen_out_of_scope(chunks, at_most=at_most, encode=encode).query("kept")
    drawn = kept.iloc[np.sort(rng.choice(len(kept), size=min(n, len(kept)), replace=False))]
    same = {"answer_type": "no_answer", "query_type": "open", "answerable": False, "kind": "out_of_scope"}
    listed = [
        same | row
        for row in drawn[["case_id", "question", "language", "domain", "similarity"]].to_dict("records")
    ]
    return case_table.cases_frame(listed, extra=["domain", "similarity"])


def of_restricted_documents(chunks: pd.DataFrame, documents: pd.DataFrame) -> list[dict]:
    """Questions for what stands in documents for staff (to be declined: a customer asks), and in superseded
    ones (to be answered from those in force), in the wordings of `data/restricted_documents.jsonl`."""
    if not {document_status.STATUS, document_status.AUDIENCE} <= set(documents):
        return []
    asked = [
        *_of_documents(
            chunks,
            documents[documents[document_status.AUDIENCE] == document_status.STAFF],
            "staff",
            STAFF_ONLY,
        ),
        *_of_documents(
            chunks,
            documents[documents[document_status.STATUS] == document_status.SUPERSEDED],
            document_status.SUPERSEDED,
            SUPERSEDED,
        ),
    ]
    numbered = enumerate(asked, start=1)
    return [{"case_id": f"p-access-{number:03d}", "kind": ACCESS} | row for number, row in numbered]


def _of_documents(chunks: pd.DataFrame, chosen: pd.DataFrame, mark: str, family: str) -> Iterator[dict]:
    """Every wording of the mark for each document, and for each of its first headings where one is named."""
    answerable = {"answerable": True, "answer_type": "short_fact"} if family == SUPERSEDED else {}
    templates = [
        one["question"] for one in case_table.data_rows("restricted_documents") if one["mark"] == mark
    ]
    for document in chosen.to_dict("records"):
        headings = _headings(chunks[chunks["doc_id"] == document["doc_id"]], document["title"])
        asked = [
            template.replace("{title}", document["title"]).replace("{heading}", heading)
            for template in templates
            for heading in (headings if "{heading}" in template else [""])
        ]
        yield from ({"family": family, "question": question, **answerable} for question in asked)


def _headings(chunks: pd.DataFrame, title: str) -> list[str]:
    """The first headings of a document; not its title, for who names the document asks for it."""
    own = chunks["heading"].astype(str).str.split(" > ").str[-1] if "heading" in chunks else []
    return [heading for heading in dict.fromkeys(own) if heading not in ("", title)][:HEADINGS]
