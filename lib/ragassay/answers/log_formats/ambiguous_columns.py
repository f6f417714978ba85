"""Two columns that may both hold the question, the answer, the passages or the reference answer, and do not
agree: refused, never guessed."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragassay.answers.log_files import Flaw, shorten
from ragassay.answers.log_formats.nested_values import dig, first_value, parse_literal
from ragassay.answers.log_formats.tool_schemas import Schema
from ragassay.answers.log_formats.tool_scores import WORDS
from ragassay.answers.log_formats.value_conversion import Unfit, as_texts
from ragassay.errors import InputError

JUDGED = ("question", "answer", "contexts", "reference_answer")
Values = Mapping[str, Any]


def rivals(
    sample: Sequence[Values], chosen: Schema, others: Mapping[str, Sequence[str]], mapping: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Of what is judged, the columns beside the one read that may hold it too, and mean nothing else to the
    schema.

    sample : records; others : ours -> columns that may hold it; mapping : of the user, who has then decided
    """
    read = {path.partition(".")[0] for theirs in chosen.columns.values() for path in theirs.split("|")}
    read |= set(chosen.scores.values()) | set(chosen.labels.values())
    found = {}
    for ours in (name for name in JUDGED if name not in mapping and name in chosen.columns):
        names = [*chosen.columns[ours].split("|"), *(one for one in others.get(ours, ()) if one not in read)]
        found[ours] = tuple(name for name in dict.fromkeys(names) if _may_hold(ours, name, sample, chosen))
    return {ours: names for ours, names in found.items() if len(names) > 1}


def refuse_two(sample: Sequence[Values], places: Sequence[str], schema: Schema) -> None:
    """InputError if two columns of a record may hold the same, and do not agree; places : of the records."""
    for values, place in zip(sample, places, strict=True):
        for flaw in flaws(values, place, schema):
            raise InputError(
                "two columns of the file do not agree",
                where=place,
                found=f"{flaw.found}; the file was taken as {schema.tool}",
                expected=flaw.expected,
                do=flaw.do,
            )


def flaws(values: Values, where: str, schema: Schema) -> list[Flaw]:
    """The first two columns of a record which may hold the same and do not agree."""
    for ours, names in schema.rivals.items():
        path, mine = first_value(dict(values), schema.columns[ours])
        told = _told(ours, mine, schema)
        for other in (name for name in names if name != path and told):
            value = dig(values, other)
            if not _agree(ours, told, _told(ours, value, schema)):
                found = f"{shorten(mine)} in {path}, {shorten(value)} in {other}"
                do = f"say which: --map {ours}={path} or --map {ours}={other}, in parameters 00_scope.map"
                return [Flaw(where, path, found, f"one to hold the {ours}", do)]
    return []


def _may_hold(ours: str, name: str, sample: Sequence[Values], chosen: Schema) -> bool:
    """Whether the column says something, and not the same in every row, or a verdict, where what is read does
    not."""
    told = [_told(ours, dig(values, name), chosen) for values in sample]
    mine = [_told(ours, first_value(dict(values), chosen.columns[ours])[1], chosen) for values in sample]
    theirs, ours_told = {one for one in told if one}, {one for one in mine if one}
    same_everywhere = len(theirs) == 1 and len(ours_told) > 1
    return bool(theirs) and not same_everywhere and (_are_verdicts(ours_told) or not _are_verdicts(theirs))


def _are_verdicts(told: set[tuple[str, ...]]) -> bool:
    return all(text.lower() in WORDS for texts in told for text in texts)


def _told(ours: str, value: Any, schema: Schema) -> tuple[str, ...]:
    """The texts that a value says as this column of ours, without the spaces around them; none where it is of
    another kind, an object, or a list of ids."""
    if ours == "contexts":
        return _passages(value, schema)
    if not isinstance(value, str) or parse_literal(value) is not value:
        return ()
    return tuple(filter(None, [" ".join(value.split())]))


def _passages(value: Any, schema: Schema) -> tuple[str, ...]:
    try:
        texts = [" ".join(text.split()) for text in as_texts(value, schema)[0]]
    except Unfit:
        return ()
    return tuple(texts) if any(" " in text for text in texts) else ()


def _agree(ours: str, mine: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both say the same, or the other nothing; a prompt that holds the question agrees with it."""
    around = ours == "question" and bool(other) and mine[0] in other[0]
    return not other or mine == other or around
