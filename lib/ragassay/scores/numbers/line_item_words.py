"""The words by which line items are compared: stems of the words that carry matter, cut to a few letters."""

from ragassay.scores.text_reading import word_comparison

KEY = 6  # letters of a stem by which words are compared: operating, operations


def keys(text: str) -> frozenset[str]:
    """The words of a text by which line items are compared."""
    return frozenset(key for _, key in places_of_keys(text))


def places_of_keys(text: str) -> list[tuple[int, str]]:
    """The words of a text that carry matter, in the form compared, each with its place among all words."""
    return [
        (place, word.stem[:KEY])
        for place, word in enumerate(word_comparison.words(text))
        if word.content and not (len(word.lower) == 4 and word.lower[:2] in ("19", "20"))
    ]
