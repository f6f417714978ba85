"""The monitoring plan after release: what is watched, and from which count on an alarm is raised."""
