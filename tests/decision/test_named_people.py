"""A name is told from a placeholder, a role and a unit by rule."""

import pytest

from ragassay.decision.named_people import names_person


@pytest.mark.parametrize(
    "text",
    [
        "Ann Meyer",
        "A. Smith, Group Risk",
        "Dr José da Silva-Núñez (Internal Audit)",
        "Bo Li of Internal Audit and two others",
        "rated by Ann O'Neill",
        "two people: Ann Meyer; Bo Li",
        "王小明",
        "MEYER Ann",
    ],
)
def test_a_person_is_named(text):
    assert names_person(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "TBD", "tbd tbd", "T.B.D.", "n/a", "N/A", "none", "the team", "The Team", "Model Validation",
        "Internal Audit", "Head of Digital Banking", "Independent Raters", "somebody else", "not stated",
        "Not Stated", "First Last", "Name Surname", "raters, validators", "Ann", "A. B.", "x", "R1, R2",
        "the maintainers of this kit, with one guide, not customers or bank staff", "three experts", "?? ??", "-",
    ],
)  # fmt: skip
def test_a_placeholder_a_role_and_a_unit_name_nobody(text):
    assert not names_person(text)


def test_a_text_of_a_stranger_is_read_in_no_time():
    assert not names_person("a " * 1_000_000 + "Ann Meyer") and not names_person("\x00" * 5000)
