import pytest

import entities

TRUE = [(0, 4, "person"), (10, 14, "place")]


def test_f1_by_hand():
    found = [(0, 4, "person"), (10, 13, "place"), (20, 25, "place")]
    assert entities.f1([(found, TRUE)]) == pytest.approx(2 * 1 / (3 + 2))
    assert entities.f1([(found, TRUE)], "person") == 1
    assert entities.f1([(found, TRUE)], "place") == 0


def test_f1_is_one_only_where_all_agree_and_nan_without_spans():
    assert entities.f1([(TRUE, TRUE)]) == 1
    assert entities.f1([([], TRUE)]) == 0
    assert entities.f1([([], [])]) != entities.f1([([], [])])


def test_only_four_kinds_of_the_published_texts_are_names():
    row = {
        "full_text": "Ann is 30, of Rome",
        "spans": [
            {"entity_type": "GPE", "start_position": 14, "end_position": 18},
            {"entity_type": "AGE", "start_position": 7, "end_position": 9},
            {"entity_type": "PERSON", "start_position": 0, "end_position": 3},
        ],
    }
    assert entities.published([row]) == [("Ann is 30, of Rome", [(0, 3, "person"), (14, 18, "place")])]


def test_labels_and_reading_them_undo_each_other():
    from ragassay.models import tokenizer

    text = "Wilhelmina Achterberg wrote to Unterföhring, 4 Kestrel Close."
    spans = [(0, 21, "person"), (31, 43, "place"), (45, 60, "address")]
    encoding = tokenizer().encode(text)
    numbers = [max(number, 0) for number in entities.labels(encoding, spans)]
    assert entities.read_words(encoding, numbers) == spans


def test_two_names_of_a_kind_side_by_side_stay_two():
    from ragassay.models import tokenizer

    encoding, spans = tokenizer().encode("Ann Ben"), [(0, 3, "person"), (4, 7, "person")]
    assert entities.read_words(encoding, [max(number, 0) for number in entities.labels(encoding, spans)]) == spans


def test_an_inside_without_a_beginning_begins():
    from ragassay.models import tokenizer

    inside = entities.LABELS.index("I-place")
    assert entities.read_words(tokenizer().encode("Rome"), [0, inside, 0]) == [(0, 4, "place")]
