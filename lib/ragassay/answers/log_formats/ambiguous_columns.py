"""Two columns that may both hold the question, the answer, the passages or the reference answer, and do not
agree: refused, never guessed."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragassay.answers.log_files import Flaw, shorten
from ragassay.answers.log_formats.nested_values import dig, first_value, parse_literal
from ragassay.answers.log_formats.tool_schemas import Schema
from ragassay.answers.log_formats.value_conversion import Unfit, as_texts
from ragassay.errors import InputError

JUDGED = ("question", "answer", "contexts", "reference_answer")
Values = Mapping[str, Any]


def rivals(
    sample: Sequence[Values], chosen: Schema, others: Mapping[str, Sequence[str]], mapping: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Of what is judged, the columns beside the one read that may hold it too, say something, and mean
    nothing else to the schema.

    sample : records; others : ours -> columns that may hold it; mapping : of the user, who has then decided
    """
    read = {path.partition(".")[0] for theirs in chosen.columns.values() for path in theirs.split("|")}
    read |= set(chosen.scores.values()) | set(chosen.labels.values())
    found = {}
    for ours in (name for name in JUDGED if name not in mapping and name in chosen.columns):
        names = [*chosen.columns[ours].split("|"), *(one for one in others.get(ours, ()) if one not in read)]
        telling = [
            name
            for name in dict.fromkeys(names)
            if any(_told(ours, dig(values, name), chosen) for values in sample)
        ]
        if len(telling) > 1:
            found[ours] = tuple(telling)
    return found


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
