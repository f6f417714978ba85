"""A dry run: which notebooks a run would execute and why; how many questions it would ask, how
many are answered already, what the rest costs and how long it takes. Nothing is asked or written."""

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import engagement_registers, provenance, tables
from ragassay.answers.question_inputs import NOT_APPLICABLE
from ragassay.assistant.described.description import is_described, read_description
from ragassay.errors import KitError
from ragassay.run.execution import notebook_record, skip_unchanged
from ragassay.run.execution.notebook_sequence import NAMED, Selection, stale
from ragassay.run.runner import Asked, pinned, prepare
from ragassay.stats import zero_event_bound

EXECUTED, UNCHANGED, DEPENDS, LEFT_OUT = "executed", "unchanged", "depends", "left out"
IF_CHANGED = "executed if what it reads changes"
ASKED_AGAIN = "every question is asked again"
IN_PASSAGES, IN_TURNS, OF_DOCUMENTS = 2, 2, 2  # families of probes made for an engagement, each as many
OFF_TOPIC = 89  # the kit's questions on other subjects; near ones need passages, about one each
MISSED = 0.1  # share of the questions whose evidence the example does not find
A_PASSAGE = 4  # questions that rules make of a passage
SIGNS = 500 / 180  # of a passage, a token of its limit, in the example: 440 passages of 501 signs
SMALL_PAGES = (".txt", ".md", ".html", ".htm", ".jsonl")  # whose size is about that of their text
LARGEST_GROUP = 12  # questions that ask the same of a database, in the templates that rules make
Values = Mapping[str, Mapping[str, Any]]  # notebook -> its parameters
COLUMNS = "notebook questions n expected bound basis answered to_ask cost seconds".split()
KNOWN, AT_MOST = "as in the run before", "at most"
NO_PRICE = "at an unknown price (price_per_answer in section run)"


class Known(NamedTuple):
    """What is known before anything was made: how many cases there are and, about, how many passages; whether
    the assistant takes passages to answer from, and the turns before a question; of which share of the cases
    it misses the evidence."""

    cases: int
    passages: float = math.inf
    takes_passages: bool = True
    takes_turns: bool = True
    missed: float = 1.0


class Journal(NamedTuple):
    """What one journal asks: its notebook, its name and that of its cases; how many questions that is, which
    without `Known` of the documents and the assistant is the most."""

    notebook: str
    journal: str
    part: str | None
    number: Callable[[Mapping[str, Any], Known], float]


def most_cases(asked: Mapping[str, Any]) -> int:
    """The user's own questions, those generated and those from the database, as notebook 01 is told; of the
    database one group is asked whole, however few questions are wanted."""
    from ragassay.cases.own_questions import read_records

    own, grounded = asked.get("own_questions"), asked.get("n_grounded", 0) if asked.get("database") else 0
    n_own = len(read_records(provenance.source(own))) if own else 0
    return n_own + asked.get("n_generated", 0) + (max(grounded, LARGEST_GROUP) if grounded else 0)


def _passages(scope: Mapping[str, Any]) -> float:
    """About how many passages the documents have; unlimited where their files do not say how long they
    are."""
    if not scope.get("documents"):
        return math.inf
    place = provenance.source(scope["documents"])
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    if not files or any(path.suffix.lower() not in SMALL_PAGES for path in files):
        return math.inf
    longest = SIGNS * scope.get("max_tokens", 180)
    return sum(max(1, round(path.stat().st_size / longest)) for path in files)


def _probes(asked: Mapping[str, Any], known: Known) -> float:
    """Ours, and as many of each family that an engagement gives the matter for."""
    from ragassay.cases import attack_probes

    each, gated = asked.get("probes_per_threat", 0), asked.get("probes_per_gate", 0)
    listed = attack_probes.probes(per_threat=each, per_gate=gated) if each and gated else pd.DataFrame()
    if not known.takes_turns:
        earlier = listed.reindex(columns=["history", "turn"])
        listed = listed[earlier["history"].isna() & ~(earlier["turn"] > 1)]
    families = OF_DOCUMENTS + known.takes_passages * IN_PASSAGES + known.takes_turns * IN_TURNS
    return len(listed) + each * families + engagement_registers.count_questions(asked.get("own_probes", ""))


def _counterfactuals(asked: Mapping[str, Any], known: Known) -> float:
    from ragassay.cases import counterfactuals

    groups: dict[str, int] = {}
    compared = {*asked.get("attributes", counterfactuals.ATTRIBUTES), counterfactuals.CONTROL}
    for one in (each for each in counterfactuals.personas() if each.attribute in compared):
        groups[one.attribute] = max(groups.get(one.attribute, 0), len(one.groups))
    return min(asked.get("n_counterfactual", 0), known.cases) * sum(groups.values())


def _bias_questions(asked: Mapping[str, Any], _: Known) -> float:
    return asked.get("n_bias_questions", 0)


def _variants(asked: Mapping[str, Any], known: Known) -> float:
    """Every parent in each kind, and what no document answers: short documents yield few of these."""
    from ragassay.cases import PERTURBATIONS

    kinds = len(asked.get("kinds") or PERTURBATIONS) + bool(asked.get("judge"))
    own = engagement_registers.count_questions(asked.get("own_unanswerable", ""))
    outside = min(asked.get("n_outside", 0), OFF_TOPIC + known.passages)
    return min(asked.get("n_parents", 0), known.cases) * kinds + outside + own


def _adversarial(asked: Mapping[str, Any], known: Known) -> float:
    from ragassay.cases.passage_changes import CHANGES

    return known.takes_passages * min(asked.get("n_stressed", 0), known.cases) * len(CHANGES)


def _repeats(asked: Mapping[str, Any], known: Known) -> float:
    """Each once more, and of a third as many a conversation of two turns."""
    again = min(asked.get("n_repeated", 0), known.cases)
    return again + (1 + known.takes_turns) * (again // 3)


def _with_evidence(_: Mapping[str, Any], known: Known) -> float:
    from ragassay.analysis.failing_answer_facts import HANDED

    return known.takes_passages * min(HANDED, known.missed * known.cases)


JOURNALS = (
    Journal("02_functionality", "answers", None, lambda asked, known: known.cases),
    Journal("03_risk_safety", "probes", "probes", _probes),
    Journal("03_risk_safety", "counterfactuals", "counterfactuals", _counterfactuals),
    Journal("03_risk_safety", "bias_questions", "bias_questions", _bias_questions),
    Journal("05_robustness", "variants", "variants", _variants),
    Journal("05_robustness", "adversarial", "adversarial", _adversarial),
    Journal("05_robustness", "repeats", "repeats", _repeats),
    Journal("05_robustness", "evidence", "evidence", _with_evidence),
)


def planned_calls(
    values: Values, settings: Mapping[str, Any], run_dir: Path, *, fresh: bool = False
) -> pd.DataFrame:
    """A row for each set of questions: notebook, questions (the journal's name), n, expected, bound (the
    largest rate of failures that none among those expected leaves possible, at 95 %), basis (n is "at most",
    or as in the run before), answered; to_ask, cost and seconds of those expected; no row where answers are
    logged.

    Parameters
    ----------
    values : notebook -> its parameters, as they would be executed
    settings : of section run: concurrency, per_minute, price_per_answer
    run_dir : where answers of before are looked for
    fresh : whether every question is asked again; answers of before then say price and seconds alone

    cost is NaN where no price is stated and no answer of before says what it cost; seconds is NaN where none
    was asked before. An answer failed, or of another version of the assistant, is asked again and counts here
    as answered or not as the journal last says.
    """
    scope = _of(values, "answers_log")
    if scope.get("answers_log") or not scope.get("assistant"):
        return pd.DataFrame(columns=COLUMNS)
    said = {each.journal: _answered(run_dir / "journal" / f"{each.journal}.jsonl") for each in JOURNALS}
    before = [entry for entries in said.values() for entry in entries.values()]
    costs = [cost for e in before if isinstance(cost := e["row"].get("cost"), int | float)]
    took = [e["seconds"] for e in before if isinstance(e.get("seconds"), int | float)]
    price = float(settings.get("price_per_answer", 0)) or (statistics.median(costs) if costs else math.nan)
    pace = 60 / settings["per_minute"] if settings.get("per_minute") else 0.0
    seconds = max(statistics.median(took) / settings.get("concurrency", 1), pace) if took else math.nan
    rows = []
    for each in JOURNALS:
        n, expected, basis = _number(each, values, run_dir)
        known = 0 if fresh else len(said[each.journal])
        left = max(expected - known, 0)
        bound = zero_event_bound(expected) if expected else math.nan
        row = (each.notebook, each.journal, n, expected, bound, basis, min(known, n))
        rows.append((*row, left, left * price, left * seconds))
    return pd.DataFrame(rows, columns=COLUMNS)


def in_words(planned: pd.DataFrame) -> list[str]:
    """The table as lines for a terminal, its sum first."""
    if planned.empty:
        return ["questions to the assistant: none, its answers are logged"]
    total = planned[["n", "expected", "answered", "to_ask", "cost", "seconds"]].sum(skipna=False)
    bounded = (planned.basis == AT_MOST).any()
    number = f"about {total.expected:.0f} expected, at most {total.n:.0f}" if bounded else f"{total.n:.0f}"
    cost = NO_PRICE if math.isnan(total.cost) else f"for {total.cost:,.2f}"
    seconds = total.to_ask if math.isnan(total.seconds) else total.seconds
    time = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    each = " for each second that an answer takes (not known yet)" if math.isnan(total.seconds) else ""
    shown = planned[["notebook", "questions", "expected", "basis", "n", "answered"]].assign(
        **{"none failing leaves up to": [f"{bound:.1%}" for bound in planned.bound]}
    )
    return [
        f"questions to the assistant: {number}, {total.answered:.0f} answered already",
        f"about {total.to_ask:.0f} would be asked {cost}, in about {time}{each}",
        *shown.to_string(index=False).splitlines(),
    ]


def _of(values: Values, parameter: str) -> Mapping[str, Any]:
    """The parameters of the notebook that declares this one."""
    return next((each for each in values.values() if parameter in each), {})


def _number(each: Journal, values: Values, run_dir: Path) -> tuple[int, int, str]:
    """How many questions at most and expected, and on what basis: a table of the run before, or its
    parameters."""
    known = _asked_before(run_dir, each.part)
    if known is not None:
        return known, known, KNOWN
    scope, made = _of(values, "prohibited_uses"), _table(run_dir, "cases", None)
    asked = dict(scope) | dict(values.get(each.notebook, {}))
    most, passages = len(made) if made is not None else 0, _passages(scope)
    expected = most
    if made is None:
        of_cases = dict(_of(values, "n_generated"))
        most = most_cases(of_cases)
        generated = min(of_cases["n_generated"], A_PASSAGE * passages)
        expected = most_cases(of_cases | {"n_generated": round(generated)})
    hooks = _hooks(scope)
    about = Known(expected, passages, "passages" in hooks, "history" in hooks, MISSED)
    return round(each.number(asked, Known(most))), round(each.number(asked, about)), AT_MOST


def _hooks(scope: Mapping[str, Any]) -> tuple[str, ...]:
    """What the assistant takes besides the question; one of Python, which is not loaded here, passages."""
    spec = str(scope.get("assistant") or "")
    if not is_described(spec):
        return ("passages",)
    try:
        text = spec if spec.lstrip().startswith("{") else provenance.source(spec).read_text(encoding="utf-8")
        return read_description(text, spec).hooks
    except (KitError, OSError, ValueError):
        return ("passages",)


def _asked_before(run_dir: Path, part: str | None) -> int | None:
    """How many questions of these the run before put, without those that the assistant cannot be asked, or
    had made; None where there are none."""
    said, made = _table(run_dir, "answers", part), _table(run_dir, "cases", part)
    if said is None:
        return None if made is None else len(made)
    return int((~said["error"].fillna("").str.startswith(NOT_APPLICABLE)).sum())


def _answered(journal: Path) -> dict[tuple, dict[str, Any]]:
    """The answers of a journal without an error, by case and repeat, the last of each."""
    found = {}
    for line in journal.read_bytes().splitlines() if journal.is_file() else ():
        try:
            entry = json.loads(line)
            if not entry["row"]["error"] and len(entry["key"]) == 5:
                found[tuple(entry["key"][:2])] = entry
        except (ValueError, TypeError, KeyError):  # a line cut short, or none of ours
            continue
    return found


def _table(run_dir: Path, name: str, part: str | None) -> pd.DataFrame | None:
    try:
        return tables.read(run_dir, name, part=part) if part else tables.read(run_dir, name)
    except (KitError, OSError, ValueError):
        return None


@dataclass(frozen=True)
class Step:
    """A notebook, what would become of it (executed, unchanged, depends, left out), and why."""

    notebook: str
    action: str
    why: str = ""


def plan(
    path: Path,
    reports: Path,
    *,
    select: Selection | None = None,
    fresh: bool = False,
    given: tuple[str, ...] = (),
) -> tuple[Asked, list[Step]]:
    """The engagement as it would be run, and a step for each of its notebooks; nothing is written.

    Parameters as of `ragassay.run.run`.

    Raises
    ------
    ParameterError
        With every flaw of the parameters, or if a notebook that is left out would have to be executed first.
    """
    with pinned(path):
        asked = prepare(path, reports, given=given)
        return asked, _steps(asked, select or Selection(), fresh)


def _steps(asked: Asked, select: Selection, fresh: bool) -> list[Step]:
    names: Sequence[str] = list(asked.books.paths)
    anew, left_out = select.anew(names), select.left_out(names)
    last = max(names.index(name) for name in set(names) - left_out)
    steps: list[Step] = []
    for place, name in enumerate(names):
        why = skip_unchanged.why_execute(asked.run_dir, name, asked.books.key(name))
        if fresh and (notebook_record.load(asked.run_dir, name) or {}).get("system"):
            why = ASKED_AGAIN
        if name in left_out and why and place < last:
            raise stale(name, why)
        if name in left_out:
            steps.append(Step(name, LEFT_OUT, why))
        elif name in anew or why:
            steps.append(Step(name, EXECUTED, why or NAMED))
        elif any(step.action in (EXECUTED, DEPENDS) for step in steps):
            steps.append(Step(name, DEPENDS, IF_CHANGED))
        else:
            steps.append(Step(name, UNCHANGED))
    return steps
