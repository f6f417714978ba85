"""One order for every table that is ranked: by rounded values, then by name, so that no last bit decides."""

from collections.abc import Sequence

import pandas as pd

DECIMALS = 9


def ranked(rows: pd.DataFrame, by: Sequence[str], names: Sequence[str] = ()) -> pd.DataFrame:
    """The rows ordered by these columns, ascending (`-loss`: descending); numbers are compared rounded to
    DECIMALS, missing ones come last, and ties go by the columns of `names`."""
    keys = pd.DataFrame(index=range(len(rows)))
    ascending = []
    for place, column in enumerate([*by, *names]):
        values = rows[column.removeprefix("-")].reset_index(drop=True)
        keys[place] = values.round(DECIMALS) if pd.api.types.is_float_dtype(values) else values
        ascending.append(not column.startswith("-"))
    order = keys.sort_values(list(keys.columns), ascending=ascending, kind="stable", na_position="last").index
    return rows.iloc[order]
