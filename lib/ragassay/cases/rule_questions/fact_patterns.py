"""One pattern per kind of fact: a clause in, a question and its key fact out, or nothing."""

import re
from collections.abc import Callable

from ragassay.cases.rule_questions import clause_parsing, word_forms
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.word_forms import (
    BOUND,
    DATE,
    DURATION,
    MONEY,
    PARTICIPLE,
    PERCENT,
    TIME,
    VALUE,
    either,
)

VAGUE = re.compile(rf"^(?:the|an?|no|each|every|all|any)? ?(?:\w+ )?(?:{either('vague')}|\w+th)$")
Made = tuple[str, str] | None  # the question without its question mark, and the key fact


def vague(subject: str) -> bool:
    """Whether a subject names nothing outside its paragraph:
    `the period`, `the same withdrawal`, `trying to use it`."""
    return bool(
        VAGUE.search(subject)
        or re.match(
            rf"(?:the|this|any|all|an?)? ?(?:same|next|latter|former|following|{either('vague_heads')})\b",
            subject,
        )
        or re.search(r"\b(?:it|them|they)$", subject)
        or re.search(r"^[Tt]he [a-z]+ (?:the|an?|it|they|which|that) ", subject)
    )


def what_is(clause: Clause) -> Made:
    """The monthly fee is $6.00 -> What is the monthly fee?"""
    found = re.match(rf"({VALUE})(?P<tail>.*)", clause.rest)
    if (
        clause.verb not in ("is", "are", "was", "were")
        or not found
        or re.match(r"\s*(?:late|overdue|old|away|long|of|in)\b", found["tail"])
    ):
        return None
    unit = re.match(r"((?: (?:a|per|each|every) \w+)?)", found["tail"]).group(1)  # type: ignore[union-attr]
    timed = re.fullmatch(rf"(?:{BOUND} )?{DURATION}", found[1]) and "age" not in clause.subject
    return f"{'how long' if timed else 'what'} {clause.verb} {clause.subject}", (found[1] + unit).rstrip(",")


def how_much(clause: Clause) -> Made:
    """A stop order costs $18.00 per request -> How much does a stop order cost?;
    The bank charges $5 for X -> How much does it charge for X?"""
    found = re.match(
        rf"(?:a fee of |a charge of )?((?:{BOUND} )?(?:{MONEY}|{PERCENT})(?: (?:a|per) \w+)?)(?P<tail>.*)",
        clause.rest,
    )
    if (
        clause.auxiliary
        or not found
        or clause.base not in ("cost", "charge", "pay", "owe", "earn", "receive", "deposit")
    ):
        return None
    tail = clause_parsing.cut(found["tail"])
    tail = "" if clause.base == "cost" or not re.match(r"(?:for|on|to|when)\b", tail) else tail
    return f"how much {clause.ask(tail)}", found[1]


def how_long(clause: Clause) -> Made:
    """An order lasts 6 months -> How long does an order last?;
    A certificate stays valid for 12 months -> How long does it stay valid?"""
    found = re.match(
        rf"(?P<state>(?:(?:be )?(?:{PARTICIPLE}|valid|open|free|available|blocked|confidential)"
        r"(?: (?:in|on|at|as) [\w ]{3,30}?)? for )?)"
        rf"(?P<value>(?:{BOUND} |the past |the first |the last )?{DURATION})(?P<tail>.*)",
        clause.rest,
    )
    if (
        not found
        or "the " in found["value"][:4]
        or re.match(r" (?:in|for|during|with|where|when) (?:which|whom|an?\b)", found["tail"])
    ):
        return None
    state = found["state"].removesuffix("for ").strip()
    if not state and clause.base not in ("last", "take"):
        return None
    tail = clause_parsing.cut(found["tail"])
    since = f" {tail}" if re.match(r"(?:after|following|before|from) ", tail) else ""
    return f"how long {clause.ask(state)}{since}", found["value"]


def how_many(clause: Clause) -> Made:
    """A person may hold no more than two accounts -> How many accounts may a person hold?"""
    found = re.match(
        rf"(?P<verb>(?:be |have )?\w+ )(?P<bound>up to|at most|no more than|not more than|at least|a maximum "
        rf"of) "
        rf"(?P<n>\d+|{word_forms.NUMBER_WORDS}) "
        r"(?P<noun>(?:(?!(?:and|or|of|to|in|on|at|for|a|the)\b)[\w’'-]+ "
        r"){0,3}?[\w’'-]+[^s\W]s)\b(?P<tail>.*)",
        clause.rest,
    )
    if (
        not clause.auxiliary
        or clause.verb in ("is", "are", "was", "were")
        or not found
        or re.search(rf"\b{word_forms.UNIT}$", found["noun"])
    ):
        return None
    bound = " at least" if found["bound"] == "at least" else ""
    tail = clause_parsing.cut(found["tail"])
    tail = tail if re.match(r"(?:on|in|at|for|per|a|an|each) ", tail) else ""
    return (
        f"how many {found['noun']}{bound} {clause.ask(found['verb'] + tail)}",
        f"{found['bound']} {found['n']}",
    )


def time_limit(clause: Clause) -> Made:
    """Errors must be reported within 60 days of the statement -> Within what time must errors be reported?"""
    found = re.match(rf"(?P<what>[^,;:]*?)\bwithin (?P<value>(?:the )?{DURATION})\b(?P<tail>.*)", clause.rest)
    if not found or re.search(
        r"\b(?:and|or|but|because|if|when|who|which|that|unless|until)\b", found["what"]
    ):
        return None
    if clause.auxiliary and not found["what"].strip():
        return None
    after = re.match(r" (?:of|after|from) [\w $.,'’-]+", found["tail"])
    since = clause_parsing.cut(after.group()).split(" and ")[0].strip().rstrip(",.") if after else ""
    if re.search(r"\b(?:it|them|they)\b", since):
        return None
    unit = re.search(
        r"[- ]((?:business |working |calendar )?(?:day|hour|minute|month|year|week))s?$", found["value"]
    )
    if not unit or len(since.split()) > 14:
        return None
    return (
        f"within how many {unit[1]}s {since + ' ' if since else ''}{clause.ask(found['what'].strip())}",
        found["value"],
    )


def when(clause: Clause) -> Made:
    """The account was launched on 1 March 2016 -> When was the account launched?"""
    found = re.match(
        rf"(?P<what>(?:be )?{PARTICIPLE}(?: [\w ]{{0,30}}?)?) (?P<how>on|since|by|until|from|before) "
        rf"(?P<value>{DATE})",
        clause.rest,
    )
    if not found or not clause.auxiliary:
        return None
    asked = {
        "on": "when",
        "since": "since when",
        "by": "by what date",
        "until": "until when",
        "from": "from what date",
        "before": "before what date",
    }
    return f"{asked[found['how']]} {clause.ask(found['what'])}", f"{found['how']} {found['value']}"


def what_time(clause: Clause) -> Made:
    """The line is answered from 8:00 to 20:00 -> Between what times is the line answered?"""
    span = re.match(
        rf"(?P<what>[\w ]*?)\s?(?:from|between) (?P<value>{TIME} (?:to|and|until) {TIME})", clause.rest
    )
    if span and (not clause.auxiliary or span["what"]):
        return f"between what times {clause.ask(span['what'])}", span["value"]
    point = re.match(
        rf"(?P<what>[\w ]*?)\s?\b(?P<how>at|by|before|after|until) (?P<value>{TIME})", clause.rest
    )
    if (
        not point
        or (clause.auxiliary and not point["what"])
        or re.search(r"\b(?:and|or|if|when)\b", point["what"])
    ):
        return None
    return f"{point['how']} what time {clause.ask(point['what'])}", f"{point['how']} {point['value']}"


def how_old(clause: Clause) -> Made:
    """An applicant must be at least 21 years old -> How old must an applicant be?"""
    found = re.match(
        r"be (?P<value>(?:at least|aged) \d{2}(?: or over| or older)?)(?= years old|$| and\b|,| or over| or "
        r"older| on )",
        clause.rest,
    )
    return (f"how old {clause.ask('be')}", found["value"]) if found and clause.verb == "must" else None


PATTERNS: dict[str, Callable[[Clause], Made]] = {
    "amount": what_is,
    "price": how_much,
    "duration": how_long,
    "number": how_many,
    "deadline": time_limit,
    "date": when,
    "time": what_time,
    "age": how_old,
}
