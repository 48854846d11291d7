"""Claims people make: a record, the top score, non-inferiority, single-task regressions, arms run at different times."""
