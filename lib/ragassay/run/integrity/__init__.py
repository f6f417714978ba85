"""Whether a run folder is what it was: manifest, hashes, signatures, verification, executed again."""
