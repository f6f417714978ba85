"""Random names of firms and public bodies."""

import random

from entity_base import SLOT, digits, invented, value_of, words


def coined(draw: random.Random) -> str:
    """A made-up word as a name, often of two halves."""
    kind = draw.random()
    if kind < 0.25:
        return draw.choice(words()["coined"])
    if kind < 0.45:
        return invented(draw, "io,ly,eva,tec,ware,soft,ix,ara,hub,ant,ex,us,is,a,o")
    first, second = (draw.choice(words()["half"]) for _ in range(2))
    name = first.capitalize() + draw.choice((second, second, second.capitalize()))
    return name + draw.choices(("", ".com", "com", "io", " Inc", " Inc."), (80, 4, 4, 4, 4, 4))[0]


def firm(draw: random.Random) -> str:
    """The name of a firm, of one of several makes; a list of families may stand for one."""
    return draw.choices((_of_families, _of_ideas, coined, _of_brand, _of_letters), (30, 22, 22, 22, 4))[0](
        draw
    )


def _of_families(draw: random.Random) -> str:
    first, second, third = (value_of("family", draw) for _ in range(3))
    kind = draw.random()
    if kind < 0.6:
        return draw.choice((f"{first}-{second}", f"{first}, {second} and {third}"))
    last = value_of(draw.choice(("legal", "industry")), draw)
    return draw.choice((f"{first} & {second}", f"{first} {last}", f"{first} {last}"))


def _of_ideas(draw: random.Random) -> str:
    """Ordinary words as a name: Clear Market Research, The Ample Group, 7 Stones Inc."""
    words_ = [value_of("idea", draw) for _ in range(draw.choice((1, 2, 2, 2, 3)))]
    last = draw.choice(
        ("", "", "", value_of("industry", draw), value_of("legal", draw), value_of("field", draw))
    )
    first = draw.choices(("", "The", digits(draw, 1, 2), value_of("people", draw)), (80, 7, 5, 8))[0]
    joined = draw.choice((" ", " ", " ", " ", " And ", " & ")).join(words_[:2])
    return " ".join(part for part in (first, joined, *words_[2:], last) if part)


def _of_brand(draw: random.Random) -> str:
    brand, industry = value_of("brand", draw), value_of("industry", draw)
    place = value_of(draw.choice(("town", "state", "country")), draw).removeprefix("the ")
    tail = draw.choice(("", "", f" {value_of('legal', draw)}"))
    return (
        draw.choice(
            (
                brand,
                f"{brand} {industry}",
                f"{brand} {industry}",
                f"{place} {industry}",
                f"{brand} {coined(draw)}",
            )
        )
        + tail
    )


def _of_letters(draw: random.Random) -> str:
    return draw.choice("ABCDEFGHKLMNPRSTUVW") + "".join(
        draw.choice("ABCDEFGKLMNOPRSTV") for _ in range(draw.randint(1, 3))
    )


def body(draw: random.Random) -> str:
    return SLOT.sub(lambda slot: value_of(slot[1], draw).removeprefix("the "), draw.choice(words()["body"]))
