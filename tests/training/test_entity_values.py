import random
import re

import pytest

import entity_addresses
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


def test_addresses_by_their_shapes():
    made = [entity_addresses.address(random.Random(seed)) for seed in range(500)]
    assert any("\n" in one for one in made) and any(one.startswith("the corner of ") for one in made)
    assert sum(bool(re.search(r"[AFD]PO A[AEP] \d{5}$", one)) for one in made) in range(5, 60)
    assert all(re.search(r"\d", one) or one.startswith("the corner of ") for one in made)


def test_the_same_seed_makes_the_same_value():
    assert all(value_of(slot, random.Random(7)) == value_of(slot, random.Random(7)) for slot in SLOTS)
