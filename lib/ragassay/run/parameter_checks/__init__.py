"""Whether a value of the parameter file can be: its type and range, what it names, the files it names."""
