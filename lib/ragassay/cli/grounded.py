"""`ragassay grounded`: a database in, cases out; templates by rule, by a file, or by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragassay.cli.options import COUNT, FROM_NONE, PATH, SEED, endpoint_options, replace_option
from ragassay.cli.terminal import say
from ragassay.errors import ParameterError

if TYPE_CHECKING:
    from ragassay.cases.database_questions import Worded
    from ragassay.models.judge import Budget, Judge

DB = "sqlite:///bank.db, postgresql+psycopg://user@host/name, or an SQLite file"
MADE_UP = (
    "write a made-up company there (knowledge.db, documents/) and ask about it; --db gives its schema only"
)
TEMPLATES = "SQL and text templates to use; without it the schema's own are made by rule"
OUT = "where the cases go: .jsonl or .parquet"
SAVED = "write the templates used here, to be edited and given back by --templates"
STYLES = "of the wordings made by rule, parted by commas; all where none is named"
CAP = "combinations of values tried per template"
GROUPS = "queries kept per template; 0 keeps all"


@click.command()
@click.option("--db", "url", default="", metavar="URL", help=DB)
@click.option("--made-up", type=PATH, metavar="FOLDER", help=MADE_UP)
@click.option("--templates", type=PATH, help=TEMPLATES)
@click.option("--out", required=True, type=PATH, help=OUT)
@replace_option
@click.option("--save-templates", "saved", type=PATH, help=SAVED)
@click.option("--styles", default="", help=STYLES)
@click.option("--cap", type=COUNT, default=200, show_default=True, help=CAP)
@click.option("--groups", type=FROM_NONE, default=0, show_default=True, help=GROUPS)
@click.option("--balanced", is_flag=True, help="as many questions for every query")
@click.option("--seed", type=SEED, default=0, show_default=True)
@endpoint_options("that writes the templates", "model")
def grounded(
    url: str,
    made_up: Path | None,
    templates: Path | None,
    out: Path,
    replace: bool,
    saved: Path | None,
    styles: str,
    dry_run: bool,
    **options: Any,
) -> None:
    """Make questions whose answers a database knows; it is only read, never written."""
    from ragassay import output_files
    from ragassay.cases import case_table
    from ragassay.cases.database_questions import STYLES as EVERY
    from ragassay.cases.database_questions import generate, save

    inputs = [templates, options["journal"], *_files_of(url)]
    output_files.check(case_table.check_output_path(out), saved, inputs=inputs, replace=replace)
    wanted = [part.strip() for part in styles.split(",") if part.strip()] or list(EVERY)
    judge = _writer(templates, dry_run, options)
    url = _database(url, made_up, dry_run, options["seed"])
    if judge is not None and dry_run:
        say(f"dry run: nothing was sent to {judge.endpoint}\n{_budget(url, judge, wanted)}")
        return
    given = templates if judge is None else _written(url, judge, wanted)
    found = generate(url, given=given, styles=wanted, **options)
    case_table.write_cases(found.cases, out)
    if saved is not None:
        save(saved, found.templates)
        say(f"templates: {saved}")
    say(f"{found.counts()}.\nwritten: {out}")


def _files_of(url: str) -> list[Path]:
    """The file behind a database's address, where it is one."""
    path = url.removeprefix("sqlite:///").partition("?")[0]
    return [Path(path)] if path and "://" not in path else []


def _database(url: str, folder: Path | None, dry_run: bool, seed: int) -> str:
    """The database to ask: the one named, or that of a company made up in the folder."""
    from ragassay.cases.database_questions import database_schema, fictional_company

    if folder is None and not url:
        raise ParameterError("no database is named", do="name one: --db URL, or --made-up FOLDER")
    if folder is None:
        return url
    if dry_run:
        raise ParameterError("a dry run makes no company up", do="leave out one of --made-up and --dry-run")
    wanted = database_schema.reflect(database_schema.open_database(url)) if url else fictional_company.BANK
    found = fictional_company.make_up_company(folder, wanted, seed=seed)
    say(f"made up: {found.company}, {found.facts:,} facts in {found.documents}; {found.database}")
    return str(found.database)


def _writer(templates: Path | None, dry_run: bool, options: dict[str, Any]) -> Judge | None:
    """The language model that is to write the templates, taken out of the options; None if none is named."""
    from ragassay.models.judge import make_judge

    judge = make_judge(options.pop("judge"), options.pop("judge_model"), journal=options.pop("journal"))
    if judge is None and dry_run:
        raise ParameterError(
            "a dry run says what a language model would take, and none is named",
            do="name one: --judge URL --judge-model NAME",
        )
    if judge is not None and templates is not None:
        raise ParameterError(
            "templates are given and a language model is to write some",
            do="leave out one of --templates and --judge",
        )
    return judge


def _budget(url: str, judge: Judge, styles: Sequence[str]) -> Budget:
    from ragassay.cases.database_questions import database_schema, llm_templates

    engine = database_schema.open_database(url)
    quote = engine.dialect.identifier_preparer.quote
    return llm_templates.budget(
        database_schema.reflect(engine), judge, styles, dialect=engine.dialect.name, quote=quote
    )


def _written(url: str, judge: Judge, styles: Sequence[str]) -> list[Worded]:
    """The templates of a language model; what was refused of them is said."""
    from ragassay.cases.database_questions import database_schema, llm_templates

    engine = database_schema.open_database(url)
    worded, rejected = llm_templates.generate(
        database_schema.reflect(engine), judge, styles, dialect=engine.dialect.name
    )
    say(f"{len(worded)} templates by {judge.model}, {len(rejected)} refused; {judge.spent}")
    for row in rejected.head(10).itertuples():
        say(f"  refused: {row.reason[:100]}  {(row.wording or row.template)[:100]}")
    return worded
