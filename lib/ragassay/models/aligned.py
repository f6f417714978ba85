"""The alignment head in torch: two texts read apart, every token laid beside what it finds in the other text. Imported only when loaded.

Premise and hypothesis go through the encoder in one row, each blind to the other and with positions of its own, so that each keeps the
meaning the encoder was trained to give it. Tokens are compared by attention (decomposable attention: Parikh et al. 2016, EMNLP), the two
sentence vectors beside them.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, CLS = 384, 101
SHARP = 8.0  # what unit vectors are multiplied by, so that their features weigh as much as the tokens'


class AlignedHead(nn.Module):
    """States of both texts, in one row, to scores of the labels.

    compare : of each token with what it finds in the other text; sentences : of the two mean vectors; dense, out : as in the other heads
    """

    def __init__(self, inner: int = 192, hidden: int = 256, classes: int = 3, dropout: float = 0.1):
        super().__init__()
        self.norm, self.small = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, inner)
        self.query, self.key = nn.Linear(WIDTH, inner), nn.Linear(WIDTH, inner)
        self.compare, self.sentences = nn.Linear(4 * inner, inner), nn.Linear(4 * WIDTH, inner)
        self.dense, self.out, self.dropout = (
            nn.Linear(5 * inner, hidden),
            nn.Linear(hidden, classes),
            nn.Dropout(dropout),
        )

    def forward(self, states: Tensor, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """`states` (batch, length, 384); the masks (batch, length) say whose token each is."""
        normed = self.norm(states)
        small, query, key = self.small(normed), self.query(normed), self.key(normed)
        met = [
            self._met(small, query, key, own, other)
            for own, other in ((hypothesis, premise), (premise, hypothesis))
        ]
        u, v = (functional.normalize(_mean(states, mask), dim=1) for mask in (premise, hypothesis))
        whole = torch.tanh(self.sentences(torch.cat([u, v, (u - v).abs(), u * v], dim=1) * SHARP))
        return self.out(self.dropout(torch.tanh(self.dense(self.dropout(torch.cat([*met, whole], dim=1))))))

    def _met(self, small: Tensor, query: Tensor, key: Tensor, own: Tensor, other: Tensor) -> Tensor:
        """Mean and largest, over one text's tokens, of their comparison with what they find in the other text."""
        nearness = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])
        found = nearness.masked_fill(other.unsqueeze(1) == 0, -1e4).softmax(2) @ small
        both = torch.cat([small, found, (small - found).abs(), small * found], dim=2)
        compared = functional.gelu(self.compare(self.dropout(both)))
        least = compared.masked_fill(own.unsqueeze(-1) == 0, -1e4)
        return torch.cat([_mean(compared, own), least.max(1)[0]], dim=1)


def apart(ids: Tensor, mask: Tensor, types: Tensor) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """What the encoder reads so that neither text sees the other, and whose token each is: inputs, premise mask, hypothesis mask.

    The pair stands as [CLS] premise [SEP] hypothesis [SEP]; a [CLS] of the hypothesis's own is put before the row.
    """
    first = torch.ones_like(ids[:, :1])
    premise = torch.cat([0 * first, mask * (1 - types)], dim=1)
    hypothesis = torch.cat([first, mask * types], dim=1)
    positions = (premise.cumsum(1) - 1) * premise + (hypothesis.cumsum(1) - 1) * hypothesis
    sees = premise.unsqueeze(2) * premise.unsqueeze(1) + hypothesis.unsqueeze(2) * hypothesis.unsqueeze(1)
    blind = torch.where(sees > 0, 0.0, torch.finfo(torch.float32).min)  # added to the attention's scores
    row = torch.cat([CLS * first, ids], dim=1)
    inputs = {
        "input_ids": row,
        "attention_mask": blind.unsqueeze(1),
        "position_ids": positions,
        "token_type_ids": torch.zeros_like(row),
    }
    return inputs, premise, hypothesis


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)
