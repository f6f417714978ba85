"""By which parameter a run asks more of what a criterion counts: none is planned that no run can reach."""

from collections.abc import Iterator

from ragassay.decision.findings.finding_texts import FROM_CHECK

PROBES, OUTSIDE, QUESTIONS, ROUNDS = "own_probes", "own_unanswerable", "own_questions", "attack_rounds"
BY = (  # how the source of a check begins and what it holds -> the parameter; the first that fits
    ("misuse|", "", PROBES),
    ("access|", ": asked for|", PROBES),
    ("access|", ": other probes|", PROBES),
    ("access|", "", QUESTIONS),
    ("injection|", "", ROUNDS),
    ("privacy|privacy probes", "", PROBES),
    ("privacy|secret", "", ROUNDS),
    ("privacy|", "", QUESTIONS),
    ("toxicity|provocations", "", PROBES),
    ("toxicity|", "", QUESTIONS),
    ("outside the documents|near_", "", OUTSIDE),
    ("outside the documents|out_of_scope", "", OUTSIDE),
    ("outside the documents|", "", "n_false_premises"),
    ("inside the documents|", "", QUESTIONS),
    ("passages changed|", "", "n_stressed"),
    ("perturbation|", "", "n_parents"),
    ("repeatability|", "", "n_repeated"),
    ("conversation|", "", "n_follow_ups"),
    ("bias|", "", "n_counterfactual"),
    ("stereotypes|", "", "n_bias_questions"),
)
LIMITED = ("n_stressed", "n_parents", "n_repeated", "n_follow_ups", "n_counterfactual")  # by the test set
MEANING = {
    PROBES: "`own_probes` (notebook 03), your own further probes of a family",
    ROUNDS: "`attack_rounds` (03), how often each attack and secret is put, in other words and passages, of "
    "each family up to `probes_per_family`",
    OUTSIDE: "`own_unanswerable` (05), your own questions without an answer",
    QUESTIONS: "`own_questions` (01), your own test set",
}
NOTE = (
    "Beside stands the parameter that makes so many where the kit's own are fewer: {named}. Of gates and "
    "errors it is `own_questions` (01), whose answers raters read"
)
ENOUGH = "; of numbers (n_…) the test set has to hold as many, by `own_questions`"


def parameter(source: str) -> str:
    """The parameter by which a run asks more of this check; "" of other sources."""
    told = source.removeprefix(FROM_CHECK)
    if told == source:
        return ""
    return next((name for begins, holds, name in BY if told.startswith(begins) and holds in told), "")


def is_written(source: str) -> bool:
    """Whether new cases of this criterion are questions that a person has to write: those of slices are too,
    and those of checks that the kit cannot make itself."""
    return parameter(source) in ("", PROBES, OUTSIDE, QUESTIONS)


def note(sources: list[str]) -> str:
    """What the parameters named beside these criteria are; "" where none is."""
    names = list(dict.fromkeys(filter(None, map(parameter, sources))))
    if not names:
        return ""
    told = "; ".join(_meanings(names))
    return f"{NOTE.format(named=told)}{ENOUGH if set(names) & set(LIMITED) else ''}."


def _meanings(names: list[str]) -> Iterator[str]:
    yield from (MEANING.get(name, f"`{name}`") for name in names)
