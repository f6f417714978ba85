"""What is read of a saved calibrator: its JSON, and what the last release called its kind."""

import json
from typing import Any

OLD_KINDS = {"several": "multivariate"}  # as written until 0.1; read for one release


def parse_json(text: str) -> dict[str, Any]:
    """The JSON object in a text, an empty one where there is none; its kind under the name of today.

    Until 0.1 the kind stood under the key `curve`, and `isotonic` was what is now `isotonic_interpolated`.
    """
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, TypeError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    if "kind" not in found and "curve" in found:
        found["kind"] = found.pop("curve")
    if isinstance(found.get("kind"), str):
        found["kind"] = OLD_KINDS.get(found["kind"], found["kind"])
    if found.get("kind") == "isotonic" and "at" in found:
        found["kind"] = "isotonic_interpolated"
    return found
