"""The table of docs/metrics.md that tells how far the instruments agree with people, made of the files that
benches and heads hold: python bench/metrics_page.py renews it.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ragassay.models import head_file

ROOT = Path(__file__).parents[1]
PAGE, BENCH = ROOT / "docs" / "metrics.md", ROOT / "bench"
BEGIN, END = "<!-- measured: bench/metrics_page.py -->", "<!-- end of measured -->"
SUPPORT, UNSEEN, LEAD = "support", "support, set unseen", "support less words found alone"
ALONE = ("entailment alone", "words found alone")
EDITS, MTRAG = "summedits, mean of domains", "mtrag_human"
JUDGED = (
    ("`support`, BEGIN dev, AUROC", "begin"),
    ("`support`, WiCE dev, supported or not, AUROC", "wice"),
    ("`support`, MTRAG, Spearman with annotators", MTRAG),
    ("`support`, SummEdits, AUROC, domain left out", EDITS),
)
OTHERS = (
    ("`support`, MTRAG, refitted without MTRAG", UNSEEN, MTRAG),
    ("`support`, SummEdits, refitted without SummEdits", UNSEEN, EDITS),
    ("`support` less share of words found, MTRAG", LEAD, MTRAG),
)
HEADS = (
    ("entailment", "nli/dev, three-way accuracy", "`models.entail`, nli/dev", "`training/taught.py`"),
    ("entailment", "nli/breaking, premises kept, three-way accuracy",
     "`models.entail`, Breaking NLI, premises left out", "the same"),
    ("toxicity", "unseen functions, AUROC", "`toxicity`, unseen functions, AUROC", "`training/toxicity.py`"),
    ("toxicity", "unseen tests, AUROC", "the same, unseen tests, sentences near them learned", "the same"),
    ("toxicity", "Davidson hold-out AUROC", "the same, Davidson hold-out", "the same"),
    ("acceptability", "CoLA dev, MCC at 0.5", "`acceptability`, CoLA dev, Matthews correlation",
     "`training/acceptability.py`"),
    ("entities", "presidio, unseen templates, span F1", "names, places, addresses, span F1",
     "`training/entities.py`"),
    ("entities", "presidio, unseen templates, organisation F1", "of these organisations", "the same"),
)  # fmt: skip
READ = ("support", "groundedness_nli", "supported_claims_rate")
Row = tuple[str, str, str]  # what, its figure, what measures it


def _stored(name: str):
    return json.loads((BENCH / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _at() -> dict[tuple[str, str], dict]:
    return {(one["score"], one["set"]): one for one in _stored("support")}


def spelled(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _figure(one: dict, name: str = "value") -> str:
    return spelled(one[name], one["low"], one["high"])


def _beside(data: str) -> str:
    """A set's figure of support, and in brackets those of the scores beside it."""
    at = _at()
    others = ", ".join(f"{at[one, data]['value']:.3f}" for one in ALONE)
    return f"{_figure(at[SUPPORT, data])} ({others})"


def of_support() -> list[Row]:
    """Support on what people judged."""
    rows = [(what, _beside(data)) for what, data in JUDGED]
    rows += [(what, _figure(_at()[score, data])) for what, score, data in OTHERS]
    return _by("`bench/support.py`", rows)


def _by(bench: str, rows: Sequence[tuple[str, str]]) -> list[Row]:
    """The rows with what measures them, named once."""
    return [(*row, "the same" if place else bench) for place, row in enumerate(rows)]


def of_sentences() -> list[Row]:
    """Scores on the sentences of answers that nothing has learned."""
    found = _stored("judged_answers")
    rows = [
        (f"`{name}`, sentences of our sets, AUROC", spelled(*found[name]["auroc"]["all styles"]))
        for name in READ
    ]
    return _by("`bench/judged_answers.py`", rows)


def of_tables() -> list[Row]:
    """Support and numeric groundedness on right and wrong answers to questions about tables."""
    held = _stored("table_numbers")["by hand, held"]
    rows = [
        (f"`{name}` on tables by hand, half left out, AUROC", _figure(held[name]["all"], "auroc"))
        for name in (SUPPORT, "numeric_groundedness")
    ]
    return _by("`bench/table_numbers.py`", rows)


def of_heads() -> list[Row]:
    """What the heads' own files say that they were measured at."""
    return [(what, spelled(*_measured(head, figure)), by) for head, figure, what, by in HEADS]


def _measured(head: str, figure: str) -> Sequence[float]:
    return head_file.read(head_file.find_head(head)).about["measured"][figure]


def measured() -> str:
    """The table, as Markdown."""
    rows = [*of_support(), *of_sentences(), *of_tables(), *of_heads()]
    head = ["| what | figure | measured by |", "|---|---|---|"]
    return "\n".join(head + [f"| {' | '.join(row)} |" for row in rows])


def page() -> str:
    """docs/metrics.md as it should be."""
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    if not found or END not in rest:
        raise ValueError(f"{PAGE} lacks {BEGIN} or {END}: put them where the table belongs")
    return f"{before}{BEGIN}\n\n{measured()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
