"""Questions on the documents' own subjects that they do not answer: about a thing that does not exist, of a
kind that they have; only where no passage speaks of the whole kind in the question's words. That is a proof
for the words looked for, not for every way of saying a thing.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import dropwhile

import numpy as np
import pandas as pd

from ragassay.cases import case_table
from ragassay.cases.question_filter import SAID, Index, content_words
from ragassay.cases.rule_questions import word_forms

NAME = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]* ){1,3}[A-Z][\w’'-]*")
NO_THING = re.compile(
    rf"\b(?:Day|Eve|Street|Road|Avenue|Square|{word_forms.MONTH}|{word_forms.one_of('kinds')}"
    rf"|{word_forms.one_of('roles')})\b",
    re.IGNORECASE,
)


def names_in(texts: Sequence[str]) -> list[str]:
    """Names that two passages or more hold, without articles; no plural, and none that is the beginning of
    another."""
    small = word_forms.NOT_SUBJECTS | word_forms.DETERMINERS
    found = Counter[str]()
    for text in texts:
        runs = {
            " ".join(dropwhile(lambda word: word.lower() in small, run.split())) for run in NAME.findall(text)
        }
        found.update(name for name in runs if " " in name and not name.endswith("s"))
    several = sorted(name for name, count in found.items() if count > 1)
    return [name for name in several if not any(one.startswith(f"{name} ") for one in several)]


def kinds_of(names: Sequence[str]) -> dict[str, str]:
    """Each name's kind: the longest run of last words that it shares with another (`Credit Card`); a name
    that shares none has none."""
    ends = defaultdict[str, set[str]](set)
    for name in names:
        parts = name.split()
        for i in range(1, len(parts)):
            ends[" ".join(parts[i:])].add(name)
    shared = {end for end, having in ends.items() if len(having) > 1 and not NO_THING.search(end)}
    tails = {name: [" ".join(name.split()[i:]) for i in range(1, len(name.split()))] for name in names}
    return {name: next(end for end in own if end in shared) for name, own in tails.items() if shared & {*own}}


def invented_things(
    asked: Sequence[dict], chunks: pd.DataFrame, index: Index, rng: np.random.Generator
) -> Iterator[tuple[dict, str]]:
    """Questions that name one thing, put about one of its kind that does not exist: the row and the new
    question. `asked` : rows with `question`."""
    names = names_in(chunks["text"].tolist())
    kinds, known = kinds_of(names), {word for text in chunks["text"] for word in content_words(text)}
    listed = (case_table.DATA / "invented_names.txt").read_text(encoding="utf-8").split()
    unknown = [name for name in listed if not known & set(content_words(name))]
    whole = (chunks["text"] + " " + chunks.get("title", "") + " " + chunks.get("heading", "")).tolist()
    for row in asked if unknown else ():
        said = re.sub("“[^”]*”", "", row["question"])  # the name of a document is none
        found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)]
        found = [name for name in found if not any(name != other and name in other for other in found)]
        if len(found) != 1 or found[0] not in kinds:
            continue
        name, kind = found[0], kinds[found[0]]
        bare, alike = row["question"].replace(name, ""), [one for one, its in kinds.items() if its == kind]
        near = [whole[i] for i in index.top(bare)]  # a rule for all of the kind?
        if not any(index.share(bare, text) > SAID and not any(one in text for one in alike) for text in near):
            other = f"{unknown[int(rng.integers(len(unknown)))]} {kind}"
            right, wrong = ("an", "a") if other[0] in "AEIOU" else ("a", "an")
            question = row["question"].replace(name, other)
            yield row, question.replace(f" {wrong} {other}", f" {right} {other}")
