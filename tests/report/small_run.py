"""A small run folder as the runner and the notebooks leave it: some notebooks executed, one failed, one missing, hostile text throughout."""

import hashlib
import json
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay import provenance, show, tables
from ragassay.report.decision_words import literal

DATA = json.loads(Path(__file__).with_name("small_run.json").read_text(encoding="utf-8"))
LONG = "W" * 5000
SUMMARY = "> **Fit with conditions.** Release.\n\n**Conclusion.** 1 of 2."
HOSTILE = [
    "<script>alert(1)</script>",
    "#let x = 1",
    "=cmd|' /C calc'!A0",
    "user\u202egnp.exe",
    "nul\x00 byte",
    LONG,
    "**bold** _it_ [a](b) | `c` $x$ #h",
    'quote " back \\ slash #eval("1") @ref <label> //',
    "中文 and 😀 and \U0001f9ff",
    "</td></table><img src=x onerror=alert(1)>",
    "]]> &amp; {{7*7}} {% x %}",
]


def make_run(folder: Path) -> Path:
    """Write the whole folder."""
    for name in ("notebooks", "tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, cells in notebooks(folder).items():
        nbformat.write(new_notebook(cells=cells), folder / "notebooks" / f"{name}.ipynb")
    write_tables(folder)
    provenance.save(folder, "engagement.json", ENGAGEMENT)
    provenance.save(folder, "decision.json", DECISION)
    provenance.save(folder, "manifest.json", manifest(folder))
    return folder


def code(source: str, count: int | None, *shown: object) -> dict:
    """A code cell with the outputs that showing these objects gives."""
    name, outputs = f"c{hashlib.sha256(source.encode()).hexdigest()[:8]}", [output(item) for item in shown]
    return new_code_cell(source, execution_count=count, outputs=outputs, id=name)


def output(item: object) -> dict:
    """What a kernel would store for one object."""
    if isinstance(item, dict):
        return item
    if isinstance(item, str):
        return new_output("stream", name="stdout", text=item)
    return new_output("display_data", data={"text/html": show.as_html(item), "text/plain": "a table"})


def markdown(text: str) -> dict:
    """What a kernel stores for Markdown(text)."""
    return new_output("display_data", data={"text/markdown": text, "text/plain": "<Markdown>"})


def words(source: str, *tags: str) -> dict:
    """A markdown cell."""
    made = new_markdown_cell(source, id=f"m{hashlib.sha256(source.encode()).hexdigest()[:8]}")
    made.metadata["tags"] = list(tags)
    return made


def drawing(folder: Path) -> dict:
    """A figure, left open in its cell and kept in the run folder."""
    line = '<path d="M0 90L200 10" stroke="#123a5c"/>'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">{line}</svg>'
    (folder / "figures" / "reliability.svg").write_text(drawn)
    return new_output("display_data", data={"image/svg+xml": drawn})


def notebooks(folder: Path) -> dict[str, list[dict]]:
    """Cells by notebook."""
    cases, spread = [f"c{row}" for row in range(len(HOSTILE))], np.linspace(0.1, 0.9, len(HOSTILE))
    hostile = pd.DataFrame({"case": cases, "answer": HOSTILE, "value": spread})
    names = [f"mean_pairwise_distance_{row}" for row in range(60)]
    many = pd.DataFrame({"metric": names, "value": np.linspace(0, 1, 60), "n": range(60)})
    evalue = f"table 'labels' does not exist yet {HOSTILE[0]}"
    error = new_output("error", ename="TableError", evalue=evalue, traceback=["\x1b[31mTraceback\x1b[0m"])
    return {
        "00_scope": [
            words("# 0 · Scope — what is validated\nThe assistant answers *retail banking* questions."),
            words(DATA["description"]),
            code("run_dir: str = 'x'  # where", 1),
            code("print('hello')", 2, "hello\n"),
        ],
        "02_functionality": [
            words("# 2 · Functionality — does it answer?"),
            words("## 2.1 Hostile answers\nEvery letter is shown."),
            code(f"#| tbl-cap: Answers {HOSTILE[0]}\nhostile", 3, hostile),
            code("Markdown(answers)", 4, markdown(f"**3** of 1,200 answers hold {literal(HOSTILE[6])}.")),
            words("## 2.2 Many rows"),
            code("#| tbl-cap: Many metrics\nmany", 5, many),
            code("Markdown(rating)", 7, markdown(f"> **Not fit.** {literal(HOSTILE[7])}")),
            words(f"- English only.\n- {literal(HOSTILE[0])}", "limits"),
        ],
        "04_calibration": [
            words(
                "# 4 · Calibration — can we believe the scores?\nThe value $\\hat q$ is one of the sample:"
            ),
            words(
                "$$\\hat{q} = s_{(\\lceil (n+1)(1-\\alpha) \\rceil)}, \\qquad \\pi = \\frac{p + t - 1}{s + t - 1}$$"
            ),
            words("## 4.1 Reliability"),
            code(DATA["figure"], 2, drawing(folder)),
        ],
        "05_robustness": [
            words("# 5 · Robustness"),
            code("labels = tables.read(run_dir, 'labels')", 1, error),
            code("never = 1", None),
        ],
        "07_conclusion": [
            words("# 7 · Conclusion"),
            code("decide()", 1),
            words("# Limits and monitoring"),
            code("#| tbl-cap: Challenge log\nlog", 2, pd.DataFrame({"challenge": [], "response": []})),
            words("# Summary"),
            code("Markdown(summary)", 3, markdown(SUMMARY)),
        ],
    }


def write_tables(folder: Path) -> None:
    """Scorecard, gates and findings as 07_conclusion leaves them."""
    card = pd.DataFrame({"metric": ["groundedness", "answer_relevancy", "citations_supported", "toxicity"]})
    card = card.merge(pd.DataFrame({"slice": ["all", "cards", "loans"]}), how="cross")
    card = card.assign(value=0.8, low=0.75, high=0.85, n=240, left_out=[6, *[0] * 11], method="bootstrap")
    tables.write(folder, "scorecard", card.assign(reason="no passage was retrieved"))
    gates = pd.DataFrame(DATA["gates"]).assign(origin="own", threshold=0.8, slice="all", decides=True)
    gates = gates.assign(gate=gates["metric"] + " release", low=gates["value"] - 0.05, by_design=False)
    tables.write(folder, "gates", gates.assign(high=gates["value"] + 0.05).astype({"value": float}))
    said = DATA["finding"] | {"effect": HOSTILE[2], "case_ids": [f"c{n}" for n in range(30)]}
    titles = {"Low": "Long answers", "Critical": "Loan answers rest on no document", "High": HOSTILE[0]}
    found = [
        {"finding_id": f"F{n}", "name": f"check {n}", "subject": f"check {n}"}
        | said
        | {"severity": one, "title": title}
        for n, (one, title) in enumerate(titles.items(), 1)
    ]
    tables.write(folder, "findings", pd.DataFrame(found))


def manifest(folder: Path) -> dict:
    """The manifest of the files written so far."""
    files = [path for part in ("figures", "tables") for path in sorted((folder / part).iterdir())]
    made_by = {"notebook": "07_conclusion", "cell": 3}
    artefacts = [
        {"path": path.relative_to(folder).as_posix(), "sha256": provenance.sha256_of(path), **made_by}
        for path in files
    ]
    artefacts += [{"path": "tables/lost.parquet", "sha256": "0" * 64, "notebook": "06_weakness", "cell": 2}]
    packages = {f"package-{row}": f"1.{row}" for row in range(40)}
    return {**DATA["manifest"], "packages": packages, "artefacts": artefacts}


ENGAGEMENT = DATA["engagement"]
DECISION = {
    "rating": "Fit with conditions",
    "reasons": [["gate failed", "toxicity release"], ["High finding open", HOSTILE[0]]],
    "exit_code": 2,
}
