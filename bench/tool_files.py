"""A file of each tool taken to its report by one command: how long it takes, what of it is read as what, what
has no counterpart, which metrics have nothing to be computed from.

    python bench/tool_files.py [TOOL ...]     writes bench/tool_files.json and its part of docs/logs.md
    python bench/tool_files.py --mapped       what is read as what, of every file, without a run

Each file holds the same 24 made-up answers (tool_file_contents.py) in the tool's own columns. Those
that carry no passages are given a folder of documents. A tool that is not named keeps what was found of it.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import tool_file_contents as tool_files  # noqa: E402
import tool_files_page  # noqa: E402

RUN = [sys.executable, "-c", "from ragassay.cli import main; main()", "run"]
WITHOUT_PASSAGES = ("ragas_multi_turn", "trulens_records", "langsmith_experiment")
REPORTED, TAG = "validation_report.html", re.compile(r"<[^>]*>")


def taken_to_its_report(tool: str, folder: Path) -> dict[str, Any]:
    """One tool's file through `ragassay run --log FILE`, in a folder of its own."""
    file = tool_files.write(tool, folder)
    words = ["--log", file.name, *(["--documents", documents(folder)] if tool in WITHOUT_PASSAGES else [])]
    begun = time.perf_counter()
    done = subprocess.run([*RUN, *words, "--json"], cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begun
    told = json.loads(done.stdout)
    assert done.returncode in (0, 2, 3), told
    run_dir = folder / told["run"]
    return {
        "file": file.name,
        "command": " ".join(["ragassay run", *words]),
        "seconds": round(seconds),
        "rating": told["rating"],
        "mapped": mapped(run_dir, folder),
        "not_measured": not_measured(run_dir),
    }


def documents(folder: Path) -> str:
    """The passages of the items as a folder of documents; its name."""
    (folder / "house").mkdir()
    for kind, name in enumerate(("fees", "boarding")):
        texts = dict.fromkeys(item.passages[kind] for item in tool_files.items())
        (folder / "house" / f"{name}.md").write_text(f"# {name.title()}\n\n" + "\n\n".join(texts))
    return "house"


def mapped(run_dir: Path, folder: Path) -> list[list[str]]:
    """What the run read as what; every row of it stands in the report."""
    from ragassay.answers import log_columns

    page = html.unescape(TAG.sub("", (run_dir / REPORTED).read_text(encoding="utf-8")))
    os.chdir(folder)
    rows = log_columns(json.loads((run_dir / "engagement.json").read_text())).to_numpy().tolist()
    lost = [name for row in rows for name in row if name not in page]
    assert not lost, f"not in the report: {lost}"
    return rows


def not_measured(run_dir: Path) -> dict[str, list[str]]:
    """The metrics that no answer has a value of, by the reason."""
    scores = pd.read_parquet(run_dir / "tables" / "scores.parquet")
    alike = scores.groupby("metric").agg(state=("state", set), reason=("reason", "first"))
    alike = alike[alike.state.map(lambda states: states == {"not_measured"})]
    return {str(reason): sorted(rows.index) for reason, rows in alike.groupby("reason")}


def read_alone(tool: str, folder: Path) -> dict[str, Any]:
    """What the file of a tool is read as."""
    from ragassay.answers import load_log

    file = tool_files.write(tool, folder)
    return {"file": file.name, "mapped": load_log(file)[0].attrs["mapped"]}


def main() -> None:
    """Every tool named, or all; what was found is kept after each, and the page written at the end."""
    found = json.loads(tool_files_page.FOUND.read_text()) if tool_files_page.FOUND.exists() else {}
    alone = sys.argv[1:] == ["--mapped"]
    for tool in tool_files.FILES if alone else sys.argv[1:] or tool_files.FILES:
        with tempfile.TemporaryDirectory() as folder:
            take = read_alone if alone else taken_to_its_report
            found[tool] = found.get(tool, {}) | take(tool, Path(folder).resolve())
            os.chdir(ROOT)
        kept = {name: found[name] for name in tool_files.FILES if name in found}
        tool_files_page.FOUND.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
        print(tool, found[tool].get("seconds"), "s", found[tool].get("rating"), flush=True)
    tool_files_page.renew()


if __name__ == "__main__":
    main()
