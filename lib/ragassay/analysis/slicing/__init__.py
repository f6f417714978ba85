"""Slices: scorecard_slices (names), slice_units (sizes), slice_tests (p), slice_search (q), weak_slices."""
