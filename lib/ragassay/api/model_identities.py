"""Which models stand behind scores, by name and hash."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragassay import models
from ragassay.models import user_models
from ragassay.scores import METRICS, derived_metrics, judges_of


def identities(names: Sequence[str], settings: Mapping[str, Any]) -> dict[str, str]:
    """The identity of the encoder that these metrics need, nothing where none does, or another function
    replaces it; and the hashes of the models named in place of the kit's.
    """
    replaced = settings.get("encode") or "encode" in (settings.get("instruments") or {})
    needed = any("encoder" in METRICS[name].models for name in derived_metrics.parts_of(names))
    encoder = models.identity(settings.get("model", "")) if needed and not replaced else {}
    return encoder | user_models.hashes(sorted({kind for name in names for kind in judges_of(name)}))
