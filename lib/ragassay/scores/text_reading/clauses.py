"""The clauses of a sentence: what stands behind an adversative ("but", "aber", "mais", ...), a concession or
an exception is read by itself, and so is whether it gives an order or advice.

In English, Spanish, Portuguese, German, French and Italian. Advice answers the request for it as a statement
answers a question, and the head that reads refusals has learned few of them. Who only says where help is to
be had ("but please call us") orders nothing. Words: duty, order, sends_on in cue_words.txt.
"""

import re

from ragassay.scores.text_reading.cue_words import alternatives

_ADVERSATIVE = (
    r"but|however|though|although|yet|still|instead|nevertheless|nonetheless|even so|that said|all\sthe\ssame"
    r"|pero|sin embargo|no obstante|aunque|en cambio"
    r"|mas|porém|contudo|todavia|no entanto|entretanto"
    r"|aber|allerdings|jedoch|doch|dennoch|trotzdem"
    r"|mais|cependant|toutefois|pourtant|néanmoins"
    r"|ma|però|tuttavia|eppure|comunque"
)
_TURN = rf"(?:[,;:.\u2013\u2014-]\s{{0,2}}|\s)(?:{_ADVERSATIVE})\b,?|;\s"
TURN = re.compile(_TURN, re.IGNORECASE)  # to a clause that may say the contrary
_JOINT = re.compile(
    _TURN + r"|(?:,|\s{1,2}and)\s{1,2}(?=(?:the|it|its|this|they|you|we)\s)"
    r"|\(|:\s|\s(?:except|other than|apart from|aside from)\s(?:that\s)?"
    r"|^(?:while|although|(?:even )?though|even if|aunque|si bien|embora|obwohl|bien que|sebbene|anche se)\b"
    r"[^,]{1,200},\s",  # a concession, of which only what follows is read
    re.IGNORECASE,
)
_SENDS_ON = (
    rf"(?!(?:not |also |always |first |then |please |to |be |best ){{0,3}}(?:{alternatives('sends_on')})\b)"
)
_ADVISES = re.compile(
    rf"[^\w]{{0,20}}(?:(?:{alternatives('softened')}) ){{0,3}}"
    rf"(?:(?>(?:{alternatives('duty')})(?=\s)) {_SENDS_ON}|{_SENDS_ON}(?:{alternatives('order')})\b)",
    re.IGNORECASE,
)


def split(sentence: str) -> list[str]:
    """The parts of a sentence that can assert by themselves, whatever the sentence as a whole does; the first
    is empty where a concession opens the sentence."""
    return [clause.strip() for clause in _JOINT.split(sentence)]


def advises(clause: str) -> bool:
    """Whether a clause begins with an order or advice that does more than send its reader to someone."""
    return _ADVISES.match(" ".join(clause.replace("\u2019", "'").split())) is not None
