"""`ragassay grounded`, in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragassay.cases import export
from ragassay.cases.grounded import STYLES, Grounded, Worded, by_model, database, generate, save, schema
from ragassay.errors import ParameterError
from ragassay.models.judge import Budget, Judge, named


def grounded(
    out: Path,
    say: Callable[[str], None],
    *,
    templates: Path | None,
    save_templates: Path | None,
    styles: str,
    model: "Model",
    **options: Any,
) -> None:
    """Write the cases of a database and say what came of it; a dry run only says what the language model would take."""
    export.checked(out)
    wanted = [part.strip() for part in styles.split(",") if part.strip()] or list(STYLES)
    judge = named(model.judge, model.judge_model, journal=model.journal)
    if judge is None and model.dry_run:
        raise ParameterError(
            "a dry run says what a language model would take, and none is named",
            do="name one: --judge URL --judge-model NAME",
        )
    if judge is not None and templates is not None:
        raise ParameterError(
            "templates are given and a language model is to write some",
            do="leave out one of --templates and --judge",
        )
    if judge is not None and model.dry_run:
        say(f"dry run: nothing was sent to {judge.endpoint}\n{_budget(options['url'], judge, wanted)}")
        return
    written = None if judge is None else _written(options["url"], judge, wanted, say)
    found = generate(given=templates if written is None else written, styles=wanted, **options)
    export.write(found.cases, out)
    if save_templates is not None:
        save(save_templates, found.templates)
        say(f"templates: {save_templates}")
    say("\n".join([found.counts() + ".", *_losses(found), f"written: {out}"]))


@dataclass(frozen=True)
class Model:
    """What the options say about a language model that writes the templates."""

    judge: str = ""
    judge_model: str = ""
    journal: Path | None = None
    dry_run: bool = False


def _budget(url: str, judge: Judge, styles: Sequence[str]) -> Budget:
    engine = database.opened(url)
    quote = engine.dialect.identifier_preparer.quote
    return by_model.budget(schema.reflect(engine), judge, styles, dialect=engine.dialect.name, quote=quote)


def _written(url: str, judge: Judge, styles: Sequence[str], say: Callable[[str], None]) -> list[Worded]:
    """The templates of a language model, and what was refused of them in words."""
    engine = database.opened(url)
    worded, rejected = by_model.generate(schema.reflect(engine), judge, styles, dialect=engine.dialect.name)
    say(f"{len(worded)} templates by {judge.model}, {len(rejected)} refused; {judge.spent}")
    for row in rejected.head(10).itertuples():
        say(_plain(f"  refused: {row.reason[:100]}  {(row.wording or row.template)[:100]}"))
    return worded


def _plain(text: str) -> str:
    """What a terminal may show: a model's words without the signs that would move its cursor."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _losses(found: Grounded) -> list[str]:
    """What was dropped and noted, a line per template that has something to say, ten at most."""
    told = found.account[(found.account["dropped"] != "") | (found.account["notes"] != "")]
    lines = [
        f"  {row.kept:>5,} of {row.tried:,}  {row.template[:110]}  ({_why(row.dropped, row.notes)})"
        for row in told.itertuples()
    ]
    return [*lines[:10], *([f"  and {len(lines) - 10} more templates"] if len(lines) > 10 else [])]


def _why(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))
