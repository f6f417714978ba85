"""What other parameters name, and of that the log of answers: its columns, and the scores that it gives."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragassay.analysis.slicing.scorecard_slices import nearest
from ragassay.answers.log_formats.tool_scores import is_given
from ragassay.run.parameter_checks import input_files
from ragassay.run.parameters import Parameter

Found = tuple[tuple, str]  # where in the value (a key, a place in a list, or nothing), and what is wrong


@dataclass(frozen=True)
class Names:
    """What other parameters name.

    dimensions : those of the labels; None where they are not known
    gates : those of the section
    log, mapping : the log of answers, and which of its columns is which; label_columns : those of the labels
    questions : the user's own
    matrix : likelihoods, impacts and matrix of the section
    date, next_review : of the report
    missing : dimensions that a flaw was told of already, so that what follows from it is not told again
    """

    dimensions: Collection[str] | None = None
    gates: Collection[str] | None = None
    log: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    questions: str = ""
    date: str = ""
    next_review: str = ""
    missing: set[str] = field(default_factory=set)
    matrix: Mapping[str, Any] = field(default_factory=dict)
    label_columns: Mapping[str, str] = field(default_factory=dict)


def columns(parameter: Parameter, value: dict[str, str], names: Names) -> Iterator[Found]:
    from ragassay.answers.log_formats.schema_detection import is_target
    from ragassay.answers.log_formats.tool_schemas import OURS
    from ragassay.labels.labels_file import OF_TABLE

    known = OF_TABLE if parameter.name == "label_columns" else set(OURS)
    for ours in value:
        if not (ours in known or (is_target(ours) and ours not in OURS)):
            yield (ours,), f"{ours!r} is no column of ours{nearest(ours, known)}"


def metrics() -> Collection[str]:
    """The names in METRICS."""
    from ragassay.scores import METRICS

    return METRICS


def metrics_and_given(name: str, names: Names) -> Collection[str]:
    """The metrics, and where a name is that of a score given with a log, those that the log gives; the name
    itself where the log cannot be read."""
    if not is_given(name):
        return metrics()
    given = input_files.given_scores(names.log, names.mapping)
    return [*metrics(), *([name] if given is None else given)]


def not_given(gate: str, names: Names) -> list[str]:
    """That the log gives no such score, where a gate names one; nothing where it does, or names another
    metric."""
    metric = gate.partition(" in ")[0].strip()
    known = metrics_and_given(metric, names)
    if not is_given(metric) or metric in known:
        return []
    return [f"the log of answers gives no score {metric!r}{nearest(metric, filter(is_given, known))}"]
