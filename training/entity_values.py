"""Random names, addresses, dates and numbers: `value_of` makes one for every slot of a sentence.

They are drawn from lists of words that we wrote (entity_words.txt), syllables and digits; addresses are
streets of many languages, houses, flats and whole postal addresses.
"""

import calendar
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

SLOT = re.compile(r"\{(\w+)\}")
UNKNOWN = 0.35  # share of the names made of syllables
MAKERS: dict[str, Callable[[random.Random], str]] = {}  # slot -> what makes a value for it
MONTHS = tuple(calendar.month_name)[1:]
TITLES = ("Mr", "Mr.", "Mrs", "Mrs.", "Ms", "Ms.", "Dr", "Dr.", "Professor")
PRODUCTS = (
    "current account; Home Loan Plus; Gold Card; Everyday Account; Green Saver; travel card; Start-Up Loan; "
    "debit card; Youth Account"
).split("; ")


@cache
def words() -> dict[str, list[str]]:
    """List name -> its words."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in Path(__file__).with_name("entity_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(name, []).extend(
                part.strip() for part in (line.split(";") if ";" in line else line.split())
            )
    return found


def value_of(slot: str, draw: random.Random) -> str:
    """A random value for a slot; any list of entity_words.txt is a slot too."""
    if slot in MAKERS:
        return MAKERS[slot](draw)
    return draw.choice(words()[slot])


def digits(draw: random.Random, few: int, most: int) -> str:
    count = draw.randint(few, most)
    return str(draw.randint(10 ** (count - 1), 10**count - 1))


def invented(draw: random.Random, endings: str) -> str:
    """A name of two to four syllables that stands in no list, so that what surrounds a name counts too."""
    return "".join(
        draw.choice(words()["syllable"]) for _ in range(draw.randint(1, 3))
    ).capitalize() + draw.choice(endings.split(","))


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


def _given(draw: random.Random) -> str:
    return (
        invented(draw, "a,o,in,us,ela,mir,ko") if draw.random() < UNKNOWN else draw.choice(words()["given"])
    )


def _family(draw: random.Random) -> str:
    return (
        invented(draw, "ov,sson,ez,ini,wicz,nen,er,ton,ik,ová,yan,oğlu,y")
        if draw.random() < UNKNOWN
        else draw.choice(words()["family"])
    )


def _town(draw: random.Random) -> str:
    if draw.random() >= UNKNOWN:
        name = draw.choice(words()["town"])
        return name.upper() if draw.random() < 0.1 else name
    name = invented(draw, "ville,berg,ton,stad,burg,ino,nik,heim,borg,a,os,inge")
    return draw.choice(("", "", "", "", "Port ", "San ", "Upper ", "Bad ", "Saint-", "Nova ")) + draw.choice(
        (name, name, name, name.upper())
    )


def _person(draw: random.Random) -> str:
    given, family = value_of("given", draw), value_of("family", draw)
    kind = draw.random()
    if kind < 0.08:
        return f"{given} {draw.choice('ABCDEFGHJKLMNPRSTVW')}. {family}"
    if kind < 0.14:
        return f"{given} {draw.choice((value_of('given', draw), value_of('family', draw)))} {family}"
    if kind < 0.18:
        return f"{given} {family}-{value_of('family', draw)}"
    return (
        given
        if kind < 0.26
        else family
        if kind < 0.32
        else f"{given} {draw.choice(('van ', 'de ', 'von ', 'Mc', 'O’', 'Al-'))}{family}"
        if kind < 0.36
        else f"{given} {family}"
    )


def _date(draw: random.Random) -> str:
    day, month, year = draw.randint(1, 28), draw.choice(MONTHS), draw.randint(1950, 2027)
    return draw.choice(
        (
            f"{day} {month} {year}",
            f"{month} {day}, {year}",
            f"{month} {year}",
            month,
            f"{year}-{draw.randint(1, 12):02}-{day:02}",
            "Friday",
        )
    )


def _number(draw: random.Random) -> str:
    return digits(draw, 1, draw.choice((2, 3, 5)))


def _phone(draw: random.Random) -> str:
    return draw.choice(("+{} ", "({}) ", "{}-", "0{} ", "{} ")).format(digits(draw, 2, 3)) + draw.choice(
        ("-", " ", ".")
    ).join(digits(draw, 3, 4) for _ in range(2))


MAKERS |= {
    "person": _person,
    "given": _given,
    "family": _family,
    "town": _town,
    "coined": coined,
    "org": lambda draw: firm(draw) if draw.random() < 0.85 else body(draw),
    "firm": firm,
    "body": body,
    "place": lambda draw: value_of(draw.choice(("town", "town", "country", "state")), draw),
    "address": address,
    "military": military,
    "spot": spot,
    "street": street,
    "line": line,
    "unit": unit,
    "code5": lambda draw: digits(draw, 4, 6),
    "site": lambda draw: "".join(
        word.capitalize() for word in (value_of("half", draw), value_of("half", draw))
    ),
    "ip": lambda draw: ".".join(str(draw.randint(1, 255)) for _ in range(4)),
    "ssn": lambda draw: "-".join(digits(draw, size, size) for size in (3, 2, 4)),
    "code": lambda draw: digits(draw, 2, 5),
    "house": house,
    "title": lambda draw: draw.choice(TITLES),
    "date": _date,
    "year": lambda draw: str(draw.randint(1900, 2027)),
    "time": lambda draw: draw.choice(
        (f"{draw.randint(0, 23)}:{draw.randint(0, 59):02}", f"{draw.randint(1, 12)} p.m.", "noon")
    ),
    "money": lambda draw: (
        draw.choice(("$", "€", "£", ""))
        + draw.choice((digits(draw, 1, 3), f"{digits(draw, 1, 3)},{draw.randint(100, 999)}"))
    ),
    "n": _number,
    "phone": _phone,
    "email": lambda draw: (
        f"{draw.choice(words()['given']).lower()}.{draw.choice(words()['family']).lower()}@{draw.choice(words()['coined']).lower()}.example"
    ),
    "card": lambda draw: draw.choice(("", " ")).join(digits(draw, 4, 4) for _ in range(4)),
    "iban": lambda draw: (
        f"{draw.choice(('GB', 'DE', 'FR', 'ES'))}{digits(draw, 2, 2)}"
        + draw.choice(("", " ")).join(digits(draw, 4, 4) for _ in range(4))
    ),
    "product": lambda draw: draw.choice(PRODUCTS),
}
