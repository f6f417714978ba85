"""The parts of the document that no notebook makes: cover, how it is read, sign-off, and the annexes of
methods, environment and attached files."""

import textwrap
from collections.abc import Iterable
from typing import Any

from ragassay.report import blocks as model
from ragassay.report import crosswalk
from ragassay.report.blocks import annex, data_table, gap, letters, paragraph, words
from ragassay.report.decision_words import conditions, literal, read_rows
from ragassay.report.markup import markdown_blocks
from ragassay.report.run_folder import FEWEST, FOLDER, STATED, Run, departures
from ragassay.scope import tier_by_exposure
from ragassay.scores.display_names import in_words
from ragassay.scores.metric import Method
from ragassay.scores.metric_registry import METHODS, METRICS
from ragassay.show import clean, value_text

SIGNING = (
    "The signatures hold for the run whose manifest has this hash; the command ragassay verify names any "
    "change. Who signs by hand writes down the hash of SHA256SUMS, which ragassay run prints."
)
RELEASE = "Before release"
CLASSIFICATION, NOT_INDEPENDENT = "Confidential", " (not independent of owner and developer)"
LONGEST, LONGEST_MARK = 240, 40  # characters of a version in print, and on every page
MOST_VERSIONS = 20  # that a table shows
LINE = 62  # characters of a line that says what a file holds


def _lines(place: str) -> list[tuple[str, str]]:
    """The words that stand in this place, each with the field of the engagement that they are for."""
    return [(row["words"], row["key"]) for row in read_rows("document_control") if row["place"] == place]


def cover(run: Run) -> list[tuple[str, str]]:
    """The lines of the cover."""
    revision = str(run.manifest.get("git_revision") or "not recorded")
    kit = value_text(run.manifest.get("ragassay"))
    lines = {"State": "INCOMPLETE: the summary says what is missing"} if run.gaps else {}
    lines |= {name: run.stated(key).replace("\n", "; ") for name, key in _lines("cover")}
    if version(run) != lines["Version"]:
        lines["Version"] = f"{version(run)} ({clean(versions(run)[0].get('by'), LONGEST)})"
    if run.engagement.get("tier_below_exposure"):
        lines["Materiality tier"] += f" (exposure points to {tier_by_exposure(run.engagement)})"
    lines["Answers asked"] = asking_dates(run)
    if note := run.engagement.get("cover_note"):
        lines["Note"] = clean(note)
    lines["Made by"] = f"ragassay {kit}, revision {clean(revision[:12] + revision[40:], 40)}"
    lines["SHA-256 of the run manifest"] = run.manifest_hash  # what `ragassay verify` compares
    return list(lines.items())


def marks(run: Run) -> list[str]:
    """What every page says: the version, and who may read the report."""
    stated = run.stated("classification")
    mark = f"version {clean(version(run), LONGEST_MARK)}"
    return [mark, CLASSIFICATION if stated == STATED else clean(stated, 60)]


def versions(run: Run) -> list[dict[str, Any]]:
    """The versions of the assistant that answered, as the manifest holds them."""
    listed = run.manifest.get("versions")
    return [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []


def version(run: Run) -> str:
    """The version validated: as the engagement states it, else the one of which all answers are."""
    found, stated = versions(run), run.stated("model_version")
    is_one = len(found) == 1 and found[0].get("version")
    return _name(found[0]) if stated == STATED and is_one else stated


def _name(row: dict[str, Any]) -> str:
    return clean(row.get("version") or "not known: the reply named none", LONGEST)


def reading(run: Run) -> model.Chapter:
    """How the report is read, its regulatory basis, and the versions that answered, a row each; that scores
    mix several, or that one is not known."""
    basis = (
        f"Regulatory basis: {literal(crosswalk.regime(run))}, in our words ([annex](#crosswalk)); "
        "no legal advice."
    )
    short = [f"Fewer than {FEWEST} questions: what they cannot support stands in the notebooks alone."]
    lines = [*(text for text, _ in _lines("reading")), basis, *short * run.is_small]
    blocks: list[model.Block] = [model.Listing(list(map(markdown_blocks, lines)))]
    found = versions(run)
    if not found and run.manifest and not run.engagement.get("answers_log"):
        blocks.append(paragraph("The assistant does not report its version."))
    if found:
        rows = [[_name(row), clean(row.get("by"), LONGEST), value_text(row.get("answers"))] for row in found]
        heads = ["Version", "By whose word", "Answers"]
        blocks.append(data_table("Version that answered", heads, rows[:MOST_VERSIONS]))
        if len(found) > 1 or not found[0].get("version"):
            blocks.append(gap("The scores mix answers of several or unknown versions."))
    if changed := ", ".join(clean(each["notebook"], 80) for each in departures(run)):
        blocks.append(paragraph(f"Not as the kit has them: {changed}. What differs is attached."))
    return model.Chapter("", "How to read this report", "control", blocks, "front")


def sign_off(run: Run, rating: str) -> model.Chapter:
    """Who answers for this report, the decision and the response, the hash that ties their names to these
    files, and all that has to hold before."""
    notes = {"validator": NOT_INDEPENDENT} if run.engagement.get("validator_independent") == "no" else {}
    names = [[role, run.stated(key) + notes.get(key, ""), "\n\n"] for role, key in _lines("sign-off")]
    hashes = [["SHA-256 of manifest.json", run.manifest_hash], ["SHA-256 of SHA256SUMS, by hand", "_" * 48]]
    blocks: list[model.Block] = [
        model.Paragraph((*words("Rating: "), *words(rating, bold=True), *words(". Decision: " + "_" * 22))),
        data_table("", ["Role", "Name", "Response, signature and date"], names, widths=[2, 2, 3]),
        data_table("", [], hashes, widths=[1, 2.6]),
    ]
    needed = conditions(rating)
    if missing := crosswalk.before_signing(run):
        release = next((name for name in needed if name.startswith(RELEASE)), RELEASE)
        needed[release] = [*needed.get(release, ()), *missing]
    lines = [f"{before}: {'; '.join(those)}." for before, those in needed.items()]
    held = model.Listing(list(map(markdown_blocks, lines)))
    blocks += [paragraph("What has to hold first:"), held] * bool(lines)
    return model.Chapter("", "Sign-off", "sign-off", [*blocks, paragraph(SIGNING)])


def asking_dates(run: Run) -> str:
    """When the answers were asked, by the journals, or by the times of a log; that a log has none."""
    is_log = bool(run.engagement.get("answers_log"))
    if not run.asked:
        return "not by this run: the answers are those of a log, which states no times" if is_log else STATED
    first, last = run.asked[0], run.asked[-1]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    if is_log:
        return f"{when}, by the times of {len(run.asked):,} rows of the log"
    ordinary = len(run.rows("answers"))
    others = len(run.asked) - ordinary
    return f"{when} (UTC): {ordinary:,} ordinary answers, {others:,} to probes and variations"


def methods_annex(run: Run, body: Iterable[model.Chapter]) -> model.Chapter:
    """The measures that these chapters name, or figures draw, the statistical methods, and their sources:
    what the numbers mean, where they come from, and where they depart from that. All metrics are attached."""
    printed = " ".join(map(letters, body)).casefold()
    drawn = ((run.manifest.get("parameters") or {}).get("04_calibration") or {}).get("pairs") or {}
    named = [
        metric for metric in METRICS.values() if metric.name in drawn or metric.display.casefold() in printed
    ]
    table = data_table(
        "Measures named in this report",
        ["Measure", "What it says", "Source"],
        [[metric.display, metric.meaning, metric.source] for metric in named],
        widths=[1.4, 4, 1.8],
    )
    statistics = [Method(**row) for row in read_rows("methods")]
    sources = " ".join([*(metric.source for metric in named), *(method.source for method in statistics)])
    blocks: list[model.Block] = [table] if named else []
    blocks.append(model.Heading(2, words("Statistical methods"), "methods"))
    for method in statistics:
        name, text = in_words(method.name), f"{in_words(method.meaning)} {in_words(method.departure)}".strip()
        source = words(f" {method.source}." if method.source else "", italic=True)
        blocks.append(model.Paragraph((*words(f"{name}. ", bold=True), *words(text), *source)))
        if method.tex:
            blocks.append(model.Paragraph(words(method.tex, kind="display")))
    blocks.append(model.Heading(2, words("References"), "references"))
    for row in read_rows("references"):
        if row["name"] in sources:
            work = words(f"{row['name']}. ", bold=True)
            blocks.append(model.Paragraph((*work, *words(row["reference"]))))
    return annex("annex-methods", blocks)


def methods() -> list[Method]:
    """All methods: those of the families of metrics, then the others (methods.csv)."""
    return [*METHODS, *(Method(**row) for row in read_rows("methods"))]


def environment_annex(run: Run, attached: list[model.Attached]) -> model.Chapter:
    """What it takes to do this again, whether the run's files are what they were, and those attached."""
    shown: list[list[str | model.Inlines]] = [
        [
            words(item.name, kind="file", target=f"{FOLDER}/{item.name}"),
            clean(textwrap.shorten(item.about, LINE, placeholder="…")),
            value_text(-(-len(item.data) // 1000)),
        ]
        for item in attached
    ]
    large = ", ".join(item.name for item in attached if not item.is_inside)
    besides = f", but for {large} (too large)" if large else ""
    note = f"They stand in the folder attachments, their SHA-256 in SHA256SUMS, and in the PDF{besides}."
    table = data_table("Attached files", ["File", "What it holds", "kB"], shown, align="llr", note=note)
    none = gap("No environment record: the runner has not written manifest.json.")
    program = data_table("Program and network", [], _program(run), widths=[1, 3]) if run.manifest else none
    evidence: model.Block = gap("No evidence index: manifest.json lists no file.")
    if run.states:
        odd = [f"{clean(item['path'], 120)} ({state})" for item, state in run.states if state != "same"]
        said = f"The run's manifest lists {len(run.states):,} files with their hashes (evidence_index.csv). "
        said += f"Not as the run left them: {clean('; '.join(odd))}." if odd else "Each is as it was."
        evidence = paragraph(said)
    return annex("annex-environment", [program, evidence, table])


def _program(run: Run) -> list[list[str]]:
    """What the manifest holds of the program and the network, in words."""
    lines = []
    for row in read_rows("document_control"):
        if row["place"] == "environment":
            value: Any = run.manifest
            for key in row["key"].split("."):
                value = (value or {}).get(key)
            if isinstance(value, dict):
                value = [f"{clean(name, 100)} = {value_text(each)}" for name, each in value.items() if each]
            values = value if isinstance(value, list) else [value or row["otherwise"]]
            lines.append([row["words"], "\n".join(map(value_text, values)) or row["otherwise"]])
    changed = [
        f"{clean(each['notebook'], 80)} (+{each['added']} and -{each['removed']} lines)"
        for each in departures(run)
    ]
    own = "; ".join(changed) or "none: every notebook is the kit's"
    return [*lines, ["Notebooks of the engagement's own", own]]
