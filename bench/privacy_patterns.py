"""How much personal data do the patterns of `privacy_leaks` find? Recall by kind and precision on texts with
exact spans, 95 % Clopper-Pearson.

Data: Microsoft's presidio-research, `../shared/data/pii`, MIT; not part of the project. Its values are
    generated: names, places and dates
are most of its spans, and these patterns look for none of them.
"""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from ragassay.scores import privacy_patterns
from ragassay.stats import clopper_pearson

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "pii"
KINDS = {
    "EMAIL_ADDRESS": "email",
    "IBAN_CODE": "iban",
    "CREDIT_CARD": "card",
    "US_SSN": "us_ssn",
    "PHONE_NUMBER": "phone",
}


def main() -> int:
    """Print the table, or the reason why there is none."""
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not here; see the docstring for the source")
        return 0
    spans, found, hits, right = Counter(), Counter(), Counter(), Counter()
    for record in _records():
        marked = privacy_patterns.find(record["full_text"])
        for span in record["spans"]:
            spans[span["entity_type"]] += 1
            found[span["entity_type"]] += any(_touch(hit, span) for hit in marked)
        for hit in marked:
            hits[hit.kind] += 1
            right[hit.kind] += any(_touch(hit, span) for span in record["spans"])
    for name, kind in KINDS.items():
        print(_line(f"recall {kind}", found[name], spans[name]))
    for kind in privacy_patterns.KINDS:
        print(_line(f"precision {kind} (on any span)", right[kind], hits[kind]))
    print(_line("false alarms of all kinds", hits.total() - right.total(), hits.total()))
    return 0


def _records() -> list[dict]:
    return [
        json.loads(line)
        for path in sorted(DATA.glob("*.jsonl.gz"))
        for line in gzip.open(path, "rt", encoding="utf-8")
    ]


def _touch(hit: privacy_patterns.Hit, span: dict) -> bool:
    return hit.start < span["end_position"] and span["start_position"] < hit.end


def _line(name: str, k: int, n: int) -> str:
    if n == 0:
        return f"{name:32} none found"
    share = clopper_pearson(k, n)
    return f"{name:32} {share.value:.3f} [{share.low:.3f}, {share.high:.3f}] n={n}"


if __name__ == "__main__":
    sys.exit(main())
