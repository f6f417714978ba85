"""Who validated what for whom: the cover, how the report is read, the sign-off."""

from typing import Any

from ragassay.answers import answer_journal
from ragassay.report import crosswalk
from ragassay.report.blocks import (
    Block,
    Chapter,
    Paragraph,
    Strong,
    Text,
    bullets,
    data_table,
    gap,
    paragraph,
)
from ragassay.report.run_folder import STATED, Run
from ragassay.show import clean, value_text

MANIFEST_LINE = "SHA-256 of the run manifest"  # of the cover: what `ragassay verify` compares
SIGNING = (
    "The signatures hold for the run whose manifest has this hash; the command ragassay verify names any "
    "change. Who signs by hand writes down the hash of SHA256SUMS, which ragassay run prints."
)
COVER = {
    "Model": "model_name",
    "Inventory id": "model_id",
    "Version": "model_version",
    "Materiality tier": "tier",
    "Validation type": "validation_type",
    "Previous rating": "previous_rating",
    "Period": "period",
    "Data cut-off": "data_cutoff",
    "Report date": "date",
    "Next review": "next_review",
    "Earlier review on": "triggers",
    "Owner": "owner",
    "Developer": "developer",
    "Validator": "validator",
    "Reporting line": "reporting_line",
    "Independent": "validator_independent",
    "Independence statement": "independence",
    "Approver": "approver",
    "Distribution": "distribution",
}
CLASSIFICATION = "Confidential"
LONGEST, LONGEST_MARK = 240, 40  # characters of a version in print, and on every page
MOST_VERSIONS = 20  # that a table shows
UNKNOWN = "not known: the reply named none"
READING = (
    "A share stands in per cent with its 95 % interval and the cases behind it: 82 % [78, 86], n = 240.",
    "What could not be measured is missing, with a reason; it is never counted as zero.",
    "A criterion acts on the unfavourable end of an interval; what was not measured never passes.",
    "A pass by design follows from how the assistant works, and carries no weight.",
    "Rows, parameters and code are attached ([annex](#annex-environment)).",
)


def cover(run: Run) -> list[tuple[str, str]]:
    """The lines of the cover."""
    revision = str(run.manifest.get("git_revision") or "not recorded")
    kit = value_text(run.manifest.get("ragassay"))
    made = f"ragassay {kit}, revision {clean(revision[:12] + revision[40:], 40)}"
    state = [("State", "INCOMPLETE: the summary says what is missing")] if run.gaps else []
    found = version(run)
    by = "" if found == run.stated("model_version") else f" ({clean(version_rows(run)[0]['by'], LONGEST)})"
    stated = {label: run.stated(key).replace("\n", "; ") for label, key in COVER.items()}
    stated |= {"Version": f"{found}{by}"}
    return (
        state
        + list(stated.items())
        + [("Answers asked", asking_dates(run))]
        + ([("Note", clean(note))] if (note := run.engagement.get("cover_note")) else [])
        + [("Made by", made), (MANIFEST_LINE, run.manifest_hash or "not available")]
    )


def classification(run: Run) -> str:
    """Who may read this report, as the engagement states it."""
    stated = run.stated("classification")
    return CLASSIFICATION if stated == STATED else clean(stated, 60)


def reading(run: Run) -> Chapter:
    """How the report is read, its regulatory basis, and the versions that answered."""
    basis = f"Regulatory basis: {crosswalk.regime(run)}, in our words ([annex](#crosswalk)); no legal advice."
    blocks: list[Block] = [bullets([*READING, basis]), *versions(run)]
    return Chapter("", "How to read this report", "control", blocks, "front")


def version(run: Run) -> str:
    """The version validated: as the engagement states it, else the one of which all answers are."""
    found, stated = version_rows(run), run.stated("model_version")
    return name_of(found[0]) if stated == STATED and len(found) == 1 and found[0]["version"] else stated


def mark(run: Run) -> str:
    """The version, as every page names it: as stated where the one that answered is too long for that."""
    found = version(run)
    return found if len(found) <= LONGEST_MARK else run.stated("model_version")


def versions(run: Run) -> list[Block]:
    """The versions of the assistant that answered, a row each; that scores mix several, or that one is not
    known."""
    found = version_rows(run)
    if not found:
        is_asked = run.manifest and not run.engagement.get("answers_log")
        return [paragraph("The assistant does not report its version.")] if is_asked else []
    rows = [
        [
            name_of(row),
            clean(row["by"], LONGEST),
            f"{row['answers']:,}",
            *(_seen(run, row[end]) for end in ("first", "last")),
        ]
        for row in found[:MOST_VERSIONS]
    ]
    columns = ["Version", "By whose word", "Answers", "First seen", "Last seen"]
    more = f"{len(found) - MOST_VERSIONS} more are in manifest.json." if len(found) > MOST_VERSIONS else ""
    table = data_table("Version that answered", columns, rows, widths=[2, 2, 1, 2, 2], note=more)
    is_one = len(found) == 1 and found[0]["version"] is not None
    return [table] if is_one else [table, gap("The scores mix answers of several or unknown versions.")]


def version_rows(run: Run) -> list[dict[str, Any]]:
    """The manifest's versions; what is no such row is passed over."""
    listed = run.manifest.get("versions")
    return [row for row in (listed if isinstance(listed, list) else []) if _is_version(row)]


def _is_version(row: Any) -> bool:
    kinds = {"version": str | None, "by": str, "answers": int, "first": dict, "last": dict}
    return isinstance(row, dict) and all(isinstance(row.get(name), kind) for name, kind in kinds.items())


def name_of(row: dict[str, Any]) -> str:
    """A version in print."""
    return UNKNOWN if row["version"] is None else clean(row["version"], LONGEST)


def _seen(run: Run, answer: dict[str, str]) -> str:
    """When and to which question: `2026-11-23, u-1`."""
    times = answer_journal.times(run.content(f"journal/{answer.get('journal')}.jsonl") or b"")
    case = str(answer.get("case_id"))
    return clean(", ".join(filter(None, (times.get(case, "")[:10], case))), LONGEST)


def sign_off(run: Run, rating: str) -> Chapter:
    """Who answers for this report, the decision and the response, and the hash that ties their names to these
    files."""
    roles = [
        ("Prepared by (validator)", "validator"),
        ("Reviewed by (reporting line)", "reporting_line"),
        ("Accepted by (model owner), with the response", "owner"),
        ("Decided by (approver)", "approver"),
    ]
    blocks: list[Block] = [
        Paragraph((Text("Rating: "), Strong((Text(rating),)), Text(". Decision: ______________________"))),
        data_table(
            "",
            ["Role", "Name", "Response, signature and date"],
            [[role, run.stated(key), "\n\n"] for role, key in roles],
            widths=[2, 2, 3],
        ),
        data_table(
            "",
            [],
            [
                ["SHA-256 of manifest.json", run.manifest_hash or "not available"],
                ["SHA-256 of SHA256SUMS, by hand", "_" * 48],
            ],
            widths=[1, 2.6],
        ),
        *_before_signing(run),
        paragraph(SIGNING),
    ]
    return Chapter("", "Sign-off", "sign-off", blocks)


def _before_signing(run: Run) -> list[Paragraph]:
    """What has to stand before anybody signs; nothing where the crosswalk leaves no such condition open."""
    named = crosswalk.before_signing(run)
    told = f"Not to be signed before these are met ([annex](#crosswalk)): {'; '.join(named)}."
    return [paragraph(told)] if named else []


def asking_dates(run: Run) -> str:
    """When the answers were asked, by the journals, or by the times of a log; that a log has none."""
    is_log = bool(run.engagement.get("answers_log"))
    if not run.asked:
        return "not by this run: the answers are those of a log, which states no times" if is_log else STATED
    first, last = run.asked[0], run.asked[-1]
    when = f"on {first}" if first == last else f"from {first} to {last}"
    if is_log:
        return f"{when}, by the times of {len(run.asked):,} rows of the log"
    return f"{when} (UTC): {len(run.asked):,} answers, those to probes and variations among them"
