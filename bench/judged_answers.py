"""Does a score read, or does it count words? Writes bench/judged_answers.json: python bench/judged_answers.py

Answers over passages, judged sentence by sentence as they were written (training/judged_answers): S supported
by the passages, N not, C contradicted. Of every set of passages one answer says what they say in other words
(reworded), one is as assistants write them (assistant), one says false things in the passages' own words (own
words), supported sentences among them. The head `entailment` has learned eight of the ten files; measured are
the answers of the two that no head and no model has learned (judged_pairs.HELD), each sentence as an answer
by itself. The same hands wrote all ten, to one brief: other people's answers may be harder.

auroc    how often a supported sentence scores above another of the same style; and over all styles
tempted  share of sets in which the supported sentences of the reworded answer do not score above the others
         of the answer in the passages' own words, means of both; a score that says the same of all has 1

second reader  share of 210 sentences (judged_answers_read.csv), drawn at random from all files and styles, on
         which somebody who saw no verdict gave the same: of three, and supported or not

The judgements are the maintainers', and so is the second reader. Intervals are 95 %, by set.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "training"))

import data  # noqa: E402
import judged_pairs  # noqa: E402
import toxicity_figures  # noqa: E402
from ragassay.scores import score  # noqa: E402
from ragassay.stats import clopper_pearson  # noqa: E402

OUT = ROOT / "bench" / "judged_answers.json"
STYLES = ("reworded", "assistant", "own words")
METRICS = ("support", "groundedness_nli", "groundedness", "supported_claims_rate")
WORDS = "words found"  # a feature of support, from its evidence
READER = "second reader"


def main() -> int:
    """Print and write every figure."""
    table = pd.DataFrame(sentences())
    scores = values(table)
    found = {"sentences": len(table), "sets": int(table["set"].nunique())}
    found |= {name: of_score(table, scores[name]) for name in scores}
    found[READER] = second_reader()
    text = json.dumps(found, indent=1)
    OUT.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def sentences() -> Iterator[dict]:
    """Every judged sentence of the files that nothing has learned, as an answer by itself."""
    for line, (file, row) in enumerate(judged_pairs.rows()):
        about = {"set": f"{file} {line}", "question": row["question"], "contexts": row["passages"]}
        for style, answer in zip(STYLES, row["answers"], strict=True):
            for place, (text, verdict) in enumerate(answer if file in judged_pairs.HELD else ()):
                case = {"case_id": f"{file} {line} {style} {place}", "answer": text}
                yield about | case | {"style": style, "supported": verdict == "S"}


def second_reader() -> dict[str, list[float]]:
    """Shares of the verdicts that a second reader, who saw none, gave too."""
    read, sets = pd.read_csv(ROOT / "bench" / "judged_answers_read.csv"), defaultdict(list)
    for file, row in judged_pairs.rows():
        sets[file].append(row["answers"])
    places = read[["file", "line", "style", "place"]].itertuples(index=False)
    first = pd.Series([sets[file][line][style][place][1] for file, line, style, place in places])
    alike = (read["verdict"] == "S") == (first == "S")
    return {"three verdicts": _share(read["verdict"] == first), "supported or not": _share(alike)}


def _share(hits: pd.Series) -> list[float]:
    share = clopper_pearson(int(hits.sum()), len(hits))
    return [round(float(one), 4) for one in (share.value, share.low, share.high)]


def values(table: pd.DataFrame) -> dict[str, NDArray]:
    """Of every score the values in the order of the table, NaN where a sentence has none."""
    answers = table[["case_id", "question", "answer", "contexts"]].assign(system="written")
    scored = score(answers, metrics=list(METRICS)).set_index(["metric", "case_id"])
    found = {name: scored.loc[name, "value"].reindex(table.case_id).to_numpy(float) for name in METRICS}
    evidence = scored.loc["support", "detail"].reindex(table.case_id)
    kept = [json.loads(detail) if isinstance(detail, str) else [] for detail in evidence]
    words = [[one["words_found"] for one in records] for records in kept]
    return found | {WORDS: np.array([np.mean(own) if own else np.nan for own in words])}


def of_score(table: pd.DataFrame, value: NDArray) -> dict:
    """Figures of one score; `left_out` sentences have no value."""
    kept = ~np.isnan(value)
    auroc = {style: _auroc(table, value, kept & (table["style"] == style).to_numpy()) for style in STYLES}
    return {
        "left_out": int((~kept).sum()),
        "auroc": auroc | {"all styles": _auroc(table, value, kept)},
        "tempted": _tempted(table[kept].assign(value=value[kept])),
    }


def _auroc(table: pd.DataFrame, value: NDArray, of: NDArray) -> list[float]:
    area = toxicity_figures.auroc(table["supported"].to_numpy()[of], value[of])
    return data.interval(table["set"][of].tolist(), area)


def _tempted(scored: pd.DataFrame) -> list[float]:
    """Share of sets where true sentences in other words score no higher than false ones in the passages'
    own."""
    means = scored.groupby(["set", "style", "supported"])["value"].mean().unstack(["style", "supported"])
    both = means[[(STYLES[0], True), (STYLES[2], False)]].dropna()
    return _share(both.iloc[:, 0] <= both.iloc[:, 1])


if __name__ == "__main__":
    sys.exit(main())
