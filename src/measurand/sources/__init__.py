"""Foreign logs become rows of the trial table: one file per format, found through entry points."""
