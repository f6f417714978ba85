"""Logs of several systems that people have judged: the answers as records of a log, the judgements as labels.

MTRAG's JSON Lines hold one answer each (id, turns, query, contexts, answer, system, human, ...).
InspectorRAGet's JSON holds models, metrics, documents and tasks, in version 1 evaluations with model_response
and annotations, in version 2 results with output and scores, in snake_case or camelCase (names from its
src/types.ts and src/migrator.ts). Its entries are read as lines of MTRAG.

The question is the last turn of the user; the turns before it are kept in the case's column `turns`, and no
metric reads them.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragassay.answers import log_files
from ragassay.answers.log_files import Record, broken_record
from ragassay.errors import InputError, KitError

MTRAG_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
MTRAG_COLUMNS = {"id", "turns", "answer", "system"}
MTRAG_SCALE = "1-4"  # of every dimension of MTRAG
EVALUATIONS = ("evaluations", "results")  # of InspectorRAGet's versions 1 and 2
PEOPLE = ("user", "human")  # who asks
SEPARATOR = "<::>"  # between the conversation and the turn in MTRAG's ids
COMPARISONS = ("win-rate", "win_rate", "winrate")  # they rank systems and judge no single answer
QUERY_TYPES = {
    "composite": "multi_hop",
    "comparative": "multi_hop",
    "explanation": "inference",
    "factoid": "factual",
}


class Turn(BaseModel):
    """What one side said."""

    speaker: str = ""
    text: str


class Judged(BaseModel):
    """One answer, with the conversation before it and what people said of it, in MTRAG's names; `human`:
    dimension -> rater -> value, `scales`: dimension -> scale."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str
    system: str
    answer: str
    turns: list[Turn] = Field(min_length=1)
    query: str = ""
    contexts: list[str] = []
    context_ids: list[str] = []
    reference: str = ""
    collection: str = ""
    conversation_id: str = ""
    answerability: str = ""
    question_type: list[str] = []
    human: dict[str, dict[str, Any]] = {}
    scales: dict[str, str] = {}
    where: str

    @property
    def task_id(self) -> str:
        """The id of the question, whoever answers it."""
        return self.id.removesuffix(f"|{self.system}")

    def values(self) -> dict[str, Any]:
        """The columns of a log, without case_id."""
        kinds = {kind.lower() for kind in self.question_type}
        answerable = self.answerability.upper() != "UNANSWERABLE"
        answer_type = "instruction" if "how-to" in kinds else "short_fact"
        known = {"answerable": answerable} if self.answerability else {}
        return known | {
            "system": self.system,
            "answer": self.answer,
            "question": self.turns[-1].text,
            "contexts": self.contexts,
            "context_ids": self.context_ids,
            "reference_answer": self.reference,
            "answer_type": answer_type if answerable else "no_answer",
            "query_type": next((ours for theirs, ours in QUERY_TYPES.items() if theirs in kinds), "open"),
            "topic": short_collection(self.collection),
            "conversation_id": self.conversation_id or self.task_id.split(SEPARATOR)[0],
            "answerability": self.answerability,
            "question_type": ", ".join(self.question_type),
            "task_id": self.task_id,
            "turns": json.dumps([turn.model_dump() for turn in self.turns], ensure_ascii=False),
        }

    def labels(self) -> Iterator[dict[str, str]]:
        """Rows of a labels file, without case_id; comparisons between systems, and judgements without a scale
        of numbers, are left out."""
        digest = hashlib.sha256(self.answer.encode("utf-8", "surrogatepass")).hexdigest()
        judged = {name: given for name, given in self.human.items() if name.lower() not in COMPARISONS}
        for dimension, given in judged.items():
            for rater, value in given.items() if self.scales.get(dimension) else ():
                yield {
                    "system": self.system,
                    "dimension": dimension,
                    "rater": rater,
                    "label": str(value),
                    "scale": self.scales[dimension],
                    "answer_sha256": digest,
                    "where": f"{self.where}, {dimension} by {rater}",
                }


def fits(path: Path) -> bool:
    """Whether the file is such a log, by its suffix and what it holds; False where it cannot be read."""
    return path.is_file() and (_is_mtrag(path) or _experiment(path) is not None)


def read_records(path: Path) -> list[Record]:
    """The answers as records of a log: case_id, system, question, answer, contexts, context_ids, and what is
    known of the case; a line or an entry that is not what it should be is a broken record.

    case_id is the first 8 signs of the conversation and the number of the turn (`f0d2873b-3`) where that
    tells the tasks apart, else the task's whole id; `task_id` keeps it.

    Raises
    ------
    InputError
        If there is no answer.
    """
    found = _read(path)
    names = ids_of(one.task_id for one in found if isinstance(one, Judged))
    return [
        one if isinstance(one, Record) else Record({"case_id": names[one.task_id], **one.values()}, one.where)
        for one in found
    ]


def labels(path: Path) -> list[dict[str, str]]:
    """The judgements as rows of a labels file: case_id (as in `read_records`), system, dimension, rater,
    label, scale, answer_sha256, and `where`. InputError if no line or entry is what it should be, with its
    place; single ones are left out, as of any log."""
    found = _read(path)
    judged = [one for one in found if isinstance(one, Judged)]
    if not judged:
        flaw = next(one for one in found if isinstance(one, Record)).flaws[0]
        raise InputError("a judged answer cannot be read", where=flaw.place, found=flaw.found, do=flaw.do)
    names = ids_of(one.task_id for one in judged)
    return [{"case_id": names[one.task_id], **label} for one in judged for label in one.labels()]


def ids_of(task_ids: Iterable[str]) -> dict[str, str]:
    """Task id -> case id: `f0d2873b-3` where that tells all tasks apart, else the task id itself."""
    whole = list(dict.fromkeys(task_ids))
    parts = [one.partition(SEPARATOR) for one in whole]
    short = [f"{conversation[:8]}-{turn}" if turn else conversation for conversation, _, turn in parts]
    return dict(zip(whole, short if len(set(short)) == len(whole) else whole, strict=True))


def short_collection(name: str) -> str:
    """`mt-rag-govt-elser-512-100-20240611` as `govt`: the part of MTRAG's index names that names the domain;
    another name as it is."""
    found = re.fullmatch(r"mt-rag-([a-z]+)-.*", name)
    return found[1] if found else name


def _read(path: Path) -> list[Judged | Record]:
    if _is_mtrag(path):
        return [_of_line(record) for record in log_files.read_records(path)]
    found = list(_of_experiment(_experiment(path) or {}, path.name))
    if not found:
        raise InputError(
            "this is no log of judged answers",
            where=path.name,
            expected="MTRAG's JSON Lines, or JSON of InspectorRAGet (models, metrics, tasks, evaluations)",
            do="correct the path",
        )
    return found


def _is_mtrag(path: Path) -> bool:
    if not path.name.lower().endswith(MTRAG_SUFFIXES):
        return False
    try:
        return any(set(record.values) >= MTRAG_COLUMNS for record in islice(log_files.read_records(path), 1))
    except (KitError, OSError):
        return False


def _of_line(record: Record) -> Judged | Record:
    if record.flaws:
        return record._replace(values={}, broken=True)
    values = {name: value for name, value in record.values.items() if value is not None}
    human = values.get("human")
    kinds = values.get("question_type")
    values |= {"question_type": [kinds]} if isinstance(kinds, str) else {}
    return _judged({"scales": dict.fromkeys(human, MTRAG_SCALE) if human else {}} | values, record.where)


def _judged(values: dict[str, Any], where: str) -> Judged | Record:
    """The judged answer, or the first flaw of its line as a broken record."""
    try:
        judged = Judged(**values | {"where": where})
    except ValidationError as problem:
        first = problem.errors()[0]
        column = ".".join(map(str, first["loc"]))
        return broken_record(where, f"{column}: {first['input']!r}", first["msg"], "correct it")
    if judged.query and judged.query != judged.turns[-1].text:
        return broken_record(where, judged.query, "turns that end with `query`", "correct the line")
    return judged


def _experiment(path: Path) -> dict[str, Any] | None:
    """The JSON of InspectorRAGet; None if the file is none."""
    name = path.name.lower()
    if not name.endswith((".json", ".json.gz")):
        return None
    try:
        with gzip.open(path) if name.endswith(".gz") else path.open("rb") as file:
            content = file.read()
        if not (b'"tasks"' in content and b'"models"' in content):
            return None
        found = json.loads(content.decode("utf-8-sig"))
    except (OSError, EOFError, ValueError, RecursionError):
        return None
    is_one = isinstance(found, dict) and any(isinstance(found.get(name), list) for name in EVALUATIONS)
    return found if is_one and isinstance(found.get("tasks"), list) else None


def _of_experiment(found: dict[str, Any], file: str) -> Iterator[Judged | Record]:
    """One judged answer per evaluation."""
    documents = {str(one.get("document_id")): one.get("text") for one in _entries(found, "documents")}
    tasks = {str(one.get("task_id")): one for one in _entries(found, "tasks")}
    models = {str(one.get("model_id")): one.get("name") for one in _entries(found, "models")}
    metrics = {str(one.get("name")): one for one in _entries(found, "metrics") if _is_peoples(one)}
    evaluations = next((each for key in EVALUATIONS if (each := _entries(found, key))), [])
    for number, entry in enumerate(evaluations, start=1):
        where, task = f"{file}, evaluation {number}", tasks.get(str(entry.get("task_id")))
        if task is None:
            yield broken_record(where, entry.get("task_id"), "a task_id of tasks", "correct the entry")
            continue
        model = str(entry.get("model_id"))
        answer = entry.get("output", entry.get("model_response"))
        judgements = {
            name: {rater: _number(given, metrics[name]) for rater, given in raters.items()}
            for name, raters in (entry.get("annotations", entry.get("scores")) or {}).items()
            if name in metrics and isinstance(raters, dict)
        }
        own = {
            "id": str(entry.get("task_id")),
            "system": models.get(model) or model,
            "answer": answer.get("value") if isinstance(answer, dict) else answer,
            "human": judgements,
            "scales": {name: _scale(metrics[name], given) for name, given in judgements.items()},
        }
        passages = _passages(entry, documents) or _passages(task, documents)
        yield _judged(_of_task(task) | passages | own, where)


def _entries(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects of a list, the names of their fields in snake_case: `Question Type` as `question_type`."""
    return [
        {re.sub(r"(?<=[a-z0-9])(?=[A-Z])| ", "_", key).lower(): value for key, value in one.items()}
        for one in found.get(name) or []
        if isinstance(one, dict)
    ]


def _is_peoples(metric: dict[str, Any]) -> bool:
    return str(metric.get("author", "human")).lower() == "human" and metric.get("type") != "text"


def _of_task(task: dict[str, Any]) -> dict[str, Any]:
    """What MTRAG's line says of the question, from a task."""
    target: Any = next(iter(task.get("targets") or []), {})
    reference = target.get("text") or target.get("value") if isinstance(target, dict) else target
    return {
        "turns": _turns(task.get("input")),
        "reference": reference or "",
        "collection": task.get("collection") or task.get("dataset") or "",
        "answerability": next(iter(_list(task.get("answerability"))), ""),
        "question_type": _list(task.get("question_type")),
        "conversation_id": task.get("conversation_id") or "",
    }


def _list(value: Any) -> list:
    return value if isinstance(value, list) else [value] if value else []


def _turns(given: Any) -> list[dict[str, str]]:
    """The turns up to the last one of the user; a plain text is one turn."""
    entries = [{"speaker": "user", "text": given}] if isinstance(given, str) else given or []
    turns = [
        {
            "speaker": str(one.get("speaker") or one.get("role") or ""),
            "text": str(one.get("text") or one.get("content") or ""),
        }
        for one in entries
        if isinstance(one, dict)
    ]
    while turns and not (turns[-1]["speaker"].lower() in PEOPLE and turns[-1]["text"].strip()):
        turns.pop()
    return turns


def _passages(entry: dict[str, Any], documents: dict[str, Any]) -> dict[str, list[str]]:
    """Texts and ids of the contexts that an entry names; the text stands there or among the documents."""
    given = _entries(entry, "contexts")
    ids = [str(one.get("document_id")) for one in given]
    texts = [one.get("text") or documents.get(name) or "" for one, name in zip(given, ids, strict=True)]
    return {"contexts": texts, "context_ids": ids} if texts else {}


def _number(given: Any, metric: dict[str, Any]) -> Any:
    """The category's number where the metric states one, else the value as it is written."""
    value = given.get("value") if isinstance(given, dict) else given
    numbers = {str(one.get("value")): one.get("numeric_value") for one in _entries(metric, "values")}
    number = numbers.get(str(value))
    return value if number is None else number


def _scale(metric: dict[str, Any], given: dict[str, Any]) -> str:
    """low-high from the metric's categories, its range, its least and greatest value, or what was given; ""
    where none of them is a number."""
    categories = [_number(one, metric) for one in _entries(metric, "values")]
    ends = [_number(metric.get(end), metric) for end in ("min_value", "max_value")]
    stated = _numbers([*categories, *(metric.get("range") or [])[:2], *ends])
    numbers = stated or _numbers(list(given.values()))
    return f"{min(numbers):g}-{max(numbers):g}" if numbers else ""


def _numbers(values: list[Any]) -> list[float]:
    found = []
    for value in values:
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            continue
    return found
