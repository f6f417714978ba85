"""The table of docs/metrics.md that tells how far the instruments agree with people, made of the files that
benches and heads hold: python bench/metrics_page.py renews it.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from ragassay.models import head_file

ROOT = Path(__file__).parents[1]
PAGE, BENCH = ROOT / "docs" / "metrics.md", ROOT / "bench"
BEGIN, END = "<!-- measured: bench/metrics_page.py -->", "<!-- end of measured -->"
SUPPORT, UNSEEN, LEAD = "support", "support, set unseen", "support less words found alone"
WRONG, WRONG_BELOW = "not supported, of all", "not supported, of those below 0.5"
ALONE = ("entailment alone", "words found alone")
BASES = (("begin", "of answers with `support` below 0.5, BEGIN"), ("summedits", "the same, SummEdits"),
         ("wice", "the same, WiCE"), ("numbers", "the same, tables by hand"))  # fmt: skip
EDITS, MTRAG = "summedits, mean of domains", "mtrag_human"
STYLES = (("assistant", "`support`, sentences of an assistant's answers"),
          ("reworded", "the same, of answers in other words than the passages'"),
          ("own words", "the same, of false answers in the passages' own words"))  # fmt: skip
SPOILT = "support below the answer's, spoilt: crossed"
PIECED = "long answers pieced together from halves of the passages' sentences, share below the answer"
READ = ("support", "groundedness_nli", "supported_claims_rate", "words found")
Row = tuple[str, str, str]  # what, its figure, what measures it


def _stored(name: str):
    return json.loads((BENCH / f"{name}.json").read_text(encoding="utf-8"))


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
    """Support on what people judged, and how far a support below one half is right."""
    at, same = _at(), "the same"
    domains = [one for (name, data), one in at.items() if name == SUPPORT and data.startswith("summedits/")]
    lowest = min(domains, key=lambda one: one["value"])
    rows = [
        ("`support`, BEGIN dev, AUROC", _beside("begin"), "`bench/support.py`"),
        ("`support`, WiCE dev, supported or not, AUROC", _beside("wice"), same),
        ("`support`, MTRAG, Spearman with annotators", _beside(MTRAG), same),
        ("`support`, the same, refitted without MTRAG", _figure(at[UNSEEN, MTRAG]), same),
        ("`support` less share of words found, MTRAG", _figure(at[LEAD, MTRAG]), same),
        ("`support`, SummEdits, AUROC, domain left out", _beside(EDITS), same),
        ("`support`, SummEdits, refitted without it", _figure(at[UNSEEN, EDITS]), same),
    ]
    rows += [
        (f"`support`, MTRAG, {part} left out", _figure(at[f"support, {part} unseen", MTRAG]), same)
        for part in ("conversation", "answerer", "collection")
    ]
    rows.append(
        (f"`support`, SummEdits, {lowest['set'].partition('/')[2]}, the lowest domain", _figure(lowest), same)
    )
    below = [
        (f"{name} (of all {at[WRONG, data]['value']:.3f})", _figure(at[WRONG_BELOW, data]), same)
        for data, name in BASES
    ]
    below[0] = (f"not supported, {below[0][0]}", *below[0][1:])
    return rows + below + [(PIECED, _figure(at[SPOILT, MTRAG]), same)]


def of_sentences() -> list[Row]:
    """Support on the sentences of answers that nothing has learned, by style; others on those of all."""
    found = {name: one["auroc"] for name, one in _stored("judged_answers").items() if name in READ}
    rows = [
        (what, f"{spelled(*found[SUPPORT][style])} ({found['words found'][style][0]:.3f})", "the same")
        for style, what in STYLES
    ]
    rows += [
        (f"`{name}`, all three kinds", spelled(*found[name]["all styles"]), "the same") for name in READ[:3]
    ]
    return [(*rows[0][:2], "`bench/judged_answers.py`"), *rows[1:]]


def of_tables() -> list[Row]:
    """Support and numeric groundedness on right and wrong answers to questions about tables."""
    found, names = _stored("table_numbers"), ("numeric_groundedness", "numeric_consistency", SUPPORT)
    own, held, rule = (
        {metric: _figure(found[part][metric]["all"], "auroc") for metric in names}
        for part in ("by hand, dev", "by hand, held", "by rule")
    )
    ours = names[0]
    plain = f"{found['by hand, held'][names[1]]['all']['auroc']:.3f}"
    return [
        ("`support` on tables, by hand, half left out", held[SUPPORT], "`bench/table_numbers.py`"),
        ("the same, pairs by rule", rule[SUPPORT], "the same"),
        (f"`{ours}`, AUROC, half left out", f"{held[ours]} ({plain})", "the same"),
        ("its own half; pairs by rule", f"{own[ours]}; {rule[ours]}", "the same"),
    ]


def of_heads() -> list[Row]:
    """What the heads' own files say that they were measured at."""
    rows = (
        ("entailment", "nli/dev, three-way accuracy", "`models.entail`, nli/dev", "`bench/entailment.py`"),
        ("entailment", "nli/breaking, premises kept, three-way accuracy",
         "`models.entail`, Breaking NLI, premises left out", "the same"),
        ("toxicity", "unseen functions, AUROC", "`toxicity`, unseen functions, AUROC", "`bench/toxicity.py`"),
        ("toxicity", "unseen tests, AUROC", "the same, unseen tests, sentences near them learned",
         "the same"),
        ("toxicity", "Davidson hold-out AUROC", "the same, Davidson hold-out", "the same"),
        ("acceptability", "CoLA dev, MCC at 0.5", "`acceptability`, CoLA dev, Matthews correlation",
         "`training/acceptability.py`"),
        ("entities", "presidio, unseen templates, span F1", "names, places, addresses, span F1",
         "`training/entities.py`"),
        ("entities", "presidio, unseen templates, organisation F1", "of these organisations", "the same"),
    )  # fmt: skip
    return [(what, spelled(*_measured(head, figure)), by) for head, figure, what, by in rows]


def _measured(head: str, figure: str) -> Sequence[float]:
    return head_file.read(head_file.find_head(head)).about["measured"][figure]


def measured() -> str:
    """The table, as Markdown."""
    rows = [*of_support(), *of_sentences(), *of_tables(), *of_heads()]
    head = ["| what | figure | measured by |", "|---|---|---|"]
    return "\n".join(head + [f"| {' | '.join(row)} |" for row in rows])


def page() -> str:
    """docs/metrics.md as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n\n{measured()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
