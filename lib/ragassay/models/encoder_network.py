"""The network of the default encoder in torch alone: six layers of BERT (Devlin et al. 2019), named as in its
weights file. Imported on first load.

transformers reads it to the same bits, but importing it costs a process more time than a few hundred texts;
it is loaded for models that a user names.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, INNER, LAYERS, ATTENTION_HEADS = 384, 1536, 6, 12
VOCABULARY, POSITIONS, TYPES, EPSILON = 30522, 512, 2, 1e-12
Spans = Sequence[tuple[int, int]]  # of the texts of a row: first token and end


def load(folder: Path, beside: int = 0) -> "EncoderNetwork":
    """The network with the weights of the folder's file, ready to read; `beside` as in the network."""
    from safetensors.torch import load_file

    network, weights = EncoderNetwork(beside), load_file(folder / "model.safetensors")
    network.load_state_dict({name: weights[name] for name in network.state_dict()})
    return network.eval()


class EncoderNetwork(nn.Module):
    """Token ids (batch, length) to the last states (batch, length, 384).

    beside : a layer, counted from 1, whose states follow the last ones: (batch, length, 768); 0 for none
    """

    def __init__(self, beside: int = 0) -> None:
        super().__init__()
        self.beside = beside
        self.embeddings = Embeddings()
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer() for _ in range(LAYERS))})

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
        spans: Spans = (),
    ) -> Tensor:
        """The states of every token.

        Parameters
        ----------
        attention_mask : (batch, length), 0 where a row is padded; or (batch, 1, length, length), added to the
            attention's scores
        spans : of the texts of one row, each of which attends to itself alone
        """
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        if position_ids is None:
            position_ids = torch.arange(input_ids.shape[1], device=input_ids.device).unsqueeze(0)
        states = self.embeddings(input_ids, types, position_ids)
        seen = _seen(attention_mask)
        inner = states
        for place, layer in enumerate(self.encoder["layer"], 1):
            states = layer(states, seen, spans)
            inner = states if place == self.beside else inner
        return torch.cat([states, inner], dim=-1) if self.beside else states


class Embeddings(nn.Module):
    """The first states: of the token, its type and its place."""

    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings = _table(VOCABULARY)
        self.position_embeddings = _table(POSITIONS)
        self.token_type_embeddings = _table(TYPES)
        self.LayerNorm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, ids: Tensor, types: Tensor, positions: Tensor) -> Tensor:
        known = self.word_embeddings(ids) + self.token_type_embeddings(types)
        return self.LayerNorm(known + self.position_embeddings(positions))


class Layer(nn.Module):
    """Attention, then two linear layers; each adds to what it was given."""

    def __init__(self) -> None:
        super().__init__()
        projections = {name: nn.Linear(WIDTH, WIDTH) for name in ("query", "key", "value")}
        self.attention = nn.ModuleDict({"self": nn.ModuleDict(projections), "output": Added(WIDTH)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, INNER)})
        self.output = Added(INNER)

    def forward(self, states: Tensor, seen: Tensor | None, spans: Spans) -> Tensor:
        heads = (*states.shape[:-1], ATTENTION_HEADS, WIDTH // ATTENTION_HEADS)
        own = self.attention["self"]
        query, key, value = (
            own[name](states).view(heads).transpose(1, 2) for name in ("query", "key", "value")
        )
        found = attend(query, key, value, seen, spans).transpose(1, 2).reshape(states.shape)
        states = self.attention["output"](found, states)
        return self.output(functional.gelu(self.intermediate["dense"](states)), states)


class Added(nn.Module):
    """A linear layer whose result is added to another state, at mean 0 and variance 1."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(width, WIDTH), nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, found: Tensor, states: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(found) + states)


def attend(query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None, spans: Spans) -> Tensor:
    """Attention within each span of the one row; without spans over all that is seen."""
    if not spans:
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    found = torch.zeros_like(query)
    for first, end in spans:
        own = [each[:, :, first:end] for each in (query, key, value)]
        found[:, :, first:end] = functional.scaled_dot_product_attention(*own)
    return found


def _table(rows: int) -> nn.Embedding:
    """A table of vectors to be filled: random numbers would only be drawn to be overwritten."""
    return nn.Embedding.from_pretrained(torch.empty(rows, WIDTH), freeze=False)


def _seen(mask: Tensor | None) -> Tensor | None:
    """The mask as attention takes it; None where nothing is padded, which computes fewer numbers."""
    if mask is None or mask.dim() == 4:
        return mask
    if not torch.jit.is_tracing() and bool(mask.all()):
        return None
    return mask[:, None, None, :].bool().expand(-1, 1, mask.shape[1], -1)
