"""Random addresses: streets of many languages, houses, flats, whole postal addresses."""

import random

from entity_base import digits, invented, value_of, words


def street(draw: random.Random) -> str:
    """A street without a number: English in one half, as other languages put the words in the other."""
    kind = draw.random()
    if kind < 0.15:
        return value_of("foreign", draw)
    if kind < 0.35:
        name = draw.choice(
            (
                value_of("family", draw),
                value_of("person", draw),
                value_of("town", draw),
                invented(draw, "a,os,es,ina,ka,ego,owa"),
            )
        )
        return f"{value_of('before', draw)} {name}"
    if kind < 0.5:
        return invented(draw, ",s,n,en").removesuffix("'") + value_of("after", draw)
    family, owner = value_of("family", draw), draw.choice(("", "", "", "'s", "’s"))
    name = draw.choice(
        (value_of("road", draw), value_of("road", draw), family + owner, value_of("given", draw))
    )
    return (
        f"{draw.choice(('', '', '', 'Old ', 'Upper ', 'N. ', 'East '))}{name} "
        f"{value_of(draw.choice(('way', 'way', 'trail')), draw)}"
    )


def house(draw: random.Random) -> str:
    road, number = (
        street(draw),
        digits(draw, 1, 4) + draw.choice(("", "", "", "", "", "a", "B", "-12", "/3", ".")),
    )
    return draw.choice((f"{number} {road}", f"{road} {number}", f"{road} {number}"))


def unit(draw: random.Random) -> str:
    return draw.choice(words()["unit"]).format(n=digits(draw, 1, 4), d=draw.randint(1, 40))


def address(draw: random.Random) -> str:
    """An address on its own: mostly in full, with town, region or country and code."""
    kind = draw.random()
    if kind < 0.05:
        return f"the corner of {street(draw)} and {street(draw)}"
    if kind < 0.1:
        return military(draw)
    return spot(draw) if kind < 0.25 else _full(draw)


def spot(draw: random.Random) -> str:
    """House and perhaps flat."""
    return house(draw) + draw.choice(("", "", "", f" {unit(draw)}", f", {unit(draw)}"))


def _full(draw: random.Random) -> str:
    number = draw.choice(("", f"{digits(draw, 3, 5)} "))
    units = "".join(
        draw.choice((" ", " ", ", ", "\n ")) + unit(draw) for _ in range(draw.choice((0, 1, 1, 2)))
    )
    return number + house(draw) + units + draw.choice((", ", " ", "\n", "\n ", "\n")) + _tail(draw)


def military(draw: random.Random) -> str:
    """An address of the armed forces, as their post writes it."""
    first = (
        f"Unit {digits(draw, 3, 5)} Box {digits(draw, 3, 4)}",
        f"PSC {digits(draw, 3, 4)}, Box {digits(draw, 3, 4)}",
        f"USS {value_of('family', draw)}",
        f"USNS {value_of('family', draw)}",
    )
    return (
        f"{draw.choice(first)}\n{draw.choice(('APO', 'FPO', 'DPO'))} {draw.choice(('AA', 'AE', 'AP'))} "
        f"{digits(draw, 5, 5)}"
    )


def _tail(draw: random.Random) -> str:
    """The end of an address written in one piece: town, region, country, code in some order."""
    town, code = value_of("town", draw), digits(draw, 3, 5)
    country, state = value_of("country", draw).removeprefix("the "), value_of("state", draw)
    sep, next_line = draw.choice((", ", "\n", "\n ", " ")), draw.choice((", ", "\n, ", " ", "\n"))
    return draw.choice(
        (
            f"{town}, {state} {code}",
            f"{town}{next_line}{state}\n {code}",
            f"{town}{next_line}{state}\n {country} {code}",
            f"{town} {state}",
            f"{code} {town}",
            f"{town}{sep}{country} {code}",
            f"{town}{sep}{country}",
            f"{town} {code}{sep}{country}",
        )
    )


def line(draw: random.Random) -> str:
    return draw.choice((unit, street, house, lambda d: digits(d, 2, 5)))(draw)
