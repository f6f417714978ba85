"""What the offline scorer gets right on the suite of unit tests, beside rules alone; writes
bench/examination.json: python bench/examination.py [--suite FILE] [--out FILE]

The bundled suite is for reporting: run this when a change is done, never to choose a threshold. By type, by
mark, and types together: the right answers (1 to 7) and the hard ones (8, 9, 10, 13, 14, 16). Intervals are
those of `ragassay instruments`; of types together, Clopper-Pearson over tests with all six marks right.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from ragassay.api.examining import examine
from ragassay.examination.examine import Examination
from ragassay.stats import clopper_pearson

OUT = Path(__file__).with_suffix(".json")
TOGETHER = {"right answers": range(1, 8), "hard types": (8, 9, 10, 13, 14, 16)}


def main() -> int:
    """Print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suite", type=Path, help="in GroUSE's format; the bundled one by default")
    parser.add_argument("--out", type=Path, default=OUT)
    asked = parser.parse_args()
    found, rules = (examine(asked.suite, scorer) for scorer in ("offline", "rules"))
    figures = {
        "tests": len(found.tests),
        "all six marks right": {
            name: {"offline": together(found, types), "rules": together(rules, types)}
            for name, types in TOGETHER.items()
        },
        **json.loads(found.to_json()),
    }
    text = json.dumps(figures, indent=1, ensure_ascii=False)
    asked.out.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


def together(found: Examination, types: Iterable[int]) -> dict[str, float]:
    """Share of the tests of these types with all six marks right: value, low, high, n."""
    known = [rate for number, rate in found.to_dict()["by_type"].items() if int(number) in types]
    n = sum(each["n"] for each in known)
    share = clopper_pearson(round(sum(each["value"] * each["n"] for each in known)), n)
    return {"value": share.value, "low": share.low, "high": share.high, "n": n}


if __name__ == "__main__":
    raise SystemExit(main())
