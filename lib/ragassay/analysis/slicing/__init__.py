"""Slices of the scorecard by name (scorecard_slices); the exact test of a slice (slice_tests)."""
