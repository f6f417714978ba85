"""How long is the report of a run? Prints it against its bounds, and for the bundled example writes
bench/report_size.json: python bench/report_size.py [reports/bank]"""

import json
import sys
from pathlib import Path

from ragassay import report
from ragassay.report import sizes

ROOT = Path(__file__).resolve().parents[1]


def main(folder: str = "reports/bank") -> int:
    """Count, print, write; 1 if a bound is passed."""
    document = report.assemble(folder)
    found = sizes.sizes(document, (Path(folder) / f"{report.NAME}.pdf").read_bytes())
    for name, value in found.items():
        print(f"{name:<22}{value:>8,}  {sizes.BOUNDS.get(name, '')}")
    if folder == "reports/bank":
        (ROOT / "bench/report_size.json").write_text(json.dumps(found, indent=1) + "\n")
    return bool(sizes.beyond(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
