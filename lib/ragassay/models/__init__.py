"""The only door to anything heavy or remote: loaded on first use, cached on disk, checked by hash.

encoder             sentences and tokens to vectors
ngrams              whether a sentence declines, by its n-grams and inner vector
classifier          what follows from what, what is well-formed, toxic, likely to a causal language model
named_entities      persons, organisations, places and addresses in a text
judge               a language model as judge, behind any OpenAI-compatible endpoint (judge_messages)

load_instrument     the network of a name: head_file and head_networks read our heads, transformers others;
                    models and devices that a call names in place of the run's
cache               what a model has computed, kept in SQLite and shared by processes; model_files finds files
batching            texts to token ids, and these to batches of fixed shape, on any of the devices
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.models.classifier import (
    Entailment,
    acceptable,
    entail,
    perplexity,
    premise_spans,
    supported,
    toxic,
)
from ragassay.models.encoder import encode, identity, inner_vectors, token_vectors, tokenizer
from ragassay.models.head_file import shipped_heads
from ragassay.models.load_instrument import check_model
from ragassay.models.model_files import of_run
from ragassay.models.named_entities import Entity, entities
from ragassay.models.ngrams import refusals
