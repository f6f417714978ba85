"""The system under test of an engagement: loaded in a process of its own and asked, or its log replayed; and
which versions of it answered, by what each reply said, or as stated.

It is a Python function, or a factory that makes one, named as "module:name" or "path/to/file.py:name", or an
endpoint or a command line that a YAML describes.
"""

import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ragassay import documents, provenance, search_paths, tables
from ragassay.answers.asking import (
    COLUMNS,
    FLOATS,
    NOT_APPLICABLE,
    REUSED,
    UNASKED,
    ask_all,
    sha256_of,
    why_not_logged,
)
from ragassay.answers.log_import import COLUMNS_KEY, KEY, UNLOGGED, load_log, passages
from ragassay.assistant.ask_described import folder_of, hosts
from ragassay.assistant.description import UNSTATED, Description, is_described, read_description
from ragassay.assistant.process import AssistantProcess
from ragassay.assistant.reply_validation import CITATIONS, VERSION, row_without_answer, version_text
from ragassay.assistant.worker import FORM, Order
from ragassay.defaults import ANSWER_TIMEOUT_S, MAX_TOKENS
from ragassay.errors import InputError, SystemUnderTestError
from ragassay.http_requests import host_and_port
from ragassay.models import cache, encode

ALLOW = "RAGASSAY_ALLOW"  # set by a run: what its sealed kernels may reach, with commas
_KEPT: dict[str, list[AssistantProcess]] = {}  # those loaded last, by notebook and order
NOT_READ = "not read"
VERSIONS = "versions"  # in the trace
SHORTEST = 20  # letters and digits by which a passage is known
OURS = 0.9  # of the passages with ids of another kind, where they are known by their texts


class Described(NamedTuple):
    """A description, its text, and the hash of that and of the files that its command line names."""

    description: Description
    text: str
    sha256: str


def order_of(engagement: Mapping[str, Any]) -> Order:
    """What the process of the engagement's assistant is told. `assistant` is "module:name",
    "path/to/file.py:name", or a description: a .yml file, or its text, which begins with a brace. It may
    reach what the run permits that this process belongs to; outside of one the network stays open.

    SystemUnderTestError if it cannot be found. ParameterError if a description is flawed.
    """
    spec = engagement["assistant"]
    folder = provenance.source(engagement["documents"]) if engagement["documents"] else None
    allow = tuple(filter(None, os.environ.get(ALLOW, "").split(",")))
    reachable, text, digest, file, whole = allow if ALLOW in os.environ else None, "", "", "", spec
    place, _, name = spec.rpartition(":")
    if is_described(spec):
        description, text, digest = read_described(spec)
        if description.url and reachable is not None:  # its host, or the proxy before it, and nothing else
            reachable = hosts(description)
    elif not (place and name):
        raise SystemUnderTestError(
            "the assistant is not named as it should be", found=repr(spec), expected=f"{FORM}, or a .yml file"
        )
    elif not place.endswith(".py"):
        place = f"{provenance.MODULE}{place}"
        source = provenance.located(place)
    else:
        source = search_paths.find(place)
        file = str(source.absolute())
        if not source.is_file():
            raise SystemUnderTestError(
                "the assistant's file does not exist", where=spec, found=f"nothing at {source}"
            )
    if not text and source:  # the file that will be run; a module's may not be known
        provenance.reads_code(place, source)
        digest, whole = provenance.sha256_of(source), str(source.resolve())
    facts = {
        **{n: str(engagement.get(n) or "") for n in ("system", "model_name", "model_id", "model_version")},
        "assistant": spec,
        "source_sha256": digest,
        "documents_sha256": provenance.sha256_of(folder) if folder else "",
        "allow": endpoints(spec, allow),
    }
    return Order(
        spec,
        file,
        str(folder.absolute()) if folder else "",
        tuple(map(str, search_paths.folders())),
        tuple(str(Path(entry).absolute()) for entry in sys.path if entry),
        reachable,
        text,
        facts,
        str(cache.location().parent / "assistant" / sha256_of(whole)[:16]),
        str(cache.location()),
    )


def endpoints(spec: str, allow: Sequence[str]) -> list[str]:
    """Whom an assistant asks, as far as its answers depend on it: the endpoint that is described, else what
    the run allows."""
    url = read_described(spec).description.url if is_described(spec) else ""
    return [host_and_port(url)] if url else sorted(allow)


def read_described(spec: str) -> Described:
    """The description that `spec` names, a .yml file or its text; files are noted as read.

    SystemUnderTestError if there is no such file, or it is no text. ParameterError if the description is
    flawed.
    """
    path, text = None, spec
    if not spec.lstrip().startswith("{"):
        path = search_paths.find(spec)
        if not path.is_file():
            raise SystemUnderTestError(
                "the assistant's description does not exist", where=spec, found=f"nothing at {path}"
            )
        try:
            text = search_paths.regular(path).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise SystemUnderTestError("the file cannot be read", where=spec, found=problem) from None
    description = read_description(text, spec if path else "00_scope.assistant")
    folder = folder_of(description.command, search_paths.folders())
    # the words of a command line that are files
    code = [(word, folder / word) for word in description.command if (folder / word).is_file()]
    for name, place in [*([(spec, path)] if path else []), *code]:
        provenance.reads_code(name, place)
    return Described(
        description, text, sha256_of("\n".join([text, *(provenance.sha256_of(file) for _, file in code)]))
    )


def read_collection(engagement: Mapping, *, max_tokens: int = MAX_TOKENS) -> documents.Collection:
    """The engagement's documents, cut into passages; those of its log, each a document of its own, where it
    names no documents. InputError if nothing can be read.

    Example: `read_collection({"documents": "documents/"}).chunks.text.head()`
    """
    if engagement["documents"]:
        return documents.read_collection(engagement["documents"], max_tokens=max_tokens)
    found, left_out = passages(engagement["answers_log"], mapping=engagement["map"])
    return documents.Collection(found, documents.as_passages(found), left_out)


def input_remarks(engagement: Mapping, files: pd.DataFrame) -> pd.DataFrame:
    """Files left out, columns of the log of answers with what they are read as, and values of it that could
    not be read, the first of them: item, read_as, remark.

    files : of the collection: path, reason

    Example: `input_remarks(run.engagement, collection.left_out)`
    """
    rows = [(row["path"], NOT_READ, row["reason"]) for row in files.to_dict("records")]
    rows += engagement.get(COLUMNS_KEY, [])
    rows += [
        (f"{row}, {column}: {found}", NOT_READ, expected)
        for row, column, found, expected, _ in engagement.get(KEY, {}).get("first", [])
    ]
    return pd.DataFrame(rows, columns=["item", "read_as", "remark"])


def logged_cases(engagement: Mapping) -> pd.DataFrame | None:
    """The cases of the engagement's log of answers; None if the assistant is to be asked.

    Example: `logged_cases(run.engagement)`
    """
    return _validated_system(engagement)[0] if engagement["answers_log"] else None


def collect_answers(
    engagement: Mapping, cases: pd.DataFrame, *, run_dir: str | Path, journal: str = "answers"
) -> pd.DataFrame:
    """The answers table for these cases, in their order: from the log if the engagement names one, else by
    asking the assistant, in a process of its own, which is kept for what this notebook asks next.

    A case that the log does not hold (a variant of a question, say) gets a row whose `error` says that it
    could not be asked. Passages get the ids of the run's `chunks` (`name_passages`).
    SystemUnderTestError if the assistant cannot be loaded.

    Example: `collect_answers(run.engagement, run.cases(), run_dir=run.dir).error.value_counts()`
    """
    if engagement["answers_log"]:
        found = _logged(_validated_system(engagement)[1], cases, engagement["system"], why_not_logged)
        record_versions(journal, found, f"stated by the log, column {VERSION}")
    else:
        found = _ask(engagement, cases, run_dir, journal)
    references = set(cases.get("reference_chunk_ids", pd.Series(dtype=object)).explode().dropna())
    has_chunks = tables.exists(run_dir, "chunks")
    return name_passages(found, tables.read(run_dir, "chunks"), references) if has_chunks else found


def name_passages(
    answers: pd.DataFrame, chunks: pd.DataFrame, references: Collection[str] = ()
) -> pd.DataFrame:
    """The answers of one system with the ids of our passages, where its own have none, or others, which stay
    in `given_ids`, for the answers cite them. How many were known by their text is noted in the trace.

    A passage is ours if the letters and digits of one stand in the other, and are SHORTEST at least, or the
    same. One that is not ours gets its document's id, or keeps its own, or gets one of its text. All stays as
    it is where an id is ours or one of `references`, which hold the answers; where ids name no document of
    ours and less than OURS of the passages are ours; and where passages without ids are cited by some.
    """
    known, own = set(chunks["chunk_id"]), set(chunks["doc_id"])
    named, said = set(answers["context_ids"].explode().dropna()), " ".join(answers["answer"].dropna())
    cited = {*re.findall(r"[^\s\[\],;#]+#p\d+", said)}
    cited |= {*answers.get(CITATIONS, pd.Series(dtype=object)).explode().dropna()}
    is_foreign = any(documents.document_of(name, own) not in own for name in named)
    unknown = {one for one in cited - known if not one.isdecimal()}
    if named & known.union(references) or (unknown and not named):
        return answers
    passages = answers["contexts"].explode().dropna()
    ours = {_letters(text): name for name, text in zip(chunks["chunk_id"], chunks["text"], strict=True)}
    found = {text: ours.get(_same_text(_letters(text), ours)) for text in passages.unique()}
    ids = []
    for texts, given in zip(answers["contexts"], answers["context_ids"], strict=True):
        of_texts = [] if tables.is_missing(texts) else [found[text] for text in texts]
        if not tables.is_missing(given) and (any(of_texts) or len(given)):
            others = [documents.document_of(name, own) for name in given]
            others = others or [f"passage-{sha256_of(text)[:8]}" for text in texts]
            given = [one or other for one, other in zip_longest(of_texts, others)]
        ids.append(given)
    n_found = int(passages.map(found).notna().sum())
    if is_foreign and n_found < OURS * len(passages):
        return answers
    provenance.append({"event": "references", "named": len(passages), "found": n_found, "of": "answers"})
    return answers.assign(context_ids=ids, given_ids=answers["context_ids"])


def _same_text(letters: str, ours: Collection[str]) -> str:
    """The passage of ours that is this one, holds it, or is the longest that stands in it; "" if none is."""
    if letters in ours or len(letters) < SHORTEST:
        return letters
    around = (one for one in ours if letters in one)
    inside = (one for one in ours if len(one) >= SHORTEST and one in letters)
    return next(around, "") or max(inside, key=len, default="")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def challengers(engagement: Mapping, cases: pd.DataFrame, named: Sequence[str] = ()) -> pd.DataFrame:
    """The answers of the other systems of the engagement's log to these cases; no row where there is none.

    named : the systems wanted, InputError if the log does not hold one; none named takes every one. A case
        that one of them did not answer gets a row whose `error` says so

    Example: `challengers(run.engagement, run.cases()).groupby("system").answer.count()`
    """
    log, none = engagement["answers_log"], pd.DataFrame(columns=COLUMNS)
    logged = load_log(log, mapping=engagement.get("map"))[1] if log else none
    systems = sorted(logged.system.unique())
    others = [name for name in systems if name != engagement["system"]] if len(systems) > 1 else []
    if unknown := [name for name in named if name not in others]:
        raise InputError(
            "the log holds no such challenger",
            where=engagement["answers_log"] or "no log",
            found=unknown[0],
            expected=", ".join(others) or "none",
            do="correct 02_functionality.challengers",
        )
    parts = [
        _logged(logged[logged.system == name], cases, name, lambda _: UNLOGGED) for name in named or others
    ]
    return pd.concat(parts, ignore_index=True) if parts else tables.check("answers", logged[:0])


def _validated_system(engagement: Mapping) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cases and answers of the one system validated, which a log of several systems must hold."""
    cases, answers = load_log(engagement["answers_log"], mapping=engagement.get("map"))
    systems = sorted(answers.system.unique())
    if len(systems) == 1:
        return cases, answers.assign(system=engagement["system"])
    if engagement["system"] not in systems:
        raise InputError(
            f"the log holds several systems, and none of them is {engagement['system']!r}",
            where=engagement["answers_log"],
            found=", ".join(systems),
            do="set 00_scope.system to one of them",
        )
    own = answers[answers.system == engagement["system"]]
    return cases[cases.case_id.isin(own.case_id)], own


def _logged(
    logged: pd.DataFrame, cases: pd.DataFrame, system: str, why_not: Callable[[dict], str]
) -> pd.DataFrame:
    """The logged answers to these cases; a case without one gets a row with the reason."""
    found = logged[logged.case_id.isin(cases.case_id)]
    rows = [
        {"case_id": row["case_id"], "system": system, "repeat": 0, "question": row["question"]}
        | row_without_answer(why_not(row))
        for row in cases[~cases.case_id.isin(found.case_id)].to_dict("records")
    ]
    table = pd.concat([found, pd.DataFrame(rows, columns=COLUMNS).astype(FLOATS)]) if rows else found
    return tables.check("answers", table.reset_index(drop=True))


def _ask(engagement: Mapping, cases: pd.DataFrame, run_dir: str | Path, journal: str) -> pd.DataFrame:
    """The assistant's answers; who was asked, what failed and which versions answered go into the trace.

    It is asked in as many processes as the run asks questions at a time. Those that were loaded last go on
    where it is the same assistant by its version, source, documents and endpoints, and for the same notebook:
    loading takes seconds.
    """
    spec = engagement["assistant"]
    encode([one for one in cases["question"].astype(str) if one.strip()])  # at once, not one by one
    order = order_of(engagement)
    key = f"{os.environ.get(provenance.TRACE)} {order}"
    if key not in _KEPT:
        _KEPT.clear()  # which ends their processes
        n = int(os.environ.get("RAGASSAY_CONCURRENCY") or 1)
        _KEPT[key] = [AssistantProcess(order) for _ in range(n)]
    systems = _KEPT[key]
    for system in systems:  # by this thread: on Linux a process dies with the one that started it
        system.start()
    provenance.append({"event": "confined", "policy": systems[0].policy})
    answers = ask_all(
        cases,
        systems,
        name=engagement["system"],
        run_dir=run_dir,
        timeout_s=engagement.get("answer_timeout_s", ANSWER_TIMEOUT_S),
        journal=journal,
        per_minute=float(os.environ.get("RAGASSAY_PER_MINUTE") or 0),
    )
    errors = answers["error"].fillna("")
    failed = (errors != "") & (errors != UNASKED) & ~errors.str.startswith(NOT_APPLICABLE)
    provenance.append(
        {
            "event": "system",
            "assistant": spec,
            "allow": systems[0].facts["allow"],
            "failed": int(failed.sum()),
            "why": errors[failed].value_counts(sort=False).nlargest(3).to_dict(),
            "reused": answers.attrs[REUSED],
        }
    )
    source = read_described(spec).description.version if is_described(spec) else UNSTATED
    place = source.header or source.reply
    if place and VERSION not in answers:
        answers[VERSION] = None
    by = "stated in the description" if source.stated else f"said by each reply: {place or VERSION}"
    record_versions(journal, answers, by, source.stated)
    return answers


def versions_of(answers: pd.DataFrame, stated: str = "") -> list[dict[str, Any]]:
    """The answers by version, in the order in which they first come: version (None where the replies named
    none), n, and the case of the first and of the last; none of a table without the column.

    stated : the version of all of them; "" where each reply says its own
    """
    answered = answers[answers["error"].fillna("") == ""]
    if stated:
        answered = answered.assign(**{VERSION: version_text(stated)})
    if VERSION not in answered:
        return []
    by_version = answered.groupby(VERSION, sort=False, dropna=False)["case_id"]
    parts = by_version.agg(n="size", first="first", last="last").reset_index(names="version").astype(object)
    return parts.where(parts.notna(), None).to_dict("records")


def record_versions(journal: str, answers: pd.DataFrame, by: str, stated: str = "") -> None:
    """Into the trace: which versions gave these answers, and by whose word; nothing where there is no
    answer."""
    if parts := versions_of(answers, stated):
        provenance.append({"event": VERSIONS, "journal": journal, "by": by, "parts": parts})
