"""Random names, addresses, dates and numbers: `value_of` makes one for every slot of a sentence."""

import random

from entity_addresses import address, house, line, military, spot, street, unit
from entity_base import MAKERS, SLOT, UNKNOWN, digits, invented, value_of, words
from entity_firms import body, coined, firm

__all__ = ["SLOT", "value_of"]
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
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
