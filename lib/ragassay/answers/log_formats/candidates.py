"""Two columns that may both hold the question, or the answer, and do not agree: refused, never guessed."""

from collections.abc import Mapping, Sequence

from ragassay.answers.log_formats.paths import first_value
from ragassay.answers.log_formats.schemas import Schema
from ragassay.errors import InputError

JUDGED = ("question", "answer")


def refuse_two(
    sample: Sequence[dict],
    chosen: Schema,
    others: Mapping[str, Sequence[str]],
    mapping: Mapping[str, str],
    where: str,
) -> None:
    """InputError if a column that may hold the question or the answer holds other texts than the one that is
    read, and means nothing else to the schema chosen.

    sample : records; others : ours -> columns that may hold it; mapping : of the user, who has then decided
    """
    for ours in (name for name in JUDGED if name not in mapping and name in chosen.columns):
        path, other = _two_columns(ours, sample, others.get(ours, ()), chosen)
        if other:
            raise InputError(
                f"two columns may hold the {ours}, and they do not agree",
                where=where,
                found=f"{path} and {other}; the file was taken as {chosen.tool}",
                expected=f"one column for the {ours}",
                do=f"say which: --map {ours}={path} or --map {ours}={other}, in parameters 00_scope.map",
            )


def _two_columns(ours: str, sample: Sequence[dict], others: Sequence[str], chosen: Schema) -> tuple[str, str]:
    """The column read and another candidate that differs from it; the second is "" if there is none."""
    read = {path.partition(".")[0] for theirs in chosen.columns.values() for path in theirs.split("|")}
    read |= set(chosen.scores.values()) | set(chosen.labels.values())
    mine = [first_value(record, chosen.columns[ours]) for record in sample]
    for name in (each for each in others if each not in read):
        pairs = [(value, record.get(name)) for record, (_, value) in zip(sample, mine, strict=True)]
        if any(_differ(*pair) for pair in pairs):
            return mine[0][0], name
    return "", ""


def _differ(mine: object, other: object) -> bool:
    """Whether both are texts that say something, and not the same."""
    texts = [value.strip() for value in (mine, other) if isinstance(value, str) and value.strip()]
    return len(texts) == 2 and texts[0] != texts[1]
