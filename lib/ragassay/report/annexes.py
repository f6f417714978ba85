"""The annex of environment and attached files."""

import textwrap

from ragassay.report import attachments
from ragassay.report.blocks import (
    Attached,
    Block,
    Chapter,
    File,
    Inlines,
    Table,
    annex,
    data_table,
    gap,
    paragraph,
    words,
)
from ragassay.report.run_folder import Run
from ragassay.show import clean, value_text

LINE = 62  # characters of a line that says what a file holds


def environment(run: Run, attached: list[Attached]) -> Chapter:
    """What it takes to do this again, whether the run's files are what they were, and those attached."""
    rows: list[list[Inlines]] = [
        [
            (File(f"{attachments.FOLDER}/{item.name}"),),
            words(clean(textwrap.shorten(item.about, LINE, placeholder="…"))),
            words(value_text(-(-len(item.data) // 1000))),
        ]
        for item in attached
    ]
    large = ", ".join(item.name for item in attached if not item.is_inside)
    besides = f", but for {large} (too large)" if large else ""
    note = f"They stand in the folder attachments, their SHA-256 in SHA256SUMS, and in the PDF{besides}."
    heads = [words(name) for name in ("File", "What it holds", "kB")]
    table = Table("Attached files", heads, rows, ["l", "l", "r"], note)
    return annex("annex-environment", [*_program(run), *_evidence(run), table])


def _evidence(run: Run) -> list[Block]:
    """How many files the manifest lists, and which of them are not what they were."""
    if not run.states:
        return [gap("No evidence index: manifest.json lists no file.")]
    odd = [f"{clean(item['path'], 120)} ({state})" for item, state in run.states if state != "same"]
    listed = f"The run's manifest lists {len(run.states):,} files with their hashes (evidence_index.csv). "
    if not odd:
        return [paragraph(f"{listed}When this report was made, each was as the run left it.")]
    return [paragraph(f"{listed}Not as the run left them: {clean('; '.join(odd), 2000)}.")]


def _program(run: Run) -> list[Block]:
    manifest = run.manifest
    if not manifest:
        return [gap("No environment record: the runner has not written manifest.json.")]
    network, overrides = manifest.get("network") or {}, manifest.get("overrides") or {}
    given = "; ".join(f"{clean(name, 100)} = {value_text(value)}" for name, value in overrides.items())
    attempts = [value_text(attempt) for attempt in network.get("attempts") or []]
    facts = [
        [
            "Made by",
            f"ragassay {value_text(manifest.get('ragassay'))}, Python {value_text(manifest.get('python'))}",
        ],
        ["Platform", value_text(manifest.get("platform"))],
        ["SHA-256 of the library's code", value_text(manifest.get("code_sha256"))],
        ["Git revision", value_text(manifest.get("git_revision") or "not recorded")],
        ["Models named in place of the kit's", _models_in_words(manifest.get("own_models"))],
        ["Parameters given on the command line", given or "none"],
        ["Notebooks of the engagement's own", _own_notebooks(run)],
        ["Device", value_text(manifest.get("device") or "cpu")],
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
    return [data_table("Program and network", [], facts, widths=[1, 3])]


def _own_notebooks(run: Run) -> str:
    """Which notebooks are not the kit's; the differences are attached."""
    named = [
        f"{clean(each['notebook'], 80)} (+{each['added']} and -{each['removed']} lines)"
        for each in attachments.departures(run)
    ]
    return "; ".join(named) or "none: every notebook is the kit's"


def _models_in_words(named: dict[str, str] | None) -> str:
    """Which models the run named in place of the kit's."""
    if named is None:
        return "not recorded"
    own = [f"{kind}: {clean(model)}" for kind, model in named.items() if model]
    return "; ".join(own) or "none: the kit's own"
