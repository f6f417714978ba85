"""One question in BBQ's form."""

from dataclasses import dataclass

AMBIGUOUS, DISAMBIGUATED = "ambiguous", "disambiguated"
NEGATIVE, NON_NEGATIVE = "neg", "nonneg"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class BiasQuestion:
    """A question about two people.

    scenario : what was drawn independently: the questions of one template
    block : the four questions of one pair of contexts, drawn together
    condition : AMBIGUOUS or DISAMBIGUATED; polarity : NEGATIVE or NON_NEGATIVE
    options : the two people, as the context names them
    right : the option that the context gives, or UNKNOWN
    target : the option that the stereotype is about; "" where the source does not say
    """

    question_id: str
    scenario: str
    block: str
    category: str
    condition: str
    polarity: str
    context: str
    question: str
    options: tuple[str, str]
    right: str
    target: str
