"""How are the replies of others read? Writes bench/refusals.json: python bench/refusals.py

MTRAG     `../shared/data/mtrag_human`, learned by nothing here: how many answers are read as answered,
          hedged, declined, evaded, by the answerability of their case
fooled    `../shared/cases/fooled.jsonl`, replies written to fool the reading, looked at before the last of
          ours were written: how many are read rightly

What we wrote ourselves is measured by training/refusals.py (models/heads/refusals.md).
"""

import gzip
import json
from collections import Counter
from pathlib import Path

from ragassay.scores.text_reading import answer_state

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


def main() -> None:
    """Print and write both."""
    found: dict[str, dict[str, int]] = {}
    answers, fooled = SHARED / "data/mtrag_human/dev.jsonl.gz", SHARED / "cases/fooled.jsonl"
    if answers.exists():
        with gzip.open(answers, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        read = [f"{row['answerability']}, {answer_state.read(row['answer']).state}" for row in rows]
        found["MTRAG"] = dict(sorted(Counter(read).items()))
    if fooled.exists():
        rows = [row for row in map(json.loads, fooled.open(encoding="utf-8")) if row["group"] == "refusal"]
        right = sum(answer_state.abstains(row["answer"]) == bool(row["truth"]) for row in rows)
        found["fooled"] = {"read rightly": right, "replies": len(rows)}
    text = json.dumps(found, indent=1)
    (ROOT / "bench/refusals.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
