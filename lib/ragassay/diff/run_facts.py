"""What both runs state, side by side: which these are, gates, documents, questions, and what else differs."""

from typing import Any

import pandas as pd

from ragassay.decision.earlier_findings import CLOSED, RETESTED, SETTLED, WITHDRAWN
from ragassay.diff.paired_cases import QUESTIONS, Pairs, parts_of, read_rows
from ragassay.report.run_folder import Run
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
KIT, RATERS, PARAMETER = "kit", "raters", "parameter"  # kinds of settings
GATE, OF_GATE = ["gate", "origin"], ("value", "low", "high", "n", "threshold", "outcome")
ALL, NO_GATE = "all", "no such gate"
NEW, CARRIED, NOT_RAISED = "new", "carried over", "not raised again"
LIVES = (NEW, CARRIED, NOT_RAISED, RETESTED, WITHDRAWN, CLOSED)  # the order in which they are shown
FINDING = ("subject", "finding_id", "severity", "title", "status", "closed_by", "closed_evidence")
FACTORS = ("origin", "kind", "query_type", "answer_type", "answerable", "language", "segment")
LEVELS = ["column", "level", "n_a", "share_a", "n_b", "share_b", "distance"]


def compare_facts(a: Run, b: Run) -> pd.DataFrame:
    """what, A, B: which runs these are."""
    sides = []
    for side in (a, b):
        listed = side.manifest.get("versions")
        versions = [each.get("version") or "not known" for each in listed or [] if isinstance(each, dict)]
        said = {words: value_text(side.engagement.get(key) or "not stated") for words, key in ABOUT.items()}
        said["Version that answered"] = "; ".join(map(str, versions)) or "none said"
        said["Rating"] = str(side.decision.get("rating") or "not stated")
        sides.append({"Run folder": side.folder.resolve().name, **said})
    rows = [(what, *(said[what] for said in sides)) for what in sides[0]]
    return pd.DataFrame(rows, columns=["what", "A", "B"])


def settings(a: Run, b: Run) -> pd.DataFrame:
    """kind (KIT, RATERS, PARAMETER), what, A, B: what is not the same, but for what names a run.

    Another kit or other raters may be behind a difference of scores.
    """
    one, other = _settings(a), _settings(b)
    names = [name for name in one | other if one.get(name) != other.get(name)]
    rows = [(*name, *(value_text(side.get(name)) for side in (one, other))) for name in names]
    return pd.DataFrame(rows, columns=["kind", "what", "A", "B"])


def _settings(run: Run) -> dict[tuple[str, str], Any]:
    manifest = run.manifest
    found = {(KIT, name): manifest[name] for name in PROGRAM if name in manifest}
    for part, word in (("packages", "package"), ("own_models", "model")):
        found |= {(KIT, f"{word} {name}"): value for name, value in (manifest.get(part) or {}).items()}
    for model in manifest.get("models") or []:
        found[KIT, f"model {model['name']} {model['file']}"] = model["sha256"]
    if "" in parts_of(run, "labels"):
        raters = read_rows(run, "labels", needs=("rater",))["rater"]
        found[RATERS, RATERS] = sorted(map(str, raters.unique()))
    for notebook, values in (manifest.get("parameters") or {}).items():
        names = [name for name in values if name not in ("run_dir", *ABOUT.values())]
        found |= {(PARAMETER, f"{notebook}.{name}"): values[name] for name in names}
    return found


def compare_gates(a: Run, b: Run) -> pd.DataFrame:
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


def _gates(side: Run) -> pd.DataFrame:
    rows = read_rows(side, "gates", needs=("gate", *OF_GATE))
    return rows.assign(origin=rows.get("origin", ALL))[[*GATE, *OF_GATE]].drop_duplicates(GATE)


def compare_findings(a: Run, b: Run) -> pd.DataFrame:
    """One row per open finding of either run, which are one by their `subject`: life, finding_a, finding_b,
    severity_a, severity_b, title, subject, why.

    life : new in B, carried over, not raised again, or what B's register says of it: retested, withdrawn,
        closed (`decision.earlier_findings`, where B was told of A by `07_conclusion.previous_run`)
    """
    one, other = (read_rows(side, "findings", needs=FINDING)[[*FINDING]] for side in (a, b))
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


def document_changes(a: Run, b: Run) -> pd.DataFrame:
    """doc_id, change: the documents that are not the same in both runs (changed, only in A, only in B)."""
    one, other = (read_rows(run, "documents", needs=("doc_id", "sha256")) for run in (a, b))
    found = one.merge(other, on="doc_id", how="outer", suffixes=("_a", "_b"), indicator="change")
    words = {"left_only": "only in A", "right_only": "only in B", "both": "changed"}
    changed = found[found["sha256_a"] != found["sha256_b"]].sort_values("doc_id", ignore_index=True)
    return changed.assign(change=changed["change"].astype(str).map(words))[["doc_id", "change"]]


def question_levels(pairs: Pairs) -> pd.DataFrame:
    """One row per column of the questions and level of it, LEVELS: its share among the questions of A and of
    B, and the distance of the shares of the column (total variation, in [0, 1])."""
    sides = {"a": pairs.cases_a, "b": pairs.cases_b}
    asked = pd.concat([cases[cases["part"] == QUESTIONS].assign(run=run) for run, cases in sides.items()])
    tables = [pd.DataFrame(columns=LEVELS)]
    for name in FACTORS:
        if all(name in cases for cases in sides.values()):
            levels = asked[name].map(lambda level: "not stated" if is_blank(level) else str(level))
            counts = pd.crosstab(levels, asked["run"]).reindex(columns=["a", "b"], fill_value=0)
            shares = counts / counts.sum().clip(lower=1)
            table = (
                counts.add_prefix("n_").join(shares.add_prefix("share_")).rename_axis("level").reset_index()
            )
            distance = float((shares["a"] - shares["b"]).abs().sum() / 2)
            tables.append(table.assign(column=name, distance=distance)[LEVELS])
    return pd.concat(tables[1:] or tables, ignore_index=True)
