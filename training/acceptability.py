"""Trains the acceptability head: python training/acceptability.py [--data ../shared/data] [--out
lib/ragassay/models/heads]

Is a sentence one that a speaker of English would accept? A low-rank change of the kit's encoder, and a layer
over the first token and the mean of all. It learns from CoLA's training sentences (Warstadt et al. 2019),
judged by linguists, and from the bundled bank's sentences, as they are and garbled by rule (garble.py).
CoLA's dev sentences and a fifth of the bank's only measure it.
"""

import random
from collections.abc import Sequence

import torch
from torch import nn

import bank_text
import data
import garble
import loop
from loop import adapt, mean, trained

LABELS = ("unacceptable", "acceptable")
MAX_LENGTH, HIDDEN = 128, 64


class Layers(nn.Module):
    """Scores of the labels from concat[first token, mean of all tokens]."""

    def __init__(self, width: int = 384):
        super().__init__()
        self.dense, self.out = nn.Linear(2 * width, HIDDEN), nn.Linear(HIDDEN, len(LABELS))
        self.dropout = nn.Dropout(0.1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        features = torch.cat([states[:, 0], mean(states, mask)], dim=1)
        return self.out(self.dropout(torch.tanh(self.dense(self.dropout(features)))))


class Acceptability(nn.Module):
    """The encoder with a low-rank change, and the layers on top."""

    def __init__(self, encoder: nn.Module, rank: int):
        super().__init__()
        self.encoder, self.head = adapt(encoder, rank), Layers()

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.head(self.encoder(**features).last_hidden_state.float(), features["attention_mask"])


def features(tokenizer, texts: Sequence[str]) -> dict[str, torch.Tensor]:
    how = {"truncation": True, "max_length": MAX_LENGTH, "padding": True}
    return dict(tokenizer(list(texts), return_tensors="pt", **how))


def fitted(texts: Sequence[str], labels: Sequence[int], rank: int, plan: loop.Plan) -> tuple:
    """Tokenizer and trained model."""
    tokenizer, encoder = loop.encoder()
    model = Acceptability(encoder, rank)
    truth = torch.tensor(labels)

    def loss(places: list[int]) -> torch.Tensor:
        scores = model(features(tokenizer, [texts[i] for i in places]))
        return nn.functional.cross_entropy(scores.float(), truth[places])

    loop.fit(model, [len(text) for text in texts], loss, plan)
    return tokenizer, model


def acceptable(tokenizer, model: nn.Module, texts: Sequence[str]) -> torch.Tensor:
    """Probability of "acceptable" for each text."""
    lengths = [len(text) for text in texts]
    found = loop.scores(lengths, lambda places: model(features(tokenizer, [texts[i] for i in places])))
    return torch.stack(found).softmax(1)[:, 1]


def written() -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Sentences of ours as they are (1) and garbled (0): to learn from, and a fifth of them to keep."""
    draw, parts = random.Random(data.SEED), ([], [])
    for sentence in bank_text.sentences():
        if sentence[-1] != "." or not 6 <= len(sentence.split()) <= 40:
            continue
        part = parts[data.fold(sentence, 5) == 0]
        part.append((sentence, 1))
        if wrong := garble.garbled(sentence, draw):
            part.append((wrong, 0))
    return parts


def measured(probability: torch.Tensor, truth: torch.Tensor, name: str) -> dict[str, list[float]]:
    from sklearn.metrics import matthews_corrcoef, roc_auc_score

    p, y = probability.numpy(), truth.numpy()
    figures = {
        "MCC at 0.5": lambda i: float(matthews_corrcoef(y[i], p[i] > 0.5)),
        "AUROC": lambda i: float(roc_auc_score(y[i], p[i])),
        "accepted though unacceptable at 0.5": lambda i: float((p[i] > 0.5)[y[i] == 0].mean()),
        "refused though acceptable at 0.5": lambda i: float((p[i] <= 0.5)[y[i] == 1].mean()),
    }
    return {f"{name}, {what}": data.interval(range(len(y)), one) for what, one in figures.items()}


def main() -> None:
    given = data.arguments(__doc__, epochs=3, rank=16, rate=1e-3, threads=1)
    torch.set_num_threads(given.threads)
    judged, dev = (
        [(row["text"], row["label"]) for row in data.read(given.data / f"cola/{name}.jsonl.gz")]
        for name in ("train", "dev")
    )
    learn, keep = written()
    texts, labels = zip(*(judged + learn), strict=True)
    tokenizer, model = fitted(texts, labels, given.rank, loop.Plan(given.epochs, given.rate))
    figures: dict[str, list[float]] = {}
    for name, rows in (("CoLA dev", dev), ("bank sentences against garbled ones", keep)):
        asked, truth = zip(*rows, strict=True)
        figures |= measured(acceptable(tokenizer, model, asked), torch.tensor(truth), name)
    quoted = "none stated; sentences quoted from linguistics publications, see CARD.md"
    own = "the bundled bank's documents, as they are and garbled (training/garble.py)"
    sources = data.sources(("CoLA, train (in domain)", quoted, len(judged)), (own, "Apache-2.0", len(learn)))
    about = data.about("text", LABELS, MAX_LENGTH, sources, figures)
    data.write("acceptability", given, dict(trained(model)), about)


if __name__ == "__main__":
    main()
