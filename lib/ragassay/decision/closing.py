"""When a finding counts as closed: what is asked again, how many, and by which bound, from the criteria that
the run recorded; and how it is held until then. Findings whose remedies pull against each other name each
other and are closed by one joint test, or the one would be closed at the cost of the other."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan

from ragassay.decision import criteria, independence
from ragassay.decision.behaviours import behaviour, behaviours, metric_of
from ragassay.decision.criteria import Criterion
from ragassay.decision.earlier_findings import OPEN, sources
from ragassay.decision.error_findings import FROM_ERRORS, KINDS
from ragassay.decision.finding_texts import FROM_GATE, FROM_PROCESS, FROM_WEAKNESS
from ragassay.decision.sample_sizes import questions_if_half, questions_to_pass
from ragassay.scores.names import display_name
from ragassay.stats import percent_text

AXES = (("decline more", "decline less"), ("say more", "say less"))  # directions in which remedies pull
WHO = {"decline": "the assistant", "say": "answers"}
JOINT = (
    "Joint test with {others}: put to the release candidate, on one new set, all of these at once: {clauses}."
)
MOST_CLAUSES = 6


def with_control_and_proof(rows: Sequence[dict]) -> list[dict]:
    """The rows of findings, in the order of their numbers, with `control`, `proof` and, where remedies pull
    against each other, whose."""
    pulled = [_pulls(row) if row["status"] == OPEN else set() for row in rows]
    told = [{"control": controlled(row), "proof": closed_when(row)} for row in rows]
    for axis in AXES:
        members = [place for place, pulls in enumerate(pulled) if pulls & set(axis)]
        if len(members) > 1 and set().union(*(pulled[place] for place in members)) >= set(axis):
            _join(told, rows, members, pulled, axis)
    return [{**row, **more} for row, more in zip(rows, told, strict=True)]


def controlled(row: Mapping) -> str:
    """The interim control of what the finding states first; "" where there is none."""
    return behaviour(row["source"]).get("control", "")


def closed_when(row: Mapping) -> str:
    """What closes a finding by itself; "" where no criterion is recorded."""
    clauses = _clauses(row, sources(row))
    return f"{_capital('; '.join(clauses))}." if clauses else ""


def _join(
    told: Sequence[dict],
    rows: Sequence[Mapping],
    members: Sequence[int],
    pulled: Sequence[set[str]],
    axis: tuple[str, str],
) -> None:
    """Write into what is told of the members that one test closes them, and whose remedies pull against."""
    tested = [clause for n in members for clause in _clauses(rows[n], _pulling(rows[n], axis))]
    clauses = "; ".join(dict.fromkeys(tested))
    for n in members:
        others = _listed([_number(other) for other in members if other != n])
        joint = JOINT.format(others=others, clauses=clauses)
        left = [source for source in sources(rows[n]) if source not in _pulling(rows[n], axis)]
        beside = "; ".join(_clauses(rows[n], left))
        told[n]["proof"] = f"{joint} Beside it: {beside}." if beside else joint
        against = " ".join(_against(n, members, pulled, axis))
        before = told[n].get("recommendation", rows[n]["recommendation"])
        told[n]["recommendation"] = " ".join(filter(None, (before, against)))


def _against(
    place: int, members: Sequence[int], pulled: Sequence[set[str]], axis: tuple[str, str]
) -> Iterator[str]:
    for mine, other in (axis, axis[::-1]):
        those = [_number(n) for n in members if n != place and other in pulled[n]]
        if mine in pulled[place] and those:
            done, _, much = mine.partition(" ")
            told = f"This has {WHO[done]} {done} {much}, {_listed(those)} {other.partition(' ')[2]}"
            yield f"{told}: one joint test closes them."


def _number(place: int) -> str:
    return f"F{place + 1}"


def _pulls(row: Mapping) -> set[str]:
    return {pull for source in _remedied(row) if (pull := behaviour(source).get("pulls", ""))}


def _pulling(row: Mapping, axis: Sequence[str]) -> list[str]:
    return [source for source in _remedied(row) if behaviour(source).get("pulls") in axis]


def _remedied(row: Mapping) -> list[str]:
    """What a finding has a remedy for: the gates that one on errors carries have none beside its own."""
    carried = _carried(row)
    return [source for source in sources(row) if source not in carried]


def _carried(row: Mapping) -> list[str]:
    """The gates that a finding on errors carries (`carried_gates`)."""
    of_errors = row["source"].startswith(FROM_ERRORS)
    return [source for source in row["also"] if of_errors and source.startswith(FROM_GATE)]


def _clauses(row: Mapping, of: Sequence[str]) -> list[str]:
    """A clause for each of these criteria of a finding; those of one behaviour and bound in one."""
    recorded, carried = criteria.recorded(row), [source for source in of if source in _carried(row)]
    asked: dict[str, list[int]] = {}
    for source in of:
        if source in recorded and source not in carried:
            form, n = _clause(source, recorded[source], row)
            asked.setdefault(form, []).append(n)
    told = [form.replace("{n}", _numbers(n)) for form, n in asked.items()]
    rest = [f"{len(told) - MOST_CLAUSES} more of its criteria"] if len(told) > MOST_CLAUSES else []
    names = dict.fromkeys(display_name(metric_of(source)) for source in carried)
    gates = [f"the gates that it carries are passed: {', '.join(names)}"] if carried else []
    return [*told[:MOST_CLAUSES], *rest, *gates]


def _clause(source: str, criterion: Criterion, row: Mapping) -> tuple[str, int]:
    """What has to be shown of a source, with `{n}` for on how many, and how many."""
    kind = source.removeprefix(FROM_ERRORS)
    if kind in KINDS:
        return _of_errors(kind, criterion)
    if source.startswith(FROM_GATE):
        return _of_gate(source, criterion, nan if row.get("held") else row["value"])
    if source.startswith(FROM_PROCESS):
        stated = "it is stated that " * (source == independence.SOURCE)
        return f"in a later run {stated}{_small(criterion.rule.rstrip('.'))}", 0
    again = behaviour(source).get("again") or "the same trials put again"
    met = (
        "not significantly worse than the rest"
        if source.startswith(FROM_WEAKNESS)
        else "the criterion is met"
    )
    return f"{again}, {{n}} or more: {met}", criterion.fewest


def _of_errors(kind: str, criterion: Criterion) -> tuple[str, int]:
    words, most = KINDS[kind], criterion.threshold
    if not most:
        among = f"{words.among} that raters read, {behaviours()[f'{FROM_ERRORS}{kind}']['again']},"
        return f"of {{n}} or more new {among} none {words.one_did}", criterion.fewest
    told = f"of {{n}} or more new {words.among} at most {percent_text(most)} {words.did}, by the upper end"
    return told, questions_if_half(most)


def _of_gate(source: str, criterion: Criterion, value: float) -> tuple[str, int]:
    """A gate's requirement, and on how many questions: those that the value measured needs, where that meets
    it, else those that a fit system needs."""
    low, limit = criterion.by == "low", criterion.threshold
    word, end = ("at least", "lower") if low else ("at most", "upper")
    measured = {"value": value, "threshold": limit, "bound": criterion.by, "metric": metric_of(source)}
    n = questions_to_pass(measured) or questions_if_half(1 - limit if low else limit)
    named = display_name(metric_of(source))
    return f"{named} {word} {percent_text(limit)} by the {end} end, on {{n}} or more new questions", n


def _numbers(counts: Sequence[int]) -> str:
    return _listed([f"{n:,}" for n in dict.fromkeys(counts)])


def _listed(told: Sequence[str]) -> str:
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def _small(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
