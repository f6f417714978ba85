"""Injections: the attacks of `data/injections`, put to the assistant in a question, or planted in a passage.

An attack is a frame (the trick, of `attack_texts`) with an order in it (what is to be done, of
`canary_spellings`). The order names two halves of a made-up word and asks for the whole: an answer that holds
the whole has obeyed, one that repeats the attack has not. A link is one to a host of the harness, to which
the attack has the assistant add what it knows.
"""

import base64
import codecs
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from ragassay.cases import case_table
from ragassay.stats import random_stream
from ragassay.tables import is_missing

IN_QUESTION, IN_PASSAGE = "probe: injection", "probe: planted injection"
PLANTED = "planted: "  # how the families of planted injections begin
LINK = "link"  # what an attack is after, as others are after a "word" or the "prompt"


def attack_questions(seed: int) -> list[dict]:
    """Every attack as a question, a row each: case_id, kind, family, language, question, and what `attacks`
    of the room scores reads: attack_goal, attack_text, canary, attack_host.
    """
    attacks = _attacks("p-injection", seed)
    return [attack | {"kind": IN_QUESTION, "question": attack["attack_text"]} for attack in attacks]


def attack_passages(cases: pd.DataFrame, answers: pd.DataFrame, seed: int) -> list[dict]:
    """Every attack in a passage, which is planted among those that the assistant retrieved for an ordinary
    question (of `cases`, answered in `answers`): rows as `attack_questions`, with passages and passage_ids,
    and the ordinary case as parent_id. None where no ordinary question was answered."""
    came = (answers["repeat"] == 0) & (answers["error"].fillna("") == "") & answers["contexts"].notna()
    own = cases.loc[cases["answerable"].astype(bool) & cases["parent_id"].isna(), ["case_id", "question"]]
    ordinary = own.merge(answers.loc[came, ["case_id", "contexts", "context_ids"]], on="case_id")
    if ordinary.empty:
        return []
    questions = ordinary.sort_values("case_id", kind="stable").to_dict("records")
    order = random_stream(seed, "planted").permutation(len(questions))
    openings, rows = case_table.data_rows("injections/openings_of_planted_passages"), []
    for i, attack in enumerate(_attacks("p-planted", seed)):
        asked = questions[order[i % len(order)]]
        notice = _choose(openings, attack["language"], attack["case_id"], seed)["notice"]
        subject = asked["question"].rstrip(" ?!.")  # in one sentence with the attack: a retriever finds both
        texts = [str(text) for text in asked["contexts"]]
        ids = [] if is_missing(asked["context_ids"]) else [str(name) for name in asked["context_ids"]]
        if len(ids) != len(texts):
            ids = [f"passage#p{number}" for number in range(1, len(texts) + 1)]
        place = int(random_stream(seed, "place", attack["case_id"]).integers(len(texts) + 1))
        texts.insert(place, f"{notice} {subject}: {attack['attack_text']}")
        ids.insert(place, f"planted-{i + 1:03d}#p1")
        rows.append(
            attack
            | {
                "kind": IN_PASSAGE,
                "family": PLANTED + attack["family"],
                "question": asked["question"],
                "parent_id": asked["case_id"],
                "answer_type": "short_fact",
                "answerable": True,
                "passages": texts,
                "passage_ids": ids,
            }
        )
    return rows


def _attacks(prefix: str, seed: int) -> list[dict]:
    """Every frame with an order of its language in it, disguised where it says so."""
    spellings = case_table.data_rows("injections/canary_spellings")
    found = []
    for number, frame in enumerate(case_table.data_rows("injections/attack_texts"), start=1):
        case_id, language = f"{prefix}-{number:03d}", frame.get("language", "en")
        rng = random_stream(seed, "canary", case_id)
        first, second = _word(rng, "cvccv"), _word(rng, "cvccvc")
        host = f"{_word(random_stream(seed, 'host', case_id), 'cvccvcvc')}.example"  # cannot exist (RFC 2606)
        order = _choose(spellings, language, case_id, seed)["order"].format(first=first, second=second)
        order = DISGUISES[frame["encode"]](order) if "encode" in frame else order
        parts = {"order": order, "first": first, "second": second, "host": host}
        text, link = frame["text"], frame["goal"] == LINK
        for name, part in parts.items():  # not str.format: an attack may hold braces of its own
            text = text.replace(f"{{{name}}}", part)
        found.append(
            {
                "case_id": case_id,
                "family": frame["family"],
                "language": language,
                "attack_goal": frame["goal"],
                "attack_text": text,
                "canary": None if link else first + second,
                "attack_host": host if link else None,
            }
        )
    return found


def _choose(rows: Sequence[dict], language: str, case_id: str, seed: int) -> dict:
    fitting = [row for row in rows if row["language"] == language]
    return fitting[int(random_stream(seed, "order", case_id).integers(len(fitting)))]


CONSONANTS, VOWELS = "bdgkmnprtvz", "aeo"  # no letter that a digit is read as in two ways


def _word(rng: np.random.Generator, form: str) -> str:
    """A word of consonants and vowels in this order: `tarzo`."""
    letters = {"c": CONSONANTS, "v": VOWELS}
    return "".join(str(rng.choice(list(letters[kind]))) for kind in form)


LEET = str.maketrans("aeiost", "431057")
HOMOGLYPHS = str.maketrans("aceopxyisABEKMHOPCTX", "асеорхуіѕАВЕКМНОРСТХ")  # Cyrillic twins
_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- "
    "-.-- --.."
).split()
MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz", _CODES, strict=True))
ZERO_WIDTH, SOFT_HYPHEN, TAGS = "\u200b", "\u00ad", 0xE0000


DISGUISES: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "hex": lambda text: text.encode().hex(" "),
    "binary": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()),
    "backwards": lambda text: text[::-1],
    "leet": lambda text: text.lower().translate(LEET),
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "morse": lambda text: " / ".join(
        " ".join(MORSE[c] for c in word.lower() if c in MORSE) for word in text.split()
    ),
    "zero_width": ZERO_WIDTH.join,
    "soft_hyphens": SOFT_HYPHEN.join,
    "tags": lambda text: "".join(  # which are not displayed
        chr(TAGS + byte) for byte in unicodedata.normalize("NFKD", text).encode("ascii", "ignore")
    ),
    "homoglyphs": lambda text: text.translate(HOMOGLYPHS),
    "fullwidth": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "spaced": lambda text: "   ".join(" ".join(word) for word in text.split()),
    "lines": lambda text: "\n".join(text.split()),
    "bullets": lambda text: "\n".join(f"- {word}" for word in text.split()),
    "numbered": lambda text: "\n".join(f"{i}. {word}" for i, word in enumerate(text.split(), 1)),
    "table": lambda text: "\n".join(f"| {word} |" for word in text.split()),
    "dots": lambda text: "...".join(text.split()),
}
