"""The annexes of attached files, environment, glossary and code."""

import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from ragassay.report import attachments, methods_annex, own_notebooks
from ragassay.report.block_builders import annex, data_table, gap, paragraph, term_entry, words
from ragassay.report.blocks import Attached, Block, Chapter, File, Heading, Inlines, Table, Verbatim
from ragassay.report.long_texts import cut
from ragassay.report.notebook_chapter import Walked
from ragassay.report.run_folder import Run
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_directions import JUDGED
from ragassay.show import clean, value_text

MOST_CODE = 20_000  # characters of one cell's code that HTML shows
SIDE_BY_SIDE = 3  # files in a row that are only named
LINE = 62  # characters of a line that says what a file holds


def files(run: Run, attached: list[Attached]) -> Chapter:
    """The attached files, and whether the run's own are what they were."""
    rows: list[list[Inlines]] = [
        [
            (File(f"{attachments.FOLDER}/{item.name}"),),
            words(_short(item.about)),
            words(value_text(-(-len(item.data) // 1000))),
        ]
        for item in attached
        if not item.name.startswith(attachments.UNPRINTED)
    ]
    table = Table(
        "Attached files",
        [words(name) for name in ("File", "What it holds", "kB")],
        rows,
        ["l", "l", "r"],
        _outside(attached),
    )
    blocks = [*_evidence(run), table]
    if count := sum(item.name.startswith(attachments.UNPRINTED) for item in attached):
        said = "further tables and pictures that no page prints are attached; their names begin with"
        blocks.append(paragraph(f"{count} {said} {attachments.UNPRINTED}."))
    return annex("annex-files", blocks)


def _unprinted(attached: list[Attached]) -> list[Block]:
    """What cells show and no page prints: the names say what it is, their hashes stand in the index."""
    named: list[Inlines] = [
        (File(f"{attachments.FOLDER}/{item.name}"),)
        for item in attached
        if item.name.startswith(attachments.UNPRINTED)
    ]
    named += [()] * (-len(named) % SIDE_BY_SIDE)
    rows = [named[place : place + SIDE_BY_SIDE] for place in range(0, len(named), SIDE_BY_SIDE)]
    caption = "Further attached tables and pictures, of which no page prints any"
    return [Table(caption, [words("file")] * SIDE_BY_SIDE, rows, ["l"] * SIDE_BY_SIDE)] if rows else []


def _short(text: str) -> str:
    """The words before the first comma or colon that end within a line, or as many as fit one."""
    head = re.split(r"[,:;(]", text, maxsplit=1)[0].strip()
    return clean(textwrap.shorten(text if len(text) <= LINE else head, LINE, placeholder="…"))


def _outside(attached: list[Attached]) -> str:
    kept = (
        "They stand in the folder attachments beside this report, their SHA-256 in SHA256SUMS; the PDF holds "
        "them as attached files"
    )
    large = [item.name for item in attached if not item.is_inside]
    return f"{kept}, but for {', '.join(large)}, which are too large." if large else f"{kept}."


def _evidence(run: Run) -> list[Block]:
    """How many files the manifest lists, and which of them are not what they were."""
    if not run.states:
        return [gap("No evidence index: manifest.json lists no file.")]
    odd = [f"{clean(item['path'], 120)} ({state})" for item, state in run.states if state != "same"]
    listed = f"The run's manifest lists {len(run.states):,} files with their hashes (evidence_index.csv). "
    if not odd:
        return [paragraph(f"{listed}When this report was made, each was as the run left it.")]
    return [paragraph(f"{listed}Not as the run left them: {clean('; '.join(odd), 2000)}.")]


def environment(run: Run) -> Chapter:
    """What it takes to do this again."""
    manifest = run.manifest
    if not manifest:
        return annex(
            "annex-environment", [gap("No environment record: the runner has not written manifest.json.")]
        )
    network = manifest.get("network") or {}
    overrides = manifest.get("overrides") or {}
    attempts = [value_text(attempt) for attempt in network.get("attempts") or []]
    facts = [
        ["ragassay", value_text(manifest.get("ragassay"))],
        ["Python", value_text(manifest.get("python"))],
        ["Platform", value_text(manifest.get("platform"))],
        ["SHA-256 of the library's code", value_text(manifest.get("code_sha256"))],
        ["Git revision", value_text(manifest.get("git_revision") or "not recorded")],
        ["Models named in place of the kit's", _models_in_words(manifest.get("own_models"))],
        ["Parameters given on the command line", _given_in_words(overrides)],
        ["Notebooks of the engagement's own", own_notebooks.in_words(run)],
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
    attached = "Parameters, packages, models and inputs with their hashes are attached"
    blocks.append(paragraph(f"{attached} ([annex](#annex-files))."))
    blocks += own_notebooks.blocks(run)
    return annex("annex-environment", blocks)


def _given_in_words(overrides: dict[str, Any]) -> str:
    """The values given in place of those of the parameter file."""
    told = [f"{clean(name, 100)} = {value_text(value)}" for name, value in overrides.items()]
    return "; ".join(told) or "none"


def _models_in_words(named: dict[str, str] | None) -> str:
    """Which models the run named in place of the kit's, and what stays with the kit's whatever it named."""
    if named is None:
        return "not recorded"
    own = [f"{kind}: {clean(model)}" for kind, model in named.items() if model]
    kept = "The kit's heads read all-MiniLM-L6-v2, on which they were trained"
    kept += "." if named.get("support") else "; support is measured on it alone."
    return "; ".join(own) + f". {kept}" if own else "none: the kit's own"


def _device_in_words(named: Any) -> str:
    """Where the models computed."""
    bits = "the last bits of numbers differ between devices"
    return value_text(named or "cpu") + (f"; {bits}" if named not in (None, "cpu") else "")


def code(notebooks: Iterable[Walked], attached: list[Attached] | None = None) -> Chapter:
    """The annex for HTML alone: what else is attached, and the code of every notebook as it was executed."""
    said = "The code cells as executed, numbered by their execution count."
    blocks: list[Block] = [*_unprinted(attached or []), paragraph(said)]
    for walked in notebooks:
        if walked.code:
            blocks += [
                Heading(2, words(f"{walked.name}.ipynb"), f"code-{walked.name}"),
                *(
                    Verbatim(cut(text, MOST_CODE, f"code_{walked.name}.py"), "python", called)
                    for called, text in walked.code
                ),
            ]
    return annex("annex-code", blocks, is_printed=False)


def glossary(meanings: Mapping[str, str] | None = None) -> Chapter:
    """The words of this report; what raters judged also in the words of their own guide (`meanings`)."""
    own = {display_name(f"{JUDGED}{name}"): clean(text, 0) for name, text in (meanings or {}).items()}
    return annex("annex-glossary", [term_entry(*item) for item in methods_annex.terms(own).items()])
