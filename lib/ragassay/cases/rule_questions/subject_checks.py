"""Whether a subject says by itself what it is: what points back, or stands for anybody, does not."""

import re
from functools import cache

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.fact_patterns import vague

HEDGES = word_forms.either("hedges")
KNOWN = (
    word_forms.verbs() | word_forms.word_list("object_verbs") | word_forms.word_list("ends")
) - word_forms.word_list("no_second")
PLAIN_VERBS = "|".join(sorted(verb for verb in KNOWN if word_forms.third(verb) not in word_forms.NOUNS_TOO))
THIRDS = "|".join(sorted(set(word_forms.third_person()) - word_forms.NOUNS_TOO))
MODALS = "|".join(sorted(word_forms.AUXILIARIES))
POINTING = re.compile(
    r"\b(?:this|these|those|such(?! as)|above|below|others?|following|former|latter|similar|same|said)\b"
)
PRONOUN = re.compile(r"\b(?:its?|they|their|them|he|she|his|her)\b", re.IGNORECASE)
PRAISE = word_forms.word_list("praise")
SMALL = word_forms.word_list("small") | word_forms.DETERMINERS | word_forms.AUXILIARIES | PRAISE | {"purpose"}
SOMEBODY = re.compile(
    rf"(?:{word_forms.either('agents')}|{word_forms.either('firms')}|{word_forms.either('people')}|{word_forms.either('actors')}"
    r"|person|entity|body|regulator|member)s?",
    re.IGNORECASE,
)
NARROWED = re.compile(r" (?:of|for|in|on|with|to|who|which|that|\w+ing|involved|provided) ")


def is_telling(subject: str) -> bool:
    """Whether a subject names its thing: two words that carry meaning, or one that is no person, firm or body
    and does not point back (`the report`)."""
    if not is_whole(subject):
        return False
    found = telling_words(subject)
    alone = len(found) == 1 and not re.match(r"(?:the|an?|each|every|all|any)\b", subject)
    return len(found) >= 2 or (alone and not SOMEBODY.fullmatch(found[0]))


def is_whole(subject: str) -> bool:
    """Whether a subject is one, and stands for nothing said before it."""
    return not (vague(subject) or _unfit().search(subject) or points_back(subject))


@cache  # of hundreds of verbs: it takes long to read
def _unfit() -> re.Pattern[str]:
    """No subject, but a number, an order, or more than one."""
    return re.compile(
        rf"^\d|\(|^(?:{PLAIN_VERBS}) (?:how|whether|if|that|the|an?|any|all)\b"
        rf"|\b(?:{HEDGES}|regardless|given|depending|included|whenever|wherever|examples?)\b"
    )


def points_back(text: str) -> bool:
    """Whether a text speaks of what stands elsewhere: `these rules`, `its members`."""
    return bool(POINTING.search(text) or PRONOUN.search(text))


def is_anybody(subject: str) -> bool:
    """Whether a subject is a person or body of a kind (`an Authorised Person`), of whom much is said."""
    core, _, more = NARROWED.sub("|", subject, count=1).partition("|")
    return bool(SOMEBODY.fullmatch(core.split()[-1])) and len(telling_words(more)) < 2


def telling_words(text: str) -> list[str]:
    """The words that carry meaning, in their order."""
    return [word for word in re.findall(r"[\w’'-]+", text) if word.lower() not in SMALL]
