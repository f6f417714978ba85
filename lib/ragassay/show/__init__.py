"""Values and tables as readers see them.

plain_values   any value as text: nothing hidden, nothing that acts
styled_table   `ragassay.readable`: a table in words, as a pandas Styler
text_tables    what a sealed kernel shows of a DataFrame, and CSV in which nothing runs
"""

from ragassay.show.plain_values import MISSING, clean, number, value_text

__all__ = ["MISSING", "clean", "number", "value_text"]
