"""Texts to token ids: what is cut, what is kept, where a token stands in its text."""

import pytest
from transformers import AutoTokenizer

from ragassay.models import encoder, tokenization

TOKENIZER = AutoTokenizer.from_pretrained(str(encoder.folder()))


def words(count, word="fee"):
    return " ".join([word] * count)


@pytest.mark.parametrize(
    "premise, hypothesis, kept",
    [(400, 20, (256 - 3 - 20, 20)), (400, 300, (125, 128)), (5, 300, (5, 128)), (10, 10, (10, 10))],
)
def test_the_premise_is_cut_before_the_hypothesis(premise, hypothesis, kept):
    one = tokenization.tokenize_pairs(TOKENIZER, [(words(premise), words(hypothesis))], 256)[0]
    assert (len(one.ids) - sum(one.types) - 2, sum(one.types) - 1) == kept


def test_padding_has_one_shape_and_masks_what_it_adds():
    arrays = tokenization.pad(
        tokenization.tokenize_texts(TOKENIZER, ["one two", "three"], 16), 16, "cpu", TOKENIZER.pad_token_id
    )
    assert {name: tuple(array.shape) for name, array in arrays.items()} == dict.fromkeys(
        ("input_ids", "attention_mask", "token_type_ids"), (2, 16)
    )
    assert arrays["attention_mask"].sum(axis=1).tolist() == [4, 3]
    assert (arrays["input_ids"][arrays["attention_mask"] == 0] == TOKENIZER.pad_token_id).all()


LONG = "The fee is $28.00 per item, née à Zürich [SEP] 日本 🙂."


def test_our_tokenizer_gives_the_same_tokens_as_transformers():
    ours, theirs = encoder.new_tokenizer(), TOKENIZER
    texts = [LONG, "", " ", "word " * 400, "\ud800 \0 [CLS] [MASK] ##ing", "Ann\nMiller", "x" * 300]
    pairs = list(zip(texts, reversed(texts), strict=True))
    for read, asked in ((tokenization.tokenize_texts, texts), (tokenization.tokenize_pairs, pairs)):
        assert read(ours, asked, 64) == read(theirs, asked, 64)
    readable = [tokenization.replace_surrogates(text) for text in texts]
    cut = theirs(readable, truncation=True, max_length=64)["input_ids"]
    assert [list(one.ids) for one in tokenization.tokenize_texts(ours, texts, 64)] == cut
