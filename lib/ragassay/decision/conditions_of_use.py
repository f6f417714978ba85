"""Conditions of use: what the machine may decide alone, by the measured error of its decisions, what people
read and how long that takes, and for what the system is not to be used."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ragassay.calibration.decision_errors import ACCEPT, EITHER, REJECT, REVIEW, is_held_out_decision
from ragassay.calibration.errors_in_any_respect import in_percent, overall, respect_in_words
from ragassay.decision.recommendation import NONE, PILOT
from ragassay.scores.display_names import level_name

FEWEST_RATED = 30  # rated answers of a language below which it is not released
CALIBRATED = "the judgement that the score was calibrated to"
UNREAD = (
    "After release nobody reads an answer before the customer does (by the record, human in the loop: no): "
    "what holds wrong answers back is then the system itself, and monitoring"
)
_VERBS = {ACCEPT: "release an answer", REJECT: "withhold an answer"}


def conditions_of_use(
    recommendation: str,
    errors: pd.DataFrame,
    respects: pd.DataFrame,
    *,
    rated: Mapping[str, int] | None = None,
    prohibited: Sequence[str] = (),
    human_in_the_loop: bool = False,
) -> list[str]:
    """The conditions as sentences; none where no use is recommended.

    Each says where it holds in a pilot or after release alone; without such words it holds in both.

    errors, respects : of `calibration.decision_errors` and `calibration.respect_errors`; rated : language ->
        rated answers in it, of every language that the system is meant for; prohibited : uses that the owner
        prohibits; human_in_the_loop : whether, by the record, a person reads an answer after release before
        the customer does
    """
    if recommendation == NONE:
        return []
    read = _people(errors, human_in_the_loop, is_pilot=recommendation == PILOT)
    return [*_machine(errors, respects), *read, *not_for(rated or {}, prohibited)]


def not_for(rated: Mapping[str, int], prohibited: Sequence[str]) -> list[str]:
    """For what the system is not to be used, as sentences: languages with too few rated answers, and
    prohibited uses."""
    return [*_languages(rated), *_prohibited(prohibited)]


def _machine(errors: pd.DataFrame, respects: pd.DataFrame) -> list[str]:
    """What the machine may decide alone; one sentence where it may decide nothing. The error in every respect
    stands first."""
    rows = {row["decision"]: row for row in errors.to_dict("records")}
    if not rows:
        return ["No score may release or withhold an answer: none was calibrated."]
    allowed = [name for name in _VERBS if rows[name]["alone"]]
    if not allowed:
        of_all = _in_every_respect(respects, ACCEPT)
        said = [f"No score may release or withhold an answer: {of_all or _wrong(rows[EITHER])}."]
        return [*said, f"By {CALIBRATED} alone, {_wrong(rows[EITHER])}."] if of_all else said
    return [
        f"A score {'may' if name in allowed else 'may not'} {does} alone: "
        f"{'; '.join(filter(None, [_in_every_respect(respects, name), _wrong(rows[name])]))}."
        for name, does in _VERBS.items()
    ]


def _in_every_respect(respects: pd.DataFrame, decision: str) -> str:
    """How many of the rated answers so decided are wrong in every respect, then by respect, the worst first;
    "" where none was rated."""
    whole = overall(respects, decision)
    if not whole:
        return ""
    rows = respects[(respects["decision"] == decision) & (respects["respect"] != whole["respect"])]
    parts = rows[rows["n"] > 0].sort_values("value", ascending=False, kind="stable").to_dict("records")
    word = "not " if decision == ACCEPT else ""
    by = "; ".join(
        f"{word}{respect_in_words(row['respect'])} {row['wrong']}, {in_percent(row)}" for row in parts
    )
    return (
        f"of {whole['n']} rated answers that it would {_VERBS[decision].split()[0]}, {whole['wrong']} are "
        f"{word}{respect_in_words(whole['respect'])}, {in_percent(whole)}{f' ({by})' if by else ''}"
    )


def _wrong(row: Mapping) -> str:
    if not is_held_out_decision(row):
        return str(row["reason"])
    interval = f"{100 * row['value']:.0f} % [{100 * row['low']:.0f}, {100 * row['high']:.0f}]"
    return (
        f"{row['wrong']} of {row['n']} automatic decisions on held-out labels were wrong ({interval}; the "
        f"upper end is allowed to be at most {100 * row['allowed']:g} %)"
    )


def _people(errors: pd.DataFrame, human_in_the_loop: bool, *, is_pilot: bool) -> list[str]:
    """How many answers people read in a week, and for how long: in a pilot every one; after release, where a
    person is in the loop, all whose decision is not the machine's, else none."""
    load, by_machine = _load(errors[~errors["alone"].astype(bool)]), bool(errors["alone"].any())
    in_pilot = [f"In a pilot staff review every answer{_load(errors)}."] if is_pilot else []
    if human_in_the_loop:
        which = "the other answers" if by_machine else "every answer"
        return [*in_pilot, f"After release people review {which}{load}."]
    return [*in_pilot, f"{UNREAD}."]


def _load(errors: pd.DataFrame) -> str:
    """How many answers these decisions are in a week, and how long they take to read; "" where not known."""
    read = errors[errors["decision"].isin([ACCEPT, REJECT, REVIEW])]
    if read.empty or read["answers_a_week"].isna().all():
        return ""
    answers, hours = read["answers_a_week"].sum(), read["hours_a_week"].sum()
    return f": about {answers:,.0f} a week, {hours:,.0f} hours"


def _languages(rated: Mapping[str, int]) -> list[str]:
    few = [
        f"{level_name('language', name)} ({n} rated answers)" for name, n in rated.items() if n < FEWEST_RATED
    ]
    return [f"Not for answers in {', '.join(few)}: fewer than {FEWEST_RATED} were rated."] if few else []


def _prohibited(uses: Sequence[str]) -> list[str]:
    return [f"Not for {'; '.join(use.rstrip('.') for use in uses)}."] if uses else []
