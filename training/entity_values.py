"""Random names, addresses, dates and numbers from lists of words that we wrote (entity_words.txt)."""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

SLOT = re.compile(r"\{(\w+)\}")
UNKNOWN = 0.35  # share of the names made of syllables
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
TITLES = ("Mr", "Mr.", "Mrs", "Mrs.", "Ms", "Ms.", "Dr", "Dr.", "Professor")
PRODUCTS = (
    "current account",
    "Home Loan Plus",
    "Gold Card",
    "Everyday Account",
    "Green Saver",
    "travel card",
    "Start-Up Loan",
    "debit card",
    "Youth Account",
)


@cache
def words() -> dict[str, list[str]]:
    """List name -> its words."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in Path(__file__).with_name("entity_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(name, []).extend(part.strip() for part in (line.split(";") if ";" in line else line.split()))
    return found


def value_of(slot: str, draw: random.Random) -> str:
    """A random value for a slot; any list of entity_words.txt is a slot too."""
    if slot in MAKERS:
        return MAKERS[slot](draw)
    return draw.choice(words()[slot])


def _digits(draw: random.Random, few: int, most: int) -> str:
    count = draw.randint(few, most)
    return str(draw.randint(10 ** (count - 1), 10**count - 1))


def invented(draw: random.Random, endings: str) -> str:
    """A name of two to four syllables that stands in no list, so that what surrounds a name counts too."""
    return "".join(draw.choice(words()["syllable"]) for _ in range(draw.randint(1, 3))).capitalize() + draw.choice(endings.split(","))


def _given(draw: random.Random) -> str:
    return invented(draw, "a,o,in,us,ela,mir,ko") if draw.random() < UNKNOWN else draw.choice(words()["given"])


def _family(draw: random.Random) -> str:
    return invented(draw, "ov,sson,ez,ini,wicz,nen,er,ton,ik,ová,yan,oğlu,y") if draw.random() < UNKNOWN else draw.choice(words()["family"])


def _town(draw: random.Random) -> str:
    if draw.random() >= UNKNOWN:
        return draw.choice(words()["town"])
    name = invented(draw, "ville,berg,ton,stad,burg,ino,nik,heim,borg,a,os,inge")
    return draw.choice(("", "", "", "", "Port ", "San ", "Upper ", "Bad ", "Saint-", "Nova ")) + draw.choice((name, name, name, name.upper()))


def _coined(draw: random.Random) -> str:
    return invented(draw, "io,ly,eva,tec,ware,soft,ix,ara,hub") if draw.random() < UNKNOWN else draw.choice(words()["coined"])


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


def _firm(draw: random.Random) -> str:
    kind, coined, firm, legal = draw.random(), value_of("coined", draw), value_of("brand", draw), value_of("legal", draw)
    families = [value_of("family", draw) for _ in range(3)]
    if kind < 0.25:
        return draw.choice((coined, f"{coined} {legal}", firm, f"{firm} {coined}"))
    if kind < 0.43:
        both, three = f"{families[0]}-{families[1]}", f"{families[0]}, {families[1]} and {families[2]}"
        return draw.choice((both, three, three, f"{families[0]} & {families[1]}"))
    if kind < 0.5:
        return f"{families[0]} {draw.choice((legal, value_of('industry', draw)))}"
    if kind < 0.55:
        return f"{value_of(draw.choice(('town', 'state')), draw)} {value_of('industry', draw)}"
    if kind < 0.62:
        return draw.choice("ABCDEFGHKLMNPRSTUVW") + "".join(draw.choice("ABCDEFGKLMNOPRSTV") for _ in range(draw.randint(1, 3)))
    return f"{firm} {value_of('industry', draw)}" + (f" {legal}" if kind > 0.85 else "")


def _body(draw: random.Random) -> str:
    return SLOT.sub(lambda slot: value_of(slot[1], draw).removeprefix("the "), draw.choice(words()["body"]))


def _street(draw: random.Random) -> str:
    if draw.random() < 0.3:
        return value_of("foreign", draw)
    name = draw.choice((value_of("road", draw), value_of("road", draw), value_of("family", draw), value_of("given", draw)))
    return f"{draw.choice(('', '', '', 'Old ', 'Upper ', 'N. ', 'East '))}{name} {value_of('way', draw)}"


def _house(draw: random.Random) -> str:
    street, number = _street(draw), _digits(draw, 1, 4) + draw.choice(("", "", "", "", "a", "B", "-12", "/3"))
    return draw.choice((f"{number} {street}", f"{number} {street}", f"{street} {number}"))


def _unit(draw: random.Random) -> str:
    return draw.choice(words()["unit"]).format(n=_digits(draw, 1, 4), d=draw.randint(1, 40))


def _address(draw: random.Random) -> str:
    kind, house = draw.random(), _house(draw)
    if kind < 0.06:
        return draw.choice(
            (
                f"the corner of {_street(draw)} and {_street(draw)}",
                f"Unit {_digits(draw, 3, 5)} Box {_digits(draw, 3, 4)}\nAPO {draw.choice(('AA', 'AE', 'AP'))} {_digits(draw, 5, 5)}",
            )
        )
    if kind < 0.4:
        return draw.choice((house, house, f"{_digits(draw, 1, 5)} {house}"))
    if kind < 0.7:
        return f"{house}{draw.choice((' ', ', '))}{_unit(draw)}"
    return house + draw.choice((", ", " ", "\n", "\n ")) + draw.choice((_unit(draw) + draw.choice((", ", "\n ")), "")) + _tail(draw)


def _tail(draw: random.Random) -> str:
    """The end of an address written in one piece: town, region, country, code in some order."""
    town, code = value_of("town", draw), _digits(draw, 3, 5)
    country = value_of("country", draw).removeprefix("the ")
    sep = draw.choice((", ", "\n", "\n ", " "))
    return draw.choice(
        (f"{town}, {value_of('state', draw)} {code}", f"{code} {town}", f"{town}{sep}{country} {code}", f"{town} {code}{sep}{country}")
    )


def _line(draw: random.Random) -> str:
    return draw.choice((_unit, _street, _house, lambda d: _digits(d, 2, 5)))(draw)


def _date(draw: random.Random) -> str:
    day, month, year = draw.randint(1, 28), draw.choice(MONTHS), draw.randint(1950, 2027)
    return draw.choice(
        (f"{day} {month} {year}", f"{month} {day}, {year}", f"{month} {year}", month, f"{year}-{draw.randint(1, 12):02}-{day:02}", "Friday")
    )


def _number(draw: random.Random) -> str:
    return _digits(draw, 1, draw.choice((2, 3, 5)))


def _phone(draw: random.Random) -> str:
    return draw.choice(("+{} ", "({}) ", "{}-", "0{} ", "{} ")).format(_digits(draw, 2, 3)) + draw.choice(("-", " ", ".")).join(
        _digits(draw, 3, 4) for _ in range(2)
    )


MAKERS: dict[str, Callable[[random.Random], str]] = {
    "person": _person,
    "given": _given,
    "family": _family,
    "town": _town,
    "coined": _coined,
    "org": lambda draw: _firm(draw) if draw.random() < 0.8 else _body(draw),
    "firm": lambda draw: draw.choice((_coined(draw), f"{draw.choice(words()['brand'])} {draw.choice(words()['industry'])}")),
    "body": _body,
    "place": lambda draw: value_of(draw.choice(("town", "town", "country", "state")), draw),
    "address": _address,
    "street": _street,
    "line": _line,
    "unit": _unit,
    "code": lambda draw: _digits(draw, 2, 5),
    "house": _house,
    "title": lambda draw: draw.choice(TITLES),
    "date": _date,
    "year": lambda draw: str(draw.randint(1900, 2027)),
    "time": lambda draw: draw.choice((f"{draw.randint(0, 23)}:{draw.randint(0, 59):02}", f"{draw.randint(1, 12)} p.m.", "noon")),
    "money": lambda draw: draw.choice(("$", "€", "£", "")) + draw.choice((_digits(draw, 1, 3), f"{_digits(draw, 1, 3)},{draw.randint(100, 999)}")),
    "n": _number,
    "phone": _phone,
    "email": lambda draw: (
        f"{draw.choice(words()['given']).lower()}.{draw.choice(words()['family']).lower()}@{draw.choice(words()['coined']).lower()}.example"
    ),
    "card": lambda draw: draw.choice(("", " ")).join(_digits(draw, 4, 4) for _ in range(4)),
    "iban": lambda draw: (
        f"{draw.choice(('GB', 'DE', 'FR', 'ES'))}{_digits(draw, 2, 2)}" + draw.choice(("", " ")).join(_digits(draw, 4, 4) for _ in range(4))
    ),
    "product": lambda draw: draw.choice(PRODUCTS),
}
