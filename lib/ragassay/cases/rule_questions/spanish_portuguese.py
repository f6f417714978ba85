"""Spanish and Portuguese sentences into questions: prices, amounts, durations, consequences, definitions."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.cases.rule_questions import word_forms
from ragassay.cases.rule_questions.askable_units import Candidate, Unit, fact_candidate

SPAN = (
    r"(?:(?:unos|até|hasta|um a|uno a|una|um|uma|un) )?(?:\d+|un|uno|una|um|uma|dos|dois|duas|tres|três"
    r"|quatro|cuatro|cinco|seis)"
    r"(?: (?:a|o|ou) (?:\w+))? "
    r"(?:días?|dias?|horas?|minutos?|meses|mes|mês|años?|anos?|semanas?)(?: (?:hábiles|úteis|hábil|útil))?"
)
SUBJECT = r"(?P<subject>(?:[Ll][ao]s?|[Ee]l|[Uu]na?|[OoAa]s?|[Uu]ma?) [^,;:]{3,90}?)"


class Pattern(NamedTuple):
    """What is looked for, how it is asked, and which group is the answer's core."""

    family: str
    found: re.Pattern
    asked: str
    answer_type: str = "short_fact"


PATTERNS = {
    "es": [
        Pattern(
            "price",
            re.compile(rf"^{SUBJECT} cuesta (?P<value>{word_forms.MONEY})"),
            "¿Cuánto cuesta {subject}?",
        ),
        Pattern(
            "amount",
            re.compile(rf"^{SUBJECT} es de (?P<value>{word_forms.MONEY}|{word_forms.PERCENT})"),
            "¿De cuánto es {subject}?",
        ),
        Pattern(
            "amount",
            re.compile(
                rf"^{SUBJECT} tiene una comisión del? (?P<value>{word_forms.MONEY}|{word_forms.PERCENT})"
            ),
            "¿Qué comisión tiene {subject}?",
        ),
        Pattern(
            "amount",
            re.compile(rf"^{SUBJECT} paga un interés del? (?P<value>{word_forms.PERCENT})"),
            "¿Qué interés paga {subject}?",
        ),
        Pattern(
            "duration",
            re.compile(rf"^{SUBJECT} (?P<verb>dura|tarda) (?P<value>{SPAN})"),
            "¿Cuánto {verb} {subject}?",
        ),
        Pattern(
            "consequence",
            re.compile(r"^Si (?P<subject>[^,;:]{8,90}), (?P<value>[^;]{10,})"),
            "¿Qué ocurre si {subject}?",
        ),
        Pattern(
            "definition",
            re.compile(rf"^{SUBJECT} (?P<verb>es|son) (?P<value>(?:la|el|una?|los|las) [^;]{{20,}})"),
            "¿Qué {verb} {subject}?",
            "definition",
        ),
        Pattern(
            "condition",
            re.compile(rf"^{SUBJECT} no se (?P<verb>cobra) (?P<value>(?:si|cuando) [^;]{{10,}})"),
            "¿Cuándo no se {verb} {subject}?",
        ),
        Pattern(
            "time",
            re.compile(r"^(?P<subject>[A-Z][\w ]{3,40}?) abre (?P<value>de [^;]{10,})"),
            "¿Cuándo abre {subject}?",
        ),
    ],
    "pt": [
        Pattern(
            "price", re.compile(rf"^{SUBJECT} custa (?P<value>{word_forms.MONEY})"), "Quanto custa {subject}?"
        ),
        Pattern(
            "amount",
            re.compile(rf"^{SUBJECT} é de (?P<value>{word_forms.MONEY}|{word_forms.PERCENT})"),
            "De quanto é {subject}?",
        ),
        Pattern(
            "duration",
            re.compile(
                rf"^{SUBJECT} (?:(?:vai|chega|passa|repete) [^;]* e )?(?P<verb>demora|dura) (?P<value>{SPAN})"
            ),
            "Quanto tempo {verb} {subject}?",
        ),
        Pattern(
            "number",
            re.compile(r"^(?P<subject>Um IBAN \w+) tem (?P<value>\d+ caracteres)"),
            "Quantos caracteres tem {subject}?",
        ),
        Pattern(
            "consequence",
            re.compile(r"^Se (?P<subject>[^,;:]{8,90}), (?P<value>[^;]{10,})"),
            "O que acontece se {subject}?",
        ),
        Pattern(
            "definition",
            re.compile(rf"^{SUBJECT} (?P<verb>é|são) (?P<value>(?:o|a|uma?|os|as) [^;]{{20,}})"),
            "O que {verb} {subject}?",
            "definition",
        ),
    ],
}


def questions(unit: Unit) -> Iterator[Candidate]:
    """The questions found in a Spanish or Portuguese sentence."""
    for family, pattern, asked, kind in PATTERNS.get(unit.language, []):
        found = pattern.match(unit.text.rstrip("."))
        if found and not re.search(
            r"\b(?:est[eao]s?|es[eao]s?|dich[oa]s?|isto|isso|ellos?|ellas?|eles?|elas?)\b",
            found["subject"],
            re.IGNORECASE,
        ):
            parts = found.groupdict()
            subject = (
                parts["subject"]
                if parts["subject"].startswith(("IBAN", "Quay"))
                else parts["subject"][:1].lower() + parts["subject"][1:]
            )
            question = asked.format(**parts | {"subject": _mine(subject, unit.language)})
            yield fact_candidate(unit, family, question, parts["value"], answer_type=kind)


def _mine(subject: str, language: str) -> str:
    return re.sub(r"\bse o seu\b", "se o meu", subject) if language == "pt" else subject
