"""Patterns of rules and duties: what is paid, how often, to whom, in what form, why, and what something is for."""

import re
from collections.abc import Callable

from ragassay.cases.questions import clauses, words
from ragassay.cases.questions.clauses import Clause
from ragassay.cases.questions.facts import Made

EVERY = (
    rf"(?:(?:at least|no less than|not less than) )?(?:{words.either('frequencies')}|once (?:a|every|each) (?:year|month|quarter|week)|"
    + (rf"every (?:\d+|{words.NUMBER_WORDS}) (?:months|years|weeks|days))")
)
JOINED = re.compile(r"\b(?:and|or|but|because|if|when|who|which|that|unless|until|not|never|merely)\b|[,;:]")
AIM = re.compile(
    r"the (?:main |primary |overall )?(?:purposes?|aims?|objectives?|roles?|functions?) of (?:the |an? )?[\w’' -]{4,70}$"
)
MARKED = re.compile(
    r"(?P<what>[^;:]{12,150}?),? (?P<how>in order to|in order that|so as to|so that|to ensure that|because) (?P<value>(?!of\b)[^;:]{15,})"
)


def paid(clause: Clause) -> Made:
    """An applicant must pay the bank a filing fee of $5 for X -> What filing fee must an applicant pay the bank for X?"""
    found = re.match(
        r"pay (?P<to>(?:to )?the (?!\w+ (?:fee|charge))[\w’' ]{3,40}? )?an? (?P<what>(?:[\w-]+ ){0,4}?"
        r"(?:fee|charge|levy|deposit|premium|penalty|fine))"
        rf" of (?P<value>{words.MONEY})(?P<tail>.*)",
        clause.rest,
    )
    if not found or not clause.auxiliary:
        return None
    tail = clauses.cut(found["tail"])
    if re.search(r"[:—–]", found["tail"]):
        return None
    return (
        f"what {found['what']} {clause.ask('pay ' + (found['to'] or '').strip() + (' ' + tail.strip() if tail else ''))}".strip(),
        found["value"],
    )


def how_often(clause: Clause) -> Made:
    """A firm must review its policies at least annually -> How often must a firm review its policies?"""
    found = re.match(rf"(?P<what>.{{8,120}}?),? (?:on )?(?P<value>{EVERY})$", clauses.cut(clause.rest))
    if not found or not clause.auxiliary or JOINED.search(found["what"]):
        return None
    return f"how often {clause.ask(found['what'])}", found["value"]


def whom(clause: Clause) -> Made:
    """A firm must notify the Regulator of any change -> Whom must a firm notify of any change?"""
    found = re.match(
        r"(?P<verb>notify|inform|tell|consult) (?P<value>(?:the|its) (?:[a-z]+|[A-Z][\w’'-]*(?: [A-Z][\w’'-]*){0,3}))"
        r"(?: immediately| promptly| in writing| without delay| forthwith)* (?P<tail>(?:of|about) .{8,})",
        clause.rest,
    )
    if (
        not found
        or clause.verb not in ("must", "should", "shall")
        or clauses.cut(found["tail"]) != found["tail"]
    ):
        return None
    return f"whom {clause.ask(found['verb'] + ' ' + clauses.cut(found['tail']))}", found["value"]


def in_what_form(clause: Clause) -> Made:
    """An application must be made in writing -> In what form must an application be made?"""
    found = re.match(
        rf"(?P<what>(?:be )?{words.PARTICIPLE}(?: (?!in\b)\w+){{0,4}}) in (?P<value>writing|electronic form|English)$",
        clauses.cut(clause.rest),
    )
    if not found or not clause.auxiliary or JOINED.search(found["what"]):
        return None
    return (
        f"in what {'language' if found['value'] == 'English' else 'form'} {clause.ask(found['what'])}",
        f"in {found['value']}",
    )


def why(clause: Clause) -> Made:
    """A firm should keep a log in order to trace errors -> Why should a firm keep a log?"""
    found = MARKED.fullmatch(clause.rest) if clause.verb != "cannot" else None
    if (
        not found
        or JOINED.search(found["what"])
        or re.search(r"\b(?:steps|arrangements|measures|systems|procedures|controls|care)$", found["what"])
        or re.match(rf"(?:{words.either('dangling')})\b", found["value"])
    ):
        return None
    if found["how"] == "so that" and re.search(r"\bso$", found["what"]):
        return None
    return f"why {clause.ask(found['what'])}", f"{found['how']} {found['value']}"


def what_for(clause: Clause) -> Made:
    """The purpose of the test is to find gaps -> What is the purpose of the test?"""
    long_enough = len(clause.rest.split()) >= 4 and not re.match(
        r"(?:set out|described|as follows|the same|not )", clause.rest
    )
    return (
        (f"what {clause.verb} {clause.subject}", clause.rest)
        if clause.verb in ("is", "are") and AIM.match(clause.subject) and long_enough
        else None
    )


PATTERNS: dict[str, Callable[[Clause], Made]] = {
    "fee": paid,
    "frequency": how_often,
    "recipient": whom,
    "form": in_what_form,
    "reason": why,
    "purpose": what_for,
}
