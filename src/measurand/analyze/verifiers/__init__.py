"""Second verdicts against the first."""
