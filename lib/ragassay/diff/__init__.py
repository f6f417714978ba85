"""Two finished runs compared: champion and challenger, or the validation of last year and this one's.

two run folders -> pairs of cases -> measures, findings, facts -> Comparison -> terminal, JSON, a page

Both are read leniently: what is missing or changed is a gap, no exception. A case keeps its id from run to
run where its question is the user's; generated questions may be other ones under an id of before. So the
texts decide: two cases are paired if what is asked (question, history, passages) is the same, letter for
letter but for spaces at the ends. Where a text stands several times, those of one id are paired, and the rest
is left out.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragassay import provenance, search_paths
from ragassay.analysis import scorecard
from ragassay.decision.earlier_findings import CLOSED, RETESTED, SETTLED, WITHDRAWN
from ragassay.errors import InputError
from ragassay.report import document_control
from ragassay.report.run_folder import Run
from ragassay.scores import display_names, headlines, metric_registry
from ragassay.show import MISSING, clean, value_text
from ragassay.stats import interval_text, random_base, random_stream
from ragassay.tables import COMPARED

ROWS = 200  # of a table on the page; the JSON has all
QUESTIONS = "questions"  # the part of the table `cases` that is no part
ASKED = ["part", "text"]
COLUMNS = [
    "part", "metric", "better", "pairs", "n", "a", "b", "difference", "low", "high", "p", "q", "outcome",
    "gained", "equal", "lost", "left_out", "reason",
]  # fmt: skip
ACCEPTED = ("judged_in_every_respect", "end_to_end_success")  # what decides whether an answer is right
ABOUT = {  # of the record of the engagement
    "System": "model_name",
    "Version": "model_version",
    "Date of the report": "date",
    "Data cut-off": "data_cutoff",
    "Validation type": "validation_type",
}
KIT, RATERS, PARAMETER = "kit", "raters", "parameter"  # kinds of settings
GATE, OF_GATE = ["gate", "origin"], ("value", "low", "high", "n", "threshold", "outcome")
ALL, NO_GATE = "all", "no such gate"
NEW, CARRIED, NOT_RAISED = "new", "carried over", "not raised again"
LIVES = (NEW, CARRIED, NOT_RAISED, RETESTED, WITHDRAWN, CLOSED)  # the order in which they are shown
FINDING = ("subject", "finding_id", "severity", "title", "status", "closed_by", "closed_evidence")


@dataclass(frozen=True)
class Comparison:
    """What two runs have in common and what changed from A to B; tables as their modules describe them.

    gaps : what could not be read or compared, and why
    """

    about: pd.DataFrame
    pairs: pd.DataFrame
    answers: dict[str, Any]
    measures: pd.DataFrame
    turned: pd.DataFrame
    gates: pd.DataFrame
    findings: pd.DataFrame
    documents: pd.DataFrame
    settings: pd.DataFrame
    gaps: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """Everything as JSON; what is undefined is null."""
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, part in parts.items():
            if isinstance(part, pd.DataFrame):
                parts[name] = json.loads(part.to_json(orient="records", double_precision=15))
        return json.dumps(parts, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def reservations(self) -> list[str]:
        """Why a difference of scores may not be the system's: "kit", "raters", "same answers"."""
        differ = self.measures["outcome"].isin([scorecard.BETTER, scorecard.WORSE]).any()
        same = differ and 0 < self.answers["n"] == self.answers["same"]
        kinds = set(self.settings["kind"])
        return [kind for kind in (KIT, RATERS) if kind in kinds] + ["same answers"] * bool(same)

    def to_html(self) -> str:
        """As a page: one file, without script, by one template in the words of a reader, every text as
        data."""
        import jinja2
        from markupsafe import Markup

        folder = resources.files("ragassay.diff")
        style = folder.joinpath("diff_page.css").read_text("utf-8")
        page = jinja2.Environment(
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            finalize=lambda value: value if isinstance(value, Markup) else clean(value, 400),
        )
        page.filters |= {
            "arrow": metric_registry.arrow,
            "change": change_text,
            "level": lambda level, column: display_names.level_name(column, level),
            "metric": display_names.display_name,
            "number": _number,
            "rows": lambda table: table.to_dict("records"),
            "words": lambda name: name.replace("_", " "),
        }
        ranks = self.measures["outcome"].map(COMPARED.index)
        return page.from_string(folder.joinpath("diff_page.html.j2").read_text("utf-8")).render(
            style=Markup(style),
            style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            found=self,
            measures=self.measures.iloc[ranks.argsort(kind="stable")],
            legend=metric_registry.LEGEND,
            reservations=self.reservations(),
            gate_text=_gate,
            rows_shown=ROWS,
        )


def change_text(row: Mapping) -> str:
    """A difference with its interval, signed, to the third decimal."""
    value, low, high = (round(float(row[name]), 3) + 0.0 for name in ("difference", "low", "high"))  # no -0.0
    return interval_text(value, low, high, 3, signed=True, why=str(row.get("reason") or ""))


def _gate(row: Mapping, side: str) -> str:
    """What a gate measured in a run, and required."""
    if row[f"outcome_{side}"] == NO_GATE:
        return MISSING
    value = interval_text(*(row[f"{name}_{side}"] for name in ("value", "low", "high")), missing=MISSING)
    return f"{value}, n = {_number(row[f'n_{side}'])}, required {_number(row[f'threshold_{side}'])}"


def _number(value: Any) -> str:
    return MISSING if pd.isna(value) else f"{value:.3g}" if isinstance(value, float) else value_text(value)


def compare_runs(run_a: str | Path, run_b: str | Path, *, seed: int = 0) -> Comparison:
    """Compare two run folders; nothing is written. InputError if one of them is no run folder.

    run_a, run_b : champion and challenger, or the earlier and the later run; differences are B minus A
    """
    a, b = open_side(run_a), open_side(run_b)
    paired, rng = pair_cases(a, b), np.random.default_rng(seed)
    return Comparison(
        about=compare_facts(a, b),
        pairs=count_pairs(paired),
        answers=same_answers(a, b, paired),
        measures=compare_measures(a, b, paired, rng=rng),
        turned=turned_answers(a, b, paired),
        gates=compare_gates(a, b),
        findings=compare_findings(a, b),
        documents=document_changes(a, b),
        settings=settings(a, b),
        gaps=[f"{letter}: {gap}" for letter, run in (("A", a), ("B", b)) for gap in run.gaps],
    )


def open_side(run_dir: str | Path) -> Run:
    """A run to compare; each table that is not the one of its manifest is a gap. InputError if there is no
    such folder, or no run has left anything in it."""
    folder = provenance.source(run_dir)
    if not search_paths.is_run_folder(folder):
        raise InputError("this is no run folder", where=folder, do="name one, such as reports/bank")
    run = Run(folder)
    for item, state in run.states:
        if state != "same" and str(item["path"]).startswith("tables/"):
            run.miss(f"changed since the run: {item['path']}")
    return run


def parts_of(run: Run, name: str) -> list[str]:
    """The parts of a table that are there; "" stands for the table itself and comes first."""
    paths = (run.folder / "tables").glob(f"{name}.*parquet")
    return sorted(path.stem.removeprefix(name).removeprefix(".") for path in paths)


def of_system(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the system that was validated."""
    return rows[rows["system"].astype(str) == str(run.engagement.get("system") or "assistant")]


def read_rows(run: Run, name: str, part: str = "", *, needs: tuple[str, ...] = ()) -> pd.DataFrame:
    """A table's rows; none, and a gap, where it is not there or lacks a column that is needed."""
    table = f"{name}{'.' * bool(part)}{part}"
    found = run.rows(table)
    if lacking := [column for column in needs if column not in found]:
        run.miss(f"tables/{table}.parquet is not there, or has no {', '.join(lacking)}")
        return pd.DataFrame(columns=list(needs))
    return found


def scores_of(run: Run) -> pd.DataFrame:
    """Every score of the validated system, one row a case and metric."""
    needs = ("case_id", "system", "metric", "value", "state")
    tables = [read_rows(run, "scores", part, needs=needs)[list(needs)] for part in parts_of(run, "scores")]
    every = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(needs))
    return of_system(run, every).drop_duplicates(["case_id", "metric"]).assign(reason="", detail="[]")


def cases_of(run: Run) -> pd.DataFrame:
    """Every case, with its `part` and its `text`: question, history, passages."""
    needs = ("case_id", "question")
    parts = [part for part in parts_of(run, "cases") if part != "rejected_variants"]
    tables = [read_rows(run, "cases", part, needs=needs).assign(part=part or QUESTIONS) for part in parts]
    tables = [table for table in tables if len(table)] or [pd.DataFrame(columns=[*needs, "part"])]
    every = pd.concat(tables, ignore_index=True).drop_duplicates("case_id", ignore_index=True)
    texts = []
    for row in every.to_dict("records"):
        lists = [row.get(name) for name in ("history", "passages")]
        joined = ["\n".join(map(str, v)) if isinstance(v, list | tuple | np.ndarray) else "" for v in lists]
        texts.append((str(row["question"]).strip(), *joined))
    return every.assign(text=texts)


def pair_cases(a: Run, b: Run) -> pd.DataFrame:
    """Every case of two runs, paired where both asked the same; part by part: part, case_a,
    case_b, question; "" on the side that did not ask it."""
    of_a, of_b = cases_of(a), cases_of(b)
    same = of_a.merge(of_b[["case_id", *ASKED]], on=["case_id", *ASKED])["case_id"]
    left = [side[~side["case_id"].isin(same)].drop_duplicates(ASKED, keep=False) for side in (of_a, of_b)]
    other = left[0].merge(left[1], on=ASKED, suffixes=("_a", "_b"))
    pairs = {case: case for case in same} | other.set_index("case_id_a")["case_id_b"].to_dict()
    rows_a = of_a.assign(case_a=of_a["case_id"], case_b=of_a["case_id"].map(pairs).fillna(""))
    rows_b = of_b[~of_b["case_id"].isin(pairs.values())].assign(
        case_a="", case_b=lambda rows: rows["case_id"]
    )
    return pd.concat([rows_a, rows_b], ignore_index=True)[["part", "case_a", "case_b", "question"]]


def count_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """part, both, only_a, only_b: how many cases."""
    only = {"only_a": pairs["case_b"] == "", "only_b": pairs["case_a"] == ""}
    of = pairs.assign(both=~(only["only_a"] | only["only_b"]), **only)
    return of.groupby("part", sort=False)[["both", "only_a", "only_b"]].sum().astype(int).reset_index()


def asked_in_both(pairs: pd.DataFrame) -> pd.DataFrame:
    """The cases that both runs asked."""
    return pairs[(pairs["case_a"] != "") & (pairs["case_b"] != "")]


def compare_measures(a: Run, b: Run, pairs: pd.DataFrame, *, rng: np.random.Generator) -> pd.DataFrame:
    """One row per part of the cases and metric that both runs have, COLUMNS.

    difference : mean of B minus A over the n pairs scored on both sides, with a paired bootstrap over
        clusters; p by sign flips, q by Benjamini-Hochberg over all rows
    outcome : of B, in the metric's own direction (`analysis.scorecard.compare_systems`, and its simulation)
    gained, equal, lost : pairs on which B is better, the same, worse
    left_out : pairs without a score on either side, and why; `count_pairs` has the cases of one run alone
    """
    base, scores_a, scores_b, cases = random_base(rng), scores_of(a), scores_of(b), cases_of(b)
    leading = {*headlines(), *ACCEPTED, *metric_registry.RATES}  # of a report, and what people judge
    found = []
    for part, rows in asked_in_both(pairs).groupby("part", sort=False):
        names = dict(zip(rows["case_a"], rows["case_b"], strict=True))
        one = scores_a[scores_a["case_id"].isin(names)]
        one = one.assign(case_id=one["case_id"].map(names), system="A")
        two = scores_b[scores_b["case_id"].isin(rows["case_b"])].assign(system="B")
        metrics = [
            name
            for name in two["metric"].unique()
            if name in set(one["metric"]) and (name in leading or name.startswith(metric_registry.OF_RATERS))
        ]
        if metrics:
            how: Any = {"rng": random_stream(base, str(part)), "names": ("B", "A")}
            table = scorecard.compare_systems(two, one, cases, metrics=metrics, **how)
            found.append(table.assign(part=part, better=table["metric"].map(metric_registry.direction)))
    if not found:
        return pd.DataFrame(columns=COLUMNS)
    return scorecard.with_outcomes(pd.concat(found, ignore_index=True)).rename(
        columns={"own_mean": "b", "challenger_mean": "a", "wins": "gained", "ties": "equal", "losses": "lost"}
    )[COLUMNS]


def same_answers(a: Run, b: Run, pairs: pd.DataFrame) -> dict[str, int]:
    """How many of the questions that both runs asked were answered word for word alike: n, same, left_out
    (without an answer in one run)."""
    both = asked_in_both(pairs[pairs["part"] == QUESTIONS])
    for side, case, name in ((a, "case_a", "answer_a"), (b, "case_b", "answer_b")):
        own = of_system(side, read_rows(side, "answers", needs=("case_id", "system", "repeat", "answer")))
        first = own[own["repeat"] == 0].drop_duplicates("case_id").set_index("case_id")["answer"]
        both = both.assign(**{name: both[case].map(first.astype(object))})
    known = both.dropna(subset=["answer_a", "answer_b"])
    is_same = known["answer_a"] == known["answer_b"]
    return {"n": len(known), "same": int(is_same.sum()), "left_out": len(both) - len(known)}


def turned_answers(a: Run, b: Run, pairs: pd.DataFrame) -> pd.DataFrame:
    """The questions whose answer was right in one run alone, by the first of ACCEPTED that both have: metric,
    turned (gained, lost), case_a, case_b, question; the lost ones first."""
    both = asked_in_both(pairs[pairs["part"] == QUESTIONS])
    scores = [rows[rows["state"] == "scored"] for rows in (scores_of(a), scores_of(b))]
    for metric in ACCEPTED:
        one, other = (rows[rows["metric"] == metric].set_index("case_id")["value"] for rows in scores)
        change = both["case_b"].map(other).astype(float) - both["case_a"].map(one).astype(float)
        if change.notna().any():
            break
    turned = np.select([change < 0, change > 0], ["lost", "gained"], "")
    found = both.assign(metric=metric, turned=turned)[["metric", "turned", "case_a", "case_b", "question"]]
    return found[found["turned"] != ""].sort_values("turned", ascending=False, kind="stable")


def compare_facts(a: Run, b: Run) -> pd.DataFrame:
    """what, A, B: which runs these are."""
    sides = []
    for side in (a, b):
        versions = [each.get("version") or "not known" for each in document_control.versions(side)]
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
    sides = []
    for run in (a, b):
        manifest = run.manifest
        program = ("ragassay", "code_sha256", "python", "platform", "device")
        named = {name: manifest[name] for name in program if name in manifest}
        named |= {f"package {name}": value for name, value in (manifest.get("packages") or {}).items()}
        named |= {f"model {name}": value for name, value in (manifest.get("own_models") or {}).items()}
        models = manifest.get("models") or []
        named |= {f"model {each['name']} {each['file']}": each["sha256"] for each in models}
        found: dict[tuple[str, str], Any] = {(KIT, name): value for name, value in named.items()}
        if "" in parts_of(run, "labels"):
            found[RATERS, RATERS] = sorted({*map(str, read_rows(run, "labels", needs=("rater",))["rater"])})
        for notebook, values in (manifest.get("parameters") or {}).items():
            names = [name for name in values if name not in ("run_dir", *ABOUT.values())]
            found |= {(PARAMETER, f"{notebook}.{name}"): values[name] for name in names}
        sides.append(found)
    one, other = sides
    differ = [name for name in one | other if one.get(name) != other.get(name)]
    rows = [(*name, *(value_text(side.get(name)) for side in sides)) for name in differ]
    return pd.DataFrame(rows, columns=["kind", "what", "A", "B"])


def compare_gates(a: Run, b: Run) -> pd.DataFrame:
    """One row per gate and origin of either run: value, low, high, n, threshold and outcome of A and of B
    (`value_a`, `value_b`, ...), and `changed`, whether the outcome or the threshold is another one.

    The values are of each run's own questions and not paired.
    """
    sides = []
    for side in (a, b):
        rows = read_rows(side, "gates", needs=("gate", *OF_GATE))
        rows = rows.assign(origin=rows.get("origin", ALL))[[*GATE, *OF_GATE]]
        sides.append(rows.drop_duplicates(GATE))
    found = sides[0].merge(sides[1], on=GATE, how="outer", suffixes=("_a", "_b"), sort=False)
    found = found.fillna({"outcome_a": NO_GATE, "outcome_b": NO_GATE})
    moved = found["threshold_a"].notna() & found["threshold_b"].notna()
    moved &= found["threshold_a"] != found["threshold_b"]
    return found.assign(changed=(found["outcome_a"] != found["outcome_b"]) | moved)


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
    found = found[~(settled & (life == NEW))]
    found = found.rename(columns={f"finding_id_{side}": f"finding_{side}" for side in "ab"})
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
