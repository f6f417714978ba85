"""The parameter file of an engagement: read as data with its lines, checked, written, values set in it."""
