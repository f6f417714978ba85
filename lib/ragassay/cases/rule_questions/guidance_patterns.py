"""One pattern per form of guidance prose: a clause in, a question and its key fact out, or nothing.

The key fact is empty where it cannot be told apart from what follows it: such a question is not asked, but it
shows that another sentence answers it too.
"""

import re
from collections.abc import Callable
from functools import cache

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.clause_parsing import Clause
from ragassay.cases.rule_questions.fact_patterns import Made
from ragassay.cases.rule_questions.question_form_checks import (
    HEDGES,
    MODALS,
    PLAIN_VERBS,
    POINTING,
    PRONOUN,
    THIRDS,
    is_anybody,
    is_telling,
    is_whole,
    points_back,
    telling_words,
)

ADVERB = rf"(?:(?:{HEDGES}) )?"
NO_OBJECT = re.compile(
    rf"(?:{word_forms.either('prepositions')}|to|and|or|but|as|so|than|not|more|less|because|when|why)\b|\w+ly\b"
)
HELPED = re.compile(rf"(?P<more>(?:to )?(?:{word_forms.either('object_verbs')})) (?P<tail>.*)")
SECOND = re.compile(
    r"(?:, (?:which|who|but|while|so|although|even|where|when|if|unless|because|since)\b|\. "
    r"| (?:because|although|while|unless|whereas) | \((?!\d)).*"
)  # a second thought
TERM = re.compile(
    r"(?!(?:the|these|many|most|some|all|each|every|any|no|one|two|sound|good|effective|strong|appropriate)\b)"
    r"[\w’'/-]+(?: [\w’'/-]+){0,3}"
)
MEANING = re.compile(
    rf"(?P<how>{ADVERB}(?:defined|known) as )?(?P<rest>(?:the|an?) "
    rf"(?:(?!{word_forms.either('not_defining')})[\w-]+ )?(?:{word_forms.either('genera')})s? .{{25,}})"
)
STATE = re.compile(rf"(?P<what>(?:be )?{ADVERB}(?:{word_forms.phrases('states')})) (?P<value>\S.{{11,}})")
WEIGHT = re.compile(
    rf"(?P<what>(?:be )?{ADVERB}(?:{word_forms.either('weights')})),? "
    r"(?P<value>(?:to (?!note\b)|for(?= \w+ing\b)|because|since) ?.{10,})"
)
PHRASAL = re.compile(
    rf"(?P<verb>{word_forms.phrases('phrasal')}) (?P<value>(?!and\b|or\b|whether\b)\S.{{8,}})"
)
MEANS = re.compile(r"(?P<what>[^;.]{8,120}?),? (?P<value>by (?!no\b)\w+ing\b[^;]{12,})")
AIM = re.compile(rf"(?P<what>[^;.]{{12,130}}?),? (?P<value>to (?:{word_forms.either('ends')})\b[^;]{{12,}})")
OF_OTHERS = word_forms.word_list("of_others")
NO_AIM = re.compile(
    rf"\b(?:{word_forms.either('takes_infinitive')})s?$|^(?:{word_forms.either('of_others')})\b"
    r"|^(?:be )?(?!\w+ed\b)\w+$"
)
TIME = re.compile(
    r"(?P<what>[^;,.]{6,120}?),? (?=[bawpu])"
    r"(?P<value>(?:before|after|whenever|prior to|as soon as|until) [^;]{8,})"
)
LOOSE = re.compile(
    r"^(?:not|never|only)\b|\b(?:whether|if|that|how|who|defined as)\b|—"
    rf"|\b(?:and|or|\w+ly|soon|long|even|obtained|in order|example)$|, and (?:{MODALS}|do|does)\b"
)  # what no means, aim or time can be asked of
DONE = re.compile(rf"{ADVERB}{word_forms.PARTICIPLE}\b")
ACTING_SUBJECT = re.compile(
    rf"(?:[\w’'/-]+ ){{0,4}}(?:{word_forms.either('actors')})s?"
    r"(?: (?:of|for|in|on|with|doing|involved|\w+ing) .*)?"
    r"|(?:(?:senior|bank|executive|local) )?management|(?:internal|external) audit"
)
EXAMPLES = re.compile(r"(?P<many>(?:one|an) example|examples) of (?:some )?(?P<what>.{6,})")
ASKING = word_forms.word_list("asking_verbs")


def term(clause: Clause) -> Made:
    """Price risk is the risk of losses from X -> What is price risk?"""
    found = MEANING.fullmatch(clause.rest) if clause.verb in ("is", "are") else None
    if not found or not TERM.fullmatch(clause.subject) or not is_whole(clause.subject):
        return None
    if found["how"]:
        return f"how {clause.verb} {clause.subject} defined", found["rest"]
    return f"what {clause.verb} {clause.subject}", found["rest"]


def depends(clause: Clause) -> Made:
    """Effective challenge depends on competence -> What does effective challenge depend on?"""
    verb, tail = _predicate(clause)
    found = PHRASAL.fullmatch(f"{verb} {tail}")
    if not found or not is_telling(clause.subject):
        return None
    return f"what {_ask(clause, verb, found['verb'].removeprefix(verb).strip())}", _end(found["value"])


def state(clause: Clause) -> Made:
    """The choice should be based on the data -> What should the choice be based on?"""
    found = STATE.fullmatch(clause.rest) if clause.auxiliary else None
    if not found or clause.subject.startswith("no ") or not is_telling(clause.subject):
        return None
    acting = " do" if re.search(r"(?:designed|intended|used) to$", found["what"]) else ""
    return f"what {clause.ask(found['what'])}{acting}", _end(found["value"])


def weight(clause: Clause) -> Made:
    """Monitoring is essential to find X -> Why is monitoring essential?"""
    found = WEIGHT.fullmatch(clause.rest) if clause.auxiliary else None
    if not found or not is_telling(clause.subject):
        return None
    return f"why {clause.ask(found['what'])}", _end(found["value"])


def example(clause: Clause) -> Made:
    """Examples of limits are X -> What are examples of limits?"""
    found = EXAMPLES.fullmatch(clause.subject)
    if not found or not (clause.verb in ("is", "are") or clause.base == "include"):
        return None
    many = "are examples" if found["many"].endswith("s") else "is an example"
    return f"what {many} of {found['what']}", clause.rest


def means(clause: Clause) -> Made:
    """A firm should control risk by keeping X -> How should a firm control risk?"""
    return _adverbial(clause, MEANS, "how")


def aim(clause: Clause) -> Made:
    """Audit should read records to test whether X -> For what purpose should audit read records?"""
    found = AIM.fullmatch(clause.rest)
    taken = not clause.auxiliary and clause.base in OF_OTHERS - {"need"}
    if not found or taken or NO_AIM.search(found["what"]):
        return None
    done = clause.verb not in ("is", "are") or DONE.match(clause.rest)
    return _adverbial(clause, AIM, "for what purpose") if done else None


def time(clause: Clause) -> Made:
    """A model should be validated before it is used -> When should a model be validated?"""
    return _adverbial(clause, TIME, "when")


def actor(clause: Clause) -> Made:
    """Model owners should list X -> Who should list X?"""
    plain = re.sub(r"^(?:the|an?|all|any|each|every) ", "", clause.subject)
    if (
        clause.verb not in ("should", "must")
        or not ACTING_SUBJECT.fullmatch(plain)
        or points_back(f"{clause.subject} {clause.rest}")
        or not 6 <= len(clause.rest.split()) <= 22
        or re.match(r"not\b|have\b(?!.{0,20}(?:authority|responsib))", clause.rest)
        or re.search(r"\b(?:must|should|shall|may|which|who)\b", clause.rest)
    ):
        return None
    return f"who {clause.verb} {clause.rest}", clause.subject


def what(clause: Clause) -> Made:
    """The inventory list should describe its uses -> What should the inventory list describe?"""
    verb, tail = _predicate(clause)
    helped = HELPED.fullmatch(tail) if verb == "help" else None
    more, tail = (helped["more"], helped["tail"]) if helped else ("", tail)
    if not helped and verb not in word_forms.word_list("object_verbs"):
        return None
    asks = ASKING & {verb, *more.split()[-1:]}
    no_object = NO_OBJECT.match(tail) or (re.match(r"(?:if|whether)\b", tail) and not asks)
    if no_object or not is_telling(clause.subject) or is_anybody(clause.subject):
        return None
    return f"what {_ask(clause, verb, more)}", _end(tail)


def _predicate(clause: Clause) -> tuple[str, str]:
    """The full verb's base form, and what follows it."""
    if not clause.auxiliary:
        return clause.base, clause.rest
    verb, _, tail = clause.rest.partition(" ")
    return verb, tail


def _ask(clause: Clause, verb: str, more: str) -> str:
    """`should the policy describe MORE`, `does the policy describe MORE`."""
    return clause.ask(f"{verb} {more}".strip() if clause.auxiliary else more)


def _adverbial(clause: Clause, form: re.Pattern[str], asked: str) -> Made:
    """What a clause says up to an adverbial, asked with the adverbial as the answer."""
    found = form.fullmatch(clause.rest)
    if not found or not is_whole(clause.subject) or POINTING.search(found["what"]):
        return None
    question = f"{asked} {clause.ask(found['what'])}"
    loose = SECOND.search(found["what"]) or LOOSE.search(found["what"]) or PRONOUN.search(clause.subject)
    return None if loose or len(telling_words(question)) < 3 else (question, _end(found["value"]))


@cache  # of hundreds of verbs: reading it takes as long as half of all other patterns
def _coupled() -> re.Pattern[str]:
    """A second predicate, or a list in one line."""
    return re.compile(
        rf"(?:,|\band\b|\bor\b|\bso\b) (?:\w+ly )?(?:{PLAIN_VERBS}|{THIRDS}|{MODALS})\b"
        r"|;|\(\d\)|[\[\]]|—|:$| it$"
    )


def _end(value: str) -> str:
    """A value up to its second thought; "" where it says little, or a second predicate goes on from it."""
    plain = SECOND.sub("", value).strip(" ,")
    says = len(telling_words(plain)) >= 2 and not POINTING.search(plain)
    return plain if says and not _coupled().search(plain) else ""


OPEN = ("aim", "means", "weight")
PATTERNS: dict[str, Callable[[Clause], Made]] = {
    "term": term,
    "depends": depends,
    "state": state,
    "weight": weight,
    "example": example,
    "means": means,
    "aim": aim,
    "time": time,
    "actor": actor,
    "what": what,
}
