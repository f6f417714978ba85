"""A tiny sentence-transformers folder with random weights and vectors of another width than ours: a bank's own encoder."""

from pathlib import Path

WIDTH = 16


def save_tiny_encoder(folder: Path, seed: int = 1) -> str:
    """Write the folder; its path as `encoder:` takes it."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    from ragassay.models import encoder

    torch.manual_seed(seed)
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(**sizes, max_position_embeddings=64, initializer_range=1.0)
    bare = folder.with_name(f"{folder.name}-bare")
    BertModel(config).save_pretrained(bare)
    AutoTokenizer.from_pretrained(str(encoder.folder(encoder.DEFAULT)), model_max_length=64).save_pretrained(
        bare
    )
    network = Transformer(str(bare), max_seq_length=64)
    SentenceTransformer(modules=[network, Pooling(WIDTH)], device="cpu").save(str(folder))
    return str(folder)
