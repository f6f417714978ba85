"""The annexes of attached files, environment and glossary."""

import textwrap
from collections.abc import Mapping

from ragassay.report import attachments, methods_annex
from ragassay.report.block_builders import annex, data_table, gap, paragraph, term_entry, words
from ragassay.report.blocks import Attached, Block, Chapter, File, Inlines, Table
from ragassay.report.run_folder import Run
from ragassay.scores.display_names import display_name
from ragassay.scores.metric_directions import JUDGED
from ragassay.show import clean, value_text

LINE = 62  # characters of a line that says what a file holds


def files(run: Run, attached: list[Attached]) -> Chapter:
    """The attached files, and whether the run's own are what they were."""
    rows: list[list[Inlines]] = [
        [
            (File(f"{attachments.FOLDER}/{item.name}"),),
            words(clean(textwrap.shorten(item.about, LINE, placeholder="…"))),
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


def _outside(attached: list[Attached]) -> str:
    large = ", ".join(item.name for item in attached if not item.is_inside)
    besides = f", but for {large}, which are too large" if large else ""
    return f"They stand in the folder attachments, their SHA-256 in SHA256SUMS, and in the PDF{besides}."


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
    given = "; ".join(f"{clean(name, 100)} = {value_text(value)}" for name, value in overrides.items())
    attempts = [value_text(attempt) for attempt in network.get("attempts") or []]
    facts = [
        ["ragassay", value_text(manifest.get("ragassay"))],
        ["Python", value_text(manifest.get("python"))],
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
    blocks: list[Block] = [data_table("Program and network", [], facts, widths=[1, 3])]
    attached = "Parameters, packages, models and inputs with their hashes are attached"
    blocks.append(paragraph(f"{attached} ([annex](#annex-files))."))
    return annex("annex-environment", blocks)


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


def glossary(meanings: Mapping[str, str] | None = None) -> Chapter:
    """The words of this report; what raters judged also in the words of their own guide (`meanings`)."""
    own = {display_name(f"{JUDGED}{name}"): clean(text, 0) for name, text in (meanings or {}).items()}
    return annex("annex-glossary", [term_entry(*item) for item in methods_annex.terms(own).items()])
