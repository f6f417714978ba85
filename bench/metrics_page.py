"""The table of docs/metrics.md that tells how far the instruments agree with people, made of the files that
benches and heads hold: python bench/metrics_page.py renews it.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from ragassay.models import head_file

ROOT = Path(__file__).parents[1]
PAGE, BENCH = ROOT / "docs" / "metrics.md", ROOT / "bench"
BEGIN, END = "<!-- measured: bench/metrics_page.py -->", "<!-- end of measured -->"
SUPPORT = (  # what, the score and the set of bench/support.json, the scores beside it; sets unseen come first
    ("`support`, MTRAG, Spearman, refitted without it", "support, set unseen", "mtrag_human", False),
    ("`support`, SummEdits, AUROC, refitted without it", "support, set unseen", "summedits, mean of domains",
     False),
    ("`support`, BEGIN dev, AUROC", "support", "begin", True),
    ("`support`, WiCE dev, supported or not, AUROC", "support", "wice", True),
    ("`support`, MTRAG, Spearman", "support", "mtrag_human", True),
    ("`support`, SummEdits, AUROC, domain left out", "support", "summedits, mean of domains", True),
    ("`support` less share of words found, MTRAG", "support less words found alone", "mtrag_human", False),
)  # fmt: skip
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
ALONE = ("entailment", "words found")  # the scores beside support
Row = tuple[str, str, str]  # what, its figure, what measures it


def _stored(name: str):
    return json.loads((BENCH / f"{name}.json").read_text(encoding="utf-8"))


def spelled(value: float, low: float, high: float) -> str:
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def rows() -> Iterator[Row]:
    """Support, scores of sentences that nothing has learned, answers on tables, and the figures of heads."""
    at = {(one["score"], one["set"]): one for one in _stored("support")}
    by = "`bench/support.py`"
    for what, score, data, beside in SUPPORT:
        one, alone = at[score, data], [at[f"{name} alone", data]["value"] for name in ALONE]
        figure = spelled(one["value"], one["low"], one["high"])
        yield what, figure + (" ({:.3f}, {:.3f})".format(*alone) if beside else ""), by
        by = "the same"
    by, found = "`bench/judged_answers.py`", _stored("judged_answers")
    for name in ("support", "groundedness_nli", "supported_claims_rate"):
        yield f"`{name}`, sentences of our sets, AUROC", spelled(*found[name]["auroc"]["all styles"]), by
        by = "the same"
    by, held = "`bench/table_numbers.py`", _stored("table_numbers")["by hand, held"]
    for name in ("support", "numeric_groundedness"):
        one = held[name]["all"]
        what = f"`{name}` on tables by hand, half left out, AUROC"
        yield what, spelled(one["auroc"], one["low"], one["high"]), by
        by = "the same"
    for head, figure, what, by in HEADS:
        yield what, spelled(*head_file.read(head_file.find_head(head)).about["measured"][figure]), by


def page() -> str:
    """docs/metrics.md as it should be."""
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    if not found or END not in rest:
        raise ValueError(f"{PAGE} lacks {BEGIN} or {END}: put them where the table belongs")
    table = ["| what | figure | measured by |", "|---|---|---|"]
    table += [f"| {' | '.join(row)} |" for row in rows()]
    return f"{before}{BEGIN}\n\n" + "\n".join(table) + f"\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
