"""The default encoder's network: the same bits as transformers', without importing it."""

import subprocess
import sys

import pytest

from ragassay.models import encoder

LONG = "The fee is $28.00 per item, née à Zürich [SEP] 日本 🙂."


def test_reading_with_our_own_models_loads_neither_transformers_nor_a_compiler(tmp_path):
    """What importing them costs a process, a kernel or an assistant, is more time than most texts take."""
    code = """
import os, sys
os.environ["RAGASSAY_CACHE"] = sys.argv[1]
from ragassay import models
models.encode(["a fee"]), models.entail([("a fee", "it is due")]), models.entities(["Ann Miller"])
heavy = {"transformers", "sentence_transformers", "torch._dynamo", "sympy"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.slow
def test_our_tokenizer_gives_the_same_tokens_as_transformers():
    from transformers import AutoTokenizer

    from ragassay.models import tokenization

    ours, theirs = encoder.new_tokenizer(), AutoTokenizer.from_pretrained(str(encoder.folder()))
    texts = [LONG, "", " ", "word " * 400, "\ud800 \0 [CLS] [MASK] ##ing", "Ann\nMiller", "x" * 300]
    pairs = list(zip(texts, reversed(texts), strict=True))
    for read, given in (
        (tokenization.tokenize_texts, texts),
        (tokenization.tokenize_pairs, pairs),
        (tokenization.tokenize_windows, texts),
    ):
        assert read(ours, given, 64) == read(theirs, given, 64)
    assert tokenization.count_tokens(ours, texts) == tokenization.count_tokens(theirs, texts)
    readable = [tokenization.replace_surrogates(text) for text in texts]
    cut = theirs(readable, truncation=True, max_length=64)["input_ids"]
    assert [one.ids for one in tokenization.tokenize_texts(ours, texts, 64)] == cut
