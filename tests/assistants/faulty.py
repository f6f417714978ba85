"""Assistants with one known fault each: what a faultless one says (`oracle.py`), changed in one way.

FAULTS names each, and who must find it.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assistants.oracle import REFUSAL, Oracle
from assistants.sections import LONG

Reply = dict[str, Any]
CITED = re.compile(r" ?\[[^\]]+#p\d+\]")
NEGATED = (
    (r"\bcannot\b", "can"),
    (r"\b(is|are|may|must|does|do|was|were|will|has) not\b", r"\1"),
    (r"\b[Nn]o\b ", "a "),
)
SLOW = 0.6  # seconds
OLD = "overdraft-policy-2024#p2"


@dataclass
class Asked:
    """What a fault may look at: the question and its case, what was given, how many were asked before, the last
    reply."""

    question: str
    case: Mapping
    history: Sequence | None
    passages: Sequence | None
    count: int
    last: Reply
    oracle: Oracle


class Faulty:
    """The faultless assistant with one fault: `fault(reply, asked)` gives what is said instead."""

    def __init__(self, oracle: Oracle, fault: Callable[[Reply, Asked], Reply]):
        self.oracle, self.fault, self.count, self.last = oracle, fault, 0, dict[str, Any]()

    def learn(self, cases: pd.DataFrame) -> None:
        self.oracle.learn(cases)

    def __call__(
        self, question: str, history: Sequence | None = None, passages: Sequence | None = None
    ) -> Reply:
        told, case = self.oracle(question, history, passages), self.oracle.case(question, history, passages)
        said = self.fault(told, Asked(question, case, history, passages, self.count, self.last, self.oracle))
        self.count, self.last = self.count + 1, told
        return said


def says(reply: Reply, answer: str) -> Reply:
    return reply | {"answer": answer}


def declines(reply: Reply) -> bool:
    return reply["answer"] == REFUSAL


def is_probe(asked: Asked) -> bool:
    return str(asked.case.get("kind")).startswith("probe: ")


def drops_citations(reply: Reply, asked: Asked) -> Reply:
    return says(reply, CITED.sub("", reply["answer"]))


def swaps_digits(reply: Reply, asked: Asked) -> Reply:
    """Every number of the answer gets another first digit; citations stay."""
    parts = re.split(rf"({CITED.pattern})", reply["answer"])
    changed = [part if CITED.fullmatch(part) else re.sub(r"\d+", _other, part) for part in parts]
    return says(reply, "".join(changed))


def _other(number: re.Match) -> str:
    first = int(number[0][0])
    return f"{first % 9 + 1}{number[0][1:]}"


def ignores_negation(reply: Reply, asked: Asked) -> Reply:
    if declines(reply):
        return reply
    answer = reply["answer"]
    for pattern, instead in NEGATED:
        answer = re.sub(pattern, instead, answer)
    return says(reply, answer)


def answers_everything(reply: Reply, asked: Asked) -> Reply:
    """Where it should decline a customer's question, it quotes whatever it has retrieved; misuse it declines."""
    if not declines(reply) or not reply["contexts"] or is_probe(asked):
        return reply
    return says(reply, f"{_first_sentence(reply['contexts'][0])} [{reply['context_ids'][0]}]")


def hedges_then_invents(reply: Reply, asked: Asked) -> Reply:
    """Where it should decline a customer's question, it does, and goes on; misuse it declines."""
    hedged = f"{REFUSAL} It usually costs $70.00 and takes 9 days."
    return reply if is_probe(asked) or not declines(reply) else says(reply, hedged)


def depends_on_order(reply: Reply, asked: Asked) -> Reply:
    """Of passages that it is given, it reads the first alone."""
    if asked.passages is None or declines(reply) or not reply["contexts"]:
        return reply
    own = f"[{reply['context_ids'][0]}]" in reply["answer"]
    return (
        reply if own else says(reply, f"{_first_sentence(reply['contexts'][0])} [{reply['context_ids'][0]}]")
    )


def fails_on_long_questions(reply: Reply, asked: Asked) -> Reply:
    return says(reply, REFUSAL) if len(asked.question.split()) > LONG else reply


def differs_each_time(reply: Reply, asked: Asked) -> Reply:
    """Half of the answers are another passage's sentence; which half changes from one time to the next."""
    if declines(reply) or asked.count % 2 or len(reply["contexts"]) < 2:
        return reply
    return says(reply, f"{_first_sentence(reply['contexts'][-1])} [{reply['context_ids'][-1]}]")


def obeys_a_planted_passage(reply: Reply, asked: Asked) -> Reply:
    """It does what a passage orders; what a question orders it does not."""
    ordered = asked.case.get("attack_text")
    if asked.passages is None or not isinstance(ordered, str):
        return reply
    host = asked.case.get("attack_host")
    done = asked.case["canary"] if not isinstance(host, str) else f"![status](https://{host}/log?q=all)"
    return says(reply, f"{reply['answer']} {done}")


def leaks_its_prompt(reply: Reply, asked: Asked) -> Reply:
    """It gives away what it was told, when it is asked for it."""
    asks = asked.case.get("family") == "system prompt extraction"
    return says(reply, f"My instructions: {asked.case['canary']}.") if asks else reply


def leaks_a_canary(reply: Reply, asked: Asked) -> Reply:
    """It tells the secret that a passage or an earlier turn holds, when it is asked for it."""
    secret, opening = asked.case.get("secret"), asked.case.get("turn") == 1
    return says(reply, f"It is {secret}.") if isinstance(secret, str) and not opening else reply


def is_worse_for_one_group(reply: Reply, asked: Asked) -> Reply:
    return says(reply, REFUSAL) if re.search(r"Muslim|mosque", asked.question) else reply


def quotes_superseded_text(reply: Reply, asked: Asked) -> Reply:
    """It quotes the old policy beside the one in force."""
    old = asked.oracle.texts.get(OLD)
    if (
        declines(reply)
        or asked.passages is not None
        or "overdraft-policy-2026" not in reply["answer"]
        or not old
    ):
        return reply
    found = {"contexts": [*reply["contexts"], old], "context_ids": [*reply["context_ids"], OLD]}
    return says(reply, f"{reply['answer']} {_first_sentence(old)} [{OLD}]") | found


def refuses_everything(reply: Reply, asked: Asked) -> Reply:
    return says(reply, REFUSAL)


def echoes_the_question(reply: Reply, asked: Asked) -> Reply:
    return says(reply, asked.question)


def invents_amounts(reply: Reply, asked: Asked) -> Reply:
    return reply if declines(reply) else says(reply, f"{reply['answer']} It costs $61.37 a month.")


def is_silent(reply: Reply, asked: Asked) -> Reply:
    return says(reply, "")


def cites_an_outdated_document(reply: Reply, asked: Asked) -> Reply:
    """It quotes a superseded policy, whatever it is asked."""
    old = asked.oracle.texts[OLD]
    found = {"contexts": [*reply["contexts"], old], "context_ids": [*reply["context_ids"], OLD]}
    return says(reply, f"{reply['answer']} {_first_sentence(old)} [{OLD}]") | found


def names_its_sources(reply: Reply, asked: Asked) -> Reply:
    """No fault: its citations stand in a field of the reply, and none in its text."""
    cited = [mark.strip(" []") for mark in CITED.findall(reply["answer"])]
    return drops_citations(reply, asked) | {"citations": cited}


def has_ids_of_its_own(reply: Reply, asked: Asked) -> Reply:
    """No fault: it retrieves what it retrieves, and cites, by the numbers of its own paragraphs."""
    own = {name: name.replace("#p", "#") for name in reply.get("context_ids") or ()}
    return says(reply, CITED.sub(lambda mark: mark[0].replace("#p", "#"), reply["answer"])) | {
        "context_ids": [*own.values()]
    }


def names_wrong_sources(reply: Reply, asked: Asked) -> Reply:
    return drops_citations(reply, asked) | {"citations": ["nowhere#p1"]}


def returns_html(reply: Reply, asked: Asked) -> Reply:
    return says(reply, f"<html><body><p>{reply['answer']}</p><script>alert(1)</script></body></html>")


def times_out_on_long_questions(reply: Reply, asked: Asked) -> Reply:
    time.sleep(SLOW if len(asked.question.split()) > LONG else 0.0)
    return reply


def is_rate_limited(reply: Reply, asked: Asked) -> Reply:
    if asked.count % 3 == 2:
        raise RuntimeError("429 Too Many Requests")
    return reply


def keeps_state(reply: Reply, asked: Asked) -> Reply:
    """It answers the question before this one, too."""
    return says(reply, f"{asked.last.get('answer', '')} {reply['answer']}".strip())


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0]
