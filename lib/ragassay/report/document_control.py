"""Who validated what for whom: the cover, document control before the chapters, the sign-off after them."""

from ragassay.report import adjusted_intervals, answered_by, crosswalk
from ragassay.report.block_builders import bullets, data_table, paragraph, words
from ragassay.report.blocks import (
    Block,
    Chapter,
    Code,
    Document,
    Heading,
    Listing,
    Paragraph,
    Signature,
    Strong,
    Table,
    Text,
)
from ragassay.report.run_folder import STATED, Run
from ragassay.show import clean, value_text

MANIFEST_LINE = "SHA-256 of the run manifest"  # of the cover: what `ragassay verify` compares
COVER = {
    "Model": "model_name",
    "Inventory id": "model_id",
    "Version": "model_version",
    "Materiality tier": "tier",
    "Validation type": "validation_type",
    "Period": "period",
    "Data cut-off": "data_cutoff",
    "Report date": "date",
    "Owner": "owner",
    "Validator": "validator",
    "Approver": "approver",
}
CONTROL = {
    "This validation": {
        "Materiality tier": "tier",
        "Previous rating": "previous_rating",
        "Next review": "next_review",
        "Triggers for an earlier review": "triggers",
    },
    "People and independence": {
        "Developer": "developer",
        "Reporting line of the validator": "reporting_line",
        "Validator independent": "validator_independent",
        "Independence statement": "independence",
        "Distribution": "distribution",
        "Classification": "classification",
    },
}
CLASSIFICATION = "Confidential"
ANEW = (
    "A name or statement that is changed in the parameters makes another manifest: the notebooks are "
    "executed again, on the answers kept, and that report is signed."
)


def cover(run: Run) -> list[tuple[str, str]]:
    """The lines of the cover."""
    revision = str(run.manifest.get("git_revision") or "not recorded")
    version = value_text(run.manifest.get("ragassay"))
    made = f"ragassay {version}, revision {clean(revision[:12] + revision[40:], 40)}"
    state = [("State", "INCOMPLETE: the executive summary says what is missing")] if run.gaps else []
    stated = {label: run.stated(key) for label, key in COVER.items()}
    return (
        state
        + list((stated | {"Version": answered_by.version_with_source(run)}).items())
        + ([("Note", clean(note))] if (note := run.engagement.get("cover_note")) else [])
        + [("Made by", made), (MANIFEST_LINE, run.manifest_hash or "not available")]
    )


def classification(run: Run) -> str:
    """Who may read this report, as the engagement states it."""
    stated = run.stated("classification")
    return CLASSIFICATION if stated == STATED else clean(stated, 60)


def marks(document: Document) -> list[str]:
    """What every page says of the document: its version, who may read it, that it is incomplete."""
    version = f"version {document.version}" if document.version else ""
    state = "" if document.is_complete else "INCOMPLETE"
    return [mark for mark in (version, document.classification, state) if mark]


def control(run: Run) -> Chapter:
    """Document control: identity, people and independence, materiality, basis."""
    blocks: list[Block] = [_facts(run, caption, fields) for caption, fields in CONTROL.items()]
    blocks.insert(
        1, data_table("Dates", [], [["Answers asked", asking_dates(run)], *_dates(run)], widths=[1, 2.6])
    )
    blocks += [*answered_by.blocks(run), *_reading(run)]
    return Chapter("", "Document control", "control", blocks, "front")


def sign_off(run: Run, rating: str) -> Chapter:
    """Who answers for this report, and the hash that ties their names to these files."""
    roles = [
        ("Prepared by (validator)", "validator"),
        ("Reviewed by (reporting line)", "reporting_line"),
        ("Accepted by (model owner)", "owner"),
        ("Approved by", "approver"),
    ]
    blocks: list[Block] = [
        Paragraph(
            (
                Text("Rating: "),
                Strong((Text(rating),)),
                Text(
                    ". The signatures below hold for the run whose manifest has the hash printed here, and "
                    "for no other. "
                ),
                Code("ragassay sign"),
                Text(
                    " signs manifest and documents with a key of each signatory, in a file beside the "
                    "manifest: a document cannot hold its own signature. "
                ),
                Code("ragassay verify FOLDER --key KEY.pub"),
                Text(
                    " then names any change, of this document too. Who signs by hand writes down the second "
                    "hash, which "
                ),
                Code("ragassay run"),
                Text(" prints, for "),
                Code("ragassay verify FOLDER --signed HASH"),
                Text("."),
            )
        ),
        data_table(
            "What is signed",
            [],
            [
                ["Validated", f"{run.stated('model_name')}, version {run.stated('model_version')}"],
                ["Report date", run.stated("date")],
                ["SHA-256 of manifest.json", run.manifest_hash or "not available"],
                ["SHA-256 of SHA256SUMS, by hand", "_" * 48],
            ],
            widths=[1, 2.6],
        ),
        *_before_signing(run),
        *(Signature(role, run.stated(key)) for role, key in roles),
    ]
    return Chapter("", "Sign-off", "sign-off", blocks)


def _before_signing(run: Run) -> list[Paragraph]:
    """What has to stand before anybody signs; nothing where the crosswalk leaves no such condition open."""
    open_ones = crosswalk.conditions(run).get(crosswalk.SIGN_OFF, [])
    named = crosswalk.conditions_text(open_ones)
    told = f"Not to be signed before these are met ([chapter](#crosswalk)): {named}. {ANEW}"
    return [paragraph(told)] if open_ones else []


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


def _dates(run: Run) -> list[list[str]]:
    """The other dates on which the report rests."""
    return [
        [label, run.stated(key)] for label, key in (("Data cut-off", "data_cutoff"), ("Report date", "date"))
    ]


def _facts(run: Run, caption: str, fields: dict[str, str]) -> Table:
    return data_table(
        caption, [], [[label, _stated(run, key)] for label, key in fields.items()], widths=[1, 2.6]
    )


def _stated(run: Run, key: str) -> str:
    """A field as stated; of the next review, which no rule here sets, that it is."""
    value = run.stated(key)
    return f"{value}, as stated" if key == "next_review" and value != STATED else value


def _reading(run: Run) -> list[Block]:
    rules = [
        "A share stands in per cent, with its 95 % interval and the cases behind it: 82 % [78, 86], n = 240; "
        "what is no share stands in its own units.",
        "What could not be measured is missing with a reason (—); it is never counted as zero.",
        "A gate acts on the unfavourable end of an interval, never on the value alone; a gate without its "
        "measure is incomplete, never passed.",
        "All measures with the cases left out of each, parameters, code and row-level tables are attached "
        "([annex](#annex-files)), not printed.",
        f"Regulatory basis: {crosswalk.regime(run)}, by theme and in our words; it is no legal "
        "advice and quotes no clause.",
    ]
    return [Heading(2, words("How to read this report"), "reading"), bullets(rules)]


def tell_intervals(control: Chapter, chapters: list[Chapter]) -> None:
    """Add to how the report is read which tables have adjusted intervals: once all tables are numbered."""
    *_, rules = (block for block in control.blocks if isinstance(block, Listing))
    rules.items.insert(1, [adjusted_intervals.sentence(chapters)])
