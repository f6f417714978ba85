"""A folder with a tiny random model for classification, as a user's own: labels, family and settings as asked."""

from pathlib import Path

import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from ragassay.models import encoder


def made(folder: Path, labels: list[str], family=BertForSequenceClassification, **settings) -> str:
    """A tiny random model with these labels; its folder as `model=` takes it."""
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(**sizes, id2label=dict(enumerate(labels)), initializer_range=1.0, **settings)
    family(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(str(encoder.folder())).save_pretrained(folder)
    return str(folder)
