"""Naming the document in a question that would not be clear without it."""

import re

from ragassay.cases.questions import words

GENERIC = re.compile(rf"^(?:{words.either('generic_titles')})\b", re.IGNORECASE)
MASS = re.compile(rf"(?:{words.either('mass')})$", re.IGNORECASE)
UNNAMED = re.compile(
    r"^(?:[\d\W_]*|[0-9a-f-]{16,}|.{0,3}|(?:doc|file|text|page|scan|chapter|document)s?[\W_]*\d*)$|^.*\d{5,}.*$"
)


def place(question: str, title: str, language: str = "en", heading: str = "") -> str | None:
    """The question with its document named where it has no name of its own; else its heading; None where neither is a name.

    A question is clear by itself if it holds a name (`the Quay Plus Account`) or most words of the title.
    """
    said, stop, asked = question.rpartition(". ")  # `I am a customer. May I ...?`
    if stop and not words.names(said):
        placed = place(asked, title, language, heading)
        return placed and f"{said}. {words.raised(placed)}"
    if words.names(question) or shares_title(question, title):
        return question
    if not names_something(title):
        plain = heading if not heading.isupper() else heading.capitalize()
        telling = (
            len(plain.split()) >= 2 and names_something(plain) and not re.search(r"[“”\"\d|:;()]", plain)
        )
        return f"According to “{plain}”, {_small_first(question)}" if telling and language == "en" else None
    if language in ("es", "pt"):
        opening = {"es": f"Según «{title}», ", "pt": f"De acordo com «{title}», "}[language]
        return opening + ("¿" if question.startswith("¿") else "") + _small_first(question.lstrip("¿"))
    return f"{opening_for(title)} {_small_first(question)}"


def names_something(title: str) -> bool:
    """Whether a title tells a document from others: not `Introduction`, `doc 17` or a hash."""
    return bool(title) and not UNNAMED.match(title) and not GENERIC.match(title) and len(title.split()) <= 14


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


def shares_title(question: str, title: str) -> bool:
    """Whether a question holds most words of a title."""
    asked, named = (
        {word[:4] for word in re.findall(r"[^\W\d_]{4,}", text.lower())}
        for text in (question, title.split(": ")[0])
    )
    return len(named) >= 2 and len(asked & named) / len(named) > 0.6


def _small_first(question: str) -> str:
    named = question.split(" ")[0] in words.listed("invented") or question.startswith("I ")
    return question if named else question[:1].lower() + question[1:]
