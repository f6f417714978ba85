"""Questions whose answers a database knows, in semantic groups (GRAMMAR sections 3.1-3.2, appendices A-G).

database_schema     what the database says of itself, and a connection that can only read
sql_template        SQL templates, examined
template_files      made by rule from the schema alone, with wordings by style, or read from a file
llm_templates       the same by a language model
template_filling    values, queries, answers
fictional_company   a company that no model knows: rows and documents
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from ragassay import parameter_ranges, provenance
from ragassay.cases import case_table
from ragassay.cases.database_questions import (
    database_schema,
    llm_templates,
    sql_template,
    template_files,
    template_filling,
)
from ragassay.cases.database_questions.template_files import STYLES, Worded, load, save
from ragassay.cases.database_questions.template_filling import Account, Instance
from ragassay.errors import InputError, ParameterError

CAP = 200  # combinations of values tried per template
EXTRA = ("style", "sql", "template")
ACCOUNT = ("template", "text_templates", "combinations", "tried", "kept", "dropped", "queries", "notes")

__all__ = [
    "STYLES",
    "Grounded",
    "Worded",
    "database_schema",
    "draw",
    "generate",
    "llm_templates",
    "load",
    "save",
    "sql_template",
    "template_files",
    "template_filling",
    "whole_groups",
]


@dataclass(frozen=True)
class Grounded:
    """What came of a database.

    cases : rows of the cases table, kind "grounded", with style, sql and template (its number) besides
    account : a row per template: text templates, combinations of values, how many were tried, kept and
        dropped and why, text queries
    templates : what was used, to be saved, edited and loaded
    """

    cases: pd.DataFrame
    account: pd.DataFrame
    templates: list[Worded]

    def counts(self) -> str:
        """M SQL templates x N text templates x Q combinations, and what they came to (GRAMMAR C)."""
        used = self.account[self.account["kept"] > 0]
        dropped = self.account["tried"].sum() - self.account["kept"].sum()
        sums = self.account[["text_templates", "tried", "combinations"]].sum()
        parts = [
            f"{len(self.account)} SQL templates (M), {len(used)} of them with an answer",
            f"{sums['text_templates']:,} text templates (M x N)",
            f"{sums['tried']:,} of {sums['combinations']:,} combinations (Q) tried, {dropped:,} dropped",
            f"{self.cases['group_id'].nunique():,} semantic groups, {len(self.cases):,} questions",
        ]
        return "; ".join(parts)


def generate(
    url: str,
    *,
    given: Path | Sequence[Worded] | None = None,
    styles: Sequence[str] = tuple(STYLES),
    cap: int = CAP,
    groups: int = 0,
    balanced: bool = False,
    seconds: float = database_schema.SECONDS,
    seed: int = 0,
) -> Grounded:
    """Questions and answers from a database that is only read.

    Parameters
    ----------
    url : as SQLAlchemy names databases, or the path of an SQLite file
    given : file of templates, or templates (those of `llm_templates.generate`); without it the schema's own
        are made by rule
    cap : combinations of values tried per template, drawn by seed where there are more
    groups : semantic groups kept per template, drawn by seed; 0 keeps all
    balanced : as many questions in every group, of the same styles: those of the smallest, so that no query
        weighs more than another
    seconds : a query may take

    Raises
    ------
    ParameterError
        If a number is out of range, a style unknown, or the database's driver missing.
    InputError
        If database or templates cannot be read, or nothing in it has exactly one answer.
    """
    if cap < 1 or groups < 0 or not seconds > 0:
        raise ParameterError(
            "cap must be 1 or more, groups 0 or more, seconds above 0", found=(cap, groups, seconds)
        )
    unknown = next((style for style in styles if style not in STYLES), None)
    if unknown:
        raise ParameterError(f"style {unknown!r} is unknown", expected=", ".join(STYLES))
    engine = database_schema.open_database(url, seconds)
    used = _templates(engine, given, styles)
    found: list[tuple[int, Instance]] = []
    accounts: list[Account] = []
    with database_schema.reading(engine) as connection:
        for number, worded in enumerate(used, start=1):
            instances, account = template_filling.instances(
                connection, worded, cap, random.Random(f"{seed}/{worded.sql.text}")
            )
            found += [(number, one) for one in _few(instances, groups, seed)]
            accounts.append(account)
    cases = _cases(found, balanced)
    if cases.empty:
        raise InputError(
            "no query has exactly one answer and a wording",
            where=url.rsplit("@", 1)[-1],
            found=_dropped(accounts),
        )
    return Grounded(cases, _accounts(accounts), used)


def _templates(engine, given: Path | Sequence[Worded] | None, styles: Sequence[str]) -> list[Worded]:
    known, dialect = database_schema.reflect(engine), engine.dialect.name
    if given is not None and not isinstance(given, Path):
        return list(given)
    if given is not None:
        return load(given, known, dialect, styles)
    made = template_files.templates_by_rule(known, styles, dialect, engine.dialect.identifier_preparer.quote)
    if not made:
        raise InputError(
            "rules make no template of this schema",
            found=f"{len(known.tables)} tables",
            expected="columns that mean something to people",
        )
    return made


def draw(database: str, templates: str, n: int, seed: int = 0) -> Grounded:
    """About n questions from the user's database (an SQLite file, or a URL), by the user's file of templates
    or, where it is "", by rule; none where `database` is "".

    Raises
    ------
    As `generate`.
    """
    if not database:
        return Grounded(pd.DataFrame(), pd.DataFrame(columns=list(ACCOUNT)), [])
    file = database.removeprefix("sqlite:///")
    place = file if "://" in file else str(provenance.reads_input(file))
    made = generate(place, given=provenance.reads_input(templates) if templates else None, seed=seed)
    return replace(made, cases=whole_groups(made.cases, n, seed))


def whole_groups(cases: pd.DataFrame, n: int, seed: int = 0) -> pd.DataFrame:
    """About n of the cases: whole semantic groups, drawn by seed, as long as they fit;
    one at least, unless n is below 1."""
    parameter_ranges.check("n_grounded", n, "in [0, inf)")
    if n < 1:
        return cases.head(0)
    sizes = cases["group_id"].value_counts(sort=False)
    drawn = random.Random(seed).sample(sizes.index.tolist(), len(sizes))
    kept, count = drawn[:1], sizes[drawn[0]]
    for group in drawn[1:]:
        if count + sizes[group] <= n:
            kept.append(group)
            count += sizes[group]
    return cases[cases["group_id"].isin(kept)].reset_index(drop=True)


def _few(instances: list[Instance], groups: int, seed: int) -> list[Instance]:
    if not groups or len(instances) <= groups:
        return instances
    chosen = set(random.Random(seed).sample([one.group for one in instances], groups))
    return [one for one in instances if one.group in chosen]


def _cases(found: Iterable[tuple[int, Instance]], balanced: bool) -> pd.DataFrame:
    """One row per question, equal queries of several templates once."""
    groups: dict[str, tuple[int, Instance]] = {}
    for number, one in found:
        groups.setdefault(one.group, (number, one))
    least = _least([one for _, one in groups.values()]) if balanced else None
    made = [row for number, one in groups.values() for row in _rows(number, one, least)]
    return case_table.cases_frame(made, extra=EXTRA)


def _least(instances: Sequence[Instance]) -> dict[str, int]:
    """Questions of each style that every group has."""
    styles = {style for one in instances for style in one.questions}
    return {style: min(len(one.questions.get(style, ())) for one in instances) for style in styles}


def _rows(number: int, one: Instance, least: dict[str, int] | None) -> Iterable[dict]:
    asked = [
        (style, text)
        for style, all_of in one.questions.items()
        for text in (all_of if least is None else all_of[: least[style]])
    ]
    for place, (style, text) in enumerate(asked, start=1):
        yield {
            "case_id": f"{one.group}-{place:02d}",
            "question": text,
            "answer_type": "short_fact",
            "query_type": "multi_hop" if len(one.template.tables) > 1 else "factual",
            "topic": None,
            "reference_answer": one.answer,
            "group_id": one.group,
            "kind": "grounded",
            "segment": " and ".join(one.template.tables),
            "style": style,
            "sql": one.template.text,
            "template": number,
        }


def _accounts(accounts: Sequence[Account]) -> pd.DataFrame:
    return pd.DataFrame([_account(one) for one in accounts], columns=list(ACCOUNT))


def _account(one: Account) -> dict:
    dropped = "; ".join(f"{reason}: {count:,}" for reason, count in sorted(one.dropped.items()))
    kept = {
        "tried": one.tried,
        "kept": one.kept,
        "dropped": dropped,
        "queries": one.kept * one.wordings,
        "notes": "; ".join(one.notes),
    }
    return {
        "template": one.template.text,
        "text_templates": one.wordings,
        "combinations": one.combinations,
    } | kept


def _dropped(accounts: Sequence[Account]) -> str:
    reasons = sorted({reason for one in accounts for reason in [*one.dropped, *one.notes]})
    return f"{len(accounts)} templates; " + ("; ".join(reasons[:5]) or "no wording for any of them")
