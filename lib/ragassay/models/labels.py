"""Which of a model's labels mean what we ask: found by their names, or named by the user after a `#`."""

from collections.abc import Sequence

from ragassay.errors import ModelError

MEANINGS: dict[
    str, tuple[tuple[str, ...], ...]
] = {  # what is asked -> for each answer the names, in lower case, that mean it
    "entailment": (
        ("entailment", "entailed", "entails"),
        ("neutral",),
        ("contradiction", "contradicts", "contradictory"),
    ),
    "toxicity": (("toxic", "toxicity"),),
    "acceptability": (("acceptable",),),
}
KINDS = {
    "person": ("person", "per"),
    "organisation": ("organisation", "organization", "org"),
    "place": ("place", "location", "loc", "gpe"),
    "address": ("address", "street_address", "streetaddress"),
}
BEGINS = ("b", "s", "u")  # prefixes of a label that begin a span: of BIO, BIOES and BILOU


def columns(labels: Sequence[str], asked: str, model: str) -> list[int]:
    """The places among `labels` of the answers asked for, in the order of MEANINGS.

    Raises
    ------
    ModelError
        If a label is not found.
    """
    _, _, chosen = model.partition("#")
    wanted: Sequence[Sequence[str]] = (
        [(name.strip(),) for name in chosen.split(",")] if chosen else MEANINGS[asked]
    )
    lower = [label.lower() for label in labels]
    found = [
        next((lower.index(name.lower()) for name in names if name.lower() in lower), None) for names in wanted
    ]
    places = [place for place in found if place is not None]
    if len(places) != len(MEANINGS[asked]) or None in found:
        expected = ", ".join(" or ".join(names) for names in MEANINGS[asked])
        do = "name the model's labels in this order after a #: model#LABEL" + ",LABEL" * (
            len(MEANINGS[asked]) - 1
        )
        raise ModelError(
            f"the labels of {model!r} do not say which means {asked}",
            found=", ".join(labels),
            expected=expected,
            do=do,
        )
    return places


def spans(labels: Sequence[str], model: str) -> list[tuple[str, bool]]:
    """Of each label the kind of entity ("" for none of ours) and whether it begins a span.

    Raises
    ------
    ModelError
        If no label names a kind of ours.
    """
    read = [_span(label) for label in labels]
    if not any(kind for kind, _ in read):
        raise ModelError(
            f"the labels of {model!r} name no kind of entity",
            found=", ".join(labels),
            expected=", ".join(KINDS),
        )
    return read


def _span(label: str) -> tuple[str, bool]:
    prefix, _, rest = label.lower().partition("-")
    begins, name = (prefix in BEGINS, rest) if rest else (False, prefix)
    return next((kind for kind, names in KINDS.items() if name in names), ""), begins
