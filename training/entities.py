"""Trains the head that finds names: python training/entities.py [--data ../shared/data] [--out
lib/ragassay/models/heads] [--folds 3]

Persons, organisations, places and addresses, word by word (BIO). A low-rank change of the kit's encoder and
one layer over each token. It learns from presidio-research's generated texts (`pii`, MIT), from sentences we
wrote with names put in at random (entity_text.py) and from the bundled bank's documents (bank_text.py). The
type of a token tells the encoder, which reads no case, whether its word begins with a capital letter; spans
are read from the scores by the library's own code (ragassay.models.named_entities). Measured on `pii` with
whole templates held out; the head that is written learned from all.
"""

import random
import re
from collections.abc import Sequence

import torch
from torch import nn

import bank_text
import data
import entity_text
import loop
from entity_text import Span, Text
from loop import adapt, trained
from ragassay.models import named_entities
from ragassay.models.named_entities import KINDS

LABELS = ("O", *(f"{sign}-{kind}" for kind in KINDS for sign in "BI"))
KIND_OF = {"PERSON": "person", "ORGANIZATION": "organisation", "GPE": "place", "STREET_ADDRESS": "address"}
MAX_LENGTH, IGNORED = 128, -100


class Entities(nn.Module):
    """The encoder with a low-rank change, and one linear layer on every token's state."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.dropout = adapt(encoder, rank), nn.Dropout(0.1)
        self.head = nn.ModuleDict({"out": nn.Linear(384, len(LABELS))})

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.head["out"](self.dropout(self.encoder(**features).last_hidden_state.float()))


def published(rows: Sequence[dict]) -> list[Text]:
    """The texts of `pii` with the spans of our four kinds; its other kinds are no names."""
    texts = []
    for row in rows:
        named = [span for span in row["spans"] if span["entity_type"] in KIND_OF]
        spans = [(s["start_position"], s["end_position"], KIND_OF[s["entity_type"]]) for s in named]
        texts.append((row["full_text"], sorted(spans)))
    return texts


def labels(encoding, spans: Sequence[Span]) -> list[int]:
    """One number per token: the label of its word at the word's first token, IGNORED elsewhere."""
    found, last, begun = [], None, set()
    for (start, end), word in zip(encoding.offsets, encoding.word_ids, strict=True):
        first, last = word is not None and word != last, word
        inside = next((span for span in spans if start < span[1] and span[0] < end), None)
        label = f"{'I' if inside in begun else 'B'}-{inside[2]}" if inside else "O"
        found.append(LABELS.index(label) if first else IGNORED)
        begun |= {inside} if first else set()
    return found


def fitted(texts: Sequence[Text], rank: int, plan: loop.Plan) -> tuple:
    """Tokenizer and trained model."""
    tokenizer, encoder = loop.encoder()
    model = Entities(encoder, rank)
    encodings = encoded(tokenizer, [text for text, _ in texts]).encodings
    truth = [torch.tensor(labels(one, spans)) for one, (_, spans) in zip(encodings, texts, strict=True)]

    def loss(places: list[int]) -> torch.Tensor:
        own = [truth[i] for i in places]
        wanted = nn.utils.rnn.pad_sequence(own, batch_first=True, padding_value=IGNORED)
        scores = model(features(tokenizer, [texts[i][0] for i in places]))
        return nn.functional.cross_entropy(scores.transpose(1, 2), wanted, ignore_index=IGNORED)

    loop.fit(model, [len(one.ids) for one in encodings], loss, plan)
    return tokenizer, model


def encoded(tokenizer, texts: Sequence[str], **options):
    """The texts as the tokenizer reads them, line breaks as a sign that it sees."""
    visible = [text.replace("\n", named_entities.BREAK) for text in texts]
    return tokenizer(visible, truncation=True, max_length=MAX_LENGTH, **options)


def features(tokenizer, texts: Sequence[str]) -> dict[str, torch.Tensor]:
    """What the encoder reads, where the type of a token tells whether its word begins with a capital
    letter."""
    read = encoded(tokenizer, texts, padding=True, return_tensors="pt")
    cases = [named_entities.capital_flags(text, one) for text, one in zip(texts, read.encodings, strict=True)]
    return dict(read) | {"token_type_ids": torch.tensor(cases)}


def found(tokenizer, model: nn.Module, texts: Sequence[str]) -> list[list[Span]]:
    """The spans the model finds in each text."""
    scores = loop.scores(
        [len(text) for text in texts], lambda places: model(features(tokenizer, [texts[i] for i in places]))
    )
    encodings = encoded(tokenizer, texts).encodings
    return [
        named_entities.read_spans(text, one, row.numpy()[: len(one.ids)], LABELS)
        for text, one, row in zip(texts, encodings, scores, strict=True)
    ]


def written(count: int) -> list[Text]:
    """`count` texts of ours, a quarter of them from the bank's documents."""
    draw = random.Random(data.SEED)
    return entity_text.made(count * 3 // 4, draw) + bank_text.made(count // 4, draw)


def f1(pairs: Sequence[tuple[Sequence[Span], Sequence[Span]]], kind: str = "") -> float:
    """F1 of the spans (found, true) whose place and kind agree exactly."""
    right = there = told = 0
    for mine, true in pairs:
        ours, theirs = ({span for span in spans if span[2] in (kind or span[2])} for spans in (mine, true))
        right, there, told = right + len(ours & theirs), there + len(theirs), told + len(ours)
    return 2 * right / (there + told) if there + told else float("nan")


def one_address(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans with address pieces that only signs and spaces part joined into one."""
    joined: list[Span] = []
    for span in sorted(spans):
        near = (
            joined
            and joined[-1][2] == span[2] == "address"
            and not re.search(r"\w", text[joined[-1][1] : span[0]])
        )
        joined[-1:] = [(joined[-1][0], span[1], "address")] if near else [*joined[-1:], span]
    return joined


def measured(templates: Sequence[int], pairs: Sequence[tuple], prefix: str) -> dict[str, list[float]]:
    """F1 of all kinds and of each, with intervals over templates."""
    return {
        f"{prefix} {kind or 'span'} F1": data.interval(
            templates, lambda i, kind=kind: f1([pairs[j] for j in i], kind)
        )
        for kind in ("", *KINDS)
    }


def out_of_fold(
    texts: Sequence[Text], templates: Sequence[int], more: Sequence[Text], given, plan: loop.Plan
) -> list[list[Span]]:
    """What a model finds in each text that saw none of its template."""
    spans: list[list[Span]] = [[] for _ in texts]
    for fold in range(given.folds):
        out = [data.fold(template, given.folds) == fold for template in templates]
        kept = [text for text, held in zip(texts, out, strict=True) if not held]
        model = fitted(kept * given.repeat + list(more), given.rank, plan)
        places = [i for i, held in enumerate(out) if held]
        for place, its in zip(places, found(*model, [texts[i][0] for i in places]), strict=True):
            spans[place] = its
        print(f"fold {fold}: F1 {f1([(spans[i], texts[i][1]) for i in places]):.3f}", flush=True)
    return spans


def main() -> None:
    given = data.arguments(__doc__, epochs=2, rank=16, rate=2e-3, folds=3, repeat=2, written=8000, threads=1)
    torch.set_num_threads(given.threads)
    rows = data.read(given.data / "pii/presidio_synth_v2.jsonl.gz")
    plan, more = loop.Plan(given.epochs, given.rate), written(given.written)
    texts, templates = published(rows), [row["template_id"] for row in rows]
    spans = out_of_fold(texts, templates, more, given, plan)
    pairs = [(mine, true) for mine, (_, true) in zip(spans, texts, strict=True)]
    figures = measured(templates, pairs, "presidio, unseen templates,")
    both = zip(pairs, texts, strict=True)
    joined = [tuple(one_address(text, spans) for spans in pair) for pair, (text, _) in both]
    figures["presidio, unseen templates, span F1, neighbouring address pieces joined"] = data.interval(
        templates, lambda i: f1([joined[j] for j in i])
    )
    _, model = fitted(texts * given.repeat + more, given.rank, plan)
    own, n = "sentences and names written for ragassay (training/entity_*.txt)", given.written
    sources = data.sources(
        ("presidio-research synth_dataset_v2", "MIT, some values CC BY-SA 3.0", len(texts)),
        (own, "Apache-2.0", n * 3 // 4),
        ("the bundled bank's documents", "Apache-2.0", n // 4),
    )
    about = data.about("token", LABELS, MAX_LENGTH, sources, figures) | {"capitals": True}
    data.write("entities", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
