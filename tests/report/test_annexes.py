"""Annex C says what held the kernels and the assistant, and what they tried."""

from types import SimpleNamespace

from ragassay.report import annexes


def _network_rows(network: dict) -> dict[str, str]:
    chapter = annexes.environment(
        SimpleNamespace(manifest={"network": network}, content=lambda name: None, states=[]), []
    )
    return {name[0].text: value[0].text for name, value in chapter.blocks[0].rows}


def test_both_policies_and_every_attempt_are_shown():
    rows = _network_rows(
        {"policy": "P", "assistant": "writes refused", "attempts": [{"address": "x.org:80"}]}
    )
    assert "writes refused" in rows["The assistant's own process"] and "P" in rows["Network policy"]
    assert "x.org:80" in rows["Attempts to reach the network"]


def test_a_log_has_no_assistant_to_hold():
    rows = _network_rows({"policy": "P", "assistant": "", "attempts": []})
    assert "no assistant was asked" in rows["The assistant's own process"]
