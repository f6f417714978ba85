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


def read_back(text, spans):
    """The spans that are read from scores which say exactly what the labels of these spans say."""
    import torch

    from ragassay.models import tokenizer

    encoding = tokenizer().encode(text)
    numbers = [max(number, 0) for number in entities.labels(encoding, spans)]
    return entities.read(text, encoding, torch.eye(len(entities.LABELS))[numbers] * 9)


def test_labels_and_reading_them_undo_each_other():
    spans = [(0, 21, "person"), (31, 43, "place"), (45, 60, "address")]
    assert read_back("Wilhelmina Achterberg wrote to Unterföhring, 4 Kestrel Close.", spans) == spans


def test_two_pieces_of_an_address_side_by_side_stay_two():
    spans = [(0, 3, "address"), (4, 12, "address")]
    assert read_back("217 Mint Row", spans) == spans


def test_two_names_with_a_sign_between_stay_two():
    spans = [(0, 3, "person"), (5, 8, "person")]
    assert read_back("Ann, Ben", spans) == spans


def test_the_network_is_told_which_words_begin_with_a_capital():
    from transformers import AutoTokenizer

    from ragassay.models.encoder import folder

    told = entities.features(AutoTokenizer.from_pretrained(str(folder())), ["Ann met Zebulonia", "x"])[
        "token_type_ids"
    ]
    assert (
        told.shape[0] == 2
        and told[0].tolist()[:3] == [0, 1, 0]
        and told[0, 3:-1].all()
        and told[0, -1] == 0
        and not told[1].any()
    )


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_the_same_each_time(seed):
    assert entities.written(40 + seed) == entities.written(40 + seed)
