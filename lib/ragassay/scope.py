"""Scope: what is validated, for whom, what may go wrong, which test looks at it; do the inputs suffice?"""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ragassay import engagement_registers, parameter_ranges, provenance, regulatory_profiles
from ragassay.errors import ParameterError

FEW_CHUNKS = 20
TIER = "one of high, medium, low"
ANSWER_TIMEOUT = "in (0, inf)"
YES_OR_NO = "one of yes, no, unstated"
LONGEST_REFERENCE = 200  # characters of the name of a test
VALIDATION_TYPE = "one of initial, periodic, change, targeted"
FIELDS = (
    "system", "documents", "assistant", "answer_timeout_s", "answers_log", "map", "title", "model_name",
    "model_id", "model_version", "owner", "developer", "validator", "reporting_line", "independence",
    "validator_independent", "distribution", "classification", "approver", "tier", "tier_reasons",
    "customer_facing", "human_in_the_loop", "generates", "unchecked_text", "intake_test", "validation_type",
    "period", "data_cutoff", "previous_rating", "next_review", "cover_note", "triggers", "purpose", "users",
    "prohibited_uses", "architecture", "vendor_components", "languages", "profile", "date",
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

    A profile of the user's is read once, here: its rows stand in the record as `crosswalk`.

    Raises
    ------
    ParameterError
        If there is nothing to validate, the date is no ISO date, tier or validation type is unknown,
        `intake_test` is too long or a placeholder, or the profile is neither shipped nor a sound CSV.
    """
    check_subject(given)
    given = given | {"date": given["date"] or datetime.date.today().isoformat()}
    parameter_ranges.check("answer_timeout_s", given["answer_timeout_s"], ANSWER_TIMEOUT)
    parameter_ranges.check("tier", given["tier"], TIER)
    parameter_ranges.check("validation_type", given["validation_type"], VALIDATION_TYPE)
    parameter_ranges.check("unchecked_text", given["unchecked_text"], YES_OR_NO)
    parameter_ranges.check("validator_independent", given["validator_independent"], YES_OR_NO)
    _check_intake_test(given.get("intake_test", ""))
    _check_date(given["date"])
    crosswalk = regulatory_profiles.read(given["profile"])
    if given["profile"] not in regulatory_profiles.SHIPPED:
        provenance.reads_input(given["profile"])
        given = given | {"crosswalk": crosswalk}
    named_parts = ("architecture", "vendor_components")
    return given | {name: [list(pair) for pair in given[name].items()] for name in named_parts}


def header(record: dict[str, Any]) -> pd.DataFrame:
    """The engagement's header data as rows: item, value."""
    names = {
        "model_name": "Model",
        "model_id": "Inventory id",
        "model_version": "Version",
        "owner": "Owner",
        "developer": "Developer",
        "validator": "Validator",
        "validator_independent": "Validator independent",
        "reporting_line": "Reporting line of the validator",
        "approver": "Approver",
        "validation_type": "Validation type",
        "period": "Period",
        "data_cutoff": "Data cut-off",
        "previous_rating": "Previous rating",
        "next_review": "Next review",
        "profile": "Regulatory profile",
    }
    return pd.DataFrame(
        [(label, record.get(name) or "not stated") for name, label in names.items()],
        columns=["item", "value"],
    )


def uses(record: dict[str, Any]) -> pd.DataFrame:
    """Purpose, users and prohibited uses, as rows: aspect, declared."""
    rows = [
        ("Purpose", record["purpose"]),
        ("Users", record["users"]),
        *(("Prohibited", use) for use in record["prohibited_uses"]),
        ("Languages", ", ".join(record["languages"])),
    ]
    return pd.DataFrame(rows, columns=["aspect", "declared"])


def parts(record: dict[str, Any]) -> pd.DataFrame:
    """The system's parts and its vendor components, as rows: kind, name, role."""
    own = [("part", *pair) for pair in record["architecture"]]
    bought = [("vendor component", *pair) for pair in record["vendor_components"]]
    return pd.DataFrame(own + bought, columns=["kind", "name", "role"])


def materiality(record: dict[str, Any]) -> pd.DataFrame:
    """Tier and the reasons for it, as rows: aspect, judgement."""
    rows = [
        ("Tier", record["tier"]),
        ("Customer-facing", _yes(record["customer_facing"])),
        ("Human in the loop", _yes(record["human_in_the_loop"])),
        ("Writes its own words", _yes(record.get("generates", True))),
        ("Text that nobody checked can enter the index", record.get("unchecked_text", "unstated")),
        ("Test of that", record.get("intake_test") or "none named"),
    ]
    return pd.DataFrame(
        [*rows, *(("Reason", reason) for reason in record["tier_reasons"])], columns=["aspect", "judgement"]
    )


def corpus(documents: pd.DataFrame, chunks: pd.DataFrame) -> pd.DataFrame:
    """The collection by language: documents, passages, sentences, words."""
    words = chunks.assign(
        words=chunks.text.str.split().str.len(),
        language=chunks.doc_id.map(documents.set_index("doc_id").language),
    )
    by_language = words.groupby("language").agg(
        documents=("doc_id", "nunique"),
        passages=("chunk_id", "size"),
        sentences=("n_sentences", "sum"),
        words=("words", "sum"),
    )
    return by_language.sort_values("words", ascending=False).reset_index()


def input_checks(
    documents: pd.DataFrame,
    chunks: pd.DataFrame,
    left_out: pd.DataFrame,
    further: Sequence[tuple[str, bool, str]] = (),
) -> pd.DataFrame:
    """What was examined before any test: check, result ("ok" or "limit"), what was found; `further` checks
    last."""
    doubles = int(documents.duplicated("sha256").sum())
    rows = [
        (
            "every file could be read",
            left_out.empty,
            f"{len(documents)} documents read, {len(left_out)} files left out",
        ),
        ("no file occurs twice", doubles == 0, f"{doubles} files with the content of another"),
        (
            "enough passages for topics",
            len(chunks) >= FEW_CHUNKS,
            f"{len(chunks)} passages, {FEW_CHUNKS} wanted",
        ),
        (
            "one main language",
            documents.language.nunique() <= 1,
            ", ".join(f"{n} in {name}" for name, n in documents.language.value_counts().items()),
        ),
        (
            "no passage without a sentence",
            bool((chunks.n_sentences > 0).all()),
            f"{int((chunks.n_sentences == 0).sum())} passages without a sentence",
        ),
    ]
    return pd.DataFrame(
        [(check, "ok" if fine else "limit", found) for check, fine, found in (*rows, *further)],
        columns=["check", "result", "found"],
    )


def limits(checks: pd.DataFrame) -> list[str]:
    """The checks that hold only with a limit, as sentences for the report."""
    return [
        f"Input check “{row.check}”: {row.found}." for row in checks[checks.result == "limit"].itertuples()
    ]


def notices(record: dict[str, Any]) -> list[str]:
    """What a reader must know of the system validated, as sentences for the report."""
    own = record["assistant"].startswith("ragassay.example") and not record["answers_log"]
    return ["The system validated is the example assistant that comes with this kit."] if own else []


def _check_date(date: str) -> None:
    try:
        datetime.date.fromisoformat(date)
    except ValueError:
        raise ParameterError(
            "the date of the validation is no date",
            where="00_scope.date",
            found=repr(date),
            expected="YYYY-MM-DD",
        ) from None


def _check_intake_test(said: str) -> None:
    """Refuse a name of a test that names none."""
    if said and (len(said) > LONGEST_REFERENCE or engagement_registers.says_nothing(said)):
        raise ParameterError(
            "the test of the intake control is not named",
            where="00_scope.intake_test",
            found=repr(said[:LONGEST_REFERENCE]),
            expected=f"where it stands, in at most {LONGEST_REFERENCE} characters, or nothing",
        )


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"
