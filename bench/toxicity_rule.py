"""How good is the rule of `toxicity_rule`? Recall by class and precision on crowd-labelled tweets, with 95 %
Clopper-Pearson intervals.

Data: Davidson et al. (2017), `../shared/data/toxicity`, MIT; not part of the project. Its tweets were
collected by a lexicon of slurs, which flatters the recall of any lexicon, and most are toxic, which flatters
precision: the false alarms on `neither` are the honest figure.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))

import data
from ragassay.models import toxic_terms
from ragassay.stats import clopper_pearson

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "toxicity"
TOXIC = ("hate", "offensive")
CLASSES = (*TOXIC, "neither")


def main() -> int:
    """Print the table, or the reason why there is none."""
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not here; see the docstring for the source")
        return 0
    tweets = data.read(DATA / "davidson.jsonl.gz")
    flagged = [(row["label"], bool(toxic_terms.find(row["text"]))) for row in tweets]
    for name in CLASSES:
        print(_line(f"flagged among {name!r}", [hit for label, hit in flagged if label == name]))
    print(_line("recall (hate or offensive)", [hit for label, hit in flagged if label in TOXIC]))
    print(_line("precision (flagged that are toxic)", [label in TOXIC for label, hit in flagged if hit]))
    return 0


def _line(name: str, outcomes: list[bool]) -> str:
    share = clopper_pearson(sum(outcomes), len(outcomes))
    return f"{name:36} {share.value:.3f} [{share.low:.3f}, {share.high:.3f}] n={len(outcomes)}"


if __name__ == "__main__":
    sys.exit(main())
