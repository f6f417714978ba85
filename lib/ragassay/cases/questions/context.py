"""Naming the document in a question that would not be clear without it."""

import re

from ragassay.cases.questions import words

GENERIC = re.compile(rf"^(?:{words.either('generic_titles')})\b", re.IGNORECASE)
MASS = re.compile(rf"(?:{words.either('mass')})$", re.IGNORECASE)
UNNAMED = re.compile(r"^(?:[\d\W_]*|[0-9a-f-]{16,}|.{0,3})$|^.*\d{5,}.*$")


def place(question: str, title: str, language: str = "en") -> str | None:
    """The question with its document named where it has no name of its own; None where the title is no name either.

    A question is clear by itself if it holds a name (`the Quay Plus Account`) or most words of the title.
    """
    if words.names(question) or _shares_title(question, title):
        return question
    if not title or UNNAMED.match(title) or GENERIC.match(title) or len(title.split()) > 14:
        return None
    if language in ("es", "pt"):
        opening = {"es": f"Según «{title}», ", "pt": f"De acordo com «{title}», "}[language]
        return opening + ("¿" if question.startswith("¿") else "") + _small_first(question.lstrip("¿"))
    return f"{opening_for(title)} {_small_first(question)}"


def opening_for(title: str) -> str:
    """`Under the Overdraft Policy 2026,`, `According to “People and Contacts”,`, `When applying for a mortgage,`, `For the Home Equity Line,`."""
    title = re.sub(rf",? (?:[Vv]ersion [\d.]+)?,? ?(?:(?:{words.MONTH}) \d{{4}})?$", "", title)
    title = re.sub(r": Terms$| \| .*$| \([^)]*\)$", "", title)
    main = title.split(": ")[0]
    if re.search(rf"\b(?:{words.either('kinds')})\b", title, re.IGNORECASE):
        plain = title.replace(": ", " ")
        return f"Under {'' if plain.lower().startswith(('the ', 'a ')) else 'the '}{plain},"
    first, _, rest = main.partition(" ")
    if first.lower() in words.gerunds():
        return f"When {first.lower()} {rest.lower()},"
    if " and " in main or "," in main or MASS.search(main):
        return f"According to “{main}”,"
    last = re.split(r" (?:for|of|on|to|in|and) ", main)[0].split()[-1]
    singular = not last.endswith("s") and " and " not in main and " " in main
    return f"For {'the ' if singular and not main.lower().startswith('the ') else ''}{main},"


def _shares_title(question: str, title: str) -> bool:
    asked, named = ({word[:4] for word in re.findall(r"[^\W\d_]{4,}", text.lower())} for text in (question, title.split(": ")[0]))
    return len(named) >= 2 and len(asked & named) / len(named) > 0.6


def _small_first(question: str) -> str:
    return question[:1].lower() + question[1:]
