"""`ragassay questions`: cases from documents; `grounded`: from a database; by rule or by a language model."""

from pathlib import Path
from typing import Any

import click

from ragassay import output_files
from ragassay.cli.options import COUNT, PATH, SEED, judge_options, replace_option, say, say_line, take_judge
from ragassay.defaults import N_GENERATED
from ragassay.errors import InputError, ParameterError

MOST_NAMED = 20  # files left out that are named
TOPIC = "  {topic:<14.14} {label:<40.40} {n_chunks:>6,} passages {n_cases:>5,} questions of {kinds} kinds"


@click.command()
@click.option("--documents", "source", required=True, type=PATH, help="folder of txt, md, html, pdf or docx")
@click.option("--out", required=True, type=PATH, help="where the cases go: .jsonl or .parquet")
@replace_option
@click.option("--n", type=COUNT, default=N_GENERATED, show_default=True, help="questions wanted")
@click.option("--seed", type=SEED, default=0, show_default=True)
@judge_options("that writes the questions in place of the rules")
def questions(source: Path, out: Path, replace: bool, n: int, seed: int, **named: Any) -> None:
    """Make questions from documents, over every topic of them: by rule, or by a language model if one is
    named."""
    from ragassay import cases, documents
    from ragassay.cases import case_table, llm_questions

    output_files.check(case_table.check_output_path(out), inputs=[source, named["journal"]], replace=replace)
    judge = take_judge(named, seed=seed)
    read, left_out = documents.load(source)
    chunks = documents.chunk(read)
    counts = f"{len(read)} documents, {len(left_out)} left out, {len(chunks):,} passages"
    say(counts)
    for row in left_out.head(MOST_NAMED).itertuples():
        say_line(f"  left out: {row.path}: {row.reason}"[:200])
    if chunks.empty:
        raise InputError("the documents hold no text", where=source, found=counts)
    topics = cases.build_topics(chunks, seed=seed)
    found, rejected = cases.write_questions(topics.chunks, n, seed=seed, judge=judge)
    if judge is not None:
        say(f"Written by the language model {judge.model}: {len(found):,} questions kept. {judge.spent}")
        for line in llm_questions.reasons(rejected):
            say(f"  rejected: {line[:120]}")
    if found.empty:
        raise InputError(
            "no question can be made of these documents",
            where=source,
            found=rejected["reason"].value_counts().to_dict() or "no sentence that a rule can ask about",
        )
    case_table.write_cases(found, out)
    say(topics.note)
    kinds = found[found["answerable"]].groupby("topic")["query_type"].nunique()
    for row in cases.adequacy(found, topics.table).to_dict("records"):
        say(TOPIC.format(kinds=kinds.get(row["topic"], 0), **row) + "  NOT COVERED" * bool(row["uncovered"]))
    spoken = [set(each.get("language", ())) for each in (topics.chunks, found)]
    if unasked := {language for language in spoken[0] - spoken[1] if isinstance(language, str)}:
        few = " (rules for other languages than English are few)" if judge is None else ""
        say(f"  no question in: {', '.join(sorted(unasked))}{few}")
    silent = int((~found["answerable"]).sum())
    fewer = f" (of {n:,} asked for: the passages hold no more good ones)" if len(found) < n else ""
    say(f"{len(found):,} questions{fewer}, {silent:,} of them without an answer in the documents")
    say(f"{len(rejected):,} rejected\nwritten: {out}")


@click.command()
@click.option("--db", "url", default="", metavar="URL", help="an SQLite file, or a URL: postgresql://host/db")
@click.option("--made-up", type=PATH, metavar="FOLDER", help="make up a company there, and ask about it")
@click.option("--templates", type=PATH, help="SQL and text templates; without it they are made by rule")
@click.option("--out", required=True, type=PATH, help="where the cases go: .jsonl or .parquet")
@replace_option
@click.option("--save-templates", "saved", type=PATH, help="write the templates used, for --templates")
@click.option("--seed", type=SEED, default=0, show_default=True)
@judge_options("that writes the templates")
def grounded(
    url: str, made_up: Path | None, templates: Path | None, out: Path, saved: Path | None, **named: Any
) -> None:
    """Make questions whose answers a database knows; it is only read, never written."""
    from ragassay.cases import case_table
    from ragassay.cases.database_questions import fictional_company, generate, template_writers
    from ragassay.cases.database_questions.database import open_database, save_templates

    path = url.removeprefix("sqlite:///").partition("?")[0]  # the file behind the address, where it is one
    inputs = [templates, named["journal"], Path(path) if path and "://" not in path else None]
    output_files.check(case_table.check_output_path(out), saved, inputs=inputs, replace=named["replace"])
    judge, seed = take_judge(named), named["seed"]
    if judge is not None and templates is not None:
        raise ParameterError("templates are given and a judge is to write some", do="leave out one")
    if bool(url) == bool(made_up):
        raise ParameterError("one database must be named", do="name one: --db URL, or --made-up FOLDER")
    if made_up is not None:
        company = fictional_company.make_company(made_up, seed=seed)
        say(f"made up: {company.name}, {company.facts:,} facts in {company.documents}; {company.database}")
        url = str(company.database)
    given: Any = templates
    if judge is not None:
        engine, schema = open_database(url)
        given, rejected = template_writers.ask_for_templates(schema, judge, engine.dialect.name)
        say(f"{len(given)} templates by {judge.model}, {len(rejected)} refused; {judge.spent}")
        for row in rejected.head(10).itertuples():
            say(f"  refused: {row.reason[:100]}  {(row.wording or row.template)[:100]}")
    found = generate(url, given=given, seed=seed)
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
