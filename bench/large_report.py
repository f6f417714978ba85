"""What a report of many answers and findings takes beyond scoring: python bench/large_report.py RUN
[--answers 10000] [--findings 500] [--keep FOLDER]

The answers, questions, scores and findings of a finished run are repeated under new ids in a copy of it, and
the report is made of the copy. Printed for each stage: seconds of the processor and by the clock; at the end
the load of the machine, peak memory and the size of each file.
"""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import report
from ragassay.report import attachments, docx, pdf
from ragassay.report.exporter import AuditHTMLExporter

OF_ANSWERS = ("answers", "cases", "scores")


def main() -> None:
    """Copy the run, repeat its rows, time each stage of its report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--findings", type=int, default=500)
    parser.add_argument("--keep", type=Path, help="where the copy stays; else a folder that is removed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = given.keep or Path(folder) / "run"
        shutil.copytree(given.run, copy)
        enlarge(copy, given.answers, given.findings)
        measure(copy)


def enlarge(run: Path, answers: int, findings: int) -> None:
    """Repeat the rows of the tables until there are so many answers and findings."""
    asked = pd.read_parquet(run / "tables" / "answers.parquet")["case_id"].nunique()
    for name in OF_ANSWERS:
        path = run / "tables" / f"{name}.parquet"
        repeated(pd.read_parquet(path), "case_id", asked, answers).to_parquet(path)
    path = run / "tables" / "findings.parquet"
    rows = pd.read_parquet(path)
    many = repeated(rows, "finding_id", len(rows), findings)
    many.assign(finding_id=[f"F{n}" for n in range(1, len(many) + 1)]).to_parquet(path)


def repeated(rows: pd.DataFrame, key: str, held: int, wanted: int) -> pd.DataFrame:
    """The rows, which hold so many, again and again under new ids until they hold what is wanted."""
    times, rest = divmod(wanted, held)
    first = set(rows[key].drop_duplicates().head(rest))
    parts = [rows.assign(**{key: rows[key] + f"~{n}" * bool(n)}) for n in range(times)]
    last = rows[rows[key].isin(first)]
    return pd.concat([*parts, last.assign(**{key: last[key] + f"~{times}"})], ignore_index=True)


def measure(run: Path) -> None:
    """Time each stage, and print what there is at the end."""
    document = timed("tables and notebooks to one document", lambda: report.assemble(run))
    made = {
        "docx": timed("Word", lambda: docx.render(document)),
        "html": timed("HTML", lambda: AuditHTMLExporter().from_document(document).encode()),
        "pdf": timed("PDF", lambda: pdf.render(document)),
    }
    timed("attached files", lambda: attachments.write(run / attachments.FOLDER, document.attachments))
    for kind, data in made.items():
        (run / f"{report.NAME}.{kind}").write_bytes(data)
        print(f"{kind}: {len(data) / (1 << 20):.1f} MiB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def timed(name: str, stage: Callable[[], Any]) -> Any:
    """What a stage gives, its seconds printed."""
    cpu, wall = time.process_time(), time.perf_counter()
    found = stage()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"{name}: {cpu:.1f} s of the processor, {wall:.1f} s by the clock", flush=True)
    return found


if __name__ == "__main__":
    main()
