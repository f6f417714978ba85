"""Logged answers, of any tool and in a file of any kind, as the two tables of a run, cases and answers; the
log's passages as documents, where the documents themselves are not at hand."""

import difflib
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import provenance, tables
from ragassay.answers.answer_batches import Answers, open_answers
from ragassay.answers.asking import COLUMNS, FLOATS, sha256_of
from ragassay.answers.log_schemas import ASKED_WITH, OURS, is_empty
from ragassay.answers.tool_scores import is_given, read_log
from ragassay.assistant.reply_validation import NOTHING, SAID, clean, ids_beside, row_without_answer
from ragassay.documents.collection import LEFT_OUT, of_text
from ragassay.documents.record_files import Flaw
from ragassay.errors import InputError

CASE_COLUMNS = tuple(tables.TABLES["cases"].columns)
UNLOGGED = "the log holds no answer to this case"
DEFAULTS = {"answer_type": "short_fact", "query_type": "open", "answerable": True}
REQUIRED = ("question", "answer")
KEY, COLUMNS_KEY = "log_rows", "log_columns"
Row = dict[str, Any]


def open_log(file: Path, mapping: Mapping[str, str] | None) -> Answers:
    """The log with its schema; InputError where it has no question or no answer."""
    opened = open_answers(read_log(file), mapping=mapping, needed=REQUIRED, where=file.name)
    if absent := next((column for column in REQUIRED if column not in opened.read_from()), ""):
        theirs = next(iter(difflib.get_close_matches(absent, opened.columns, n=1, cutoff=0.5)), "COLUMN")
        raise InputError(
            f"the log has no column for the {absent}, read as {opened.schema.tool}",
            where=file.name,
            found=", ".join(opened.columns)[:300],
            do=f"say which: --map {absent}={theirs}, in parameters 00_scope: map: {{{absent}: {theirs}}}",
        )
    return opened


def load_log(
    path: str | Path, *, mapping: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases and the answers that a log holds, in a file of any kind, read as `open_answers` reads it.

    Columns that are none of the answers go to the cases. A missing case_id is made of the question ("l-" and
    the first 8 digits of its hash); the system is the file's name where the log names none. Further answers
    of a system to a case_id are cases of their own (`case_id-2`) in one group, unless a column `repeat`
    numbers them. A row of which something cannot be read has the reason as its error; without a question it
    is only counted. `cases.attrs` says how the log was read: "schema", "columns" (ours -> theirs), "mapped",
    "n_rows", "n_bad" of them left out, "flaws", the first that were found.

    mapping : ours -> theirs, before the schema's

    InputError if the file cannot be read as a log, or one case_id stands for two questions.
    """
    file = provenance.reads_input(path)
    stem = Path(file.stem).stem if file.suffix.lower() == ".gz" else file.stem
    opened = open_log(file, mapping)
    rows = []
    for record, values, is_spoilt in opened.rows():
        row = {name: None if is_empty(value) or value == "" else value for name, value in values.items()}
        if is_spoilt:
            row |= {"answer": None, "contexts": None, "context_ids": None}
        if str(row.get("question") or "").strip():
            rows.append(row | {"system": row.get("system") or stem, "where": record.where})
        elif not is_spoilt:
            opened.count(
                [
                    Flaw(
                        record.where,
                        opened.present.get("question", "question"),
                        found="no question",
                        expected="a text",
                        do="add it, or leave it out",
                    )
                ]
            )
    opened.check_rows()
    _give_case_ids(rows)
    cases = _cases(rows)
    cases.attrs |= {
        "schema": f"{opened.schema.tool} (schema {opened.schema.name})",
        "columns": opened.read_from(),
        "mapped": opened.mapped(),
        "n_rows": opened.n,
        "n_bad": opened.n_bad,
        "flaws": opened.flaws,
    }
    answers = []
    for row in rows:
        given = {n: value for n, value in row.items() if value is not None and (n in COLUMNS or is_given(n))}
        answer = given.get("answer", "")
        given["answer"] = answer if answer.strip() else ""
        given["error"] = given.get("error") or ("" if given["answer"] else NOTHING)
        given["context_ids"] = ids_beside(given.get("contexts"), given.get("context_ids"))
        answers.append(row_without_answer("") | given)
    columns = [name for name in COLUMNS if name not in SAID or any(row.get(name) for row in answers)]
    return tables.check("cases", cases, file.name), tables.check(
        "answers", pd.DataFrame(answers, columns=[*columns, *opened.scores_given]).astype(FLOATS), file.name
    )


def _give_case_ids(rows: list[Row]) -> None:
    """Give each row its case_id and repeat: as logged, made of the question where the log has none, numbered
    where one system answers the same again; one case_id for two questions is refused."""
    keys = [(row.get("case_id") or f"l-{sha256_of(row['question'])[:8]}", row["system"]) for row in rows]
    repeated = {name for (name, _), n in Counter(keys).items() if n > 1}
    seen, questions = Counter[tuple[str, str]](), dict[str, str]()
    for row, (name, system) in zip(rows, keys, strict=True):
        if questions.setdefault(name, row["question"]) != row["question"]:
            raise InputError(
                "one case_id stands for two questions",
                where=row["where"],
                found=f"{row['question']}; {questions[name]}",
                do="give each question its own, or none",
            )
        seen[name, system] += 1
        if row.get("repeat") is None and name in repeated:
            row["group_id"] = row.get("group_id") or (name if row.get("case_id") else None)
            name = name if seen[name, system] == 1 else f"{name}-{seen[name, system]}"
        row |= {"case_id": name, "repeat": row.get("repeat") or 0}


def _cases(rows: list[Row]) -> pd.DataFrame:
    """One case per case_id, from the first row that has it and was read, else from the first; columns that no
    table declares are kept as text."""
    readable_first = sorted(rows, key=lambda row: bool(row.get("error")))
    first = {row["case_id"]: row for row in reversed(readable_first)}
    cases = []
    for case_id in dict.fromkeys(row["case_id"] for row in rows):
        case: Row = {"case_id": case_id, **DEFAULTS}
        for name, value in first[case_id].items():
            if name in ("case_id", "where") or (name != "question" and (name in COLUMNS or is_given(name))):
                continue
            if value is not None and name not in OURS:
                value = clean(
                    value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
                )
            column = f"logged_{name}" if name in ASKED_WITH else name
            case[column] = DEFAULTS.get(name) if value is None else value
        if is_empty(first[case_id].get("answerable")):
            case[tables.ASSUMED] = True
        cases.append(case)
    found = pd.DataFrame(cases)
    others = sorted(name for name in map(str, found) if name not in CASE_COLUMNS)
    return found[[name for name in CASE_COLUMNS if name in found] + others]


def known_answerable(cases: pd.DataFrame) -> pd.Series:
    """Whether the documents hold the answer to each question: 1, 0, NaN where nobody said (`ASSUMED`).

    Example: `known_answerable(run.cases()).map({1: "yes", 0: "no"}).fillna("not stated")`
    """
    marked = cases["answerable"].astype(float)
    return marked.mask(cases[tables.ASSUMED].eq(True)) if tables.ASSUMED in cases else marked


def passages(
    log: str | Path, *, mapping: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every passage of a log once, each as a document of its own, and the (empty) table of files left out, as
    `documents.load` gives them; InputError if it holds none.

    doc_id is the passage's id in the log, the first where one text has several, with #2, #3 where one id
    stands for several texts, else made of its hash. topic is that of all cases it was given to, if they
    agree.
    """
    cases, answers = load_log(log, mapping=mapping)
    topic_of = cases.set_index("case_id")["topic"].to_dict() if "topic" in cases else {}
    names: dict[str, str] = {}  # of each text
    topics: dict[str, set] = defaultdict(set)
    for answer in answers[answers["contexts"].notna()].itertuples():
        texts, ids = answer.contexts, answer.context_ids
        pairs = zip(texts, ids if len(ids) == len(texts) else [""] * len(texts), strict=True)
        for text, name in ((text, name) for text, name in pairs if text.strip()):
            if text not in names:
                name = name or f"passage-{sha256_of(text)[:8]}"
                numbered = itertools.chain([name], (f"{name}#{n}" for n in itertools.count(2)))
                names[text] = next(one for one in numbered if one not in topics)
            topics[names[text]].add(topic_of.get(answer.case_id))
    if not names:
        raise InputError("the log holds no passage", where=log, do="name its documents: 00_scope.documents")
    found = pd.DataFrame(
        of_text(name, text, provenance.source(log).name, longest=80) for text, name in names.items()
    )
    agreed = [next(iter(topics[name])) if len(topics[name]) == 1 else None for name in names.values()]
    found["topic"] = [topic if isinstance(topic, str) else None for topic in agreed]
    return found, pd.DataFrame(columns=LEFT_OUT)


def count_rows(engagement: Mapping) -> Row:
    """How many rows the engagement's log has, how many were left out, and the first flaws, under `log_rows`
    for its record, and what was read as what under `log_columns`; nothing where there is no log.

    Example: `count_rows({"answers_log": "log.jsonl"})["log_rows"]["left_out"]`
    """
    if not engagement["answers_log"]:
        return {}
    read = load_log(engagement["answers_log"], mapping=engagement.get("map"))[0].attrs
    flaws = sorted(read["flaws"], key=lambda flaw: not flaw.spoils)
    return {
        KEY: {
            "n": read["n_rows"],
            "left_out": read["n_bad"],
            "flaws": len(flaws),
            "first": [list(flaw[:5]) for flaw in flaws[:20]],  # row, column, found, expected, do
        },
        COLUMNS_KEY: [list(row) for row in (("log of answers", read["schema"], ""), *read["mapped"])],
    }


def share_read(record: Mapping) -> dict[str, float]:
    """The share of the log's rows that could be read, under the name that the rating gives it; nothing where
    there is no log."""
    rows = record.get(KEY)
    return {"share of the log's rows that could be read": 1 - rows["left_out"] / rows["n"]} if rows else {}
