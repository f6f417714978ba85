"""The only door to anything heavy or remote: loaded on first use, cached on disk, checked by hash.

encoder : sentences to unit vectors (all-MiniLM-L6-v2 by default, any sentence-transformers model by name)
cache   : what the encoder has already computed, kept in SQLite and shared by processes
"""

from ragassay.models.encoder import encode, identity, tokenizer, usage

__all__ = ["encode", "identity", "tokenizer", "usage"]
