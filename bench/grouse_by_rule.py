"""How many of GroUSE's test types (table 6) does the offline scorer get right on tests that are made by rule,
hundreds of them?

Two sources, both our own words. `bank`: questions on the bundled documents whose evidence is two whole
sentences or more; the reference answer is those sentences, each cited, and the answers are its corruptions
(training/edits.py: synonyms, a changed number, name, word or negation), so that wording stays near the
passages. `topics` (grouse_topics.json): ten subjects with passages, a reference answer, paraphrases, a
version that leaves matter out, related information and distorted sentences, written by hand by somebody who
had not read the scorer.

python bench/grouse_by_rule.py [--out FOLDER]: prints six-criteria pass rates and the share of tests with all
six right by type; FOLDER gets the tests as bank.jsonl and topics.jsonl in GroUSE's own format. A rule now and
then makes a corruption that changes nothing: 1 is not within reach. Types 6 and 7 are 1 and 3 on the
    implausible topic.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from ragassay.documents import sentences
from ragassay.examination import examine, scorers, unit_test_suite

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
import edits

HERE = Path(__file__).resolve().parent

NONE = "No document seems to precisely answer your question."
OFF = (
    (
        "Gym notice. The rowing machines are serviced on the first Monday of the month.",
        "The gym's rowing machines are serviced every first Monday.",
    ),
    (
        "Choir corner: rehearsals take place on Thursdays at 18:00 in the atrium.",
        "The choir rehearses in the atrium on Thursdays at 18:00.",
    ),
    (
        "Lift 3 is out of order until the end of June. Deliveries use the goods lift.",
        "Lift 3 does not work until the end of June.",
    ),
    (
        "Recycling: glass goes into the green bin. Batteries are collected at reception.",
        "Batteries can be left at reception.",
    ),
    (
        "The bee hives on the roof produced 41 kilos of honey this year.",
        "This year's roof honey came to 41 kilos.",
    ),
)
GOOD = {"answer_relevancy": "==5", "completeness": "==5", "faithfulness": "==1", "usefulness": "==None"}
BARE = dict.fromkeys(GOOD, "==None")
ADDED = BARE | {"faithfulness": "==1", "usefulness": "==1"}
WANTED = {
    **dict.fromkeys((1, 4, 6), GOOD),
    **dict.fromkeys((2, 5), BARE),
    **dict.fromkeys((3, 7), ADDED),
    8: GOOD | {"answer_relevancy": "<5"},
    9: GOOD | {"answer_relevancy": "==1", "completeness": "==None"},
    10: GOOD | {"completeness": "<5"},
    11: BARE | {"completeness": "==1"},
    12: ADDED | {"completeness": "==1"},
    13: ADDED | {"usefulness": "==0"},
    **dict.fromkeys((14, 15, 16), GOOD | {"faithfulness": "==0"}),
}
HARD, FIRST = (8, 9, 10, 13, 14, 16), range(1, 8)


class Cited(NamedTuple):
    """A sentence and the passage it cites, "" for none."""

    text: str
    passage: str


class Subject(NamedTuple):
    """A question, its answer in other forms, and what surrounds it."""

    question: str
    truth: list[Cited]
    retold: list[Cited]
    short: list[list[Cited]]
    distorted: list[list[Cited]]
    related: list[Cited]
    known: list[Cited]
    other: list[Cited]
    implausible: bool = False


def main() -> int:
    """Print one block per source."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as temporary:
        folder = out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, subjects in (("bank", bank()), ("topics", topics())):
            rows = [row for place, subject in enumerate(subjects) for row in made(subject, place)]
            file = folder / f"{name}.jsonl"
            file.write_text(
                "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
            )
            report(name, unit_test_suite.read(file))
    return 0


def report(name: str, tests: Sequence[unit_test_suite.UnitTest]) -> None:
    """Print the figures of one source, for the scorer and for rules alone."""
    for scorer, call in (("offline", scorers.offline), ("rules alone", scorers.rules_alone)):
        found = examine.examine(tests, call, name=scorer)
        types = {int(kind): one.value for kind, one in found.by_type.items()}
        means = [
            sum(types[kind] for kind in kinds if kind in types) / sum(kind in types for kind in kinds)
            for kinds in (HARD, FIRST)
        ]
        print(
            f"{name}, {len(tests)} tests, {scorer}: pass rate {found.total.value:.3f}, types {HARD} "
            f"{means[0]:.3f}, types 1 to 7 {means[1]:.3f}"
        )
        print("   " + "  ".join(f"{criterion} {one.value:.3f}" for criterion, one in found.by_metric.items()))
        print("   " + "  ".join(f"{kind}: {value:.2f}" for kind, value in types.items()))


def made(subject: Subject, place: int) -> Iterator[dict[str, Any]]:
    """The tests of one subject, in GroUSE's format."""
    for kind, passages, expected, actual in (*answered(subject), *unanswered(subject, place)):
        numbers = {passage: number for number, passage in enumerate(passages, 1)}
        shown = {1: 6, 3: 7}.get(kind, kind) if subject.implausible else kind
        yield {
            "input": subject.question,
            "references": passages,
            "expected_output": said(expected, numbers),
            "actual_output": said(actual, numbers),
            "conditions": {f"{criterion}_condition": sign for criterion, sign in WANTED[shown].items()},
            "metadata": {"test_type": shown, "question_id": place},
        }


def said(told: Sequence[Cited], numbers: dict[str, int]) -> str:
    """The sentences with the numbers of their passages."""
    return " ".join(
        f"{one.text.rstrip('.')} [{numbers[one.passage]}]." if one.passage else one.text for one in told
    )


def dense(told: Sequence[Cited], numbers: dict[str, int]) -> list[Cited]:
    """The sentences as one, with all their citations."""
    return [Cited("; ".join(said([one], numbers).removesuffix(".") for one in told) + ".", "")]


def answered(subject: Subject) -> Iterator[tuple]:
    """Types 1, 4, 8, 10 to 12 and 14 to 16: the passages that answer stand among others."""
    truth, retold, other = subject.truth, subject.retold, subject.other
    passages = list(dict.fromkeys(one.passage for one in (other[0], *subject.related, *truth, other[1])))
    yield 1, passages, truth, retold
    yield 4, passages, truth, dense(retold, {passage: number for number, passage in enumerate(passages, 1)})
    yield 8, passages, truth, [*retold, *other[:2]]
    yield 8, passages, truth, [*truth, other[1]]
    yield from ((10, passages, truth, short) for short in subject.short)
    yield 11, passages, truth, [Cited(NONE, "")]
    yield 12, passages, truth, [Cited(NONE, ""), *subject.related]
    yield 14, passages, truth, [*truth[:-1], truth[-1]._replace(passage=subject.related[0].passage)]
    yield 14, passages, truth, [retold[0]._replace(passage=other[0].passage), *retold[1:]]
    exchanged = {truth[0].passage: truth[-1].passage, truth[-1].passage: truth[0].passage}
    if len(exchanged) == 2:
        yield 14, passages, truth, [*truth[:-1], truth[-1]._replace(passage=exchanged[truth[-1].passage])]
    yield 15, passages, truth, [truth[0]._replace(passage=""), *truth[1:]]
    yield 15, passages, truth, [*retold[:-1], retold[-1]._replace(passage="")]
    yield from ((16, passages, truth, distorted) for distorted in subject.distorted)


def unanswered(subject: Subject, place: int) -> Iterator[tuple]:
    """Types 2, 3, 5, 9 and 13: related passages only, or none that has to do with the question."""
    refused, off = (
        Cited(NONE, ""),
        [Cited(text, passage) for passage, text in (OFF[(place + step) % len(OFF)] for step in range(3))],
    )
    near = list(dict.fromkeys(one.passage for one in (*subject.related, *subject.other)))
    yield 2, near, [refused, *subject.known], [refused]
    yield 3, near, [refused, *subject.known], [refused, *subject.related]
    for passages, strays in (
        ([one.passage for one in off], off),
        ([one.passage for one in (*subject.other, off[0])], subject.other[:2]),
    ):
        yield 5, passages, [refused], [refused]
        yield 9, passages, [refused], strays
        yield 13, passages, [refused], [refused, *strays]


def topics() -> list[Subject]:
    """The subjects written by hand; what is foreign to one is taken from two others."""
    every = json.loads((HERE / "grouse_topics.json").read_text(encoding="utf-8"))
    return [
        _topic(topic, [every[(place + step) % len(every)] for step in (1, 4)], place == 5)
        for place, topic in enumerate(every)
    ]


def _topic(topic: dict, others: Sequence[dict], implausible: bool) -> Subject:
    cited = {
        name: [Cited(text, topic["A"][number - 1]) for text, number in topic[name]]
        for name in ("gt", "para", "short")
    }
    related, known = (
        [Cited(text, topic["B"][number - 1]) for text, number in topic[name]] for name in ("rel", "gtrel")
    )
    wrong = [
        [*cited["gt"][:at], Cited(text, cited["gt"][at].passage), *cited["gt"][at + 1 :]]
        for at, text in topic["wrong"]
    ]
    retold = [Cited(text, topic["A"][number - 1]) for text, number in topic.get("wrong_para", [])]
    swapped = [[new if new.passage == one.passage else one for one in cited["para"]] for new in retold]
    other = [Cited(one["gt"][0][0], one["A"][0]) for one in others]
    short = [cited["short"], cited["gt"][:-1]]
    return Subject(
        topic["q"], cited["gt"], cited["para"], short, [*wrong, *swapped], related, known, other, implausible
    )


def bank() -> list[Subject]:
    """The subjects of the bundled documents."""
    folder = files("ragassay.example")
    paragraphs = {
        Path(str(one)).stem: _paragraphs(one.read_text(encoding="utf-8"))
        for one in folder.joinpath("documents").iterdir()
    }
    rows = [
        json.loads(line)
        for one in sorted(folder.joinpath("questions").iterdir(), key=str)
        for line in one.read_text("utf-8").splitlines()
    ]
    found = [
        (row, _evidence(row, paragraphs)) for row in rows if row["answerable"] and row["language"] == "en"
    ]
    subjects = (
        _subject(row, truth, paragraphs, random.Random(place))
        for place, (row, truth) in enumerate(found)
        if len(truth) >= 2
    )
    return [subject for subject in subjects if subject]


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of prose: two sentences or more, no table and no heading."""
    found = [
        " ".join(one.split())
        for one in text.split("\n\n")
        if not one.lstrip().startswith(("#", "|", "-", "1.", "<", ">"))
    ]
    return [one for one in found if len(sentences(one)) >= 2]


def _evidence(row: dict, paragraphs: dict[str, list[str]]) -> list[Cited]:
    """The whole sentences that a question's evidence quotes, each with its paragraph."""
    found = [
        (quote, passage)
        for one in row["evidence"]
        if len(quote := one["quote"]) > 40 and quote.endswith(".")
        for passage in paragraphs[one["doc_id"]]
        if quote in passage
    ]
    return [Cited(*one) for one in dict.fromkeys(found)]


def _subject(
    row: dict, truth: list[Cited], paragraphs: dict[str, list[str]], draw: random.Random
) -> Subject | None:
    """One question with its corruptions, or None if its document has too little else."""
    own = row["evidence"][0]["doc_id"]
    beside = [one for one in paragraphs[own] if one not in {passage for _, passage in truth}]
    if len(beside) < 2:
        return None
    far = draw.sample([doc for doc in sorted(paragraphs) if len(paragraphs[doc]) > 1 and doc != own], 2)
    other = [
        Cited(sentences(passage)[1], passage) for passage in (draw.choice(paragraphs[doc]) for doc in far)
    ]
    related = [Cited(sentences(passage)[0], passage) for passage in draw.sample(beside, 2)]
    retold = [one._replace(text=edits.synonyms(one.text, draw, 3) or one.text) for one in truth]
    known = [Cited(sentences(related[0].passage)[1], related[0].passage)]
    return Subject(
        row["question"],
        truth,
        retold,
        [truth[:-1], retold[1:]],
        list(_distorted(truth, retold, draw)),
        related,
        known,
        other,
    )


def _distorted(truth: list[Cited], retold: list[Cited], draw: random.Random) -> Iterator[list[Cited]]:
    """One sentence changed by each rule that can, in the reference answer itself or in other words."""
    names = sorted({name for one in truth for name in edits.NAME.findall(one.passage)})
    for change in (
        edits.swap_word,
        edits.change_number,
        edits.negate,
        lambda text, by: edits.swap_name(text, by, names),
    ):
        base = draw.choice((truth, retold))
        at = draw.randrange(len(base))
        new = change(base[at].text, draw)
        if new and new != base[at].text:
            yield [*base[:at], base[at]._replace(text=new), *base[at + 1 :]]


if __name__ == "__main__":
    sys.exit(main())
