"""Questions made of one passage: of sentences their facts by the patterns of `data/question_patterns.csv`,
definitions and consequences, plain claims asked back, rules for one person; of blocks steps and table rows.
English; the patterns alone in Spanish and Portuguese."""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from ragassay.cases.rule_questions import askable_units
from ragassay.cases.rule_questions.askable_units import (
    AMOUNT,
    MONEY,
    PARTICIPLE,
    PERCENT,
    SPAN,
    UNIT,
    VERBS,
    Block,
    Candidate,
    Clause,
    Unit,
    capitalize,
    one_of,
    parse_clause,
)

MODAL = "may|can|must|should|shall"
NUMERO = r"(?:\d+|una?|uno|uma?|dos|dois|duas|tres|três|c?quatro|cinco|seis)"
PARTS = {  # of the patterns, besides the lists of words
    "MODAL": MODAL,
    "MONEY": MONEY,
    "PERCENT": PERCENT,
    "AMOUNT": AMOUNT,
    "SPAN": SPAN,
    "NUMBER_WORDS": askable_units.NUMBER_WORDS,
    "POINT": rf"(?:{askable_units.DATE}|{askable_units.TIME})",
    "DONE": rf"(?:be )?(?:{PARTICIPLE}|free|possible|available|payable|valid|open|confidential)",
    "CONDITION": "only (?:if|when|where|after)|if|when|in any month (?:with|in which)|before|as soon as",
    "SUBJECT": r"(?P<subject>(?:[Ll][ao]s?|[Ee]l|[Uu]na?|[OoAa]s?|[Uu]ma?) [^,;:()]{3,90}?)",
    "TIEMPO": rf"(?:(?:unos|até|hasta) )?{NUMERO}(?: (?:a|o|ou) {NUMERO})? (?:d[ií]as?|horas?|minutos?"
    r"|m[eê]s(?:es)?|a[ñn]os?|semanas?)(?: (?:hábiles|úteis|hábil|útil))?",
}
JOINED = re.compile(r"\b(?:and|or|but|because|if|when|who|which|that|unless|until|not|never)\b|[,;:]")
LOOSE = re.compile(  # of which no condition, reason or date can be asked
    rf"\b(?:considered|deemed|treated|regarded|required|permitted|expected|{one_of('whether')})$"
    r"|^(?:only|in|at|on|for|by|not|also)\b|^(?:notify|inform|tell) the \w+(?: \w+ly)?$"
    r"|\b(?:(?:case|circumstance|instance|time|day|date|period)s?|even|as|out|up|so|\w+ing"
    r"|once|\d (?:week|month|year)s?|steps|arrangements|measures|systems|procedures|controls|care)$"
)
DEFINES = re.compile(
    rf"(?:an? (?!{one_of('not_defining')})[\w-]+|the (?:{one_of('defining')}|{one_of('genera')}))"
    r"(?: [\w-]+)* (?:by|of|that|which|who|for|with|from|whose|in|on|to)\b"
)
CONSEQUENCE = re.compile(r"(?P<how>If|When|Once) (?P<what>[^,;:]{14,90}), (?P<then>[^;]{12,})\.")
POINTS = re.compile(
    r"\b(?:this|these|those|such|above|below|we|our|us|other|instead|est[eao]s?|es[eao]s?|dich[oa]s?|is[ts]o|m[ei]sm[oa]s?"
    r"|ell?[eoa]s)\b",
    re.IGNORECASE,
)
HEDGED = re.compile(
    r"\b(?:unless|except|only|if|when|but|because|other than|apart from|save|where|than|as soon|until|so"
    r"|therefore|this|these|those|that|such|it|they|them|and|or|who|which|above|below)\b|[,;:(]"
)
FIGURE = re.compile(
    rf"{MONEY}|{PERCENT}|\b\d{{1,3}}(?= {UNIT}| [a-z]+s\b|-(?:day|week|month|year|hour|minute)\b)",
    re.IGNORECASE,
)
QUANTIFIED = re.compile(r"(?:some|various|all|many|most|no|any|neither|nothing|nobody)\b")
LEAST = re.compile(r"\b(?:at least|no less than|not less than|a minimum of|more than)\s*$")
MOST = re.compile(r"\b(?:within|at most|up to|no more than|not more than|less than|a maximum of)\s*$")
SOMEBODY = rf"(?:{one_of('people')}|{one_of('firms')}|{one_of('agents')}|person)s?"
ACTOR = re.compile(
    rf"(?:an?|any|each|every) (?P<who>(?:[\w’'-]+ ){{0,4}}?(?:{one_of('people')})"
    r"(?: (?:of|for|in|with) [\w’' -]{3,60})?)"
)
PLAIN = re.compile(
    r"(?:(?:the )?steps?(?: in order)?|procedure|process|what to do|instructions)?", re.IGNORECASE
)
FOLLOWS = askable_units.OPENING | set("and or out off money myself my your".split())
NAMED = re.compile(r"[A-Z]\w+ [A-Z]\w+")
QUANTITY = re.compile(rf"(?:{one_of('quantities')})")
CELL = re.compile(rf"(?:{AMOUNT}|{SPAN}|(?:up to |at least |at most )?\d[\d,.]*\b)", re.IGNORECASE)
ITEMS, LONGEST = range(2, 11), 60  # items of a list of steps, words of one
ACTIONS = 0.6  # share of the items that are actions (`Ask at a branch`, `The owner applies online`)


@cache
def _patterns(language: str) -> list[tuple[str, re.Pattern, re.Pattern, str]]:
    """Family, verb, what follows it (groups `what`, which stays in the question, and `value`, the key fact),
    and how it is asked."""

    def form(text: str) -> re.Pattern:
        return re.compile(re.sub(r"@(\w+)@", lambda name: PARTS.get(name[1]) or one_of(name[1]), text))

    with (askable_units.DATA / "question_patterns.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["language"] == language]
    return [(row["family"], form(row["verb"]), form(row["form"]), row["asked"]) for row in rows]


def questions(unit: Unit, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """Every fact that the patterns find in a sentence; the first of them is the most telling."""
    if unit.language != "en":
        yield from _of_whole_sentence(unit)
        return
    yield from _consequence(unit, vocabulary)
    clause = parse_clause(unit.text, vocabulary)
    if clause is None:
        return
    if defined := _definition(clause):
        yield _candidate(unit, "definition", *defined, "definition", "factual")
    for family, verb, form, asked in _patterns("en"):
        found = form.match(clause.rest) if verb.fullmatch(clause.base) else None
        parts = {"what": "", "more": ""} | (found.groupdict("") if found else {})
        what = parts["what"].strip()
        loose = JOINED.search(what) or (family in ("condition", "reason", "date") and LOOSE.search(what))
        if found and not loose and (what or not re.fullmatch(MODAL, clause.verb)):
            question = f"{asked.format(**parts)} {clause.ask(what + parts['more'])}"
            kind = "open" if family == "reason" else "factual"
            yield _candidate(unit, family, question, parts["value"].rstrip(" ,.;"), "short_fact", kind)


def _candidate(unit: Unit, family: str, asked: str, key_fact: str, kind: str, query_type: str) -> Candidate:
    answer = f"{key_fact.capitalize()}. {unit.text}" if key_fact in ("yes", "no") else unit.text
    question = capitalize(" ".join(asked.split())).rstrip("?") + "?"
    return Candidate(question, answer, key_fact, kind, query_type, family, (unit.chunk_id,), unit)


def _of_whole_sentence(unit: Unit) -> Iterator[Candidate]:
    """The questions found in a Spanish or Portuguese sentence; none in a language without patterns."""
    for family, _, form, asked in _patterns(unit.language):
        found = form.fullmatch(unit.text.rstrip("."))
        if found and not POINTS.search(found["subject"]):
            subject = re.sub(r"\bse o seu\b", "se o meu", found["subject"])
            question = asked.format(**found.groupdict() | {"subject": subject[:1].lower() + subject[1:]})
            kind = "definition" if family == "definition" else "short_fact"
            yield _candidate(unit, family, question, found["value"], kind, "factual")


def _definition(clause: Clause) -> tuple[str, str] | None:
    """A pre-approval is a written statement of X -> What is a pre-approval?"""
    if len(clause.subject.split()) > 5 or re.search(r"\b(?:of|for|to|in|on|at|by)\b", clause.subject):
        return None
    if clause.base == "mean":
        bare = re.match(r"(?:an?|the)\b|.*[“”\"]", clause.subject)
        return f"what does {clause.subject if bare else f'“{clause.subject}”'} mean", clause.rest
    named = clause.verb in ("is", "are") and re.match(r"an? |[A-Z]|.* risk$", clause.subject)
    plain = DEFINES.match(clause.rest) and len(clause.rest.split()) >= 6 and " if " not in clause.rest
    return (f"what {clause.verb} {clause.subject}", clause.rest) if named and plain else None


def _consequence(unit: Unit, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """If a collection is returned, the bank tries again -> What happens if a collection is returned?"""
    found = CONSEQUENCE.fullmatch(unit.text)
    if not found or POINTS.search(unit.text):
        return
    for text in (found["what"], found["then"]):  # both must be clauses; `it` and `you` may be their subjects
        text = re.sub(r"^(?:you|they)\b", "Customers", re.sub(r"^it\b", "The bank", text))
        if not askable_units.is_order(text) and parse_clause(f"{capitalize(text)}.", vocabulary) is None:
            return
    order = askable_units.is_order(found["then"]) or re.match(r"[^,]{3,40} (?:must|should)\b", found["then"])
    what = in_first_person(askable_units.uncapitalize(found["what"], vocabulary))
    asked, kind = f"what happens {found['how'].lower()} {what}", "instruction" if order else "short_fact"
    yield _candidate(unit, "consequence", asked, found["then"], kind, "open")


def in_first_person(text: str) -> str:
    """The reader's `you` and `your` as the asker's `I` and `my`."""
    text = re.sub(r"\byou\b(?=$| (?:in|at|on|by|for|with|from|to|of|and|or|as|about)\b)", "me", text)
    for yours, mine in (("you are", "I am"), ("yourself", "myself"), ("your", "my"), ("you", "I")):
        text = re.sub(rf"\b{yours}\b", mine, text)
    return text


def claims(unit: Unit, vocabulary: frozenset[str], rng: np.random.Generator) -> Iterator[Candidate]:
    """A plain claim asked back as a yes/no question: a figure, true or changed; a permission; a duty; what
    is ruled out (no). And a rule about anybody of a kind asked for one person."""
    clause = plain_claim(unit, vocabulary)
    if clause and (made := _claim(clause, rng)):
        yield _candidate(unit, "yes_no", *made, "short_fact", "yes_no")
    if clause and (applied := _applied(clause)):
        yield _candidate(unit, "applied", *applied, "short_fact", "inference")


def plain_claim(unit: Unit, vocabulary: frozenset[str]) -> Clause | None:
    """The clause of a sentence that makes one plain claim, without conditions or a second clause."""
    clause = parse_clause(unit.text, vocabulary) if unit.language == "en" else None
    if clause is None or QUANTIFIED.match(clause.subject) or re.match(r"(?:also|have|need)\b", clause.rest):
        return None
    return clause if not HEDGED.search(clause.rest) and len(clause.rest.split()) <= 22 else None


def _claim(clause: Clause, rng: np.random.Generator) -> tuple[str, str] | None:
    rest, figure, yes = clause.rest, FIGURE.search(clause.rest), bool(rng.integers(2))
    if clause.verb == "cannot" or rest.startswith("not "):
        ruled_out = clause.verb in ("cannot", "may", "can", "is", "are") and not figure
        return (clause.ask(rest.removeprefix("not ")), "no") if ruled_out else None
    if figure:
        stated = rest if yes else change_figure(rest, figure, rng, clause.verb)
        return clause.ask(stated), "yes" if yes else "no"
    acting = re.search(rf"\b{SOMEBODY}\b", clause.subject, re.IGNORECASE)
    is_rule = re.fullmatch(MODAL, clause.verb) and (acting or re.match(rf"be {PARTICIPLE}\b", rest))
    return (clause.ask(rest), "yes") if is_rule else None


def _applied(clause: Clause) -> tuple[str, str] | None:
    """A customer may lower any limit -> I am a customer. May I lower it?"""
    actor = ACTOR.fullmatch(clause.subject)
    negated = clause.verb == "cannot" or clause.rest.startswith("not ")
    if not actor or clause.verb not in ("may", "must", "cannot"):
        return None
    verb = {"cannot": "Can", "must": "May" if negated else "Must"}.get(clause.verb, "May")
    rest = re.sub(r"\b(?:their|his or her|his|her)\b", "my", clause.rest.removeprefix("not "))
    article = "an" if actor["who"][0].lower() in "aeiou" else "a"
    return f"I am {article} {actor['who']}. {verb} I {rest}", "no" if negated else "yes"


def change_figure(rest: str, figure: re.Match, rng: np.random.Generator, verb: str) -> str:
    """The rest of a clause with this figure replaced by one that makes the claim false:
    `at least 6 years` by more, `must ... within 6 days` by less."""
    number = next(re.finditer(r"\d[\d,]*(?:\.\d+)?", figure.group()))
    start = figure.start() + number.start()
    before, able = rest[:start].rstrip("$€£ "), verb in ("may", "can")
    factors: Sequence[float] = (2.0, 0.5, 1.5, 3.0)
    if LEAST.search(before) or (able and MOST.search(before)):
        factors = (2.0, 3.0, 1.5)
    elif MOST.search(before):
        factors = (0.5,)
    return rest[:start] + change_number(number.group(), rng, factors) + rest[start + len(number.group()) :]


def change_number(
    number: str, rng: np.random.Generator, factors: Sequence[float] = (2.0, 0.5, 1.5, 3.0)
) -> str:
    """A different number of the same form: $1,250.00 stays with two decimals and its comma."""
    decimals, value = len(number.partition(".")[2]), float(number.replace(",", ""))
    comma = "," if "," in number or value < 1000 else ""
    for i in rng.permutation(len(factors)):
        exact = value * factors[i] or 5.0
        changed = f"{exact:{comma}.{decimals}f}"
        if float(changed.replace(",", "")) == exact and changed != number:
            return changed
    return f"{value + (1 if max(factors) > 1 or value <= 1 else -1):{comma}.{decimals}f}"


def block_questions(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """Questions of one block, in English: one for a list of steps, one per row of figures for a table."""
    if block.source.language != "en":
        return
    if block.is_table:
        yield from _table(block, vocabulary)
        return
    acting = 0  # a list of papers is no procedure
    for line in block.lines:
        clause = parse_clause(line.rstrip(";.") + ".", frozenset())
        first = line.partition(" ")[0].lower().strip(",")
        does = clause is not None and clause.verb not in ("is", "are")
        acting += does or first in VERBS or line.startswith(("If ", "Within ", "After ", "Once "))
    fits = len(block.lines) in ITEMS and all(len(line.split()) <= LONGEST for line in block.lines)
    named, titled = (
        _how_to(text, vocabulary) for text in (block.source.heading, block.source.title.split(":")[0])
    )
    longer = named and titled and titled.startswith(named[:-1])  # `The steps` leaves it to the title
    asked = titled if longer or PLAIN.fullmatch(block.source.heading) else named
    if asked and fits and acting >= ACTIONS * len(block.lines):
        lines = [re.sub(r"[;,](?: and| or)?$", "", line) for line in block.lines]
        answer = " ".join(f"{i}. {line}" for i, line in enumerate(lines, start=1))
        kind, ids = "multi_step" if len(lines) >= 3 else "instruction", tuple(dict.fromkeys(block.chunk_ids))
        yield Candidate(asked, answer, lines[0], kind, "open", "procedure", ids, block.source)


def _how_to(heading: str, vocabulary: frozenset[str]) -> str | None:
    """`Registering a need` over numbered steps -> How do I register a need?"""
    tail = r"(?:, step by step|(?:: |, | and (?:how|what|when|where|the decision|timings?)\b).*)$"
    heading = in_first_person(re.sub(tail, "", heading).strip())
    if heading.startswith("How to "):
        return f"How do I {heading.removeprefix('How to ')}?"
    first, _, rest = heading.partition(" ")
    base = askable_units.GERUNDS.get(first.lower())
    if base is None or (rest and rest.split()[0].lower() not in FOLLOWS):
        return None
    rest = re.sub(r"\b(and|or) (\w+ing)\b", lambda m: f"{m[1]} {askable_units.GERUNDS.get(m[2], m[2])}", rest)
    words = [
        word.lower() if word.lower() in vocabulary and not word.isupper() else word for word in rest.split()
    ]
    return f"How do I {' '.join([base, *words])}?"


def _table(block: Block, vocabulary: frozenset[str]) -> Iterator[Candidate]:
    """A row `Minimum payment | $25` -> What is the minimum payment?; with named columns: ... for the Quay
    Plus Account?"""
    head, *rows = [[cell.strip() for cell in line.split(" | ")] for line in block.lines]
    if any(re.search(r"\d", cell) for cell in head):
        return
    for row, chunk_id in zip(rows, block.chunk_ids[1:], strict=True):
        if len(row) != len(head) or re.search(r"[,;:?()\d]", row[0]):
            continue
        for column, cell in zip(head[1:], row[1:], strict=True):
            asked = _ask_for_cell(head, row[0], column, vocabulary, cell) if CELL.match(cell) else None
            if asked:
                answer = f"{row[0]}, {column}: {cell}." if len(head) > 2 else f"{row[0]}: {cell}."
                yield Candidate(
                    asked, answer, cell, "short_fact", "factual", "table", (chunk_id,), block.source
                )


def _ask_for_cell(
    head: list[str], label: str, column: str, vocabulary: frozenset[str], cell: str
) -> str | None:
    """What is the minimum payment of X?; How many machines does X have?; None where label and column do not
    read as the parts of a question, or name no quantity."""
    kind, thing, whose = head[0].lower(), label, ""
    if len(head) > 2 and all(NAMED.match(name) for name in head[1:]):
        thing = f"{label} fee" if kind == "fee" and "fee" not in label.lower() else label
        whose = f" for {_with_article(column)}"
    elif len(head) > 2:
        if not NAMED.match(label) and kind != "branch":
            return None
        bare = kind in ("branch", "account", "card", "loan", "office", "team") and kind not in label.lower()
        thing, whose = column, f" of the {label} {kind}" if bare else f" of {_with_article(label)}"
    small = askable_units.uncapitalize(thing, vocabulary)
    noun = re.split(r" (?:of|for|on|per|to|in|at|above|below|from|after) ", small)[0].split()[-1]
    if noun.endswith("s") and re.fullmatch(r"\d{1,3}", cell) and whose.startswith(" of "):
        return f"How many {small} does {whose[4:]} have?"
    small += " number" if small in ("telephone", "phone", "extension") else ""
    return f"What is the {small}{whose}?" if QUANTITY.fullmatch(noun) and len(small.split()) <= 8 else None


def _with_article(name: str) -> str:
    """`the Quay Plus Account`, but `Tide Classic`."""
    return f"the {name}" if name.split()[-1].lower() in askable_units.word_list("products") else name
