"""The verbs that take files. `questions` from documents, `grounded` from a database, by rule or by a language
model; `score`: scores of answers; `label`: sheets out, labels in, what n labels buy; `calibrate`: calibrated
verdicts; `instruments`: a scorer examined; `diagnose`: which module fails."""

import json
from pathlib import Path
from typing import Any

import click

from ragassay import defaults, output_files
from ragassay.cli.options import (
    COUNT,
    FROM_NONE,
    INNER_SHARE,
    PATH,
    SEED,
    judge_options,
    map_columns,
    map_option,
    model_option,
    read_models,
    read_numbers,
    replace_option,
    say,
    say_line,
    take_judge,
)
from ragassay.errors import InputError, ParameterError

METRICS = "names, name:option, or file.py:name of yours, with commas; default, judge, all that need no judge"
OUT = "the scores: .parquet, .jsonl or .csv; x.ragas.jsonl: answers with scores, for a tool; x.summary.csv"
CLUSTER = "score on a Ray cluster, or local to start one, in N processes (docs/scale.md)"
PRICE = click.FloatRange(0)
PRICES = "what a million tokens sent to the judge, and received, cost"
SCORER = "offline, judge, rules, or the folder of a small judge"
RESULTS = "one row a query: query, group, correct; retrieval_correct, or retrieved and gold"
EVALUATOR = "hold an evaluator against gold: it calls an answer correct from this value of the column"
SIZES = ",".join(map(str, defaults.LABEL_COUNTS))
SHARE: Any = {"type": INNER_SHARE, "show_default": True}


@click.command()
@click.argument("source", metavar="INPUT", required=False, type=PATH)
@click.option("--metrics", default="default", show_default=True, help=METRICS)
@click.option("--out", "outs", multiple=True, type=PATH, help=OUT)
@replace_option
@map_option
@click.option("--schema", default="", help="the tool the input comes from; detected where it is not named")
@click.option("--cases", type=PATH, help="what is known of the cases: reference_answer, answerable, ...")
@model_option
@click.option("--cluster", default="", metavar="HOST:PORT[,N]", help=CLUSTER)
@judge_options("for the metrics that need one")
@click.option("--dry-run", is_flag=True, help="say what calls and tokens the judge would take; send nothing")
@click.option("--prices", type=(PRICE, PRICE), default=(0, 0), metavar="IN OUT", help=PRICES)
@click.option("--list", "listing", is_flag=True, help="show every metric and what it needs")
def score(source: Path | None, outs: tuple[Path, ...], dry_run: bool, listing: bool, **options: Any) -> None:
    """Score the answers in INPUT (jsonl, csv, tsv, parquet, json, xlsx), with our column names or those of
    another tool."""
    from ragassay.answers.answer_batches import mapping_lines, open_answers, read_case_facts
    from ragassay.api import Cluster, score_files, scoring
    from ragassay.scores import METRICS, metric_registry
    from ragassay.scores.score import dry_run as estimate

    if listing:
        say(metric_registry.card_text().strip())
        return
    if source is None:
        raise click.UsageError("Missing argument 'INPUT'.")
    named, cluster, prices = (options.pop(name) for name in ("named", "cluster", "prices"))
    judge = take_judge(options, dry_run, price_in=prices[0], price_out=prices[1])
    names = scoring.metric_names(options["metrics"])
    if judge and not any("judge" in METRICS[name].models for name in names):
        raise ParameterError("none of the metrics needs a judge", found=options["metrics"])
    how = {"schema": options.pop("schema"), "mapping": options.pop("mapping")}
    if judge and dry_run:  # calls, tokens and, where prices are given, money; nothing is sent
        known = read_case_facts(options["cases"]) if options["cases"] else None
        budget = estimate(open_answers(source, **how), names, judge, known)
        cost = f"{budget.cost(*prices):,.4f} at {prices[0]:g} per million sent, {prices[1]:g} received"
        say(
            f"dry run: nothing was sent to {judge.endpoint}, model {judge.model}\n{budget}",
            f"cost: at most {cost}" if any(prices) else "cost: not known; give --prices",
        )
        return
    out, of_tools = score_files.sort_outputs(outs)
    output_files.check(*of_tools.values(), out, inputs=[source], replace=options["replace"])
    models, (address, _, workers) = read_models(named), cluster.partition(",")
    if workers and not workers.isdecimal():
        raise ParameterError("--cluster cannot be read", found=cluster, expected="HOST:PORT,64, or local")
    if cluster:
        options["cluster"] = Cluster("" if address == "local" else address, int(workers or 0))
    options |= {"model": models.pop("encoder", ""), "out": out, **models, **how}
    scores = scoring.score(source, progress=True, instruments={"judge": judge}, **options)
    say(*(line[:200] for line in mapping_lines(scores.mapped)), *scores.problems(), err=True)
    say(
        repr(scores),
        *([f"judge {judge.model} at {judge.endpoint}: {judge.spent}"] if judge else []),
        f"written: {out}" if out else "nothing written: name a file with --out to keep the scores",
    )
    score_files.write_tool_files(source, scores, of_tools, **how)
    say(*(f"written: {path}" for path in of_tools.values()))


@click.command()
@click.argument("suite", required=False, type=PATH)
@click.option("--scorer", default="offline", show_default=True, help=SCORER)
@click.option("--against", default="", metavar="SCORER", help="another, whose marks are compared")
@click.option("--verbosity", "length", is_flag=True, help="score ten pairs of a short and a long answer too")
@click.option("--json", "as_json", is_flag=True, help="pass rates as JSON, beside those of rules alone")
@model_option
@judge_options("for the scorer `judge`")
def instruments(suite: Path | None, scorer: str, against: str, **options: Any) -> None:
    """Examine a scorer or judge on unit tests in GroUSE's format: SUITE, or the bundled 144 tests on banking
    questions."""
    from ragassay.api import examining
    from ragassay.examination.instruments import further_tables
    from ragassay.models import load_instrument

    judge = take_judge(options)
    if judge and "judge" not in (scorer, against):
        raise ParameterError("a judge is named, and the scorer is none", do="--scorer judge, or leave it out")
    with load_instrument.use_models(**read_models(options["named"])):
        found = examining.examine(suite, scorer, judge=judge)
        other = examining.find_scorer(against, judge) if against else None
        own = judge if scorer == "judge" else None
        tables = further_tables(found.tests, found, judge=own, against=other, length=options["length"])
    if options["as_json"]:  # what is undefined is null
        records = {name: json.loads(table.to_json(orient="records")) for name, table in tables.items()}
        say(json.dumps(json.loads(found.to_json()) | records, indent=2, ensure_ascii=False))
        return
    say(repr(found))
    for name, table in tables.items():
        say(f"\n{name}\n{table.to_string(index=False, na_rep='', float_format='%.3f')}")


@click.command()
@click.option("--results", required=True, type=PATH, help=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="the diagnosis as JSON")
@click.option("--cluster", default="", metavar="COLUMN", help="contrast the two linguistic clusters it names")
@click.option("--evaluator", "evaluators", multiple=True, metavar="COLUMN=VALUE", help=EVALUATOR)
@click.option("--closed-domain", is_flag=True, help="an answer whose retrieval failed counts as incorrect")
@click.option("--seed", type=SEED, default=0, show_default=True, help="of resampling")
def diagnose(results: Path, as_json: bool, evaluators: tuple[str, ...], **options: Any) -> None:
    """Tell gaps of knowledge from want of robustness, and which module fails, by groups of queries that ask
    the same (GRAMMAR)."""
    from ragassay import api

    found = api.diagnose(results, evaluators=read_numbers(evaluators, "--evaluator"), **options)
    say(found.to_json() if as_json else repr(found))


@click.command()
@click.option("--documents", "source", required=True, type=PATH, help="folder of txt, md, html, pdf or docx")
@click.option("--out", required=True, type=PATH, help="where the cases go: a .jsonl")
@replace_option
@click.option("--n", type=COUNT, default=defaults.N_GENERATED, show_default=True, help="questions wanted")
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
    for row in left_out.head(20).itertuples():
        say_line(f"  left out: {row.path}: {row.reason}"[:200])
    if chunks.empty:
        raise InputError("the documents hold no text", where=source, found=counts)
    topics = cases.build_topics(chunks, seed=seed)
    found, rejected = cases.write_questions(topics.chunks, n, seed=seed, judge=judge)
    if judge is not None:
        say(
            f"Written by the language model {judge.model}: {len(found):,} questions kept. {judge.spent}",
            *(f"  rejected: {line[:120]}" for line in llm_questions.reasons(rejected)),
        )
    if found.empty:
        why = rejected["reason"].value_counts().to_dict() or "no sentence that a rule can ask about"
        raise InputError("no question can be made of these documents", where=source, found=why)
    case_table.write_cases(found, out)
    covered = cases.adequacy(found, topics.table)
    covered = covered[["topic", "label", "n_chunks", "n_cases", "uncovered"]]
    counts = f"{len(found):,} of {n:,} questions asked for, {len(rejected):,} rejected"
    silent = int((~found["answerable"]).sum())
    say(
        f"{len(topics.table)} topics\n{covered.to_string(index=False)}",
        f"{counts}; {silent:,} have no answer in the documents\nwritten: {out}",
    )


@click.command()
@click.option("--db", "url", default="", metavar="URL", help="an SQLite file, or a URL: postgresql://host/db")
@click.option("--made-up", type=PATH, metavar="FOLDER", help="make up a company there, and ask about it")
@click.option("--templates", type=PATH, help="SQL and text templates; without it they are made by rule")
@click.option("--out", required=True, type=PATH, help="where the cases go: a .jsonl")
@replace_option
@click.option("--save-templates", "saved", type=PATH, help="write the templates used, for --templates")
@click.option("--seed", type=SEED, default=0, show_default=True)
@judge_options("that writes the templates")
def grounded(
    url: str, made_up: Path | None, templates: Path | None, out: Path, saved: Path | None, **named: Any
) -> None:
    """Make questions whose answers a database knows; it is only read, never written."""
    from ragassay.cases import case_table
    from ragassay.cases.database_questions import generate, make_company, template_writers
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
        name, facts = make_company(made_up, seed=seed)
        url = str(made_up / "knowledge.db")
        say(f"made up: {name}, {facts:,} facts in {made_up / 'documents'}; {url}")
    given: Any = templates
    if judge is not None:
        engine, schema = open_database(url)
        given, rejected = template_writers.ask_for_templates(schema, judge, engine.dialect.name)
        say(f"{len(given)} templates by {judge.model}, {len(rejected)} refused; {judge.spent}")
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


@click.group()
def label() -> None:
    """Have answers labelled by people: sheets out, labels in, and how many are needed."""


@label.command()
@click.option("--run", required=True, type=PATH, help="run folder that holds the answers")
@click.option("--out", required=True, type=PATH, help="the sheet: .csv, .xlsx, or .json for Label Studio")
@click.option("--n", type=COUNT, default=defaults.N_LABELLED, show_default=True, help="answers to label")
@click.option("--dimensions", "asked", default=defaults.DIMENSIONS, show_default=True, help="what is judged")
@click.option(
    "--origin", default="", metavar="NAME[,NAME]", help="of the questions: own, log; all if not given"
)
@click.option("--raters", "--rater", "who", default="1", help="names parted by commas, or how many")
@click.option("--overlap", type=FROM_NONE, help="answers that a pair of raters judges; 50 for several raters")
@click.option("--guide", "guide_file", metavar="FILE", help="labelling guide of your own, in place of ours")
@replace_option
def export(run: Path, out: Path, who: str, **options: Any) -> None:
    """Write sheets blinded to system and score, in random order, one row per answer; the answers are drawn at
    random within each origin and topic of the questions."""
    from ragassay.calibration.calibrators import FEWEST_LABELS
    from ragassay.labels import sheets
    from ragassay.scores.display_names import level_name

    found = sheets.export_sheets(run, out, raters=sheets.rater_names(who), **options)
    say("answers to label, drawn at random within origin and topic:")
    for origin in found.origins.itertuples():
        is_few = origin.drawn < min(FEWEST_LABELS, origin.answers)
        few = f", too few to speak for them: {FEWEST_LABELS} needed" * is_few
        say(f"  {level_name('origin', origin.origin)}: {origin.drawn:,} of {origin.answers:,}{few}")
    if len(found.paths) > 1:
        say(f"{len(found.paths)} raters, {found.shared:,} answers judged by two of them")
    words = ["ragassay label import", *map(str, found.paths.values()), f"--run {run} --out labels.csv"]
    say(
        *(f"  {path}" for path in found.paths.values()),
        f"next: label, then `{' '.join(words)}{'' if all(found.paths) else ' --rater NAME'}`",
    )


@label.command("import")
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--run", required=True, type=PATH, help="run folder the sheets were made from")
@click.option("--out", required=True, type=PATH, help="CSV of labels, as notebook 04 reads it")
@click.option("--rater", default="", metavar="NAME", help="who judged, where a sheet does not say")
@click.option("--keep-good", is_flag=True, help="leave wrong cells out instead of stopping")
@replace_option
def import_(files: tuple[Path, ...], run: Path, out: Path, **options: Any) -> None:
    """Check every cell of the sheets that came back (CSV, Excel, Label Studio) and write their labels."""
    from ragassay.labels import sheets

    found = sheets.import_sheets(files, run, out, **options)
    say(*(f"left out: {flaw}" for flaw in found.flaws))
    labels, by = found.labels, found.labels.groupby("dimension").size()
    counts = ", ".join(f"{dimension} {n}" for dimension, n in by.items())
    answers, who = len(labels[["case_id", "system"]].drop_duplicates()), labels["rater"].nunique()
    say(f"{len(labels):,} labels ({counts}) of {answers} answers by {who} raters")
    if found.empty:
        say(f"{found.empty:,} cells empty: not labelled")
    say(f"written: {out}", f"next: `labels: {out}` under 02_functionality in the parameters")


@label.command()
@click.option("--n", "sizes", default=SIZES, show_default=True, help="numbers of labels, parted by commas")
@click.option("--accepted", default=defaults.ACCEPTED, help="share of answers that people accept", **SHARE)
@click.option("--sensitivity", default=defaults.SENSITIVITY, help="share of these it accepts too", **SHARE)
@click.option("--specificity", default=defaults.SPECIFICITY, help="share of others it rejects", **SHARE)
@click.option("--alpha", default=defaults.ALPHA, help="error rate allowed to the prediction sets", **SHARE)
@click.option("--answers", type=COUNT, default=defaults.N_JUDGED, show_default=True, help="judged in all")
def plan(sizes: str, **expected: Any) -> None:
    """Say what n labels buy: widths of intervals, coverage of prediction sets."""
    from ragassay.calibration import inference

    counts = [part.strip() for part in sizes.split(",") if part.strip()]
    if not all(part.isdecimal() for part in counts):
        raise ParameterError("numbers of labels must be whole", found=sizes, expected="such as 50,100,200")
    table = inference.plan(list(map(int, counts)), **expected)
    say(
        f"expected: {', '.join(f'{name} {value:g}' for name, value in expected.items())}",
        "half widths of 95 % intervals; sets: half of the labels set the threshold",
        table.to_string(index=False, float_format="{:.3f}".format, na_rep="-"),
    )


@click.command()
@click.option("--scores", required=True, type=PATH, help="what `score --out` wrote, or a log with scores")
@click.option("--labels", required=True, type=PATH, help="case_id, dimension, rater, label, scale; or a log")
@map_columns("--map", "mapping", "which column of the scores is which of ours: score:NAME=COLUMN")
@map_columns("--map-labels", "label_mapping", "the same of the labels: label:DIMENSION=COLUMN, rater=COLUMN")
@click.option("--metric", required=True, metavar="NAME", help="the score to be calibrated")
@click.option("--dimension", required=True, metavar="NAME", help="the judgement it is calibrated to")
@click.option(
    "--alpha", type=INNER_SHARE, default=defaults.ALPHA, show_default=True, help="error rate allowed"
)
@click.option("--accept-from", type=float, help="lowest label that accepts: top of 0-1, else the upper third")
@click.option("--seed", type=SEED, default=0, show_default=True, help="of the split of the labels")
@click.option("--out", required=True, type=PATH, help="folder for model, verdicts, tables, figures")
@replace_option
def calibrate(scores: Path, labels: Path, out: Path, replace: bool, **options: Any) -> None:
    """Turn a score into the probability that people accept, and into accept, reject or review at a stated
    error rate."""
    from ragassay.api import calibrating

    output_files.check(*(out / name for name in calibrating.FILES), inputs=[scores, labels], replace=replace)
    maps = {"scores": options.pop("mapping"), "labels": options.pop("label_mapping")}
    found = calibrating.calibrate(scores, labels, mapping=maps, **options)
    say(repr(found), *(f"  {path}" for path in calibrating.write_calibration(found, out, replace=replace)))
