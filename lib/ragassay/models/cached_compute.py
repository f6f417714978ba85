"""Each unique input computed once, ever: from the cache where it is known, into the cache where it is not, and counted."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from numpy.typing import NDArray

from ragassay import evidence
from ragassay.models import cache
from ragassay.models.deterministic_batching import Item
from ragassay.models.usage import Usage, add


def cached_compute(
    instrument: str,
    items: Sequence[Item],
    address: Callable[[Item], bytes],
    compute: Callable[[list[Item]], Iterator[dict[Item, NDArray]]],
) -> dict[Item, NDArray]:
    """The result of every item, float32.

    Parameters
    ----------
    instrument : the name under which use is counted and noted
    address : an item's key in the cache
    compute : unique items not seen before -> their results, a part at a time; every part is kept before the next is asked for
    """
    started = time.perf_counter()
    unique: list[Item] = sorted(set(items))  # type: ignore[type-var]
    keys = {item: address(item) for item in unique}
    stored = cache.get(keys.values())
    known = {item: stored[key] for item, key in keys.items() if key in stored}
    missing = [item for item in unique if item not in known]
    for part in compute(missing) if missing else ():
        cache.put({keys[item]: result for item, result in part.items()})
        known |= part
    used = Usage(
        len(items), len(unique), len(missing), len(unique) - len(missing), time.perf_counter() - started
    )
    evidence.append(
        {"event": "encoder" if instrument == "encoder" else "head", "instrument": instrument, **asdict(used)}
    )
    add(instrument, used)
    return known
