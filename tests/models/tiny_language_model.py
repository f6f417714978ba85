"""A folder with a tiny random causal language model of five words."""

from pathlib import Path

WORDS = ["<s>", "<unk>", "fee", "card", "loan"]
SIZE = len(WORDS)


def save_tiny_language_model(folder: Path, spread: float = 1.0) -> str:
    """Write the folder; its path as `language_model:` takes it. spread : of the random weights"""
    import torch
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import WordLevel
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    torch.manual_seed(1)
    config = GPT2Config(vocab_size=SIZE, n_positions=64, n_embd=8, n_layer=1, n_head=2, bos_token_id=0)
    config.initializer_range = spread
    network = GPT2LMHeadModel(config)
    if not spread:
        torch.nn.init.zeros_(network.lm_head.weight)
    network.save_pretrained(folder)
    words = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<s>", unk_token="<unk>").save_pretrained(
        folder
    )
    return str(folder)
