"""A small log of two systems that two people judged, made up, in both formats: three questions in two conversations."""

import gzip
import json
from pathlib import Path

OPENING = "c1000000aaaa"
TASKS = [
    {
        "id": f"{OPENING}<::>1", "turns": [("user", "What does the card cost?")], "ids": ["fees-0-40"], "answerability": "ANSWERABLE",
        "types": ["Factoid"], "reference": "It costs six dollars a month.", "collection": "mt-rag-govt-elser-512",
    },
    {
        "id": f"{OPENING}<::>3", "turns": [("user", "What does the card cost?"), ("agent", "Six dollars."), ("user", "And abroad?")],
        "ids": ["fees-0-40", "abroad-0-50"], "answerability": "PARTIAL", "types": ["Comparative", "Factoid"], "reference": "Three per cent more.",
        "collection": "mt-rag-govt-elser-512",
    },
    {
        "id": "c2000000bbbb<::>1", "turns": [("user", "Who founded the bank?")], "ids": [], "answerability": "UNANSWERABLE",
        "types": ["How-To"], "reference": "I do not know.", "collection": "harbour",
    },
]  # fmt: skip
PASSAGES = {
    "fees-0-40": "The card costs six dollars a month.",
    "abroad-0-50": "Abroad, three per cent are added to each payment.",
}
ANSWERS = {
    "alpha": ["It costs six dollars a month.", "Three per cent more, it says.", "I do not know."],
    "beta": ["It costs nine dollars.", "Nothing more.", "It was founded by Ann Quay."],
}
GIVEN = {  # system -> faithfulness of each task by raters r1 and r2
    "alpha": [(4, 4), (4, 3), (4, 4)],
    "beta": [(1, 2), (2, 2), (1, 1)],
}


def records() -> list[dict]:
    """The log as MTRAG's lines."""
    return [
        _record(task, system, answers[i], GIVEN[system][i])
        for system, answers in ANSWERS.items()
        for i, task in enumerate(TASKS)
    ]


def as_lines(path: Path, rows: list[dict] | None = None) -> Path:
    """The log as JSON Lines, compressed where the name ends in .gz."""
    text = "".join(json.dumps(row) + "\n" for row in (records() if rows is None else rows)).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def experiment(version: int = 1, rows: list[dict] | None = None) -> dict:
    """The same log as InspectorRAGet's file, in its first version (snake_case) or its second (camelCase, results and scores)."""
    rows = records() if rows is None else rows
    second = version == 2
    name = _camel if second else str
    dimensions = dict.fromkeys(
        dimension for row in rows for dimension in row["human"] if dimension != "win-rate"
    )
    return {
        "name": "made up",
        "models": [
            {name("model_id"): f"m-{system}", "name": system}
            for system in dict.fromkeys(row["system"] for row in rows)
        ],
        "metrics": [
            *(
                {
                    "name": one,
                    "author": "human",
                    "type": "categorical",
                    "values": [_category(i, name) for i in range(1, 5)],
                }
                for one in dimensions
            ),
            {"name": "rouge", "author": "algorithm", "type": "numerical", "range": [0, 1, 0.1]},
            {"name": "comment", "author": "human", "type": "text"},
        ],
        "documents": [
            {name("document_id"): key, "text": text}
            for key, text in {
                key: text
                for row in rows
                for key, text in zip(row["context_ids"], row["contexts"], strict=True)
            }.items()
        ],
        "tasks": [_task(row, name) for row in {row["id"].split("|")[0]: row for row in rows}.values()],
        ("results" if second else "evaluations"): [_evaluation(row, second) for row in rows],
    }


def as_json(path: Path, found: dict | None = None) -> Path:
    """InspectorRAGet's file."""
    path.write_text(json.dumps(experiment() if found is None else found), encoding="utf-8")
    return path


def _record(task: dict, system: str, answer: str, given: tuple[int, int]) -> dict:
    return {
        "id": f"{task['id']}|{system}",
        "collection": task["collection"],
        "turns": [{"speaker": speaker, "text": text} for speaker, text in task["turns"]],
        "query": task["turns"][-1][1],
        "context_ids": task["ids"],
        "contexts": [PASSAGES[key] for key in task["ids"]],
        "answer": answer,
        "reference": task["reference"],
        "system": system,
        "answerability": task["answerability"],
        "question_type": task["types"],
        "human": {
            "faithfulness": {"r1": str(given[0]), "r2": str(given[1])},
            "win-rate": {"r1": 50.0, "r2": 100.0},
        },
    }


def _task(row: dict, name) -> dict:
    task_id = row["id"].split("|")[0]
    return {
        name("task_id"): task_id,
        name("task_type"): "rag",
        name("conversation_id"): task_id.split("<::>")[0],
        "input": row["turns"],
        "contexts": [{name("document_id"): key} for key in row["context_ids"]],
        "targets": [{"text": row["reference"]}],
        "Collection": row["collection"],
        "Answerability": [row["answerability"]],
        "Question Type": row["question_type"],
    }


def _evaluation(row: dict, second: bool) -> dict:
    name = _camel if second else str
    marks = {
        dimension: {rater: {"value": f"level {value}"} for rater, value in given.items()}
        for dimension, given in row["human"].items()
        if dimension != "win-rate"
    }
    marks |= {"rouge": {"machine": {"value": 0.5}}, "comment": {"r1": {"value": "well put"}}}
    said = (
        {"output": {"type": "text", "value": row["answer"]}} if second else {"model_response": row["answer"]}
    )
    task_id, model = row["id"].split("|")[0], f"m-{row['system']}"
    return {
        name("task_id"): task_id,
        name("model_id"): model,
        **said,
        ("scores" if second else "annotations"): marks,
    }


def _category(level: int, name) -> dict:
    return {"value": f"level {level}", name("numeric_value"): level}


def _camel(words: str) -> str:
    first, *rest = words.split("_")
    return first + "".join(word.title() for word in rest)
