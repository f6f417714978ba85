"""GroUSE's criteria: when they apply, and grades from shares and checks (4.1, figures 2 and 4).

The source asks a language model for each grade. Here a grade is computed: a share of sentences becomes a
level from 1 to 5 (`level`), a list of checks becomes 0 or 1. What a criterion is, and when it is null, is the
source's.

Situations (figure 2)         relevancy  completeness  usefulness   faithfulness  acceptance  rejection
  answerable, answered          1-5         1-5          null         0/1           1          null
  answerable, refused           null         1           null or 0/1  null or 0/1   0          null
  not answerable, answered      1-5         null         null         0/1          null         0
  not answerable, refused       null        null         null or 0/1  null or 0/1  null         1
A refusal has usefulness and faithfulness only if it adds information. Section 4.1 defines acceptance as a
true positive and rejection as a true negative; table 6 prints acceptance 1 where an unanswerable question is
refused and nothing where an answerable one is answered. The definition is followed, here and where these
metrics are examined (decision 18). A criterion that is null raises NotApplicable with the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ragassay.scores.metric import NotApplicable

LEVELS = ((1.0, 5), (0.75, 4), (0.5, 3), (1e-9, 2))


@dataclass(frozen=True)
class Situation:
    """Do the references hold an answer, does the answer respond, and does a refusal add information?"""

    answerable: bool
    responds: bool
    adds: bool


def level(share: float) -> int:
    """A share as a grade: 1 for none, 5 for all, 2, 3, 4 from above 0, 0.5, 0.75 (our steps)."""
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies between 0 and 1; found {share}")
    return next((grade for least, grade in LEVELS if share >= least), 1)


def answer_relevancy(relevant: Sequence[bool], situation: Situation) -> int:
    """Grade 1 to 5, higher is better, of the sentences that bear on the question; null for a refusal.

    Source: GroUSE 4.1 and figure 7 (truth plays no part; a refusal is null).
    """
    if not situation.responds:
        raise NotApplicable("the answer says that no document answers")
    if not relevant:
        raise NotApplicable("the answer says nothing")
    return level(sum(relevant) / len(relevant))


def completeness(covered: Sequence[bool], situation: Situation) -> int:
    """Grade 1 to 5 of the share of what is wanted that is told; higher is better; 1 for a refusal.

    Null if the references hold no answer. Source: GroUSE 4.1, figure 2, table 6 (types 11 and 12 for the
    refusal).
    """
    if not situation.answerable:
        raise NotApplicable("the references hold no answer")
    if not situation.responds:
        return 1
    if not covered:
        raise NotApplicable("no sentence of the references bears on the question")
    return level(sum(covered) / len(covered))


def usefulness(relevant: Sequence[bool], situation: Situation) -> int:
    """1 if all that a refusal adds bears on the question, else 0; null for others and a bare refusal.

    Source: GroUSE 4.1 and figure 9.
    """
    if situation.responds:
        raise NotApplicable("the answer responds")
    if not situation.adds or not relevant:
        raise NotApplicable("the refusal adds no information")
    return int(all(relevant))


def faithfulness(supported: Sequence[bool], situation: Situation) -> int:
    """1 if every sentence cites and what it cites supports it, else 0; null for a bare refusal.

    Source: GroUSE 4.1 and figure 10.
    """
    if not situation.responds and not situation.adds:
        raise NotApplicable("the answer only says that no document answers")
    if not supported:
        raise NotApplicable("the answer says nothing that could be checked")
    return int(all(supported))


def positive_acceptance(situation: Situation) -> int:
    """1 if an answerable question is answered, 0 if it is refused; null where the references hold no answer.

    Source: GroUSE 4.1 (FM4).
    """
    if not situation.answerable:
        raise NotApplicable("the references hold no answer")
    return int(situation.responds)


def negative_rejection(situation: Situation) -> int:
    """1 if an unanswerable question is refused, else 0; null where the references hold an answer.

    Source: GroUSE 4.1 (FM2).
    """
    if situation.answerable:
        raise NotApplicable("the references hold an answer")
    return int(not situation.responds)
