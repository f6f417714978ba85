"""What the library misses in bank prose: boundaries to remove (labels, titles, citations), and to add
(parentheses, acronyms)."""

import re
from collections.abc import Iterator

TITLES = "mr mrs ms dr prof st av avda sr sra srta dra messrs hon rev gov sen rep capt lt"
LABELS = (
    "no nos sec secs fig figs art arts para paras vol vols ch chap pp p pg pág págs pag núm num nº n v "
    "ver reg ref eq app cl sch tab cf approx aprox ca min max"
)
SECTIONS = (
    "step paso passo question note section article chapter part rule clause appendix annex schedule sección "
    "artículo capítulo seção artigo cláusula"
)
UNFINISHED = re.compile(rf"(?:^|[\s(])(?:{TITLES.replace(' ', '|')})\.$", re.IGNORECASE)
LABEL = re.compile(rf"(?:^|[\s(])(?:{LABELS.replace(' ', '|')})\.$", re.IGNORECASE)
NUMBER = re.compile(r"^[(#]?[\dIVX]")
SHORT = re.compile(r"(?:^|[\s(\d])(?:[^\W\d_]{1,4}|(?:[^\W\d_]\.)+[^\W\d_])\.$")
GOES_ON = re.compile(r"^[^\W\d_]")
POINT = re.compile(r"^(?:[-*•–]\s)?\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})[.)]$")
NUMBERED = re.compile(rf"^(?:{SECTIONS.replace(' ', '|')})\s[\dA-Z.]{{1,8}}\.$", re.IGNORECASE)
CITATIONS = re.compile(r"^(?:\[[^\[\]]{1,60}\]\s?)+")
CLOSING = re.compile(r"^(?:[\"”’»)\]]+(?:\s|$)|[ºª])")
MISSED = re.compile(
    r"^\([^()]*[.!?]\)(?=\s[A-Z¿¡“\"(])"  # (A sentence in parentheses.) Another
    r"|…(?=\s[A-Z¿¡“\"])"
    r"|\w\.[^\W\d_]{2,5}\.(?=\s[A-Z])"  # see fees.md. Another
    r"|\b(?!INC|LTD|CORP|CO|NO|ST|MR|DR|MRS|MS|VS)[A-Z]{2,}s?\.(?=\s[A-Z][a-z]+\s)"  # show an ID. Keep it
)


def divide(parts: list[str]) -> list[str]:
    """Add the boundaries that are missed; the parts still make up the text, white space and all."""
    return [piece for part in parts for piece in _divided(part) if piece]


def _divided(part: str) -> Iterator[str]:
    start = 0
    for match in MISSED.finditer(part):
        yield part[start : match.end()]
        start = match.end()
    yield part[start:]


def mend(parts: list[str]) -> list[str]:
    """Remove the boundaries that are none, and give a citation to the sentence before it; the parts still
    make up the text."""
    mended: list[str] = []
    for part in parts:
        keep = _belonging(mended[-1], part) if mended else 0
        if keep:
            mended[-1] += part[:keep]
        if part[keep:]:
            mended.append(part[keep:])
    return mended


def _belonging(before: str, part: str) -> int:
    """How many characters of a part go on with the sentence before: all, its citations, or none."""
    after = part.lstrip()
    if not after or _belongs(before.rstrip(), after):
        return len(part)
    cited = CITATIONS.match(after)
    return len(part) - len(after) + cited.end() if cited else 0


def _belongs(before: str, after: str) -> bool:
    """Whether `after` goes on with the sentence that `before` seemed to end."""
    end = before[-12:]
    return bool(
        UNFINISHED.search(end)
        or (LABEL.search(end) and NUMBER.match(after))
        or (
            SHORT.search(end)
            and not before.lstrip()[:1].islower()
            and GOES_ON.match(after)
            and after[:2].islower()
        )
        or POINT.match(before.lstrip())
        or NUMBERED.match(before.lstrip())
        or CLOSING.match(after)
    )
