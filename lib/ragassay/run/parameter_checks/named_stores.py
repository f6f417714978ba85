"""Whether the documents that a value names are there: a folder, or a store of passages; nothing is read."""

from collections.abc import Iterator
from typing import Any

from ragassay import provenance
from ragassay.documents import passage_stores
from ragassay.errors import InputError, KitError
from ragassay.run.parameter_checks.input_files import in_words
from ragassay.run.parameters import Parameter


def problems(parameter: Parameter, value: str, _: Any) -> Iterator[tuple[tuple, str]]:
    """What is wrong with the place; of a store with its description too."""
    if not value:
        return
    try:
        path = provenance.source(value)
        store = passage_stores.read_store(value) if passage_stores.is_store(value) else None
        if store and store.path:
            provenance.source(store.path)
    except InputError:
        yield (), f"{parameter.name} {value!r} does not exist, or the store that it names does not"
    except KitError as problem:
        yield (), in_words(problem)
    else:
        if store is None and not path.is_dir():
            yield (), f"{value!r} is a file; a folder, a .jsonl or a .yml is wanted"
