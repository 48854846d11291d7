"""How sure a mean is, and what else a column of cells says: intervals, clustered errors, profiles, ranks, influence."""
