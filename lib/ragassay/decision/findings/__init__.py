"""The register of findings: which there are, their words, cause, effect, severity, remedy, case shown."""
