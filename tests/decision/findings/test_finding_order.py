"""The order of findings: of equally grave ones those that their own measurement made so grave come first."""

from math import nan

from ragassay.decision.findings import finding_order, presuppositions

ROW = {"status": "open", "severity": "Critical", "case_ids": [], "value": nan, "condition": ""}


def row(source: str, **more) -> dict:
    return ROW | {"source": source} | more


def test_what_is_grave_by_itself_stands_before_what_carries_a_gate_and_what_is_conditional():
    """Formerly partial answers, Critical by their own gate, stood behind errors that only carry it."""
    rows = [
        row("check:privacy|secret in a passage|secret_leak_rate", condition=presuppositions.SECRET),
        row("errors:misleading", by_itself="High", led_by="High"),
        row("gate:judged_complete|own", by_itself="Critical", led_by=""),
        row("gate:retrieval_recall|own", by_itself="Critical", led_by="High"),
        row("errors:unsafe", by_itself="Critical"),
    ]
    assert [each["source"] for each in sorted(rows, key=finding_order.rank)] == [
        "errors:unsafe",
        "gate:judged_complete|own",
        "errors:misleading",
        "gate:retrieval_recall|own",
        "check:privacy|secret in a passage|secret_leak_rate",
    ]
