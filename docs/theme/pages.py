"""What the site adds to its pages: methods with their formulas, metrics with their cards, from the rows that
the report's annex and `ragassay score --list` are made of. So they are written once.

In a page stands `<!-- family: NAME, NAME -->` (families of metrics), `<!-- method: NAME -->` (a row of
report/methods.csv), `<!-- metrics -->` (the list of all), or a block of kind math (TeX).
"""

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

from ragassay.report.document_control import methods
from ragassay.report.printed_text import mathml
from ragassay.scores import metric_registry
from ragassay.scores.display_names import in_words
from ragassay.scores.metric import Method
from ragassay.scores.metric_registry import FAMILIES, METHODS, METRICS

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"^<!-- (family|method|metrics)(?:: (.+))? -->$", re.MULTILINE)
MATHS = re.compile(r"^```math\n(.+?)\n```$", re.MULTILINE | re.DOTALL)
OF_REPORT = re.compile(r"\[(\w+)\]\(#([\w-]+)\)")  # a link to a chapter of the report
PICTURES = "reports"  # beside docs/ in the tree, inside it on the site
CARDS = metric_registry.card_table().set_index("name")
SHOWN = ("meaning", "formula", "range", "direction", "needs", "models", "source", "cost", "if_missing")


def on_config(config: Any) -> Any:
    """Entries of the navigation whose page is not there are left out."""
    config.nav = [_existing(each, Path(config.docs_dir)) for each in config.nav]
    return config


def on_files(files: Any, config: Any) -> Any:
    """The pictures that scripts made, which lie outside docs/."""
    for picture in (ROOT / PICTURES).glob("*.png"):
        files.append(File.generated(config, f"{PICTURES}/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page with what its marks stand for."""
    text = markdown.replace(f"](../{PICTURES}/", f"]({PICTURES}/")
    text = MATHS.sub(lambda found: _formula(found[1]), text)
    return MARK.sub(lambda found: WRITERS[found[1]](found[2] or ""), text)


def families(names: str) -> str:
    """Methods and metrics of these families, a method that they share once."""
    chosen = [name.strip() for name in names.split(",")]
    told = [method for method in METHODS if {*chosen} & {*method.families.split()}]
    rows = (_card(metric.name) for name in chosen for metric in FAMILIES[name])
    return "\n\n".join([*map(_method, told), "### Metrics", *rows])


def method(name: str) -> str:
    """A method by its name."""
    [found] = [each for each in methods() if each.name == name]
    return _method(found)


def every_metric(_: str = "") -> str:
    """A table of all metrics, each with a link to its card."""
    rows = [f"| {_link(str(name))} | {row.range} | {row.direction} |" for name, row in CARDS.iterrows()]
    return "\n".join(["| metric | in words | range | |", "|---|---|---|---|", *rows])


def page_of(family: str) -> str:
    """The page of docs/methods that holds a family.

    Raises
    ------
    StopIteration
        If none does.
    """
    pages = sorted((ROOT / "docs" / "methods").glob("*.md"))
    return next(page.name for page in pages if family in marked(page, "family"))


def marked(page: Path, kind: str) -> list[str]:
    """The names in a page's marks of this kind."""
    found = MARK.findall(page.read_text(encoding="utf-8"))
    return [name.strip() for what, names in found if what == kind for name in names.split(",")]


WRITERS = {"family": families, "method": method, "metrics": every_metric}


def _link(metric: str) -> str:
    return f"[`{metric}`]({page_of(METRICS[metric].family)}#{metric}) | {in_words(metric)}"


def _existing(entry: Any, docs: Path) -> Any:
    """An entry of the navigation without the pages that are not there."""
    if isinstance(entry, dict):
        return {title: _existing(inside, docs) for title, inside in entry.items()}
    if isinstance(entry, list):
        return [_existing(each, docs) for each in entry if _has_page(each, docs)]
    return entry


def _has_page(entry: Any, docs: Path) -> bool:
    place = next(iter(entry.values())) if isinstance(entry, dict) else entry
    return not isinstance(place, str) or (docs / place).is_file()


def _formula(tex: str) -> str:
    return f'<div class="formula">{mathml(tex, True)}</div>'


def _method(told: Method) -> str:
    parts = {"Source": told.source, "Departure": told.departure, "Limits": told.limits}
    lines = [f"### {told.name}", _formula(told.tex) if told.tex else "", _paragraph(told.meaning)]
    lines += [_paragraph(text, f"<strong>{title}.</strong> ") for title, text in parts.items() if text]
    return "\n\n".join(filter(None, lines))


def _paragraph(text: str, title: str = "") -> str:
    told = OF_REPORT.sub(r"the report, \1 on \2", text)
    return f"<p>{title}{escape(told)}</p>"


def _card(name: str) -> str:
    row = CARDS.loc[name]
    return f"#### `{name}` {{ #{name} }}\n\n{_definitions((column, str(row[column])) for column in SHOWN)}"


def _definitions(rows: Iterable[tuple[str, str]]) -> str:
    told = "\n".join(
        f"<dt>{escape(title.replace('_', ' '))}</dt> <dd>{escape(text)}</dd>" for title, text in rows if text
    )
    return f'<dl class="card">{told}</dl>'
