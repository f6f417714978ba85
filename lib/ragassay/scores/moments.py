"""Months and weekdays: the part of a date that its digits do not show (FORMULAS 7, tier 2). English, Spanish and Portuguese."""

import re

_MONTHS = (
    "january|enero|janeiro|jan",
    "february|febrero|fevereiro|feb",
    "march|marzo|março|mar",
    "april|abril|apr",
    "may|mayo|maio",
    "june|junio|junho|jun",
    "july|julio|julho|jul",
    "august|agosto|aug",
    "september|septiembre|setembro|sept|sep",
    "october|octubre|outubro|oct",
    "november|noviembre|novembro|nov",
    "december|diciembre|dezembro|dec",
)
_DAYS = (
    "mondays?|lunes|segunda-feira",
    "tuesdays?|martes|terça-feira",
    "wednesdays?|miércoles|quarta-feira",
    "thursdays?|jueves|quinta-feira",
    "fridays?|viernes|sexta-feira",
    "saturdays?|sábados?",
    "sundays?|domingos?",
)
_ANY = "|".join(_MONTHS)
_DATED = re.compile(rf"\b\d{{1,4}}(?:st|nd|rd|th)?,?\s+(?:of\s+|de\s+)?({_ANY})\b|\b({_ANY})\.?,?\s+(?:de\s+|of\s+)?\d", re.IGNORECASE)
_NAMED = re.compile("|".join(rf"\b({word})\b" for words in _MONTHS for word in words.split("|") if len(word) > 3 and word != "march"), re.IGNORECASE)
_WEEKDAY = re.compile("|".join(rf"\b({words})\b" for words in _DAYS), re.IGNORECASE)
_ISO = re.compile(r"\b\d{4}-(\d{2})-\d{2}\b")
_SLASHED = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.]\d{2,4}\b")
_NUMBER = {word: i for i, words in enumerate(_MONTHS, 1) for word in words.split("|")}


def stated(text: str) -> set[str]:
    """The months and weekdays that a text names, as `month 3` and `weekday 1`; `may` and short names only beside a number."""
    months = {_NUMBER[name.lower()] for pair in _DATED.findall(text) for name in pair if name}
    months |= {_NUMBER[found[0].lower()] for found in _NAMED.finditer(text)} | {int(found[1]) for found in _ISO.finditer(text)}
    return {f"month {month}" for month in months if 1 <= month <= 12} | {f"weekday {found.lastindex}" for found in _WEEKDAY.finditer(text)}


def offered(text: str) -> set[str]:
    """What a text can vouch for: what it names, and both readings of a date such as 03/12/2024."""
    slashed = {int(part) for found in _SLASHED.finditer(text) for part in found.groups()}
    return stated(text) | {f"month {month}" for month in slashed if 1 <= month <= 12}
