"""The only door to anything heavy or remote: loaded on first use, cached on disk, checked by hash.

encoder             sentences and tokens to vectors
ngrams              whether a sentence declines, by its n-grams and inner vector
classifier          what follows from what, what is well-formed, what is toxic
named_entities      persons, organisations, places and addresses in a text
user_models         models and devices that a call names in place of the run's
causal_model        how likely a text is to a causal language model, where the user names one
judge/              a language model as judge, behind any OpenAI-compatible endpoint

load_instrument     the network of a name: head_file and head_networks read our heads, transformers the others
cache               what a model has computed, kept in SQLite and shared by processes; model_files finds files
deterministic_batching  batches of fixed shape, on any of the devices
"""

from ragassay.models.causal_model import language_model, perplexity
from ragassay.models.classifier import (
    Entailment,
    acceptable,
    entail,
    premise_spans,
    support_model,
    supported,
    toxic,
)
from ragassay.models.encoder import encode, identity, inner_vectors, token_vectors, tokenizer
from ragassay.models.head_file import shipped_heads
from ragassay.models.named_entities import Entity, entities
from ragassay.models.ngrams import refusals
from ragassay.models.user_models import check_model

__all__ = [
    "Entailment",
    "Entity",
    "acceptable",
    "check_model",
    "encode",
    "entail",
    "entities",
    "identity",
    "inner_vectors",
    "language_model",
    "perplexity",
    "premise_spans",
    "refusals",
    "shipped_heads",
    "support_model",
    "supported",
    "token_vectors",
    "tokenizer",
    "toxic",
]
