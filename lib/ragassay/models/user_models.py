"""The models and the device that a call names in place of the run's, checked before anything is computed; and
what a reader is to know of models in the place of the kit's."""

import contextlib
from collections.abc import Collection, Iterator

from ragassay.errors import ModelError
from ragassay.models import (
    classifier,
    devices,
    encoder,
    entailment_thresholds,
    load_instrument,
    model_files,
    user_support_model,
)

CHECKS = {
    "entailment": classifier.check_entailment,
    "support": user_support_model.check_support,
    "toxicity": classifier.check_toxicity,
}
NAMED = (*CHECKS, "thresholds", "device")
KINDS = {"entailment": "pair", "support": user_support_model.KIND, "toxicity": "text"}  # of instruments
IN_PLACE_OF = {
    "entailment": "the kit's heads",
    "support": "the kit's logistic model",
    "toxicity": "the kit's head",
}


def check_encoder(model: str) -> None:
    """Refuse a model that cannot encode, without loading it.

    Raises
    ------
    ModelError
        If it is not on this machine, or its weights, configuration or tokenizer are not in its folder.
    """
    place = encoder.folder(model)
    encoder.identity(model)
    missing = [name for name in ("config.json", "tokenizer.json") if not (place / name).is_file()]
    if missing:
        do = "save it with a fast tokenizer: SentenceTransformer(...).save(folder)"
        raise ModelError(f"the encoder {model!r} has no {missing[0]}", where=place, do=do)


@contextlib.contextmanager
def using(**named: str) -> Iterator[None]:
    """Within it, these (NAMED) in place of the run's; "" is the run's.

    Raises
    ------
    ModelError
        If a model is not on this machine or of another kind, or the device is not here.
    InputError
        If the thresholds cannot be read, or were chosen for another model.
    """
    with model_files.naming(**named):
        for kind, check in CHECKS.items():
            if named.get(kind):
                check(named[kind])
        entailment_thresholds.own()
        devices.check_device()
        yield


def limits(of: Collection[str] = tuple(KINDS), encoder: str = "") -> list[str]:
    """Which models judge `of` (of KINDS) in place of the kit's, each with its hash, and which
    thresholds do not hold for them, in sentences; none with the kit's.

    encoder : where a call names another than the run's
    """
    told = [_in_words(kind, model) for kind, model in _named(of).items()]
    return told + (entailment_thresholds.uncalibrated(encoder) if "entailment" in of else [])


def hashes(of: Collection[str] = tuple(KINDS)) -> dict[str, str]:
    """SHA-256 of the files of each model of `of` that is named in place of the kit's."""
    return {kind: load_instrument.files_sha256(model) for kind, model in _named(of).items()}


def _named(of: Collection[str]) -> dict[str, str]:
    """The models of these kinds that are not the kit's."""
    named = {kind: model_files.of_run(kind) for kind in of}
    return {kind: model for kind, model in named.items() if model not in ("", kind)}


def _in_words(kind: str, model: str) -> str:
    """One model named, with its hash."""
    identity = load_instrument.find_instrument(model, KINDS[kind]).identity
    known = f"{identity['name']} (SHA-256 {identity['sha256'][:16]})"
    return f"{kind.capitalize()} is judged by {known}, not by {IN_PLACE_OF[kind]}."
