"""Steps and table rows into questions."""

import re
from collections.abc import Iterator

from ragassay.cases.rule_questions import clause_parsing, word_forms
from ragassay.cases.rule_questions.askable_units import Block, Candidate, Unit
from ragassay.cases.rule_questions.sentence_questions import in_first_person
from ragassay.cases.rule_questions.word_forms import AMOUNT, SPAN, one_of

PLAIN = re.compile(
    r"(?:(?:the )?steps?(?: in order)?|procedure|process|what to do|instructions)?", re.IGNORECASE
)
FOLLOWS = clause_parsing.OPENING | set("and or out off online money myself my your".split())
NAMED = re.compile(r"[A-Z]\w+ [A-Z]\w+")
QUANTITY = re.compile(rf"(?:{one_of('quantities')})")
CELL = re.compile(rf"(?:{AMOUNT}|{SPAN}|(?:up to |at least |at most )?\d[\d,.]*\b)", re.IGNORECASE)
FEWEST, MOST, LONGEST = 2, 10, 60  # items of a list, words of one
LEAST = 0.6  # share of the items that are actions (`Ask at a branch`, `The owner applies online`)


def questions(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """Questions of one block, in English: one for a list of steps, one per row of figures for a table."""
    if block.source.language != "en":
        return
    if block.is_table:
        yield from _table(block, vocabulary)
        return
    actions = sum(map(_is_action, block.lines))  # a list of papers is no procedure
    asked = _how(block.source, vocabulary) if actions >= LEAST * len(block.lines) else None
    fits = FEWEST <= len(block.lines) <= MOST and not any(len(line.split()) > LONGEST for line in block.lines)
    if asked and fits:
        lines = [re.sub(r"[;,](?: and| or)?$", "", line) for line in block.lines]
        answer = " ".join(f"{i}. {line}" for i, line in enumerate(lines, start=1))
        kind = "multi_step" if len(lines) >= 3 else "instruction"
        ids = tuple(dict.fromkeys(block.chunk_ids))
        yield Candidate(asked, answer, lines[0], kind, "open", "procedure", ids, block.source)


def _is_action(line: str) -> bool:
    clause = clause_parsing.parse_clause(line.rstrip(";.") + ".", frozenset())
    acting = clause is not None and clause.verb not in ("is", "are")
    first = line.split()[0].lower().strip(",") if line.split() else ""
    return acting or first in word_forms.verbs() or line.startswith(("If ", "Within ", "After ", "Once "))


def _how(source: Unit, vocabulary: frozenset[str]) -> str | None:
    """`Registering a need` over numbered steps -> How do I register a need?; a plain heading (`The steps`)
    leaves it to the title."""
    named, titled = (_how_to(text, vocabulary) for text in (source.heading, source.title.split(":")[0]))
    longer = named and titled and titled.startswith(named[:-1])
    return titled if longer or PLAIN.fullmatch(source.heading) else named


def _how_to(heading: str, vocabulary: frozenset[str]) -> str | None:
    tail = r"(?:, step by step|(?:: |, | and (?:how|what|when|where|the decision|timings?)\b).*)$"
    heading = in_first_person(re.sub(tail, "", heading).strip())
    if heading.startswith("How to "):
        return f"How do I {heading.removeprefix('How to ')}?"
    first, _, rest = heading.partition(" ")
    base = word_forms.gerunds().get(first.lower())
    if base is None or (rest and rest.split()[0].lower() not in FOLLOWS):
        return None
    rest = re.sub(r"\b(and|or) (\w+ing)\b", lambda m: f"{m[1]} {word_forms.gerunds().get(m[2], m[2])}", rest)
    for word in rest.split():
        base += f" {word.lower() if word.lower() in vocabulary and not word.isupper() else word}"
    return f"How do I {base}?"


def _table(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """A row `Minimum payment | $25` -> What is the minimum payment?; with named columns: ... for the Quay
    Plus Account?"""
    grid = [[cell.strip() for cell in line.split(" | ")] for line in block.lines]
    head = grid[0]
    if any(re.search(r"\d", cell) for cell in head):
        return
    for row, chunk_id in zip(grid[1:], block.chunk_ids[1:], strict=True):
        if len(row) != len(head) or re.search(r"[,;:?()\d]", row[0]):
            continue
        for i, cell in enumerate(row[1:], start=1):
            asked = _cell(head, row[0], i, cell, vocabulary)
            if asked:
                answer = f"{row[0]}, {head[i]}: {cell}." if len(head) > 2 else f"{row[0]}: {cell}."
                yield Candidate(
                    asked, answer, cell, "short_fact", "factual", "table", (chunk_id,), block.source
                )


def _cell(head: list[str], label: str, column: int, cell: str, vocabulary: frozenset[str]) -> str | None:
    """The question one cell answers; None where label and column do not read as the parts of a question."""
    if not CELL.match(cell):
        return None
    if len(head) == 2:
        return _what_is(label, "", cell, vocabulary)
    if all(NAMED.match(name) for name in head[1:]):
        whole = f"{label} fee" if head[0].lower() == "fee" and "fee" not in label.lower() else label
        return _what_is(whole, f" for {_the(head[column], '')}", cell, vocabulary)
    if not NAMED.match(label) and head[0].lower() != "branch":
        return None
    return _what_is(head[column], f" of {_the(label, head[0].lower())}", cell, vocabulary)


def _what_is(label: str, whose: str, cell: str, vocabulary: frozenset[str]) -> str | None:
    """What is the minimum payment of X?; How many machines does X have?; None for a label that names no
    quantity."""
    small = word_forms.uncapitalize(label, vocabulary)
    noun = re.split(r" (?:of|for|on|per|to|in|at|above|below|from|after) ", small)[0].split()[-1]
    if noun.endswith("s") and re.fullmatch(r"\d{1,3}", cell) and whose.startswith(" of "):
        return f"How many {small} does {whose[4:]} have?"
    small += " number" if small in ("telephone", "phone", "extension") else ""
    return f"What is the {small}{whose}?" if QUANTITY.fullmatch(noun) and len(small.split()) <= 8 else None


def _the(name: str, kind: str) -> str:
    """`the Quay Plus Account`, `the Salt Point branch` of a column `Branch`; but `Tide Classic`."""
    if kind in ("branch", "account", "card", "loan", "office", "team") and kind not in name.lower():
        return f"the {name} {kind}"
    return f"the {name}" if name.split()[-1].lower() in word_forms.word_list("products") else name
