"""What both runs state, side by side: which these are, gates, documents, questions, and what else differs."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ragassay.decision.earlier_findings import CLOSED, RETESTED, SETTLED, WITHDRAWN
from ragassay.diff.runs import QUESTIONS, Pairs, Side
from ragassay.show import value_text
from ragassay.tables import is_blank

ABOUT = {  # of the record of the engagement
    "System": "model_name",
    "Version": "model_version",
    "Date of the report": "date",
    "Data cut-off": "data_cutoff",
    "Validation type": "validation_type",
}
PROGRAM = ("ragassay", "code_sha256", "python", "platform", "device")  # of the manifest
ABOUT_THE_RUN = ("run_dir", *ABOUT.values())  # parameters that say which run it is
KIT, RATERS, PARAMETER = "kit", "raters", "parameter"  # kinds of settings
GATE, OF_GATE = ["gate", "origin"], ("value", "low", "high", "n", "threshold", "outcome")
ALL, NO_GATE = "all", "no such gate"
NEW, CARRIED, NOT_RAISED = "new", "carried over", "not raised again"
LIVES = (NEW, CARRIED, NOT_RAISED, RETESTED, WITHDRAWN, CLOSED)  # the order in which they are shown
FINDING = ("subject", "finding_id", "severity", "title", "status", "closed_by", "closed_evidence")
FACTORS = ("origin", "kind", "query_type", "answer_type", "answerable", "language", "segment")
LEVELS = ["column", "level", "n_a", "share_a", "n_b", "share_b", "distance"]


def about(a: Side, b: Side) -> pd.DataFrame:
    """what, A, B: which runs these are."""
    sides = []
    for side in (a, b):
        listed = side.manifest.get("versions")
        versions = [each.get("version") or "not known" for each in listed or [] if isinstance(each, dict)]
        said = {words: value_text(side.engagement.get(key) or "not stated") for words, key in ABOUT.items()}
        said["Version that answered"] = "; ".join(map(str, versions)) or "none said"
        said["Rating"] = str(side.record("decision.json").get("rating") or "not stated")
        sides.append({"Run folder": side.folder.resolve().name, **said})
    rows = [(what, *(said[what] for said in sides)) for what in sides[0]]
    return pd.DataFrame(rows, columns=["what", "A", "B"])


def settings(a: Side, b: Side) -> pd.DataFrame:
    """kind (KIT, RATERS, PARAMETER), what, A, B: what is not the same, but for what names a run.

    Another kit or other raters may be behind a difference of scores.
    """
    one, other = (dict(_settings(side)) for side in (a, b))
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    rows = [(*name, *(value_text(side.get(name)) for side in (one, other))) for name in names]
    return pd.DataFrame(rows, columns=["kind", "what", "A", "B"])


def _settings(side: Side) -> Iterator[tuple[tuple[str, str], Any]]:
    manifest = side.manifest
    yield from (((KIT, name), manifest.get(name)) for name in PROGRAM if name in manifest)
    for part, word in (("packages", "package"), ("own_models", "model")):
        yield from (((KIT, f"{word} {name}"), value) for name, value in (manifest.get(part) or {}).items())
    yield from (
        ((KIT, f"model {each['name']} {each['file']}"), each["sha256"])
        for each in manifest.get("models") or []
    )
    if "" in side.parts("labels"):
        yield (RATERS, RATERS), sorted(map(str, side.read_rows("labels", needs=("rater",))["rater"].unique()))
    for notebook, values in (manifest.get("parameters") or {}).items():
        named = {name: value for name, value in values.items() if name not in ABOUT_THE_RUN}
        yield from (((PARAMETER, f"{notebook}.{name}"), value) for name, value in named.items())


def compare_gates(a: Side, b: Side) -> pd.DataFrame:
    """One row per gate and origin of either run: value, low, high, n, threshold and outcome of A and of B
    (`value_a`, `value_b`, ...), and `changed`, whether the outcome or the threshold is another one.

    The values are of each run's own questions and not paired.
    """
    one, other = _gates(a), _gates(b)
    found = one.merge(other, on=GATE, how="outer", suffixes=("_a", "_b"), sort=False)
    found = found.fillna({"outcome_a": NO_GATE, "outcome_b": NO_GATE})
    moved = found["threshold_a"].notna() & found["threshold_b"].notna()
    moved &= found["threshold_a"] != found["threshold_b"]
    return found.assign(changed=(found["outcome_a"] != found["outcome_b"]) | moved)


def _gates(side: Side) -> pd.DataFrame:
    rows = side.read_rows("gates", needs=("gate", *OF_GATE))
    return rows.assign(origin=rows.get("origin", ALL))[[*GATE, *OF_GATE]].drop_duplicates(GATE)


def compare_findings(a: Side, b: Side) -> pd.DataFrame:
    """One row per open finding of either run, which are one by their `subject`: life, finding_a, finding_b,
    severity_a, severity_b, title, subject, why.

    life : new in B, carried over, not raised again, or what B's register says of it: retested, withdrawn,
        closed (`decision.earlier_findings`, where B was told of A by `07_conclusion.previous_run`)
    """
    one, other = (side.read_rows("findings", needs=FINDING)[[*FINDING]] for side in (a, b))
    found = one[~one["status"].isin(SETTLED)].merge(
        other, on="subject", how="outer", suffixes=("_a", "_b"), indicator="found_in"
    )
    life = found["found_in"].astype(str).map({"right_only": NEW, "both": CARRIED, "left_only": NOT_RAISED})
    settled = found["status_b"].isin([RETESTED, WITHDRAWN, CLOSED])
    found = found.assign(
        life=life.mask(settled, found["status_b"]),
        title=found["title_b"].fillna(found["title_a"]),
        why=found["closed_by_b"].replace("", None).fillna(found["closed_evidence_b"]),
    )
    found = found[~(settled & (life == NEW))].rename(
        columns=lambda name: name.replace("finding_id", "finding")
    )
    columns = ["life", "finding_a", "finding_b", "severity_a", "severity_b", "title", "subject", "why"]
    order = found["life"].map(LIVES.index).argsort(kind="stable")
    return found.iloc[order][columns].fillna("").reset_index(drop=True)


def document_changes(a: Side, b: Side) -> pd.DataFrame:
    """doc_id, change: the documents that are not the same in both runs (changed, only in A, only in B)."""
    needs = ("doc_id", "sha256")
    one, other = (
        side.read_rows("documents", needs=needs).set_index("doc_id")["sha256"].to_dict() for side in (a, b)
    )
    rows = [
        (name, "only in B" if name not in one else "only in A" if name not in other else "changed")
        for name in sorted({**one, **other})
        if one.get(name) != other.get(name)
    ]
    return pd.DataFrame(rows, columns=["doc_id", "change"])


def question_levels(pairs: Pairs) -> pd.DataFrame:
    """One row per column of the questions and level of it, LEVELS: its share among the questions of A and of
    B, and the distance of the shares of the column (total variation, in [0, 1])."""
    sides = [cases[cases["part"] == QUESTIONS] for cases in (pairs.cases_a, pairs.cases_b)]
    tables = [pd.DataFrame(columns=LEVELS)]
    for name in FACTORS:
        if all(name in side and len(side) for side in sides):
            values = [
                side[name].map(lambda level: "not stated" if is_blank(level) else str(level))
                for side in sides
            ]
            counts = pd.concat([value.value_counts() for value in values], axis=1, keys=["n_a", "n_b"])
            counts = counts.fillna(0).astype(int).sort_index()
            shares = (counts / counts.sum()).rename(columns={"n_a": "share_a", "n_b": "share_b"})
            distance = float(shares.diff(axis=1)["share_b"].abs().sum() / 2)
            table = counts.join(shares).assign(column=name, distance=distance)
            tables.append(table.rename_axis("level").reset_index()[LEVELS])
    return pd.concat(tables[1:] or tables, ignore_index=True)
