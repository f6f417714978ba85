"""`ragassay grounded`: a database in, cases out; templates by rule, by a file, or by a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import PATH, SEED, endpoint_options, replace_option, take_writer
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

DB = "sqlite:///bank.db, postgresql+psycopg://user@host/name, or an SQLite file"
MADE_UP = "write a made-up company there (knowledge.db, documents/) and ask about it"
TEMPLATES = "SQL and text templates to use; without it the schema's own are made by rule"
OUT = "where the cases go: .jsonl or .parquet"
SAVED = "write the templates used here, to be edited and given back by --templates"


@click.command()
@click.option("--db", "url", default="", metavar="URL", help=DB)
@click.option("--made-up", type=PATH, metavar="FOLDER", help=MADE_UP)
@click.option("--templates", type=PATH, help=TEMPLATES)
@click.option("--out", required=True, type=PATH, help=OUT)
@replace_option
@click.option("--save-templates", "saved", type=PATH, help=SAVED)
@click.option("--seed", type=SEED, default=0, show_default=True)
@endpoint_options("that writes the templates", "model")
def grounded(
    url: str,
    made_up: Path | None,
    templates: Path | None,
    out: Path,
    replace: bool,
    saved: Path | None,
    **options: Any,
) -> None:
    """Make questions whose answers a database knows; it is only read, never written."""
    from ragassay import output_files
    from ragassay.cases import case_table
    from ragassay.cases.database_questions import generate, llm_templates
    from ragassay.cases.database_questions.database import open_database
    from ragassay.cases.database_questions.templates import save_templates

    path = url.removeprefix("sqlite:///").partition("?")[0]  # the file behind the address, where it is one
    inputs = [templates, options["journal"], Path(path) if path and "://" not in path else None]
    output_files.check(case_table.check_output_path(out), saved, inputs=inputs, replace=replace)
    judge = take_writer(options)
    if judge is not None and templates is not None:
        what, do = "templates are given and a language model is to write some", "leave out one of the two"
        raise ParameterError(what, found=templates, do=do)
    url = _database(url, made_up, options["seed"])
    given: Any = templates
    if judge is not None:
        engine, schema = open_database(url)
        given, rejected = llm_templates.generate(schema, judge, engine.dialect.name)
        say(f"{len(given)} templates by {judge.model}, {len(rejected)} refused; {judge.spent}")
        for row in rejected.head(10).itertuples():
            say(f"  refused: {row.reason[:100]}  {(row.wording or row.template)[:100]}")
    found = generate(url, given=given, **options)
    case_table.write_cases(found.cases, out)
    if saved is not None:
        save_templates(saved, found.templates)
        say(f"templates: {saved}")
    account, groups = found.account, found.cases["group_id"].nunique()
    say(
        f"{len(account)} SQL templates (M), {(account['kept'] > 0).sum()} of them with an answer; "
        f"{account['text_templates'].sum():,} text templates (M x N); "
        f"{account['tried'].sum():,} of {account['combinations'].sum():,} combinations (Q) tried; "
        f"{groups:,} semantic groups, {len(found.cases):,} questions.\nwritten: {out}"
    )


def _database(url: str, folder: Path | None, seed: int) -> str:
    """The database to ask: the one named, or that of a company made up in the folder."""
    from ragassay.cases.database_questions import fictional_company

    if bool(url) == bool(folder):
        raise ParameterError("one database must be named", do="name one: --db URL, or --made-up FOLDER")
    if folder is None:
        return url
    found = fictional_company.make_company(folder, seed=seed)
    say(f"made up: {found.name}, {found.facts:,} facts in {found.documents}; {found.database}")
    return str(found.database)
