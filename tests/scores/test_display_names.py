"""The names that readers see: every metric, rate and level has one, none is a name of code."""

import pytest

from ragassay.scores import display_names


@pytest.mark.parametrize(
    "name, shown",
    [
        ("judged_grounded", "grounded (raters)"),
        ("judged_in_every_respect", "in every respect (raters)"),
        ("repeated_same_answer", "same answer when asked again"),
        ("true_success in language=es", "true success, questions in Spanish"),
        ("true_success in topic=T02", "true success, “fees, charges”"),
        ("retrieval_recall in customer_group=new", "retrieval recall, customer group new"),
        ("attack_link_rate in kind=probe: planted injection", "attack links shown, injections in a passage"),
        ("attack_link_rate in family=role play", "attack links shown, role play"),
        ("my_own_number", "my own number"),
        ("<script> in x=y", "<script> in x=y"),
    ],
)
def test_names_by_hand(name, shown):
    assert display_names.display_name(name, {"T02": "fees, charges"}) == shown
