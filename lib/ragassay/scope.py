"""Scope: what is validated, for whom, of which parts, and how each may fail; do the inputs suffice?"""

import csv
import datetime
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pandas as pd

from ragassay import engagement_registers, parameter_ranges, provenance
from ragassay.errors import ParameterError

FEW_CHUNKS = 20
# what a document that no longer holds may say at its beginning, where it is not taken at its word
CALLED_OLD = r"(?i)\b(?:superseded|withdrawn|obsolete|outdated|archived|no longer (?:in force|valid)"
CALLED_OLD += r"|(?:der|rev)ogad|sub?stitu[ií]d)"
TIERS = ("low", "medium", "high")
YES_OR_NO = "one of yes, no, unstated"
RANGES = {
    "answer_timeout_s": "in (0, inf)",
    "tier": "one of high, medium, low, unstated",
    "validation_type": "one of initial, periodic, change, targeted",
    "unchecked_text": YES_OR_NO,
    "validator_independent": YES_OR_NO,
}
LONGEST_REFERENCE = 200  # characters of the name of a test
NONE = "none declared"
YES = {True: "yes", False: "no"}
FIELDS = (
    "system", "documents", "assistant", "answer_timeout_s", "answers_log", "map", "title", "model_name",
    "model_id", "model_version", "owner", "developer", "validator", "reporting_line", "independence",
    "validator_independent", "distribution", "classification", "approver", "tier", "tier_reasons",
    "customer_facing", "human_in_the_loop", "generates", "unchecked_text", "intake_test", "validation_type",
    "period", "data_cutoff", "previous_rating", "next_review", "cover_note", "triggers", "purpose", "users",
    "prohibited_uses", "architecture", "vendor_components", "languages", "profile", "date", "risks",
    "question_writers", "assumptions", "alternatives", "developer_testing",
)  # fmt: skip


def check_subject(given: Mapping[str, Any]) -> None:
    """Refuse an engagement without anything to validate: without a log of answers there must be an assistant
    to ask, and the documents that its answers are checked against.

    Raises
    ------
    ParameterError
        If `answers_log` is empty, and so is `assistant` or `documents`.
    """
    names = ("documents", "assistant", "answers_log")
    missing = [name for name in names[:2] if not given[name]]
    if missing and not given["answers_log"]:
        raise ParameterError(
            "there is no assistant to ask and no log of answers"
            if "assistant" in missing
            else "there is nothing to check the assistant's answers against",
            where="00_scope",
            found=", ".join(f"{name}: {given[name]!r}" for name in names),
            expected="documents and assistant, or answers_log",
            do=f"set {' and '.join(missing)}, or answers_log, whose passages then stand for documents",
        )


def engagement(**given: Any) -> dict[str, Any]:
    """The engagement's record as later notebooks and the report read it; the date is today if it is empty.

    A profile and a risk register of the user's are read once, here: their rows stand in the record as
    `crosswalk` and `own_risks`.

    Raises
    ------
    ParameterError
        If there is nothing to validate, the date is no ISO date, tier or validation type is unknown,
        `intake_test` is too long or a placeholder, or the profile is neither shipped nor a sound CSV.

    Example: `run.save("engagement", scope.engagement(**parameters))`
    """
    check_subject(given)
    given = given | {"date": given["date"] or datetime.date.today().isoformat()}
    for name, allowed in RANGES.items():
        parameter_ranges.check(name, given[name], allowed)
    said = given.get("intake_test", "")
    if said and (len(said) > LONGEST_REFERENCE or engagement_registers.says_nothing(said)):
        raise ParameterError(
            "the test of the intake control is not named",
            where="00_scope.intake_test",
            found=repr(said[:LONGEST_REFERENCE]),
            expected=f"where it stands, in at most {LONGEST_REFERENCE} characters, or nothing",
        )
    try:
        datetime.date.fromisoformat(given["date"])
    except ValueError:
        raise ParameterError(
            "the date is no date", where="00_scope.date", found=repr(given["date"]), expected="YYYY-MM-DD"
        ) from None
    crosswalk = engagement_registers.read_profile(given["profile"])
    if given["profile"] not in engagement_registers.SHIPPED:
        provenance.reads_input(given["profile"])
        given = given | {"crosswalk": crosswalk}
    if given.get("risks"):
        given = given | {"own_risks": engagement_registers.read_risks(given["risks"]).to_dict("records")}
    return given | {
        "tier_below_exposure": given["tier"] in TIERS[: TIERS.index(tier_by_exposure(given))],
        **{
            name: [list(pair) for pair in given[name].items()]
            for name in ("architecture", "vendor_components")
        },
    }


def tier_by_exposure(record: Mapping[str, Any]) -> str:
    """The tier that follows from who reads the answers and whether a person checks them first: high where
    customers read them unchecked, low where staff read checked ones, else medium.

    Example: `tier_by_exposure({"customer_facing": True, "human_in_the_loop": False})` is "high"
    """
    return TIERS[int(record["customer_facing"]) + int(not record["human_in_the_loop"])]


def uses(record: Mapping[str, Any]) -> pd.DataFrame:
    """Purpose, users, languages and prohibited uses, as rows: aspect, declared.

    Example: `scope.uses(run.engagement).query("aspect == 'Prohibited'")`
    """
    rows = [
        ("Purpose", record["purpose"]),
        ("Users", record["users"]),
        ("Languages", ", ".join(record["languages"])),
        *(("Prohibited", use) for use in record["prohibited_uses"]),
    ]
    return pd.DataFrame(rows, columns=["aspect", "declared"])


def materiality(record: Mapping[str, Any]) -> pd.DataFrame:
    """The tier stated and the one that follows from exposure, and what both rest on: aspect, declared.

    Example: `scope.materiality(run.engagement)`
    """
    rows = [
        ("Tier stated by the owner", record["tier"]),
        ("Tier by exposure", tier_by_exposure(record)),
        ("Customers read its answers", YES[record["customer_facing"]]),
        ("A person reads each answer first", YES[record["human_in_the_loop"]]),
        ("Writes its own words", YES[record["generates"]]),
        ("Unchecked text can enter the index", record["unchecked_text"]),
        ("Test of this", record["intake_test"] or NONE),
        *(("Reason for the tier", reason) for reason in record["tier_reasons"]),
    ]
    return pd.DataFrame(rows, columns=["aspect", "declared"])


def parts(record: Mapping[str, Any]) -> pd.DataFrame:
    """The system, its parts and its vendor components, as rows: component, kind, role, tested_in (the chapter
    that looks for the typical failure of a part).

    Example: `scope.parts(run.engagement)[["component", "tested_in"]]`
    """
    tested_in = failure_modes(record).tested_in[1:]
    rows = [
        (f"{record['model_name']}, version {record['model_version']}", "system", record["model_id"], None),
        *(
            (name, "part", role, where)
            for (name, role), where in zip(record["architecture"], tested_in, strict=True)
        ),
        *((name, "vendor component", role, None) for name, role in record["vendor_components"]),
    ]
    return pd.DataFrame(rows, columns=["component", "kind", "role", "tested_in"])


def failure_modes(record: Mapping[str, Any]) -> pd.DataFrame:
    """The documents and the parts of the system in their order, with the typical failure of each: node (a
    number), text (the name), step and lane (its place, five a lane), note (the failure), tested_in (the
    chapter). What a part is, the words of its name say (`failure_modes.csv`).

    Example: `plots.flow(failure_modes(record), [(0, 1), (1, 2)])`
    """
    csv_text = resources.files("ragassay").joinpath("failure_modes.csv").read_text(encoding="utf-8")
    kinds = list(csv.DictReader(csv_text.splitlines()))
    rows = []
    for place, name in enumerate(["Documents", *(name for name, _ in record["architecture"])]):
        kind = next(each for each in kinds if re.search(each["words"], name.casefold()))
        rows.append((place, name, place % 5, place // 5, kind["failure"], kind["tested in"]))
    return pd.DataFrame(rows, columns=["node", "text", "step", "lane", "note", "tested_in"])


def design_choices(record: Mapping[str, Any]) -> pd.DataFrame:
    """Assumptions, alternatives and the developer's testing, as rows: aspect, declared; "none declared" where
    the engagement says nothing.

    Example: `scope.design_choices(run.engagement)`
    """
    rows = [
        *(("Assumption", each) for each in record["assumptions"] or [NONE]),
        *(("Alternative considered", each) for each in record["alternatives"] or [NONE]),
        ("Developer's testing", record["developer_testing"] or NONE),
    ]
    return pd.DataFrame(rows, columns=["aspect", "declared"])


def own_risks(record: Mapping[str, Any]) -> pd.DataFrame:
    """The engagement's own risk register as it was handed in; no row where there is none.

    >>> own_risks({"own_risks": [{"risk": "Outage"}]})["risk"].tolist()
    ['Outage']
    """
    return pd.DataFrame(record.get("own_risks", []), columns=None if record.get("own_risks") else ["risk"])


def corpus(documents: pd.DataFrame, chunks: pd.DataFrame) -> pd.DataFrame:
    """The collection by language and status: documents, passages, sentences, words; the status is "unmarked"
    where the documents do not say it.

    >>> documents = pd.DataFrame({"doc_id": ["a"], "language": ["en"]})
    >>> chunks = pd.DataFrame({"doc_id": ["a"], "chunk_id": "a#p1", "text": "A fee.", "n_sentences": 1})
    >>> corpus(documents, chunks)[["status", "documents", "words"]].to_numpy().tolist()
    [['unmarked', 1, 2]]
    """
    status = documents.get("status", pd.Series(index=documents.index, dtype=object))
    marks = documents.assign(status=status.fillna("unmarked")).set_index("doc_id")[["language", "status"]]
    words = chunks.assign(words=chunks.text.str.split().str.len()).drop(columns=[*marks], errors="ignore")
    by_mark = (
        words.join(marks, on="doc_id")
        .groupby(["language", "status"])
        .agg(
            documents=("doc_id", "nunique"),
            passages=("chunk_id", "size"),
            sentences=("n_sentences", "sum"),
            words=("words", "sum"),
        )
    )
    return by_mark.sort_values("words", ascending=False).reset_index()


def input_checks(
    record: Mapping[str, Any], documents: pd.DataFrame, chunks: pd.DataFrame, left_out: pd.DataFrame
) -> pd.DataFrame:
    """What was examined before any test: check, found, expected, which (the first five), passed.

    Example: `input_checks(run.engagement, run.documents(), run.chunks(), left_out).query("not passed")`
    """
    known = documents.reindex(columns=["doc_id", "status", "at_its_word"])
    unmarked = chunks[~chunks.doc_id.isin(known.doc_id[known.status.notna()])].drop_duplicates("doc_id")
    called_so = unmarked[unmarked.text.str.contains(CALLED_OLD)]
    at_most = {
        "Files left out": left_out.reindex(columns=["path"]).path,
        "Files with the content of another": documents.doc_id[documents.duplicated("sha256")],
        "Documents that begin as superseded, not marked so in documents.csv": called_so.doc_id,
        "Documents superseded by their own words alone": known.doc_id[known.at_its_word.eq(True)],
        "Passages without a sentence": chunks.chunk_id[chunks.n_sentences == 0],
        "Languages of documents that the owner did not declare": sorted(
            set(documents.language) - set(record["languages"])
        ),
        "Flaws in rows of the log of answers": [""] * record.get("log_rows", {}).get("flaws", 0),
        "Collections known by passages of the log alone": [""] * (not record["documents"]),
    }
    rows = [
        (check, len(found), "at most 0", ", ".join(filter(None, [*found][:5])), not len(found))
        for check, found in at_most.items()
    ]
    rows.append(("Passages", len(chunks), f"at least {FEW_CHUNKS}", "", len(chunks) >= FEW_CHUNKS))
    return pd.DataFrame(rows, columns=["check", "found", "expected", "which", "passed"])
