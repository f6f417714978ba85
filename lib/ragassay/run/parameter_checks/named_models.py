"""Whether a model that a value names is here and of its kind, whether a device is; nothing is loaded."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragassay.errors import KitError, ParameterError
from ragassay.run.parameter_checks.input_files import in_words
from ragassay.run.parameter_file.run_settings import MODELS
from ragassay.run.parameters import Parameter


def problems(parameter: Parameter, value: str, _: Any) -> Iterator[tuple[tuple, str]]:
    """What is wrong with the model."""
    from ragassay import models

    checks = {
        "encoder": models.check_encoder,
        "entailment": models.check_entailment,
        "support": models.check_support,
        "toxicity": models.check_toxicity,
        "language_model": models.check_language_model,
    }
    try:
        if value:
            checks[parameter.name](value)
    except KitError as problem:
        yield (), in_words(problem)


def check_thresholds(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse thresholds that were not chosen for the models of these settings.

    Raises
    ------
    ParameterError
        If they were not, or cannot be read.
    """
    from ragassay.models import entailment_thresholds, model_files

    try:
        with model_files.naming(**{kind: settings[kind] for kind in MODELS}):
            entailment_thresholds.own()
    except KitError as problem:
        raise ParameterError(f"run.thresholds: {in_words(problem)}", where=path, do=problem.do) from problem


def device_problems(parameter: Parameter, value: str, _: Any) -> Iterator[tuple[tuple, str]]:
    """What is wrong with the device, if it is one by name."""
    from ragassay.models import devices, model_files

    try:
        with model_files.naming(device=value if value in devices.DEVICES else ""):
            devices.check_device()
    except KitError as problem:
        yield (), in_words(problem)
