"""Metrics of the engagement's own: decorated functions in a file of its folder, `my_metrics.py:brevity`.

    @ragassay.metric("brevity", range=(0, 1), better="high")
    def brevity(answer):
        "1 for an empty answer, 0 from 200 words on."
        return max(0, 1 - len(answer.answer.split()) / 200)

    @ragassay.judged("Is this reply polite?\\n{answer}")
    def polite():
        "whether the judge finds the answer polite"

Once its file is loaded a metric stands in METRICS like ours. `keep` and `of_run` carry its card from the
notebook that scored it to those after it, which know its name, range and direction without its code.
"""

import contextlib
import hashlib
import inspect
import json
import math
import re
import runpy
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ragassay import provenance, search_paths
from ragassay.errors import KitError, ParameterError
from ragassay.models.judge_messages import FENCE_RULE, FRAGMENTS, Reply, Request, fence
from ragassay.scores.families.judged import evidence, read_reply, refuse_long
from ragassay.scores.metric import Metric, NotApplicable, Result, Tools
from ragassay.scores.metric_registry import DEFAULT, JUDGED, METRICS, OFFLINE, SAFETY
from ragassay.scores.prepared_answer import Sample

FAMILY, LAST = "own", 100  # family; place in the first table of notebook 02, after ours
SOURCE = "engagement's own"
RECORD = "own_metrics.json"  # of a run: the cards of its own metrics
NEEDS = tuple(
    "answer question contexts context_ids reference_answer reference_chunk_ids answerable answer_type "
    "latency_s history segment".split()
)
SHOWN = {"question": "QUESTION", "answer": "ANSWER", "contexts": "EVIDENCE", "reference_answer": "REFERENCE"}
MARK = "ragassay_metric"  # the attribute of a decorated function
CARD = ("low", "high", "higher_is_better", "needs", "models", "of_content", "meaning", "formula")
_BARE = re.compile(r"\W*(yes|no|-?\d+(?:\.\d+)?)\W*", re.IGNORECASE)
_PLACE = re.compile(r"\{([a-z_]+)\}")
_SPECS: dict[str, tuple[str, str]] = {}  # own metric -> how it was named, SHA-256 of its file
Decorated = TypeVar("Decorated", bound=Callable)


def metric(
    name: str = "",
    *,
    range: tuple[float, float] = (0, 1),
    better: str = "high",
    needs: Sequence[str] = ("answer",),
    refusals: bool = False,
) -> Callable[[Decorated], Decorated]:
    """Make a function of an answer a metric; its docstring is the meaning that the report prints.

    The function takes an answer with the attributes NEEDS and returns a number; NaN or None where there is
    nothing to judge. What raises, is no number, or lies outside the range is an error of that answer alone.

    name : "" is that of the function
    range : least and greatest value; better : high or low
    needs : of NEEDS; an answer without one of them is not measured
    refusals : whether it judges answers that decline too
    """

    def decorate(function: Decorated) -> Decorated:
        own, wanted = name or function.__name__, (needs,) if isinstance(needs, str) else tuple(needs)
        unknown = [one for one in wanted if one not in NEEDS]
        is_word = re.fullmatch(r"[a-z][a-z0-9_]{0,59}", own)
        is_range = len(range) == 2 and all(map(math.isfinite, range)) and range[0] < range[1]
        for is_right, what, found, expected in (
            (is_word, "'s name is no word", own, "small letters, digits and _"),
            (is_range, " has no range", range, "two numbers, such as (0, 1)"),
            (better in ("high", "low"), " does not say which way is better", better, "high or low"),
            (not unknown, " needs what no answer has", unknown, ", ".join(NEEDS)),
        ):
            if not is_right:
                raise _wrong(f"metric {own!r}{what}", repr(found), expected)
        low, high = map(float, range)
        card = {
            "low": low,
            "high": high,
            "higher_is_better": better == "high",
            "needs": wanted,
            "models": (),
            "of_content": not refusals,
            "meaning": " ".join((function.__doc__ or "not described").split("\n\n")[0].split()).rstrip("."),
            "formula": "not on record",
        }
        with contextlib.suppress(OSError, TypeError):
            card["formula"] = inspect.getsource(function)
        setattr(function, MARK, _of_card(own, partial(_measure, function, low, high), card))
        return function

    return decorate


def judged(prompt: str, *, name: str = "", **options: Any) -> Callable[[Decorated], Decorated]:
    """Make a prompt a metric that the judge computes: a number of the range, or yes, its greatest, or no, its
    least value. {question}, {answer}, {contexts} and {reference_answer} are put in, fenced; without a judge
    it is not measured. The function gives name and docstring, and is not called.

    options : range, better and refusals, as of `metric`
    """
    needs = tuple(dict.fromkeys(_PLACE.findall(prompt)))

    def decorate(function: Decorated) -> Decorated:
        if not needs or not set(needs) <= set(SHOWN):
            raise _wrong("a prompt has no or an unknown place", repr(prompt[:80]), f"of {', '.join(SHOWN)}")
        own = getattr(metric(name, needs=needs, **options)(function), MARK)
        by_judge = {"models": ("judge",), "measure": partial(_asked, own, prompt), "formula": prompt}
        setattr(function, MARK, replace(own, **by_judge))
        return function

    return decorate


def resolve(named: Iterable[Any]) -> list[Any]:
    """The names with `file.py:name`, and decorated functions, loaded and put as the name of their metric.

    Raises ParameterError if the file is not there or fails, holds no such metric, or the name is one of the
    kit's.
    """
    found = []
    for one in named:
        own = getattr(one, MARK, None)
        if isinstance(own, Metric):
            _register(own, "", "")
            found.append(own.name)
        else:
            found.append(load(one) if isinstance(one, str) and ".py:" in one else one)
    return found


def choose(named: str, *, with_judge: bool = False, with_language_model: bool = False) -> list[str]:
    """The metrics that notebook 02 computes, safety apart: the default and, beside it, the names given with
    commas (`file.py:name` of the engagement's own); `all`: every one that needs no judge; and those of a
    judge or language model there is."""
    wanted = resolve(name.strip() for name in named.split(",") if name.strip())
    judged = [name for name in wanted if name in METRICS and "judge" in METRICS[name].models] or JUDGED
    chosen = [*(OFFLINE if "all" in wanted else DEFAULT), *wanted]
    chosen += [*(["perplexity"] if with_language_model else []), *(judged if with_judge else [])]
    names = [name for name in dict.fromkeys(chosen) if name != "all"]
    return [name for name in names if name in wanted or METRICS[name].family not in SAFETY]


def refuse(names: Iterable[str], where: str) -> None:
    """ParameterError if one is an own metric."""
    for name in (name for name in names if name in _SPECS):
        raise _wrong(f"own metrics are not scored {where}", name, "metrics of the kit")


def load(spec: str, expected: str = "") -> str:
    """Run the file of `file.py:name` and put the metric into METRICS; its name. Errors as of `resolve`."""
    place, _, name = spec.strip().rpartition(":")
    path = search_paths.find(place)
    if not path.is_file():
        raise _wrong("the file of a metric is not there", place, f"a file below {search_paths.folders()[0]}")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    if expected and sha256 != expected:
        raise _wrong(
            "the file of a metric has changed since answers were scored by it", place, "the same file"
        )
    provenance.reads_code(place, path)
    if str(path.parent.resolve()) not in sys.path:  # for files beside it that it imports
        sys.path.append(str(path.parent.resolve()))
    try:
        defined = runpy.run_path(str(path), run_name=path.stem)
    except ParameterError:  # of a decorator
        raise
    except (Exception, SystemExit) as problem:
        found = f"{type(problem).__name__}: {problem!s:.200}"
        raise _wrong(f"the file of a metric fails: {path.name}", found, "a file that can be run") from problem
    marked = (getattr(each, MARK, None) for each in defined.values())
    known = {own.name: own for own in marked if isinstance(own, Metric)}
    if name not in known:
        raise _wrong(f"{place} holds no metric {name!r}", ", ".join(known) or "none", "@ragassay.metric")
    _register(known[name], spec.strip(), sha256)
    return name


def keep(run_dir: str | Path, measured: Iterable[str]) -> None:
    """Save the cards of own metrics among those measured, for later notebooks and the report."""
    cards = {
        name: {"spec": _SPECS[name][0], "sha256": _SPECS[name][1]}
        | {key: getattr(METRICS[name], key) for key in CARD}
        for name in measured
        if name in _SPECS
    }
    if cards:
        provenance.save(run_dir, RECORD, cards)


def of_run(run_dir: str | Path) -> None:
    """Put the own metrics of a run into METRICS, by their cards; the code is run when one is first measured.
    None of a record that is not there or is broken."""
    with contextlib.suppress(KitError, OSError, ValueError, KeyError, TypeError, AttributeError):
        records: dict[str, Any] = json.loads((provenance.find(run_dir) / RECORD).read_text(encoding="utf-8"))
        for name, record in records.items():
            spec = str(record["spec"]), str(record["sha256"])
            card = {key: tuple(record[key]) if key in ("needs", "models") else record[key] for key in CARD}
            if _SPECS.get(name) != spec:
                _register(_of_card(name, partial(_unloaded, *spec, name), card), *spec)


def _of_card(name: str, measure: Callable[..., Result], card: dict[str, Any]) -> Metric:
    card |= {"source": SOURCE, "cost": "not known", "display": name.replace("_", " "), "headline": LAST}
    return Metric(name, FAMILY, measure=measure, **card)


def _register(own: Metric, spec: str, sha256: str) -> None:
    if own.name in METRICS and METRICS[own.name].family != FAMILY:
        raise _wrong("a metric of the kit has this name", own.name, "another name")
    METRICS[own.name], _SPECS[own.name] = own, (spec, sha256)


def _measure(
    function: Callable[[Sample], Any], low: float, high: float, sample: Sample, tools: Tools
) -> Result:
    """What the function gives for an answer, if that is a number of the range."""
    try:
        value = function(sample)
    except (Exception, SystemExit) as problem:
        raise ValueError(f"{type(problem).__name__}: {problem!s:.200}") from problem
    return _in_range(value, low, high), []


def _in_range(value: Any, low: float, high: float) -> float:
    if value is None or (isinstance(value, float | np.floating) and value != value):
        raise NotApplicable("it gave no value")
    if not isinstance(value, int | float | np.number | np.bool_):
        raise ValueError(f"it gave a value of type {type(value).__name__}, not a number")
    if not low <= value <= high:
        raise ValueError(f"it gave a value outside {low:g} to {high:g}")
    return float(value)


def _asked(own: Metric, prompt: str, sample: Sample, tools: Tools) -> Result:
    """The judge's value for an answer; its reply is the evidence."""
    texts = {each: getattr(sample, each) or "" for each in own.needs}
    if "contexts" in texts:
        texts["contexts"] = evidence(sample.contexts or (), sample.ids)
    refuse_long(texts.values())
    matter = _PLACE.sub(lambda place: fence(SHOWN[place[1]], texts[place[1]]), prompt)
    rule = FRAGMENTS["value_rule"].replace("LOW", f"{own.low:g}").replace("HIGH", f"{own.high:g}")
    reply: Reply = tools.ask("judge", [Request(own.name, f"{FENCE_RULE}\n\n{rule}", matter, 100)])[0]
    bare = _BARE.fullmatch((reply.text or "").strip())
    said = str(bare[1] if bare else read_reply(reply, "value", list(texts.values()))["value"]).lower()
    value = {"no": own.low, "yes": own.high}.get(said)
    return _in_range(float(said) if value is None else value, own.low, own.high), [{"reply": said}]


def _unloaded(spec: str, sha256: str, name: str, sample: Sample, tools: Tools) -> Result:
    """The measure of a metric known by its card: that of its file, if it is the file that was scored."""
    load(spec, sha256)
    return METRICS[name].measure(sample, tools)


def _wrong(what: str, found: str, expected: str) -> ParameterError:
    return ParameterError(what, found=found, expected=expected, do="correct it, or the name under metrics")
