"""Numbered steps and table rows into questions."""

import re
from collections.abc import Iterator

import pandas as pd

from ragassay.cases.rule_questions import clause_parsing, word_forms
from ragassay.cases.rule_questions.askable_units import Block, Candidate, Unit, place
from ragassay.cases.rule_questions.english_sentences import mine
from ragassay.cases.rule_questions.fact_patterns import vague

HOW = {
    "en": ("How do I {}?", re.compile(r"^How to (.+)$")),
    "es": ("¿Cómo puedo {}?", re.compile(r"^Cómo ((?:\w+[aei]r)(?:se)?\b.*)$")),
    "pt": ("Como posso {}?", re.compile(r"^Como (\w+[aei]r\b.*)$")),
}
DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
NAMED = re.compile(r"^[A-Z]\w+ [A-Z]\w+")
QUANTITY = re.compile(rf"^(?:{word_forms.either('quantities')})$")
FOLLOWS = clause_parsing.OPENING | {
    "and",
    "or",
    "out",
    "off",
    "online",
    "money",
    "myself",
    "my",
    "your",
}  # after a verb; `Opening hours` is no action
PLAIN = re.compile(
    r"^(?:(?:the )?steps?(?: in order)?|procedure|process|what to do|instructions)?$", re.IGNORECASE
)
CELL = re.compile(rf"^(?:{word_forms.VALUE}|(?:up to |at least |at most )?\d[\d,.]*\b)", re.IGNORECASE)


def questions(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """Questions of one block: one for a list of steps, one per row of figures for a table."""
    if block.kind == "step":
        yield from steps(block, vocabulary)
    elif block.language == "en":
        yield from table(block, vocabulary)


def steps(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """`Registering a need` over numbered steps -> How do I register a need?"""
    named = _how(block.heading, block.language, vocabulary)
    titled = _how(block.title.split(":")[0], block.language, vocabulary)
    asked = (
        titled
        if PLAIN.match(block.heading) or (named and titled and titled.startswith(named[:-1]))
        else named
    )
    if asked is None or len(block.lines) < 2 or not _are_steps(block):
        return
    kind = "multi_step" if len(block.lines) >= 3 else "instruction"
    answer = " ".join(f"{i}. {line}" for i, line in enumerate(block.lines, start=1))
    yield Candidate(
        asked, answer, block.lines[0], kind, "open", "procedure", tuple(dict.fromkeys(block.chunk_ids)), block
    )


def _are_steps(block: Block) -> bool:
    """Whether most items are actions (`Ask at a branch`, `The owner applies online`), not things:
    a list of papers is no procedure."""
    if block.language != "en":
        return all(re.search(r"[.;]$", line) and len(line.split()) >= 3 for line in block.lines)
    actions = [_starts(line) for line in block.lines]
    return sum(actions) >= 0.6 * len(actions)


def _starts(line: str) -> bool:
    first = line.split()[0].lower().strip(",")
    clause = clause_parsing.part(line, frozenset())
    acting = clause is not None and clause.verb not in ("is", "are")
    return first in word_forms.verbs() or line.startswith(("If ", "Within ", "After ", "Once ")) or acting


def table(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """A row `Minimum payment | $25` -> What is the minimum payment?;
    with named columns: ... for the Quay Plus Account?"""
    grid = [[cell.strip() for cell in line.split(" | ")] for line in block.lines]
    head = grid[0]
    if len(head) < 2 or any(re.search(r"\d", cell) for cell in head):
        return
    for row, chunk_id in zip(grid[1:], block.chunk_ids[1:], strict=True):
        if len(row) != len(head):
            continue
        for i, cell in enumerate(row[1:], start=1):
            asked = _cell(head, row[0], i, cell, vocabulary)
            if asked:
                answer = f"{row[0]}, {head[i]}: {cell}." if len(head) > 2 else f"{row[0]}: {cell}."
                yield Candidate(asked, answer, cell, "short_fact", "factual", "table", (chunk_id,), block)


def _how(heading: str, language: str, vocabulary: frozenset[str]) -> str | None:
    form, direct = HOW.get(language, HOW["en"])
    heading = mine(
        re.sub(
            r"(?:, step by step|(?:: |, | and (?:how|what|when|where|the decision|timings?)\b).{0,300})$",
            "",
            heading,
        ).strip()
    )
    found = direct.match(heading)
    if found:
        return form.format(found[1])
    if language != "en" or not heading:
        return None
    first, _, rest = heading.partition(" ")
    base = word_forms.gerunds().get(first.lower())
    if base is None or (rest and rest.split()[0].lower() not in FOLLOWS):
        return None
    rest = re.sub(r"\b(and|or) (\w+ing)\b", lambda m: f"{m[1]} {word_forms.gerunds().get(m[2], m[2])}", rest)
    return form.format(f"{base} {_small(rest, vocabulary)}".strip())


def _small(text: str, vocabulary: frozenset[str]) -> str:
    """Title case undone, except for names: runs of two capitalised words none of which the collection writes
    small."""
    return " ".join(
        word.lower() if word.lower() in vocabulary and not word.isupper() else word for word in text.split()
    )


def _cell(head: list[str], label: str, column: int, cell: str, vocabulary: frozenset[str]) -> str | None:
    """The question one cell answers; None where label and column do not read as the parts of a question."""
    if not CELL.match(cell) or re.search(r"[,;:?()]", label) or re.search(r"\d", label):
        return None
    if len(head) == 2:
        return _of(label, "", cell, vocabulary)
    if all(NAMED.match(name) for name in head[1:]):
        whole = f"{label} fee" if head[0].lower() == "fee" and "fee" not in label.lower() else label
        return _of(whole, f" for {_the(head[column])}", cell, vocabulary)
    if not NAMED.match(label) and head[0].lower() != "branch":
        return None
    return _of(head[column], f" of {_thing(label, head[0])}", cell, vocabulary)


def _of(label: str, whose: str, cell: str, vocabulary: frozenset[str]) -> str | None:
    """What is the minimum payment of X?; How many machines does X have?;
    None for a label that names no quantity."""
    small = word_forms.uncapitalize(label, vocabulary)
    if re.fullmatch(rf"(?:{DAYS})(?: to (?:{DAYS})| and (?:{DAYS}))?", label) and re.match(
        r"\d{1,2}:\d\d", cell
    ):
        return f"What are the hours{whose} {'from' if ' to ' in label else 'on'} {label}?" if whose else None
    head = re.split(r" (?:of|for|on|per|to|in|at|above|below|from|after) ", small)[0].split()[-1]
    if head.endswith("s") and re.fullmatch(r"\d{1,3}", cell) and whose.startswith(" of "):
        return f"How many {small} does {whose[4:]} have?"
    small += " number" if small in ("telephone", "phone", "extension") else ""
    return f"What is the {small}{whose}?" if QUANTITY.match(head) and len(small.split()) <= 8 else None


def _the(name: str) -> str:
    """`the Quay Plus Account`, but `Tide Classic` and `Salt Point`."""
    return f"the {name}" if name.split()[-1].lower() in word_forms.word_list("products") else name


def _thing(label: str, kind: str) -> str:
    """`Salt Point` in a column `Branch` is `the Salt Point branch`."""
    known = (
        kind.lower() in ("branch", "account", "card", "loan", "office", "product", "machine", "team")
        and kind.lower() not in label.lower()
    )
    return f"the {label} {kind.lower()}" if known else _the(label)


MARK = re.compile(r"^\(?(?P<mark>[a-z]|[ivx]{1,4}|\d{1,2})[).]\s+(?=\S)|^[-*•–]\s+(?=\S)")
TAIL = re.compile(
    r"(?P<what>(?:[\w’'-]+ ){0,9}?(?:includes?|contains?|states?|specify|specifies|covers?|considers?"
    r"|describes?"
    r"|discloses?|provides?|confirms?|shows?|names?))"
    r"(?: (?:at least|, as a minimum|, at a minimum|, in particular))?(?:,? the following(?: [a-z]+)?| all "
    r"of the following(?: [a-z]+)?)?$"
)
POINTING = re.compile(
    r"\b(?:this|these|those|such|above|below|subject to|following|it|they|them|he|she)\b", re.IGNORECASE
)
MOST = 9


def enumeration_questions(chunks: pd.DataFrame, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """One question per list that stands whole in one passage, two to nine items."""
    for row, where in zip(chunks.to_dict("records"), place(chunks), strict=True):
        if where["language"] == "en":
            for intro, items in lists_in(row["text"]):
                unit = Unit(row["chunk_id"], **where, text=intro)
                yield from _ask_for_items(unit, items, vocabulary)


def lists_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """The sentence that opens a list, and the list's items without their marks;
    only lists that end inside the text."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for i, line in enumerate(lines):
        if line.endswith((":", "—", "–")) and not MARK.match(line):
            items = _list_items(lines[i + 1 :])
            if 2 <= len(items) <= MOST and items[-1].endswith("."):
                intro = re.split(r"(?<=[.!?]) ", line)[-1].rstrip(":—– ")
                yield intro, [re.sub(r"[;,.]?(?:,? (?:and|or))?$", "", item).rstrip(";,") for item in items]


def _list_items(lines: list[str]) -> list[str]:
    """The items at the head of the lines; one nested below another, or without an end, stops them."""
    found: list[str] = []
    for line in lines:
        mark = MARK.match(line)
        if not mark or re.search(r"[:—–]$", line):
            return []
        found.append(line[mark.end() :])
        if line.endswith("."):
            return found
    return []


def _ask_for_items(unit: Unit, items: list[str], vocabulary: frozenset[str]) -> Iterator[Candidate]:
    clause = clause_parsing.part(unit.text + ".", vocabulary)
    if clause is None or vague(clause.subject) or POINTING.search(clause.subject):
        return
    told = TAIL.fullmatch(f"{clause.base} {clause.rest}".strip() if not clause.auxiliary else clause.rest)
    if not told or POINTING.search(told["what"]):
        return
    verb = told["what"] if clause.auxiliary else told["what"].removeprefix(clause.base).strip()
    answer = " ".join(f"({i}) {item};" for i, item in enumerate(items, start=1)).rstrip(";") + "."
    yield Candidate(
        word_forms.capitalize(f"what {clause.ask(verb)}?"),
        f"{unit.text}: {answer}",
        items[0],
        "multi_step" if len(items) >= 3 else "instruction",
        "open",
        "list",
        (unit.chunk_id,),
        unit,
    )
