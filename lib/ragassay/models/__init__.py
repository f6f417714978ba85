"""The only door to anything heavy or remote: loaded on first use, cached on disk, checked by hash.

encoder    : sentences to unit vectors (all-MiniLM-L6-v2 by default, any sentence-transformers model by name)
classifier : what follows from what, what is well-formed, what is toxic; our small files on that encoder, or Hugging Face models by name
names      : persons, organisations, places and addresses in a text
tokens     : the encoder's vector of every token
cache      : what a model has already computed, kept in SQLite and shared by processes
"""

from ragassay.models.classifier import acceptable, entail, toxic
from ragassay.models.encoder import encode, identity, tokenizer
from ragassay.models.headfile import shipped as heads
from ragassay.models.kinds import Entailment, Entity
from ragassay.models.ner import entities
from ragassay.models.tokens import token_vectors
from ragassay.models.usage import Usage, usage, usages

__all__ = [
    "Entailment", "Entity", "Usage", "acceptable", "encode", "entail", "entities", "heads", "identity", "token_vectors", "tokenizer",
    "toxic", "usage", "usages",
]  # fmt: skip
