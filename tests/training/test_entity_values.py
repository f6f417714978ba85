import random
import re

import pytest

import entity_addresses
import entity_firms
import entity_text
from entity_base import MAKERS, words
from entity_values import value_of

SLOTS = sorted({*MAKERS, *words()} - {"body", "unit", "before", "after"})


@pytest.mark.parametrize("slot", SLOTS)
def test_every_slot_makes_a_value_that_stands_on_its_own(slot):
    for seed in range(60):
        value = value_of(slot, random.Random(seed))
        assert value and value == value.strip() and not re.search(r"[{}|]", value)


def test_the_slots_of_our_sentences_are_all_made():
    used = {slot for sentence in entity_text.sentences() for slot in re.findall(r"\{(\w+)\}", sentence)}
    assert used <= {*MAKERS, *words()} and set(entity_text.KIND) <= {*MAKERS, *words()}


def test_bodies_are_filled_to_the_end():
    made = {entity_firms.body(random.Random(seed)) for seed in range(300)}
    assert len(made) > 150 and not any("{" in name for name in made)


def test_firms_come_in_many_makes():
    made = [entity_firms.firm(random.Random(seed)) for seed in range(500)]
    for make in (
        r"^\w+-\w+$",
        r"^\w+, \w+ and \w+$",
        r"^\w+$",
        r"^[A-Z]{2,4}$",
        r" (Inc|Ltd|LLC|AG)\b",
        r"^The ",
        r"^\d+ ",
    ):
        assert any(re.search(make, name) for name in made), make
    assert len(set(made)) > 450


def test_addresses_by_their_shapes():
    made = [entity_addresses.address(random.Random(seed)) for seed in range(500)]
    assert any("\n" in one for one in made) and any(one.startswith("the corner of ") for one in made)
    assert sum(bool(re.search(r"[AFD]PO A[AEP] \d{5}$", one)) for one in made) in range(5, 60)
    assert all(re.search(r"\d", one) or one.startswith("the corner of ") for one in made)


def test_a_spot_names_no_town():
    assert all("\n" not in entity_addresses.spot(random.Random(seed)) for seed in range(200))


def test_the_same_seed_makes_the_same_value():
    assert all(value_of(slot, random.Random(7)) == value_of(slot, random.Random(7)) for slot in SLOTS)
