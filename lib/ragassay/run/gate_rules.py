"""Whether a gate asks for something that its metric can be: its grammar, its direction, its threshold."""

from collections.abc import Iterator

from ragassay.analysis.case_scores import value_range
from ragassay.decision import gate_grammar, gates
from ragassay.errors import ParameterError
from ragassay.run.input_files import in_words
from ragassay.scores.directions import direction


def problems(name: str, metric: str, rule: str) -> Iterator[str]:
    """What is wrong with one rule, in words.

    name : as in the parameters, `metric` or `metric in slice`; rule : `low >= 0.80`
    """
    try:
        (found,) = gate_grammar.parse({name: rule})
    except ParameterError as problem:
        yield f"{in_words(problem)}; {problem.do}"
        return
    low, high = value_range(metric) or (0.0, 1.0)  # what is no metric is a rate
    if not low <= found.threshold <= high:
        share = high == 1 and 1 < found.threshold <= 100
        hint = f"; for a share write {found.threshold / 100:g} or {found.threshold:g}%" if share else ""
        yield f"the threshold {found.threshold:g} of {name!r} is outside [{low:g}, {high:g}]{hint}"
    elif found.threshold == (low if found.bound == "low" else high):
        end = f"the end of [{low:g}, {high:g}]: nothing misses it"
        yield f"the threshold {found.threshold:g} of {name!r} is {end}"
    if found.if_asked and metric not in gates.ASKED:
        yield f"'if asked' in {rule!r} fits only {', '.join(gates.ASKED)}: nothing else is ever set aside"
    better = direction(metric)
    bound = {"higher": "low >=", "lower": "high <="}.get(better, "")
    if bound and not bound.startswith(found.bound):
        yield f"{metric} is better the {better} it is: write {bound} {found.threshold:g}, found {rule!r}"
