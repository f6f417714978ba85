"""Clusters: what was drawn together counts as one."""

from made import cases_of

from ragassay.analysis.resampling_clusters import case_clusters


def test_clusters_are_the_widest_thing_drawn_together():
    cases = cases_of(
        "abcd",
        parent_id=[None, "c000", None, None],
        group_id=[None, None, "g1", "g2"],
        conversation_id=[None, None, None, "k"],
    )
    found = case_clusters(cases)
    assert found["c000"] == found["c001"] == "case c000"
    assert found["c002"] == "group g1" and found["c003"] == "conversation k"
