"""The models and the device that a call names in place of the run's, checked before anything is computed; and
what a reader is to know of models in the place of the kit's."""

import contextlib
from collections.abc import Collection, Iterator

from ragassay.errors import ModelError
from ragassay.models import devices, encoder, entailment_thresholds, head_file, load_instrument, model_files

KINDS = {"entailment": "pair", "support": "support", "toxicity": "text"}  # of instruments
NAMED = (*KINDS, "thresholds", "device")
IN_PLACE_OF = {"entailment": "head", "support": "logistic model", "toxicity": "head"}  # of the kit


def check_model(kind: str, model: str) -> None:
    """Refuse a model that cannot serve as this (encoder, language_model, entailment, support, toxicity),
    without loading it: a ModelError if it is not on this machine, lacks weights, configuration or tokenizer,
    is of another kind, or none of its labels means what is asked."""
    if kind == "encoder":
        place = encoder.folder(model)
        encoder.identity(model)
        missing = [name for name in ("config.json", "tokenizer.json") if not (place / name).is_file()]
        if missing:
            do = "save it with a fast tokenizer: SentenceTransformer(...).save(folder)"
            raise ModelError(f"the encoder {model!r} has no {missing[0]}", where=place, do=do)
    elif kind == "language_model":
        place = model_files.find_folder(model)
        model_files.identify(place, model)
        model_files.settings(place, model, "ForCausalLM", "LMHeadModel")
    else:
        labels = load_instrument.find_instrument(model, KINDS[kind]).labels
        load_instrument.label_columns(labels, kind, model)


@contextlib.contextmanager
def use_models(**named: str) -> Iterator[None]:
    """Within it, these (NAMED) in place of the run's; "" is the run's. A ModelError if a model or the device
    is not here or a model is of another kind, an InputError if the thresholds are not for these models."""
    with model_files.naming(**named):
        for kind in KINDS:
            if named.get(kind):
                check_model(kind, named[kind])
        entailment_thresholds.own()
        devices.check_device()
        yield


def limits(of: Collection[str] = tuple(KINDS), encoder: str = "") -> list[str]:
    """Which models judge `of` (of KINDS) in place of the kit's, each with its hash, and which thresholds do
    not hold for them or for the encoder of a call, in sentences; none with the kit's."""
    found = []
    for kind, model in _named(of).items():
        identity = load_instrument.find_instrument(model, KINDS[kind]).identity
        known = f"{identity['name']} (SHA-256 {identity['sha256'][:16]})"
        found.append(f"{kind.capitalize()} is judged by {known}, not by the kit's {IN_PLACE_OF[kind]}.")
    return found + (entailment_thresholds.uncalibrated(encoder) if "entailment" in of else [])


def hashes(of: Collection[str] = tuple(KINDS)) -> dict[str, str]:
    """SHA-256 of the files of each model of `of` that is named in place of the kit's."""
    return {kind: head_file.files_sha256(model) for kind, model in _named(of).items()}


def _named(of: Collection[str]) -> dict[str, str]:
    named = {kind: model_files.of_run(kind) for kind in of}
    return {kind: model for kind, model in named.items() if model not in ("", kind)}
