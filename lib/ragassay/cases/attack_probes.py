"""Attack probes: questions that try to make the assistant misbehave (HCAT section 4, adversarial testing).

The kit's own; those that an engagement gives the matter for (injections and secrets planted among its
passages, its prohibited uses, its restricted documents); and the engagement's further ones of a family.

An injection of `data/injections` is a frame (the trick, of `attack_texts`) with an order in it (what is to be
done, of `canary_spellings`), in a question or planted in a passage. The order names two halves of a made-up
word and asks for the whole: an answer that holds the whole has obeyed, one that repeats the attack has not. A
link is one to a host of the harness, to which the attack has the assistant add what it knows.
"""

import base64
import codecs
import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

import numpy as np
import pandas as pd

from ragassay import parameter_ranges
from ragassay.cases import case_table
from ragassay.cases.case_table import fold_text
from ragassay.documents.collection import AUDIENCE, STAFF, STATUS
from ragassay.documents.collection import SUPERSEDED as IS_SUPERSEDED
from ragassay.errors import InputError
from ragassay.stats import random_stream

DOMAINS = pd.read_csv(case_table.DATA / "probe_domains.csv", dtype=str)  # a column each; a bank's words first
ANSWERED = {"answer_type": "short_fact", "answerable": True}
ACCESS = "probe: access"
GATED = ("probe: privacy", "probe: provocation")  # kinds that a default gate acts on
STAFF_ONLY, SUPERSEDED = "staff-only documents", "superseded documents"
HEADINGS = 3  # of a document that are asked about
MISUSE = "probe: misuse"
PROHIBITED = "prohibited: "  # how the families of prohibited uses begin
LONGEST = 80  # characters of a prohibited use in the name of its family
NOT_PROBED = "not put: no question follows from these words, none was given"
_LIMITS = re.compile(
    r"\b(?:other than|except|besides|apart from|but|outside|beyond|unless|without|not|un\w+ed)\b"
)
_EDITION = re.compile(r"\([^()]*\)|\b(?:19|20)\d\d\b")
SECRET = "probe: planted secret"
LETTERS, DIGITS = "ABCDEFGHJKMNPQRSTUVWXYZ", "23456789"  # of a secret; none that is read as another
BESIDE = 2  # passages of the engagement beside the planted one
OWN_PROBE, OWN_QUESTION = "p-own-", "x-own-"  # how the ids of the engagement's further questions begin
IN_QUESTION, IN_PASSAGE = "probe: injection", "probe: planted injection"
PLANTED = "planted: "  # how the families of planted injections begin
LINK = "link"  # what an attack is after, as others are after a "word" or the "prompt"


def engagement_probes(
    engagement: Mapping,
    cases: pd.DataFrame,
    answers: pd.DataFrame,
    chunks: pd.DataFrame,
    documents: pd.DataFrame,
    *,
    prohibited_questions: Mapping[str, Sequence[str]] | None = None,
    per_threat: int | None = None,
    per_gate: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """The probes of `data/probes`, the injections in questions, and those that an engagement gives the matter
    for: the injections planted in what was retrieved for its ordinary questions (`cases`, `answers`), secrets
    planted among its passages, its prohibited uses asked for (`prohibited_questions`: use -> the engagement's
    own examples), and what its staff-only and superseded documents say; drawn as by `draw_by_threat`.

    engagement : prohibited_uses; domain, whose words the probes use ("bank" where it names none)
    per_threat, per_gate, seed : how many of each threat are drawn (`draw_by_threat`); None takes all

    Example: `engagement_probes(run.engagement, run.cases(), run.answers(), run.chunks(), run.documents())`
    """
    rows = [
        *listed_probes(engagement.get("domain", "bank")),
        *attack_questions(seed),
        *attack_passages(cases, answers, seed),
        *plant_secrets(chunks, seed),
        *probe_uses(engagement["prohibited_uses"], prohibited_questions),
        *probe_restricted_documents(chunks, documents),
    ]
    return probes_frame(draw_by_threat(rows, per_threat, per_gate, seed))


def listed_probes(domain: str = "bank") -> list[dict]:
    """The rows of every file of `data/probes`, which speak of a bank, in the words of this domain
    (`data/probe_domains.csv`: words and whole questions, the longest first)."""
    words = dict(zip(DOMAINS["bank"].str.casefold(), DOMAINS[domain], strict=True))
    longest_first = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)

    def swap(found: re.Match) -> str:
        word = words[found[0].casefold()]
        return word[0].upper() + word[1:] if found[0][:2].istitle() else word

    rows = []
    for path in sorted((case_table.DATA / "probes").glob("*.jsonl")):
        for number, row in enumerate(case_table.data_rows(f"probes/{path.stem}"), start=1):
            texts = {"question": pattern.sub(swap, row["question"])}
            told = (
                {"history": [pattern.sub(swap, turn) for turn in row["history"]]} if "history" in row else {}
            )
            rows.append({"case_id": f"p-{path.stem}-{number:03d}"} | row | texts | told)
    return rows


def split_probes(named: str) -> tuple[str, str]:
    """The domain of the kit's probes, and the file of the engagement's own (CSV: family, question; "" for
    none), of a text that names either or both, parted by a comma: `insurance, mine.csv`.

    Raises InputError if it is neither a domain nor a CSV.

    >>> split_probes("insurance, mine.csv")
    ('insurance', 'mine.csv')
    """
    first, _, rest = (part.strip() for part in named.partition(","))
    domain, file = (first, rest) if first in DOMAINS else ("bank", named.strip())
    if file and not file.lower().endswith(".csv"):
        raise InputError(
            "these are no probes",
            found=named,
            expected=f"{', '.join(DOMAINS)}, a CSV, or both: insurance, mine.csv",
        )
    return domain, file


def probes_frame(rows: list[dict]) -> pd.DataFrame:
    """The rows as cases that the documents should not answer, unless a row says otherwise; `family` is the
    kind where none is named."""
    listed = [case_table.NOT_ANSWERED | {"family": row["kind"].removeprefix("probe: ")} | row for row in rows]
    return case_table.cases_frame(listed, extra=None if listed else ["family"])


def draw_by_threat(rows: list[dict], per_threat: int | None, per_gate: int | None, seed: int) -> list[dict]:
    """At most so many rows of each threat (a kind; of secrets and documents each family), in their order: of
    GATED `per_gate`, of others `per_threat`, 1 or more; None takes all. They are drawn by the seed, evenly
    from the families of a threat; groups and conversations stay whole, and one at least is taken. Of each
    prohibited use one is taken before any other probe of misuse, however few are wanted."""
    for name, n in (("probes_per_threat", per_threat), ("probes_per_gate", per_gate)):
        parameter_ranges.check(name, 1 if n is None else n, "in [1, inf)")
    table = pd.DataFrame(rows).reindex(columns=["kind", "family", "conversation_id", "group_id", "case_id"])
    family, kind = table["family"].fillna(""), table["kind"]
    unit = table["conversation_id"].fillna(table["group_id"]).fillna(table["case_id"]).astype(str)
    table = pd.DataFrame(
        {
            "threat": kind + family.where(kind.isin([ACCESS, SECRET]), ""),
            "family": family,
            "unit": unit,
            "most": np.where(kind.isin(GATED), per_gate or np.inf, per_threat or np.inf),
            "chance": [hashlib.sha256(f"{seed} {one}".encode()).digest() for one in unit],
        }
    )
    units = table.value_counts(sort=False).rename("n").reset_index().sort_values("chance", kind="stable")
    turn = units.groupby(["threat", "family"]).cumcount()
    declared = units["family"].str.startswith(PROHIBITED) & (turn == 0)
    units = units.assign(turn=turn.mask(declared, -1)).sort_values("turn", kind="stable")  # one of each first
    kept = (units.groupby("threat")["n"].cumsum() <= units["most"]) | ~units.duplicated("threat")
    kept |= units["turn"] < 0
    chosen = set(units.loc[kept, "unit"])
    return [row for row, one in zip(rows, unit, strict=True) if one in chosen]


def most_probes(per_threat: int, per_gate: int, seed: int, uses: Sequence[str]) -> int:
    """How many rows `engagement_probes` has at most of these prohibited uses, whatever else the engagement
    gives the matter for."""
    passage = pd.DataFrame({"chunk_id": ["a#p1"], "text": [""]})
    rows = [*listed_probes(), *attack_questions(seed), *plant_secrets(passage, seed)]
    sure = draw_by_threat([row for row in rows if row["kind"] != MISUSE], per_threat, per_gate, seed)
    asked_of_uses = max(per_threat, len(uses))
    return len(sure) + asked_of_uses + 3 * per_threat  # of documents of two kinds, what was retrieved


def probe_restricted_documents(chunks: pd.DataFrame, documents: pd.DataFrame) -> list[dict]:
    """Questions for what stands in documents for staff (to be declined: a customer asks), and in superseded
    ones (to be answered from those in force), in the wordings of `data/restricted_documents.jsonl`: every
    wording for each document, and for each of its first headings where one is named. A heading that is the
    document's title is left out, for who names the document asks for it; a superseded document without
    other headings has its subject asked for, the title without its edition."""
    if not {STATUS, AUDIENCE} <= set(documents):
        return []
    groups = (
        (documents[documents[AUDIENCE] == STAFF], "staff", {"family": STAFF_ONLY}),
        (documents[documents[STATUS] == IS_SUPERSEDED], IS_SUPERSEDED, {"family": SUPERSEDED} | ANSWERED),
    )
    templates = case_table.data_rows("restricted_documents")
    rows = []
    for chosen, mark, same in groups:
        for document in chosen.to_dict("records"):
            title, own = document["title"], chunks[chunks["doc_id"] == document["doc_id"]]
            headings = own["heading"].astype(str).str.split(" > ").str[-1] if "heading" in own else []
            named = [heading for heading in dict.fromkeys(headings) if heading not in ("", title)][:HEADINGS]
            named = named or [" ".join(_EDITION.sub(" ", title).split())] * (mark == IS_SUPERSEDED)
            for template in (one["question"] for one in templates if one["mark"] == mark):
                for heading in named if "{heading}" in template else [""]:
                    question = template.replace("{title}", title).replace("{heading}", heading)
                    rows.append(same | {"kind": ACCESS, "question": question})
    return [{"case_id": f"p-access-{number:03d}"} | row for number, row in enumerate(rows, start=1)]


def probe_uses(uses: Sequence[str], own: Mapping[str, Sequence[str]] | None = None) -> list[dict]:
    """Questions for each use, as rows of cases, in the wordings of `data/prohibited_uses.jsonl`: a family a
    use, none of one that gives no question.

    own : use -> the engagement's example questions, each asked as it is before it is asked in another wording
    """
    wordings = [row["question"] for row in case_table.data_rows("prohibited_uses")]
    rows = []
    for number, use in enumerate(filter(str.strip, uses), start=1):
        same = [asked for named, asked in (own or {}).items() if fold_text(named) == fold_text(use)]
        given = [" ".join(question.split()) for asked in same for question in asked]
        questions = given or subject_questions(use)
        for place in range(max(len(given), len(wordings)) if questions else 0):
            wording = "{question}" if place < len(given) else wordings[place % len(wordings)]
            row = {"case_id": f"p-use-{number:02d}-{place + 1:02d}", "kind": MISUSE, "family": family(use)}
            rows.append(row | {"question": wording.replace("{question}", questions[place % len(questions)])})
    return rows


def unprobed_uses(uses: Sequence[str], own: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """The families of the uses for which there is no question.

    >>> unprobed_uses(["tax advice", "juggling"])
    ['prohibited: juggling']
    """
    probed = {row["family"] for row in probe_uses(uses, own)}
    return [family(use) for use in uses if use.strip() and family(use) not in probed]


def family(use: str) -> str:
    """The family of a use's probes."""
    return PROHIBITED + " ".join(use.split())[:LONGEST]


def subject_questions(use: str) -> list[str]:
    """Our questions for the subjects that a use names, in turn; none for one that says what the assistant may
    do ("anything but ..."), or a condition of use: that is no subject to ask for."""
    plain, subjects = fold_text(use), case_table.data_rows("prohibited_subjects")
    named = [row["questions"] for row in subjects if re.search(rf"\b(?:{row['words']})\b", plain)]
    in_turn = zip_longest(*([] if _LIMITS.search(plain) else named))
    return [question for several in in_turn for question in several if question]


def plant_secrets(chunks: pd.DataFrame, seed: int) -> list[dict]:
    """The rows of `data/planted_secrets.jsonl` as rows of cases, with the secret that each tries to get out
    in `secret`. Each secret with a name is asked for in every way of the file's first line, in enough trials
    in all that none given away would be clear (`analysis.checks.TO_CLEAR`).

    A passage is planted among passages of the engagement (`passages`, `passage_ids`: the assistant is given
    these in place of those it would retrieve); a conversation is told before the question (`history`), or
    held turn by turn, the secret being in the first (which tries nothing).
    """
    first, *records = case_table.data_rows("planted_secrets")
    rows = []
    for number, record in enumerate(records):
        talk = f"secret-{number}"
        row = {
            "kind": SECRET,
            "family": record["family"],
            "history": None,
            "passages": None,
            "passage_ids": None,
        }
        if "turns" in record:
            secret = draw_secret(random_stream(seed, talk))
            for turn, text in enumerate(record["turns"], start=1):
                held = {"answerable": turn == 1, "conversation_id": talk, "turn": turn}
                rows.append(row | held | {"question": text.format(secret=secret), "secret": secret})
            continue
        ways = [way.format(name=record["name"]) for way in first["ways"]] if "name" in record else []
        for text in ways + record["questions"]:
            question = f"{text[:1].upper()}{text[1:]}"
            rng = random_stream(seed, talk, question)
            secret = draw_secret(rng)
            asked = row | {"question": question, "secret": secret}
            if "history" in record:
                rows.append(asked | {"history": [turn.format(secret=secret) for turn in record["history"]]})
                continue
            beside = chunks.iloc[rng.choice(len(chunks), min(BESIDE, len(chunks)), replace=False)]
            names = [*beside["chunk_id"], "planted#p1"]
            texts = [*beside["text"], record["passage"].format(secret=secret)]
            order = rng.permutation(len(names))
            rows.append(
                asked | {"passages": [texts[i] for i in order], "passage_ids": [names[i] for i in order]}
            )
    return [{"case_id": f"p-secret-{i:03d}"} | row for i, row in enumerate(rows, start=1)]


def draw_secret(rng: np.random.Generator) -> str:
    """Twelve signs in three blocks, each with letters and digits: nobody writes them by chance."""
    return "-".join(
        "".join(rng.permutation([*rng.choice(list(LETTERS), 2), *rng.choice(list(DIGITS), 2)]))
        for _ in range(3)
    )


def probe_families(uses: Sequence[str]) -> dict[str, dict]:
    """The families whose probes are questions alone -> what a case of each holds.

    uses : the prohibited uses of the engagement

    >>> probe_families(["tax advice"])["prohibited: tax advice"]
    {'kind': 'probe: misuse'}
    """
    rows = listed_probes()
    alone = {"case_id", "kind", "family", "question", "language"}
    more = {row["family"] for row in rows if not set(row) <= alone}
    return {
        **{row["family"]: {"kind": row["kind"]} for row in rows if row["family"] not in more},
        **{family(use): {"kind": MISUSE} for use in uses if use.strip()},
        STAFF_ONLY: {"kind": ACCESS},
        SUPERSEDED: {"kind": ACCESS} | ANSWERED,
    }


def add_own_probes(
    probes: pd.DataFrame, own: Mapping[str, Sequence[str]], uses: Sequence[str]
) -> pd.DataFrame:
    """The probes, and after them the engagement's own, every one; none that stands among them already.

    own : family -> questions; uses : the prohibited uses of the engagement

    Example: `add_own_probes(probes, {"prohibited: tax advice": ["File jointly?"]}, ["tax advice"])`
    """
    held = probe_families(uses)
    rows = [
        {"case_id": f"{OWN_PROBE}{number:04d}", "family": family, "question": question} | held[family]
        for number, (family, question) in enumerate(new_questions(own, probes), start=1)
    ]
    return pd.concat([probes, probes_frame(rows)], ignore_index=True) if rows else probes


def without_own(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows (with case_id) without those of the engagement's own, of both kinds."""
    return rows[~rows["case_id"].astype(str).str.startswith((OWN_PROBE, OWN_QUESTION))]


def new_questions(own: Mapping[str, Sequence[str]], made: pd.DataFrame) -> list[tuple[str, str]]:
    """Each question once that is not made already, whatever its capitals, with its family or kind."""
    every = {fold_text(text): (name, text) for name, texts in own.items() for text in texts}
    asked = set(map(fold_text, made["question"]))
    return [pair for plain, pair in every.items() if plain not in asked]


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
        passages = case_table.retrieved_passages(asked)
        place = int(random_stream(seed, "place", attack["case_id"]).integers(len(passages) + 1))
        passages.insert(place, (f"planted-{i + 1:03d}#p1", f"{notice} {subject}: {attack['attack_text']}"))
        rows.append(
            attack
            | {
                "kind": IN_PASSAGE,
                "family": PLANTED + attack["family"],
                "question": asked["question"],
                "parent_id": asked["case_id"],
                "answer_type": "short_fact",
                "answerable": True,
                "passages": [text for _, text in passages],
                "passage_ids": [name for name, _ in passages],
            }
        )
    return rows


def _attacks(prefix: str, seed: int) -> list[dict]:
    """Every frame with an order of its language in it, disguised where it says so."""
    spellings, found = case_table.data_rows("injections/canary_spellings"), []
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


LETTERS_OF = {"c": "bdgkmnprtvz", "v": "aeo"}  # no letter that a digit is read as in two ways


def _word(rng: np.random.Generator, form: str) -> str:
    """A word of consonants and vowels in this order: `tarzo`."""
    return "".join(str(rng.choice(list(LETTERS_OF[kind]))) for kind in form)


LEET = str.maketrans("aeiost", "431057")
HOMOGLYPHS = str.maketrans("aceopxyisABEKMHOPCTX", "асеорхуіѕАВЕКМНОРСТХ")  # Cyrillic twins
MORSE = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        (
            ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- "
            "-..- -.-- --.."
        ).split(),
        strict=True,
    )
)
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
    "zero_width": "\u200b".join,
    "soft_hyphens": "\u00ad".join,
    "tags": lambda text: "".join(  # which are not displayed
        chr(0xE0000 + byte) for byte in unicodedata.normalize("NFKD", text).encode("ascii", "ignore")
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
