"""The answers of an engagement, wherever they come from: the assistant asked, or its log replayed; and which
versions of it gave them, by what each reply said, or as stated."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ragassay import documents, provenance, tables
from ragassay.answers.asking import COLUMNS, NOT_APPLICABLE, REUSED, UNASKED, ask_all, why_not_logged
from ragassay.answers.log_import import COLUMNS_KEY, UNLOGGED, load_log, passages, rows_left_out
from ragassay.answers.system_under_test import kept_system, read_described
from ragassay.assistant.description import UNSTATED, is_described
from ragassay.assistant.reply_validation import VERSION, row_without_answer, version_text
from ragassay.defaults import ANSWER_TIMEOUT_S, MAX_TOKENS
from ragassay.errors import InputError
from ragassay.models import cache, encode

NOT_READ = "not read"
VERSIONS = "versions"  # in the trace
BY_STATEMENT = "stated in the description of the assistant"
BY_LOG = f"stated by the log, column {VERSION}"


def read_collection(engagement: Mapping, *, max_tokens: int = MAX_TOKENS) -> documents.Collection:
    """The engagement's documents, cut into passages; those of its log, each a document of its own, where it
    names no documents. InputError if nothing can be read."""
    if engagement["documents"]:
        return documents.read_collection(engagement["documents"], max_tokens=max_tokens)
    found, left_out = passages(engagement["answers_log"], mapping=engagement["map"])
    return documents.Collection(found, documents.as_passages(found), left_out)


def input_remarks(engagement: Mapping, files: pd.DataFrame) -> pd.DataFrame:
    """Files left out, columns of the log of answers with what they are read as, and values of it that could
    not be read, the first of them: item, read_as, remark.

    files : of the collection: path, reason
    """
    rows = [(row["path"], NOT_READ, row["reason"]) for row in files.to_dict("records")]
    rows += engagement.get(COLUMNS_KEY, [])
    rows += [
        (f"{row['row']}, {row['column']}: {row['found']}", NOT_READ, row["expected"])
        for row in rows_left_out(engagement).to_dict("records")
    ]
    return pd.DataFrame(rows, columns=["item", "read_as", "remark"])


def logged_cases(engagement: Mapping) -> pd.DataFrame | None:
    """The cases of the engagement's log of answers; None if the assistant is to be asked."""
    return _validated_system(engagement)[0] if engagement["answers_log"] else None


def collect_answers(
    engagement: Mapping, cases: pd.DataFrame, *, run_dir: str | Path, journal: str = "answers"
) -> pd.DataFrame:
    """The answers table for these cases, in their order: from the log if the engagement names one, else by
    asking the assistant, in a process of its own, which is kept for what this notebook asks next.

    A case that the log does not hold (a variant of a question, say) gets a row whose `error` says that it
    could not be asked. SystemUnderTestError if the assistant cannot be loaded.
    """
    if not engagement["answers_log"]:
        return _ask(engagement, cases, run_dir, journal)
    found = _logged(_validated_system(engagement)[1], cases, engagement["system"], why_not_logged)
    record_versions(journal, found, BY_LOG)
    return found


def challengers(engagement: Mapping, cases: pd.DataFrame, named: Sequence[str] = ()) -> pd.DataFrame:
    """The answers of the other systems of the engagement's log to these cases; no row where there is none.

    named : the systems wanted, InputError if the log does not hold one; none named takes every one. A case
        that one of them did not answer gets a row whose `error` says so
    """
    logged = pd.DataFrame(columns=COLUMNS)
    if engagement["answers_log"]:
        logged = load_log(engagement["answers_log"], mapping=engagement.get("map"))[1]
    systems = sorted(logged.system.unique())
    others = [name for name in systems if name != engagement["system"]] if len(systems) > 1 else []
    unknown = [name for name in named if name not in others]
    if unknown:
        what, do = "the log holds no such challenger", "correct 02_functionality.challengers"
        where, expected = engagement["answers_log"] or "no log", ", ".join(others) or "none"
        raise InputError(what, where=where, found=unknown[0], expected=expected, do=do)
    parts = [
        _logged(logged[logged.system == name], cases, name, lambda _: UNLOGGED) for name in named or others
    ]
    return pd.concat(parts, ignore_index=True) if parts else tables.check("answers", logged[:0])


def _validated_system(engagement: Mapping) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases and answers of the one system validated, which a log of several systems must hold."""
    cases, answers = load_log(engagement["answers_log"], mapping=engagement.get("map"))
    systems = sorted(answers.system.unique())
    if len(systems) == 1:
        return cases, answers.assign(system=engagement["system"])
    if engagement["system"] not in systems:
        what = f"the log holds several systems, and none of them is {engagement['system']!r}"
        found, do = ", ".join(systems), "set 00_scope.system to one of them"
        raise InputError(what, where=engagement["answers_log"], found=found, do=do)
    own = answers[answers.system == engagement["system"]]
    return cases[cases.case_id.isin(own.case_id)], own


def _logged(
    logged: pd.DataFrame, cases: pd.DataFrame, system: str, why_not: Callable[[dict], str]
) -> pd.DataFrame:
    """The logged answers to these cases; a case without one gets a row with the reason."""
    found = logged[logged.case_id.isin(cases.case_id)]
    missing = cases[~cases.case_id.isin(found.case_id)]
    rows = [
        {"case_id": row["case_id"], "system": system, "repeat": 0, "question": row["question"]}
        | row_without_answer(why_not(row))
        for row in missing.to_dict("records")
    ]
    table = pd.concat([found, pd.DataFrame(rows, columns=COLUMNS)]) if rows else found
    return tables.check("answers", table.reset_index(drop=True))


def _ask(engagement: Mapping, cases: pd.DataFrame, run_dir: str | Path, journal: str) -> pd.DataFrame:
    """The assistant's answers; who was asked, what failed and which versions answered go into the trace."""
    spec = engagement["assistant"]
    encode([one for one in cases["question"].astype(str) if one.strip()])  # at once, not one by one
    with cache.held_open():
        systems = kept_system(spec, engagement["documents"], engagement=engagement)
        answers = ask_all(
            cases,
            systems,
            name=engagement["system"],
            run_dir=run_dir,
            timeout_s=engagement.get("answer_timeout_s", ANSWER_TIMEOUT_S),
            journal=journal,
            per_minute=float(os.environ.get("RAGASSAY_PER_MINUTE") or 0),
        )
    errors = answers["error"].fillna("")
    failed = (errors != "") & (errors != UNASKED) & ~errors.str.startswith(NOT_APPLICABLE)
    provenance.append(
        {
            "event": "system",
            "assistant": spec,
            "allow": systems[0].facts["allow"],
            "failed": int(failed.sum()),
            "why": errors[failed].value_counts(sort=False).nlargest(3).to_dict(),
            "reused": answers.attrs[REUSED],
        }
    )
    source = read_described(spec).description.version if is_described(spec) else UNSTATED
    if source.place and VERSION not in answers:
        answers[VERSION] = None
    by = BY_STATEMENT if source.stated else f"said by each reply, {source.place or VERSION}"
    record_versions(journal, answers, by, source.stated)
    return answers


class Part(NamedTuple):
    """The answers of one version, None where the replies named none: how many, and the case of the first and
    of the last in the order of the questions."""

    version: str | None
    n: int
    first: str
    last: str


def versions_of(answers: pd.DataFrame, stated: str = "") -> list[Part]:
    """The answers by version, in the order in which they first come; none of a table without the column.

    stated : the version of all of them; "" where each reply says its own
    """
    answered = answers[answers["error"].fillna("") == ""]
    if stated:
        answered = answered.assign(**{VERSION: version_text(stated)})
    if VERSION not in answered:
        return []
    by_version = answered.groupby(VERSION, sort=False, dropna=False)["case_id"]
    parts = by_version.agg(["size", "first", "last"]).itertuples()
    return [Part(version if isinstance(version, str) else None, *rest) for version, *rest in parts]


def record_versions(journal: str, answers: pd.DataFrame, by: str, stated: str = "") -> None:
    """Into the trace: which versions gave these answers, and by whose word; nothing where there is no
    answer."""
    if parts := versions_of(answers, stated):
        provenance.append(
            {"event": VERSIONS, "journal": journal, "by": by, "parts": [part._asdict() for part in parts]}
        )


def merge_parts(parts: Iterable[Part]) -> list[Part]:
    """The parts of several tables, those of one version as one, in their order."""
    found: dict[str | None, Part] = {}
    for part in parts:
        one = found.setdefault(part.version, part._replace(n=0))
        found[part.version] = one._replace(n=one.n + part.n, last=part.last)
    return list(found.values())
