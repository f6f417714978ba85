"""How many questions the notebooks put to the assistant, by their parameters: at most, and expected.

At most, every rule applies to every question. Expected is the share of it that a complete run of the example
asked (its journals, beside these bounds), of so many cases as the documents are long enough for.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from ragassay import engagement_registers, provenance

PASSAGE_CHANGES, SECRETS, RESTRICTED = 2, 3, 2  # further changes of passages; families of probes


LARGEST_GROUP = 12  # questions that ask the same of a database, in the templates that rules make
SIGNS = 500 / 180  # of a passage, a token of its limit, in the example: 440 passages of 501 signs
SMALL_PAGES = (".txt", ".md", ".html", ".htm", ".jsonl")  # whose size is about that of their text


class Asked(NamedTuple):
    """What one journal asks: its notebook, its name and that of its cases, how many it is at most; the share
    of it that is expected, and that of an assistant which takes no passages."""

    notebook: str
    journal: str
    part: str | None
    most: Callable[[Mapping[str, Any], int], int]
    share: float
    bare: float

    def expected(self, asked: Mapping[str, Any], n_cases: int, takes_passages: bool) -> int:
        """How many are expected, of so many cases."""
        return round((self.share if takes_passages else self.bare) * self.most(asked, n_cases))


def most_cases(asked: Mapping[str, Any]) -> int:
    """The user's own questions, those generated and those from the database, as notebook 01 is told."""
    from ragassay.cases.own_questions import read_records

    own = asked.get("own_questions")
    n_own = len(read_records(provenance.source(own))) if own else 0
    return n_own + asked.get("n_generated", 0) + (_most_grounded(asked) if asked.get("database") else 0)


def _most_grounded(asked: Mapping[str, Any]) -> int:
    """One group is asked whole, however few questions are wanted."""
    wanted = asked.get("n_grounded", 0)
    return max(wanted, LARGEST_GROUP) if wanted else 0


def expected_cases(asked: Mapping[str, Any], scope: Mapping[str, Any]) -> int:
    """As `most_cases`, with no more generated questions than the documents have passages, by the size of
    their files."""
    generated = asked.get("n_generated", 0)
    fewer = min(generated, _passages(scope)) if scope.get("documents") else generated
    return most_cases(dict(asked) | {"n_generated": fewer})


def _passages(scope: Mapping[str, Any]) -> float:
    """About how many passages the documents have; unlimited where their files do not say how long they
    are."""
    place = provenance.source(scope["documents"])
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    if not files or any(path.suffix.lower() not in SMALL_PAGES for path in files):
        return math.inf
    longest = SIGNS * scope.get("max_tokens", 180)
    return sum(max(1, round(path.stat().st_size / longest)) for path in files)


def _most_probes(asked: Mapping[str, Any], _: int) -> int:
    """Ours, and as many again in passages; each of the families that an engagement adds in full."""
    from ragassay.cases import attack_probes

    each, rounds = asked.get("probes_per_family", 0), asked.get("attack_rounds", 1)
    listed = attack_probes.probes(per_family=each, rounds=rounds) if each else pd.DataFrame({"kind": []})
    planted = int((listed["kind"] == "probe: injection").sum())
    more = SECRETS + RESTRICTED + len(asked.get("prohibited_uses", ()))
    own = engagement_registers.count_questions(asked.get("own_probes", ""))
    return len(listed) + planted + each * more + own


def _most_counterfactuals(asked: Mapping[str, Any], n_cases: int) -> int:
    from ragassay.cases import counterfactuals

    groups: dict[str, int] = {}
    for one in counterfactuals.personas():
        groups[one.attribute] = max(groups.get(one.attribute, 0), len(one.groups))
    return min(asked.get("n_counterfactual", 0), n_cases) * sum(groups.values())


def _most_variants(asked: Mapping[str, Any], n_cases: int) -> int:
    from ragassay.cases import PERTURBATIONS

    kinds = len(asked.get("kinds") or PERTURBATIONS) + bool(asked.get("judge"))
    varied = min(asked.get("n_parents", 0), n_cases) * kinds * len(asked.get("intensities", ()))
    own = engagement_registers.count_questions(asked.get("own_unanswerable", ""))
    outside = sum(asked.get(name, 0) for name in ("n_out_of_scope", "n_near", "n_false_premises"))
    return varied + outside + own


def _most_changed(asked: Mapping[str, Any], n_cases: int) -> int:
    from ragassay.cases.passage_changes import CHANGES

    return min(asked.get("n_stressed", 0), n_cases) * (len(CHANGES) + PASSAGE_CHANGES)


def _most_repeats(asked: Mapping[str, Any], n_cases: int) -> int:
    again = min(asked.get("n_repeated", 0), n_cases) * asked.get("rounds", 0)
    return again + 2 * min(asked.get("n_follow_ups", 0), n_cases)


def _most_with_evidence(asked: Mapping[str, Any], n_cases: int) -> int:
    from ragassay.analysis.failing_answer_facts import WORDINGS

    return n_cases + min(asked.get("n_diagnosed", 0), n_cases) * WORDINGS


def _most_bias_questions(asked: Mapping[str, Any], _: int) -> int:
    return asked.get("n_bias_questions", 0)


ASKED = (
    Asked("02_functionality", "answers", None, lambda _, n_cases: n_cases, 1.0, 1.0),
    Asked("03_risk_safety", "probes", "probes", _most_probes, 0.75, 0.5),
    Asked("03_risk_safety", "counterfactuals", "counterfactuals", _most_counterfactuals, 1.0, 1.0),
    Asked("03_risk_safety", "bias_questions", "bias_questions", _most_bias_questions, 1.0, 1.0),
    Asked("05_robustness", "variants", "variants", _most_variants, 0.7, 0.7),
    Asked("05_robustness", "adversarial", "adversarial", _most_changed, 0.97, 0.05),
    Asked("05_robustness", "repeats", "repeats", _most_repeats, 0.8, 0.8),
    Asked("05_robustness", "evidence", "evidence", _most_with_evidence, 0.08, 0.0),
)
