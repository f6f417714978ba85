"""Patterns of rules and duties: conditions, definitions, who, what is paid, how often, to whom,
in what form, why."""

import re
from collections.abc import Callable

from ragassay.cases.rule_questions import clause_parsing, word_forms
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import Made

EVERY = (
    rf"(?:(?:at least|no less than|not less than) )?(?:{word_forms.either('frequencies')}|once "
    rf"(?:a|every|each) "
    rf"(?:year|month|quarter|week)|"
    + (rf"every (?:\d+|{word_forms.NUMBER_WORDS}) (?:months|years|weeks|days))")
)
JOINED = re.compile(r"\b(?:and|or|but|because|if|when|who|which|that|unless|until|not|never|merely)\b|[,;:]")
AIM = re.compile(
    r"the (?:main |primary |overall )?(?:purposes?|aims?|objectives?|roles?|functions?) of (?:the |an? "
    r")?[\w’' -]{4,70}$"
)
MARKED = re.compile(
    r"(?P<what>[^;:]{12,150}?),? (?P<how>in order to|in order that|so as to|so that|to ensure that|because) "
    r"(?P<value>(?!of\b)[^;:]{15,})"
)
WHETHER = re.compile(rf"\b(?:{word_forms.either('whether')})$")
DEFINES = re.compile(
    rf"(?:an? (?!{word_forms.either('not_defining')})[\w-]+|the (?:{word_forms.either('defining')}))"
    r"(?: [\w-]+)* (?:by|of|that|which|who|for|with|from|whose|in|on|to)\b"
)
DEEMED = re.compile(r"\b(?:considered|deemed|treated|regarded|required|permitted|expected|entitled|allowed)$")
# what no condition can be asked of, or any could
LOOSE = re.compile(
    r"^(?:only|in|at|on|for|by)\b|\b(?:situations?|circumstances|cases|times|instances|occasions|days?|dates?"
    r"|periods?|out|up|[a-z]+ing)$"
    r"|^(?:notify|inform|tell|contact) (?:the|its) \w+(?: immediately| promptly| in writing| without "
    r"(?:undue )?delay)*$"
)
LISTED = re.compile(r"[—–:] ?\(|(?<!\w)\(\w{1,3}\)")


def on_what_condition(clause: Clause) -> Made:
    """The fee is waived if X -> When is the fee waived?;
    A customer may close it only when X -> When may a customer close it?"""
    found = re.match(
        r"(?P<what>[^,;:]*?),? ?\b(?P<how>only if|only when|only where|only after|if|unless|when|in any "
        r"month (?:with|in which)"
        r"|for a month in which) (?P<value>[^;:]{12,})",
        clause.rest,
    )
    if (
        not found
        or (clause.auxiliary and not found["what"].strip())
        or re.search(r"\b(?:and|or|but|who|which|that|because|not)\b", found["what"])
    ):
        return None
    state = re.match(
        rf"(?:be )?(?:{word_forms.PARTICIPLE}|free|possible|available|payable|accepted)\b", found["what"]
    )
    if not state and clause.verb in ("is", "are"):
        return None
    inserted = clause.rest[found.end("what") :].startswith(",") and "," in found["value"]
    if (
        inserted
        or re.match(r"\w+ing\b", found["value"])
        or DEEMED.search(found["what"])
        or LOOSE.search(found["what"])
    ):
        return None
    if (
        found["how"] == "unless"
        or re.search(r"(?:^| )(?:even|as)$", found["what"])
        or (found["how"] == "if" and WHETHER.search(found["what"]))
    ):
        return None
    what = re.sub(r"\balso |,? once$", "", found["what"].strip())
    return f"when {clause.ask(what)}", f"{found['how']} {found['value']}"


def definition(clause: Clause) -> Made:
    """A pre-approval is a written statement of X -> What is a pre-approval?;
    A direct deposit means X -> What does "direct deposit" mean?"""
    short = (
        len(clause.subject) >= 3
        and len(clause.subject.split()) <= 5
        and not re.search(r" if ", clause.rest)
        and not re.search(r"\b(?:of|for|to|in|on|at|by)\b", clause.subject)
    )
    if clause.base in ("mean",) and short:
        term = (
            clause.subject
            if re.match(r"(?:an?|the|this)\b|.*[“”\"]", clause.subject)
            else f"“{clause.subject}”"
        )
        plain = not LISTED.search(clause.rest) and not re.match(r"for the purpose|in relation", clause.rest)
        return (f"what does {term} mean", clause.rest) if plain else None
    named = re.match(r"(?:a|an) ", clause.subject) or clause.subject[:1].isupper()
    if not short or not named or clause.verb not in ("is", "are") or not DEFINES.match(clause.rest):
        return None
    if (
        re.search(r"\b(?:Head|Officer|Manager|Director|Lead)\b", clause.rest[:40])
        or len(clause.rest.split()) < 6
    ):
        return None
    return f"what {clause.verb} {clause.subject}", clause.rest


def who(clause: Clause) -> Made:
    """Paulo Teixeira is Head of X -> Who is the Head of X?;
    Limits are approved by Y -> By whom are limits approved?"""
    role = re.match(
        r"(?:the )?(?P<role>(?:Head|Manager|Director|Chief|Chair|[A-Z]\w+ (?:Lead|Officer|Manager"
        r"|Director))\b"
        r"(?: of [A-Z][\w’']*(?: (?:and |of )?[A-Z][\w’']*)*)?)",
        clause.rest,
    )
    if clause.verb == "is" and role and re.fullmatch(r"(?:[A-Z][\wÀ-ÿ’'-]{1,40} ?){2,3}", clause.subject):
        return f"who is the {role['role']}", clause.subject
    agent = re.match(
        rf"(?P<what>(?:be )?{word_forms.PARTICIPLE}) by (?P<value>(?:the |an? )?[\w’' -]{{3,60}}?)"
        r"(?=$|,| and | within | unless | such | using | through | prior | subject | pursuant | under | to | "
        r"on | in | at "
        r"| after | before | when | if | but | or )",
        clause.rest,
    )
    if (
        not clause.auxiliary
        or clause.subject.startswith("no ")
        or not agent
        or re.match(
            r"(?:telephone|post|letter|card|transfer|the due|cheque|courier|a fee|\d)", agent["value"]
        )
    ):
        return None
    if DEEMED.search(agent["what"]) or not re.search(
        rf"\b(?:{word_forms.either('agents')})s?\b", agent["value"], re.IGNORECASE
    ):
        return None
    return f"by whom {clause.ask(agent['what'])}", agent["value"]


def paid(clause: Clause) -> Made:
    """An applicant must pay the bank a filing fee of $5 for X -> What filing fee must an applicant pay the
    bank for X?"""
    found = re.match(
        r"pay (?P<to>(?:to )?the (?!\w+ (?:fee|charge))[\w’' ]{3,40}? )?an? (?P<what>(?:[\w-]+ ){0,4}?"
        r"(?:fee|charge|levy|deposit|premium|penalty|fine))"
        rf" of (?P<value>{word_forms.MONEY})(?P<tail>.*)",
        clause.rest,
    )
    if not found or not clause.auxiliary:
        return None
    tail = clause_parsing.cut(found["tail"])
    if re.search(r"[:—–]", found["tail"]):
        return None
    return (
        f"what {found['what']} "
        f"{clause.ask('pay ' + (found['to'] or '').strip() + (' ' + tail.strip() if tail else ''))}".strip(),
        found["value"],
    )


def how_often(clause: Clause) -> Made:
    """A firm must review its policies at least annually -> How often must a firm review its policies?"""
    found = re.match(rf"(?P<what>.{{8,120}}?),? (?:on )?(?P<value>{EVERY})$", clause_parsing.cut(clause.rest))
    if not found or not clause.auxiliary or JOINED.search(found["what"]):
        return None
    return f"how often {clause.ask(found['what'])}", found["value"]


def whom(clause: Clause) -> Made:
    """A firm must notify the Regulator of any change -> Whom must a firm notify of any change?"""
    found = re.match(
        r"(?P<verb>notify|inform|tell|consult) (?P<value>(?:the|its) (?:[a-z]+|[A-Z][\w’'-]*(?: "
        r"[A-Z][\w’'-]*){0,3}))"
        r"(?: immediately| promptly| in writing| without delay| forthwith)* (?P<tail>(?:of|about) .{8,})",
        clause.rest,
    )
    if (
        not found
        or clause.verb not in ("must", "should", "shall")
        or clause_parsing.cut(found["tail"]) != found["tail"]
    ):
        return None
    return f"whom {clause.ask(found['verb'] + ' ' + clause_parsing.cut(found['tail']))}", found["value"]


def in_what_form(clause: Clause) -> Made:
    """An application must be made in writing -> In what form must an application be made?"""
    found = re.match(
        rf"(?P<what>(?:be )?{word_forms.PARTICIPLE}(?: (?!in\b)\w+){{0,4}}) in (?P<value>writing"
        rf"|electronic form|English)$",
        clause_parsing.cut(clause.rest),
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
        or re.match(rf"(?:{word_forms.either('dangling')})\b", found["value"])
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
    "condition": on_what_condition,
    "definition": definition,
    "person": who,
    "fee": paid,
    "frequency": how_often,
    "recipient": whom,
    "form": in_what_form,
    "reason": why,
    "purpose": what_for,
}
