"""Whether people of different groups are served alike, and whether answers lean to stereotypes."""
