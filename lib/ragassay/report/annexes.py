"""Annexes B, C, E and F: evidence index, environment, code, glossary."""

from typing import Any

from ragassay.evidence import sha256_below
from ragassay.report import references
from ragassay.report.blocks import Block, Chapter, Figure, Heading, Table, Verbatim
from ragassay.report.compose import data_table, gap, paragraph, words
from ragassay.report.run_folder import Run
from ragassay.show import clean, value_text
from ragassay.spreadsheet_cells import to_csv

HASH = 16  # letters of a SHA-256 printed in the index


def evidence(run: Run, chapters: list[Chapter]) -> Chapter:
    """Annex B: every file of the run, its hash, who made it, where it is shown, whether it is what it was."""
    artefacts = run.artefacts
    if not artefacts:
        none = gap("No evidence index: manifest.json lists no file.")
        return Chapter("B", "Evidence index", "annex-b", [none], "annex")
    shown = shown_as(chapters)
    rows = [
        [
            str(item["path"]),
            str(item.get("sha256", ""))[:HASH],
            value_text(item.get("notebook")),
            value_text(item.get("cell")),
            shown.get(str(item["path"]), ""),
            _state_now(run, item),
        ]
        for item in sorted(artefacts, key=lambda item: str(item.get("path")))
    ]
    table = data_table(
        "Files of this run",
        ["File", f"SHA-256 (first {HASH})", "Notebook", "Cell", "Shown as", "At assembly"],
        [[clean(cell) for cell in row] for row in rows],
        states=["At assembly"],
        note="Cell is the execution count of the code cell that wrote the file. At assembly: whether the "
        "file "
        "still has the hash of the manifest.",
    )
    return Chapter("B", "Evidence index", "annex-b", [table], "annex")


def _state_now(run: Run, item: dict[str, Any]) -> str:
    now = sha256_below(run.folder, item["path"])
    return "same" if now == item.get("sha256") else "missing" if now == "missing" else "changed"


def shown_as(chapters: list[Chapter]) -> dict[str, str]:
    """File to the label of the table or figure that shows it."""
    labels: dict[str, str] = {}
    for block in (block for chapter in chapters for block in chapter.blocks):
        if isinstance(block, Table | Figure) and block.file and block.label:
            labels[block.file] = ", ".join(filter(None, [labels.get(block.file), block.label]))
    return labels


def environment(run: Run) -> Chapter:
    """Annex C: what it takes to do this again."""
    manifest = run.manifest
    if not manifest:
        return Chapter(
            "C",
            "Environment and reproducibility",
            "annex-c",
            [gap("No environment record: the runner has not written manifest.json.")],
            "annex",
        )
    network = manifest.get("network") or {}
    attempts = [value_text(attempt) for attempt in network.get("attempts") or []]
    facts = [
        ["ragassay", value_text(manifest.get("ragassay"))],
        ["Python", value_text(manifest.get("python"))],
        ["Platform", value_text(manifest.get("platform"))],
        ["SHA-256 of the library's code", value_text(manifest.get("code_sha256"))],
        ["Git revision", value_text(manifest.get("git_revision") or "not recorded")],
        ["Models named in place of the kit's", _models_in_words(manifest.get("own_models"))],
        ["Device", _device_in_words(manifest.get("device"))],
        ["Network policy", value_text(network.get("policy"))],
        [
            "The assistant's own process",
            value_text(network.get("assistant") or "none: no assistant was asked"),
        ],
        [
            "What it said of its version",
            "; ".join(manifest.get("said_of_version") or ["no assistant was asked"]),
        ],
        ["Attempts to reach the network", "\n".join(attempts) or "none"],
    ]
    blocks: list[Block] = [data_table("Program and network", [], facts, widths=[1, 3])]
    blocks += _hashed(
        "Models", ["Model", "File", "SHA-256"], manifest.get("models"), ["name", "file", "sha256"]
    )
    blocks += _hashed("Inputs", ["Input", "SHA-256"], manifest.get("inputs"), ["path", "sha256"])
    blocks += [_parameters(manifest.get("parameters") or {}), _packages(manifest.get("packages") or {})]
    return Chapter("C", "Environment and reproducibility", "annex-c", blocks, "annex")


def _models_in_words(named: dict[str, str] | None) -> str:
    """Which models the run named in place of the kit's, and what stays with the kit's whatever it named."""
    if named is None:
        return "not recorded"
    own = [f"{kind}: {clean(model, 200)}" for kind, model in named.items() if model]
    kept = "The kit's heads read all-MiniLM-L6-v2, on which they were trained"
    kept += "." if named.get("support") else "; support is measured on it alone."
    return "; ".join(own) + f". {kept}" if own else "none: the kit's own"


def _device_in_words(named: Any) -> str:
    """Where the models computed."""
    bits = "the last bits of numbers differ between devices"
    return value_text(named or "cpu") + (f"; {bits}" if named not in (None, "cpu") else "")


def code(run: Run) -> Chapter:
    """Annex E: the code of every notebook as it was executed."""
    blocks: list[Block] = [
        paragraph(
            "The code cells as executed, numbered by their execution count. The library they call is "
            "ragassay, at the revision of annex C."
        )
    ]
    for name, walked in run.notebooks.items():
        if walked.code:
            blocks += [
                Heading(2, words(f"{name}.ipynb"), f"code-{name}"),
                *(Verbatim(text, "python", called) for called, text in walked.code),
            ]
    return Chapter("E", "Code", "annex-e", blocks, "annex")


def glossary() -> Chapter:
    """Annex F: the words of this report."""
    rows = [list(item) for item in references.terms().items()]
    return Chapter(
        "F", "Glossary", "annex-f", [data_table("Terms", ["Term", "Meaning"], rows, widths=[1, 3.4])], "annex"
    )


def attachments(run: Run) -> dict[str, bytes]:
    """The files that travel inside the PDF: the manifest, the records, and the small tables as CSV."""
    names = ("manifest.json", "engagement.json", "decision.json")
    files = {name: content for name in names if (content := run.content(name)) is not None}
    for name in ("scorecard", "gates", "findings"):
        table = run.table(name)
        if table is not None:
            files[f"{name}.csv"] = to_csv(table).encode("utf-8", "backslashreplace")
    return files


def _hashed(caption: str, columns: list[str], items: Any, keys: list[str]) -> list[Block]:
    rows = [[value_text(item.get(key)) for key in keys] for item in items or []]
    return [data_table(caption, columns, rows)] if rows else [paragraph(f"{caption}: none recorded.")]


def _parameters(parameters: dict[str, Any]) -> Block:
    rows = [
        [notebook, name, value_text(value)]
        for notebook in sorted(parameters)
        for name, value in parameters[notebook].items()
    ]
    return (
        data_table("Parameters, seeds included", ["Notebook", "Parameter", "Value"], rows)
        if rows
        else paragraph("Parameters: none recorded.")
    )


def _packages(packages: dict[str, str]) -> Block:
    pairs = [[name, value_text(packages[name])] for name in sorted(packages, key=str.casefold)]
    height = -(-len(pairs) // 3)
    rows = [
        [
            cell
            for column in range(3)
            for cell in (pairs[line + column * height] if line + column * height < len(pairs) else ["", ""])
        ]
        for line in range(height)
    ]
    return (
        data_table("Packages", ["Package", "Version"] * 3, rows)
        if rows
        else paragraph("Packages: none recorded.")
    )
