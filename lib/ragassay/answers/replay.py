"""Logged answers, JSONL or CSV, as the two tables: cases and answers."""

import hashlib
from collections import Counter
from pathlib import Path

import pandas as pd

from ragassay import evidence, tables
from ragassay.answers import annotated, fields, logs
from ragassay.answers.asking import COLUMNS
from ragassay.answers.reply import failed
from ragassay.errors import InputError

CASE_COLUMNS = tuple(tables.TABLES["cases"].columns)
UNLOGGED = "the log holds no answer to this case"
DEFAULTS = {"answer_type": "short_fact", "query_type": "open", "answerable": True}


def load_log(path: str | Path, cases: pd.DataFrame | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases and the answers that a log holds.

    The columns are those of the answers table, of which `question` and `answer` must be there; columns of the cases table and any others
    go to the cases. A missing case_id is made of the question ("l-" and the first 8 digits of its hash, then "-2" and so on); the system is the
    file's name; contexts may be lists, or texts that hold a JSON or Python list. What is assumed where a column is missing is listed in
    `cases.attrs["notes"]`.

    Parameters
    ----------
    path : a .jsonl or .csv file in UTF-8, or a log of several systems with people's judgements (`answers.annotated`)
    cases : where given, they are kept as they are; the answers are matched by case_id, or by question where the log has no case_id, and a
        case without an answer gets a row that says so

    Raises
    ------
    InputError
        If the file is missing, empty, not UTF-8 or broken, a column is absent, a value is not what it should be, or an answer belongs to
        no case; with the line.
    """
    file = evidence.reads_input(path)
    judged = annotated.fits(file)
    rows = annotated.rows(file) if judged else logs.read(file)
    columns = logs.require(file.name, rows, ("question", "answer"))
    given = _named(rows, cases)
    answers = [_answer(row, case_id, file.stem) for row, case_id in zip(rows, given, strict=True)]
    _number_repeats(answers, rows)
    found = _cases(rows, given) if cases is None else cases.copy()
    found.attrs["notes"] = _notes(columns, cases is None) + (
        annotated.notes(file) if judged and cases is None else []
    )
    answers += [] if cases is None else _unlogged(cases, answers, file.stem)
    return tables.check("cases", found, file.name), tables.check(
        "answers", pd.DataFrame(answers, columns=COLUMNS), file.name
    )


def _named(rows: list[logs.Row], cases: pd.DataFrame | None) -> list[str]:
    """The case_id of each row: logged, else that of the case with the same question, else made of the question."""
    by_question = {} if cases is None else dict(zip(cases["question"], cases["case_id"], strict=True))
    known = set() if cases is None else set(cases["case_id"])
    seen: Counter = Counter()
    named = []
    for row in rows:
        question = fields.text(row, "question", required=True)
        case_id = fields.text(row, "case_id") or by_question.get(question)
        if cases is not None and case_id not in known:
            raise InputError(
                "an answer belongs to no case",
                where=row.where,
                found=case_id or question,
                expected="a case_id or question of the cases",
                do="add the case, or leave the answer out",
            )
        named.append(case_id or _made(question, fields.text(row, "system"), seen))
    return named


def _made(question: str, system: str, seen: Counter) -> str:
    """A name for the question; the second time that one system is asked it, another."""
    name = "l-" + hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:8]
    seen[name, system] += 1
    return name if seen[name, system] == 1 else f"{name}-{seen[name, system]}"


def _answer(row: logs.Row, case_id: str, system: str) -> dict:
    answer, error = fields.text(row, "answer"), fields.text(row, "error")
    values = failed(error or ("" if answer.strip() else "the assistant returned nothing"))
    values |= {
        "answer": answer if answer.strip() else "",
        "contexts": fields.texts(row, "contexts"),
        "context_ids": fields.texts(row, "context_ids"),
    }
    values |= {name: fields.number(row, name) for name in ("latency_s", "cost", "tokens")}
    return {
        "case_id": case_id,
        "system": fields.text(row, "system") or system,
        "question": fields.text(row, "question"),
        **values,
    }


def _number_repeats(answers: list[dict], rows: list[logs.Row]) -> None:
    """Give each answer its `repeat`: as logged, else counted per case and system; one case_id for two questions is refused."""
    questions: dict[str, str] = {}
    seen: Counter = Counter()
    for answer, row in zip(answers, rows, strict=True):
        key = (answer["case_id"], answer["system"])
        if questions.setdefault(answer["case_id"], answer["question"]) != answer["question"]:
            raise InputError(
                "one case_id stands for two questions",
                where=row.where,
                found=answer["question"],
                expected=questions[answer["case_id"]],
                do="give each question its own case_id, or leave the column out",
            )
        answer["repeat"] = (
            seen[key] if row.values.get("repeat") in (None, "") else fields.whole(row, "repeat")
        )
        seen[key] += 1


def _cases(rows: list[logs.Row], given: list[str]) -> pd.DataFrame:
    """One case per case_id, from the first row that has it."""
    first = {case_id: row for row, case_id in reversed(list(zip(rows, given, strict=True)))}
    ordered = [(case_id, first[case_id]) for case_id in dict.fromkeys(given)]
    frame = pd.DataFrame([{"case_id": case_id, **_case(row)} for case_id, row in ordered])
    return frame[
        [name for name in CASE_COLUMNS if name in frame]
        + sorted(name for name in map(str, frame) if name not in CASE_COLUMNS)
    ]


def _case(row: logs.Row) -> dict:
    names = [name for name in row.values if name not in COLUMNS]
    case = {
        "question": fields.text(row, "question"),
        **DEFAULTS,
        **{name: fields.of_case(row, name) for name in names},
    }
    return {name: DEFAULTS.get(name) if value in (None, "") else value for name, value in case.items()}


def _unlogged(cases: pd.DataFrame, answers: list[dict], system: str) -> list[dict]:
    systems = sorted({answer["system"] for answer in answers}) or [system]
    there = {(answer["case_id"], answer["system"]) for answer in answers}
    pairs = zip(cases["case_id"], cases["question"], strict=True)
    return [
        {"case_id": case_id, "system": name, "repeat": 0, "question": question, **failed(UNLOGGED)}
        for case_id, question in pairs
        for name in systems
        if (case_id, name) not in there
    ]


def _notes(columns: set[str], cases_too: bool) -> list[str]:
    """What was assumed because the log does not say."""
    assumed = {
        "contexts": "The log has no contexts: what compares an answer with them is not measured.",
        "context_ids": "The log has no context_ids: citations and retrieved passages cannot be matched by id.",
    }
    if cases_too:
        assumed |= {
            "answerable": "The log does not say which questions the documents answer: all are taken as answerable.",
            "answer_type": "The log has no answer_type: all are taken as short_fact.",
            "query_type": "The log has no query_type: all are taken as open.",
        }
    return [note for column, note in assumed.items() if column not in columns]
