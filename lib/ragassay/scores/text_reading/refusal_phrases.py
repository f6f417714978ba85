"""Refusals: the phrases, in English, Spanish and Portuguese, by which an answer says that it cannot answer.

The rule reads the first two sentences of a text, without citations. answer_state.py asks it of every sentence
of an answer, beside a head that has learned from more wordings.
"""

import re
import unicodedata

from ragassay.scores.text_reading.citation_grammar import strip

_NOT = (
    r"(?:do not|don't|did not|didn't|cannot|can not|can't|could not|couldn't|have not|haven't"
    r"|(?:am|was|were|are) (?:not able|unable) to)"
)
_PAPERS = (
    r"(?:documents?|contexts?|sources?|passages?|texts?|evidence|information|materials?|excerpts?|articles?"
    r"|references?|extracts?|records?)"
)
_EXACT = r"(?:(?:precise|exact|direct|clear|definite|full|complete|specific|real) )?"
_AMONG = rf"(?: (?:among|in|of|from|within) (?:the|these|those|my)(?: \w+){{0,2}} {_PAPERS})?"
_HOLDS = (
    r"(?:says?|states?|mentions?|contains?|covers?|includes?|provides?|specif(?:y|ies)|answers?"
    r"|address(?:es)?|indicates?|ha(?:ve|s)|gives?"
    r"|tells?|explains?|describes?|speaks? of|deals?(?: [a-z]{1,20}ly)? with|offers?|responds?|settles?)"
)
_STATED = r"(?:mentioned|stated|specified|covered|answered|addressed|described|indicated|explained)"
_LENDS = (
    r"(?: (?:seems?|appears?|to|can|could|does|do|here|provided|retrieved|available|given|found|supplied"
    r"|that i have|[a-z]{1,20}ly)){0,4}"
)
_SAY = r"(?:say|state|mention|contain|cover|include|provide|specify|answer|address|indicate|have|give)"
_PAPELES = (
    r"(?:documentos?|contextos?|fuentes?|fontes?|pasajes?|trechos?|textos?"
    r"|informacion|informacao|informacoes)"
)
PHRASES = {
    "en: I could not find": rf"\b(?:i|we) {_NOT} (?:find|found|locate|located|see|answer|determine"
    r"|provide an answer|tell|help with that)"
    r"\b",
    "en: I have no information": r"\b(?:i|we)(?: currently)? (?:do not|don't|have no|lack)"
    r"(?: (?:have|possess|access to|any|enough|sufficient|specific|the|relevant))*"
    r" (?:information|knowledge|details|data|evidence|documents?|answer)\b",
    "en: I found nothing": r"\b(?:i|we)(?: have| can| could)? (?:find|found|see|saw|locate|located) "
    r"(?:nothing"
    rf"|(?:no|neither|little)(?: [a-z]+)? (?:{_PAPERS}|answers?|mentions?|details?|data|references?|records?"
    r"|trace))\b",
    "en: I do not know": r"\b(?:i|we) (?:do not|don't) (?:actually )?know\b|\bi am not sure\b",
    "en: the documents do not say": r"\b(?:the|these|those|provided|retrieved|available|my)"
    rf"(?: \w+){{0,2}} {_PAPERS}(?: \w+)?"
    rf" (?:do|does|did)(?: not|n't)(?: \w+)? {_SAY}\b",
    "en: the filing does not specify": r"\b(?:the|this|that|these|your)(?: [\w-]+){0,2}"
    r" (?:filings?|10-[kq]|reports?|statements?|notes?|sections?|chapters?|pages?|contract|agreement|policy"
    r"|text|file|manual|transcript|release|table)(?: provided)?"
    r" (?:do|does|did)(?: not|n't)(?: [a-z]{1,20}ly)? (?:specify|mention|state|disclose|say|indicate|address"
    r"|break (?:out|down)|detail|answer|quantify)\b",
    "en: no document says": r"\b(?:no(?: [a-z]{1,20})?|none of (?:the|these|those|my)(?: [a-z]{1,20}){0,2}"
    rf"|nothing in (?:the|these|those|my)(?: [a-z]{{1,20}}){{0,2}}) {_PAPERS}{_AMONG}{_LENDS} {_HOLDS}\b"
    rf"|\bthere (?:is|seems to be|appears to be) no {_PAPERS}{_AMONG} (?:that|which)\b",
    "en: no answer in them": rf"\b(?:the|these|those|my)(?: \w+){{0,2}} {_PAPERS}"
    rf"(?: at hand| (?:i|we) have| provided)?{_LENDS}"
    rf" (?:contains?|holds?|offers?|gives?|provides?|ha(?:s|ve)|includes?) no {_EXACT}"
    r"(?:answer|information|statement|mention)\b"
    rf"|\bno {_EXACT}answer(?: to (?:your|the|this|that) (?:\w+ )?question)?"
    r" (?:appears|is|was|can be|could be|seems)\b"
    r"|\banswer(?: to (?:your|the|this|that) (?:\w+ )?question)?"
    r" (?:cannot be|could not be|is not|is nowhere)(?: to be)? (?:found|given)\b"
    r"|\bquestion (?:is|was|does|seems)(?: not| n't)(?: \w+){0,3} answered\b",
    "en: not stated there": rf"\b(?:not|never|nowhere)(?: [a-z]{{1,20}}ly)? {_STATED} (?:\w+ )?"
    r"(?:in|by) (?:the|these|those|any|my)"
    rf"(?: \w+){{0,2}} {_PAPERS}\b",
    "en: nothing found": rf"\b(?:no|insufficient|not enough)(?: \w+)? (?:answer|{_PAPERS})(?: \w+)?"
    r" (?:was|were|is|are)(?: \w+)? (?:found|available|given|provided)\b"
    r"|\bthere(?: is|'s) (?:no|not any|not enough|insufficient)"
    r"(?: (?:specific|relevant|clear|direct|precise|further))?"
    r" (?:information|evidence|answer|mention)\b"
    r"|\binsufficient (?:evidence|information)\b",
    "en: out of scope": r"\b(?:outside|beyond|out of) (?:the |my )?scope\b"
    r"|\b(?:cannot|can't|could not|couldn't) be (?:answered|determined)\b",
    "es": r"\bno (?:(?:he|hemos|ha|pude|puedo|podemos|he podido|se ha|se) )?"
    r"(?:encontrado|encontre|encuentro|encontro|encontrar|responder|contestar)\b"
    r"|\bno (?:tengo|dispongo de|cuento con|hay) (?:(?:suficiente|la|una) )?(?:informacion|respuesta|datos)\b"
    r"|\bno lo se\b"
    rf"|\b(?:los?|las?|el) {_PAPELES}(?: \w+){{0,2}} no"
    r" (?:menciona|indica|contiene|dice|incluye|especifica|cubre|responde)n?\b"
    rf"|\bningun[ao]? (?:de (?:los|las|estos|estas) )?{_PAPELES}(?: \w+){{0,3}}"
    r" (?:menciona|indica|contiene|dice|incluye|especifica|cubre|responde|contesta)[nr]?\b",
    "pt": r"\bnao (?:(?:consegui|consigo|conseguimos|pude|posso|foi possivel|e possivel|foi) )?"
    r"(?:encontrei|encontramos|encontrar|encontrad[ao]|responder)\b"
    r"|\bnao (?:tenho|disponho de|ha) (?:(?:a|uma) )?(?:informacao|informacoes|resposta|dados)\b|\bnao sei\b"
    rf"|\b(?:os?|as?) {_PAPELES}(?: \w+){{0,2}} nao"
    r" (?:menciona|indica|contem|diz|dizem|inclui|incluem|especifica|cobre|responde)m?\b"
    rf"|\bnenhuma? (?:d[oae]s? )?(?:d?est[ea]s? )?{_PAPELES}(?: \w+){{0,3}}"
    r" (?:menciona|indica|contem|diz|inclui|especifica|cobre|responde)[mr]?\b",
}
_FULL = {"i'm": "i am", "we're": "we are", "i've": "i have", "we've": "we have"}
_SHORT = re.compile(r"\b(?:i'm|we're|i've|we've)(?!\w)")
_COMPILED = {name: re.compile(pattern) for name, pattern in PHRASES.items()}
_OPENING = 400  # characters read at most
_TWO_SENTENCES = re.compile(r"[^.!?\n]*[.!?\n]+[^.!?\n]*")


def phrase(answer: str) -> str | None:
    """The rule by which the text declines: `empty`, or the first of `PHRASES`; None if it answers."""
    text = strip(answer)
    if not any(map(str.isalnum, text)):
        return "empty"
    opening = _folded(text)
    return next((name for name, pattern in _COMPILED.items() if pattern.search(opening)), None)


def _folded(text: str) -> str:
    """The first two sentences in plain lower case, contractions of `I am`, `we have` in full."""
    opening = _TWO_SENTENCES.match(text[:_OPENING])
    plain = unicodedata.normalize("NFKD", (opening[0] if opening else text[:_OPENING]).replace("\u2019", "'"))
    bare = plain if plain.isascii() else "".join(sign for sign in plain if not unicodedata.combining(sign))
    words = " ".join(bare.lower().split())
    return _SHORT.sub(lambda found: _FULL[found[0]], words)
