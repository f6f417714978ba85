"""What every kind of curve shares: its name, its levels, and JSON that gives the same numbers back bit for bit."""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Calibrator:
    """A frozen dataclass of plain numbers with `predict`; see the kinds for what it returns."""

    kind: ClassVar[str]

    @property
    def levels(self) -> tuple[float, ...]:
        """The labels whose probability the curve gives, ascending."""
        return (0.0, 1.0)

    def predict(self, scores: ArrayLike) -> NDArray:
        """(n,) probabilities in [0, 1] of label 1; NaN where the score is NaN."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The curve as JSON text; `from_json` gives back the same numbers exactly."""
        return json.dumps({"curve": self.kind, **asdict(self)}, sort_keys=True, allow_nan=False)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The curve written by `to_json`. Raises ValueError for anything else."""
        names = tuple(field.name for field in fields(cls))  # type: ignore[arg-type]
        found = parsed(text)
        if found.get("curve") != cls.kind or set(found) != {"curve", *names}:
            raise ValueError(
                f"expected {_a(cls.kind)} curve with {', '.join(names)}; found {str(text)[:200]}"
            )
        return _checked(cls, {name: found[name] for name in names})

    def _need(self, holds: object, what: str) -> None:
        if not holds:
            raise ValueError(f"expected {_a(self.kind)} curve with {what}; found {repr(self)[:200]}")

    @staticmethod
    def _tendency(rises: bool, falls: bool) -> str:
        return "rises" if rises else "falls" if falls else "flat"


def monotone(values: Sequence[float]) -> bool:
    """Whether probabilities in [0, 1] never fall or never rise, and there is one."""
    p = np.asarray(values, dtype=float)
    steps = np.diff(p)
    return bool(len(p) and ((p >= 0) & (p <= 1)).all() and ((steps >= 0).all() or (steps <= 0).all()))


def parsed(text: str) -> dict[str, Any]:
    """The JSON object in a text; an empty one where there is none."""
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _checked(cls: Any, values: dict[str, Any]) -> Any:
    """The dataclass from values of its annotated types and nothing else."""
    return cls(**{field.name: _value(cls.kind, field.type, values[field.name]) for field in fields(cls)})


def _value(kind: str, annotation: Any, value: Any) -> Any:
    """A value of the type annotated: no text for a number, no NaN, no infinity; a curve within a curve is read as one."""
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    if isinstance(annotation, type) and issubclass(annotation, Calibrator):
        return annotation.from_json(
            json.dumps({"curve": annotation.kind, **value} if isinstance(value, dict) else value)
        )
    try:
        return TypeAdapter(annotation, config=ConfigDict(allow_inf_nan=False, strict=True)).validate_json(
            json.dumps(value)
        )
    except ValidationError as refusal:
        raise ValueError(f"expected {_a(kind)} curve; found {str(refusal)[:400]}") from None
