"""The cards: one per metric, with everything `ragassay score --list` promises."""

from ragassay.scores import METRICS, metric_registry


def test_one_card_per_metric_with_every_field():
    table = metric_registry.card_table()
    assert table.name.tolist() == list(METRICS)
    assert set(table.columns) >= {
        "needs",
        "range",
        "direction",
        "source",
        "models",
        "deterministic",
        "cost",
        "if_missing",
    }
    assert (table.drop(columns="deterministic").astype(str).map(len) > 0).all().all()


def test_the_list_names_every_metric_its_needs_and_its_direction():
    text = metric_registry.card_text()
    assert all(f"  {name}: " in text for name in METRICS)
    assert text.count("is better; needs ") == len(METRICS)
    assert max(map(len, text.splitlines())) <= 160


def test_what_happens_without_an_input():
    assert (
        metric_registry.if_missing(METRICS["groundedness"])
        == "not_measured without answer or contexts; not_applicable to an answer that abstains"
    )
    assert (
        metric_registry.if_missing(METRICS["abstention_correct"])
        == "not_measured without answer or answerable"
    )
    assert "without a judge" in metric_registry.if_missing(METRICS["judge_groundedness"])
