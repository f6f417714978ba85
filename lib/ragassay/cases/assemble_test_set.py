"""The test set: the user's own questions, generated ones, or those of a log, as one table."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ragassay import models, parameter_ranges, provenance, tables
from ragassay.cases import case_table, llm_questions
from ragassay.cases.own_questions import REFERENCES, fill_topics, read_cases
from ragassay.cases.question_filter import in_force
from ragassay.cases.rule_questions import generate
from ragassay.errors import InputError

NOT_STATED = "answerable_not_stated"  # whether the documents hold the answer


@dataclass(frozen=True)
class Collection:
    """What will be asked, what was generated and rejected (with its `reason`), and the references of own
    questions (with the `reason` where one was not found), see `own_questions.read_cases`."""

    cases: pd.DataFrame
    rejected: pd.DataFrame
    references: pd.DataFrame


def write_questions(
    chunks: pd.DataFrame,
    n: int,
    allocation: str = "proportional",
    seed: int = 0,
    *,
    judge: Any = None,
    encode: Callable = models.encode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """At most n cases, by rules or by a language model (`judge`), and what was rejected with its reason; a
    superseded document (`status` of its passages) is no reference. InputError if the model wrote nothing that
    can be kept."""
    if judge is None:
        return generate(chunks, n, seed=seed, allocation=allocation, encode=encode)
    chunks = in_force(chunks)
    found, rejected = llm_questions.generate(chunks, n, judge, seed, allocation=allocation, encode=encode)
    if found.empty:
        raise InputError(
            "the language model wrote no question that can be kept",
            where=f"{judge.model} at {judge.endpoint}",
            found="; ".join([f"{len(rejected):,} rejected", *llm_questions.reasons(rejected, 3)]),
            do="see that the model answers in plain JSON, name another, or none: then rules ask",
        )
    return found, rejected


def draw_grounded(database: str, templates: str, n: int, seed: int = 0) -> pd.DataFrame:
    """About n questions from the user's database (an SQLite file, or a URL), by the user's file of templates
    or, where it is "", by rule; none where `database` is "". Errors as `database_questions.generate`.

    Example: `cases.draw_grounded("bank.sqlite", "", n=50)[["question", "reference_answer"]]`
    """
    parameter_ranges.check("n_grounded", n, "in [0, inf)")
    if not database:
        return pd.DataFrame()
    from ragassay.cases import database_questions  # and a parser of SQL

    file = database.removeprefix("sqlite:///")
    place = file if "://" in file else str(provenance.reads_input(file))
    given = provenance.reads_input(templates) if templates else None
    return database_questions.whole_groups(
        database_questions.generate(place, given=given, seed=seed).cases, n, seed
    )


def collect(
    chunks: pd.DataFrame,
    *,
    logged: pd.DataFrame | None,
    own_questions: str,
    n_generated: int,
    allocation: str,
    seed: int,
    grounded: pd.DataFrame | None = None,
    encode: Callable = models.encode,
    judge: Any = None,
) -> Collection:
    """The cases in a stable order: those of the log alone if there is one, else the user's own and then the
    generated ones.

    Parameters
    ----------
    allocation, judge : of the generated ones, see `write_questions`
    grounded : cases from a database (`draw_grounded`), asked besides

    Raises
    ------
    InputError
        If no question is left to ask, or a language model wrote none that can be kept.

    Example: `collect(chunks, logged=None, own_questions="", n_generated=60, allocation="equal", seed=0)`
    """
    parameter_ranges.check("n_generated", n_generated, "in [0, inf)")
    parameter_ranges.check("allocation", allocation, "one of proportional, equal")
    rejected, references = pd.DataFrame(columns=["reason"]), pd.DataFrame(columns=REFERENCES)
    made: dict[str, pd.DataFrame] = {}
    if logged is not None:
        made[case_table.LOG] = case_table.cases_frame(logged.to_dict("records"), extra=None)
    elif own_questions:
        file = provenance.reads_input(own_questions)
        made[case_table.OWN], references = read_cases(file, chunks, encode=encode)
        if len(references):
            n_found = int((references["reason"] == "").sum())
            counts = {"named": len(references), "found": n_found, "of": "questions"}
            provenance.append({"event": "references", **counts})
    if n_generated and logged is None:
        made[case_table.GENERATED], rejected = write_questions(
            chunks, n_generated, allocation, seed, judge=judge, encode=encode
        )
    if grounded is not None and logged is None:
        made[case_table.DATABASE] = grounded
    given = {case_table.ORIGIN: "origin_given"}  # a column of the user's of that name
    found = [
        fill_topics(table.rename(columns=given).assign(origin=origin), chunks, encode)
        for origin, table in made.items()
        if len(table)
    ]
    if not found:
        raise InputError(
            "there are no questions to ask",
            where="01_test_generation",
            do="set n_generated above 0, or name own_questions",
        )
    return Collection(tables.check("cases", pd.concat(found, ignore_index=True)), rejected, references)


def composition(cases: pd.DataFrame, references: pd.DataFrame) -> pd.DataFrame:
    """How many cases of each origin (the index): n, unanswerable, and the answerable ones by kind of
    question, answerable_not_stated of which nobody said it (unanswerable is missing where of none); of the
    own ones references_named and references_found, where they name any (`Collection`).

    >>> asked = pd.DataFrame({"origin": ["own", "own"], "query_type": "factual", "answerable": [True, False]})
    >>> composition(asked, pd.DataFrame()).to_dict("index")
    {'own': {'n': 2, 'unanswerable': 1, 'factual': 1}}
    """
    asked = cases["query_type"].where(cases["answerable"].astype(bool), "unanswerable")
    asked = asked.mask(cases.reindex(columns=[tables.ASSUMED])[tables.ASSUMED].eq(True), NOT_STATED)
    counts = pd.crosstab(cases["origin"], asked).astype("Int64")
    counts.insert(0, "n", counts.sum(axis=1))
    counts.insert(1, "unanswerable", counts.pop("unanswerable") if "unanswerable" in counts else 0)
    counts.loc[counts.get(NOT_STATED, 0) == counts["n"], "unanswerable"] = pd.NA
    if len(references):
        found = {"references_named": len(references), "references_found": (references["reason"] == "").sum()}
        counts = counts.join(pd.DataFrame(found, index=[case_table.OWN], dtype="Int64"))
    return counts.rename_axis(columns=None)


ASKED = "case_id question answer_type query_type answerable reference_answer kind group_id".split()


def plan(cases: pd.DataFrame, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The plan as a record: number of cases, counts by kind, the settings (seed, numbers, thresholds; JSON
    values) that made them, the hash of cases and settings.

    Example: `run.save("plan", cases.plan(run.cases(), {"seed": 0, "n_generated": 60}))`
    """
    record = {
        "n_cases": len(cases),
        "kinds": {
            str(kind): int(n) for kind, n in sorted(cases["kind"].fillna("logged").value_counts().items())
        },
        "settings": dict(sorted(settings.items())),
        "cases_sha256": cases_sha256(cases),
    }
    return record | {"plan_sha256": _hash(json.dumps(record, sort_keys=True, ensure_ascii=False))}


def cases_sha256(cases: pd.DataFrame) -> str:
    """Hash of what is asked and expected, in the order of case ids;
    columns that later steps add do not count."""
    rows = cases.sort_values("case_id").reindex(columns=ASKED)
    return _hash(rows.astype(object).to_json(orient="values", force_ascii=False))


def plan_deviation(record: Mapping[str, Any], cases: pd.DataFrame) -> str:
    """ "" if the cases are those of the plan and the plan was not edited, else what differs.

    Example: `cases.plan_deviation(run.load("plan"), run.cases())`
    """
    own = {name: value for name, value in record.items() if name != "plan_sha256"}
    if _hash(json.dumps(own, sort_keys=True, ensure_ascii=False)) != record.get("plan_sha256"):
        return "the plan itself was changed after it was made"
    same = cases_sha256(cases) == record["cases_sha256"]
    return "" if same else f"{len(cases)} cases, not the {record['n_cases']} that were planned"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
