"""The chapter of the decision: what its notebook shows, a card for each grave finding, and, where the
notebook does not show them, gates, findings, limits and gaps."""

from ragassay.decision.closing.first_steps import CAPTION
from ragassay.report import crosswalk, findings_register, gate_table, limitations
from ragassay.report.block_builders import bullets, paragraph, words
from ragassay.report.blocks import Block, Heading, Table
from ragassay.report.run_folder import Run
from ragassay.show import clean

GATES, FINDINGS = "tables/gates.parquet", "tables/findings.parquet"


def decided(run: Run, blocks: list[Block]) -> list[Block]:
    """The notebook's blocks, completed."""
    shown = {block.file for block in blocks if isinstance(block, Table)}
    made = [*blocks]
    if GATES not in shown:
        made += [Heading(2, words("Gates"), "gates"), *gate_table.gates(run)]
    if FINDINGS not in shown:
        made += [Heading(2, words("Findings"), "findings"), findings_register.overview(run)]
    made = _with_cards(made, findings_register.cards(run))
    made = _with_conditions(made, crosswalk.conditions_line(run))
    if run.notebooks["07_conclusion"].state != "executed":
        made += limitations.limitations(run)
    return made


def gaps(run: Run) -> list[Block]:
    """What this report lacks, whole; nothing where it lacks nothing."""
    if not run.gaps:
        return []
    return [Heading(2, words("Gaps in the evidence"), "gaps"), bullets([clean(line) for line in run.gaps])]


def _with_conditions(blocks: list[Block], told: str) -> list[Block]:
    """What the crosswalk asks before sign-off, use and release, before the table of what must happen first;
    last where there is no such table."""
    place = next(
        (at for at, block in enumerate(blocks) if isinstance(block, Table) and block.caption == CAPTION),
        len(blocks),
    )
    return [*blocks[:place], *([paragraph(told)] if told else []), *blocks[place:]]


def _with_cards(blocks: list[Block], cards: list[Block]) -> list[Block]:
    """The cards after the table of findings."""
    place = next(
        (at for at, block in enumerate(blocks, 1) if isinstance(block, Table) and block.file == FINDINGS),
        len(blocks),
    )
    return [*blocks[:place], *cards, *blocks[place:]]
